/**
 * Reads request bodies up to a limit, as bytes or as JSON.
 */
import { Effect } from "effect"
import type { IncomingMessage } from "node:http"
import { MalformedRequest, PayloadTooLarge } from "../../protocols/pose-api/edge-failures.ts"

/** Bytes that a client may still send after its body was rejected; beyond them the connection is closed. */
const drainedBytesMax = 8 * 1024 * 1024

/** Discards the rest of a rejected body, so that the client reads the answer. */
const drain = (request: IncomingMessage): void => {
  let bytes = 0
  request.on("data", (chunk: Uint8Array) => {
    bytes += chunk.byteLength
    if (bytes > drainedBytesMax) request.destroy()
  })
  request.resume()
}

/** The bytes of the body; fails as soon as more than `limitBytes` are announced or received. */
export const bodyBytes = (request: IncomingMessage, limitBytes: number): Effect.Effect<Uint8Array, PayloadTooLarge> =>
  Effect.callback((resume) => {
    const reject = () => {
      drain(request)
      resume(Effect.fail(new PayloadTooLarge({ limitBytes })))
    }
    if (Number(request.headers["content-length"] ?? 0) > limitBytes) return reject()
    const chunks: Array<Uint8Array> = []
    let size = 0
    const onData = (chunk: Uint8Array) => {
      size += chunk.byteLength
      if (size > limitBytes) {
        request.off("data", onData)
        request.off("end", onEnd)
        return reject()
      }
      chunks.push(chunk)
    }
    // An idle connection keeps its last request, and with it the listeners.
    const onEnd = () => {
      request.off("data", onData)
      request.off("end", onEnd)
      resume(Effect.succeed(Buffer.concat(chunks)))
    }
    request.on("data", onData)
    request.on("end", onEnd)
  })

const malformed = (part: string, message: string) => Effect.fail(new MalformedRequest({ part, message }))

const jsonType = /^application\/([a-z0-9.+-]+\+)?json\s*(;|$)/i

/** The JSON value of the body; `{}` if it is empty, so that each missing field is named. */
export const jsonBody = (
  request: IncomingMessage,
  limitBytes: number,
): Effect.Effect<unknown, MalformedRequest | PayloadTooLarge> =>
  Effect.gen(function* () {
    const { "content-type": type, "content-encoding": encoding } = request.headers
    const bytes = yield* bodyBytes(request, limitBytes)
    if (bytes.byteLength === 0) return {}
    if (type !== undefined && !jsonType.test(type)) {
      return yield* malformed("Content-Type", "The body must be JSON: send `Content-Type: application/json`.")
    }
    if (encoding !== undefined && encoding !== "identity") {
      return yield* malformed(
        "Content-Encoding",
        "Compressed bodies are not supported. Send the body without Content-Encoding.",
      )
    }
    try {
      return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
    } catch {
      return yield* malformed("body", "The body is not JSON in UTF-8.")
    }
  })
