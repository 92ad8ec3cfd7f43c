/** The headers that a failure requires, before and after a request is read. */
import type { Failure } from "../../../protocols/pose-api/errors.ts"
import { hasCredentials, type HeaderReader } from "../../access/authorise.ts"
import { retryAfterS } from "../../access/connection-guard.ts"
import { type Headers, noHeaders } from "../../http/answer.ts"

/** @param header reads the headers of the request */
export const failureHeaders = (failure: Failure, header: HeaderReader): Headers => {
  switch (failure._tag) {
    case "NotAuthenticated": {
      const detail = hasCredentials(header) ? `, error="invalid_token"` : ""
      return { "WWW-Authenticate": `Bearer realm="wavepose"${detail}` }
    }
    case "MethodNotAllowed":
      return { Allow: failure.allowed.join(", ") }
    case "RateLimited":
      return { "Retry-After": String(failure.retryAfterS) }
    case "Overloaded":
      return { "Retry-After": String(retryAfterS) }
    case "MalformedRequest":
      return failure.part === "handshake" ? { "Sec-WebSocket-Version": "13" } : noHeaders
    default:
      return noHeaders
  }
}
