/**
 * Access to the bridge: on loopback all clients of this machine, elsewhere clients with its token.
 *
 * On loopback the request must name a loopback host, so that no web page whose host name resolves to this machine can read a home. `/health`
 * contains no personal data and is public.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import { errorHintText } from "../../protocols/bridge/bridge.ts"
import type { Answer } from "../http/answer.ts"
import { isLoopbackHost } from "../access/loopback.ts"
import { bridgeAnswer } from "./routes.ts"

/** Public, wherever the bridge listens. */
export const healthPath = "/health"

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/** The name in a `Host` header, without its port. */
const nameOf = (host: string): string => {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(host)
  return bracketed === null ? host.replace(/:\d+$/, "") : bracketed[1]!
}

const unauthorised = bridgeAnswer(
  401,
  errorHintText("A bearer token is needed.", "Send the header Authorization: Bearer <WAVEPOSE_BRIDGE_TOKEN>."),
  { "WWW-Authenticate": `Bearer realm="wavepose bridge"` },
)

const otherHost = bridgeAnswer(
  403,
  errorHintText(
    "The bridge answers on this machine only.",
    "Use the host name 127.0.0.1 or localhost, or set WAVEPOSE_BRIDGE_TOKEN.",
  ),
)

interface Credentials {
  readonly host: string | undefined
  readonly authorization: string | undefined
}

/** The access check of a bridge; `token` null: it is bound to loopback and public there. Returns the answer that rejects a request, or null. */
export const bridgeAccess = (token: string | null): (path: string, headers: Credentials) => Answer | null => {
  if (token === null) return (_, { host }) => isLoopbackHost(nameOf(host ?? "").toLowerCase()) ? null : otherHost
  const expected = digest(token)
  return (path, { authorization }) => {
    if (path === healthPath) return null
    const given = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1]
    return given !== undefined && timingSafeEqual(digest(given), expected) ? null : unauthorised
  }
}
