/**
 * Writes answers: to a response of `node:http`, or as bytes to a socket whose request never got a response.
 *
 * Every answer has the security headers. A compressible body is compressed for clients that accept it; the hot path, an answer to a client
 * that accepts no encoding, writes head and body in one piece.
 */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import type { Answer, Headers } from "./answer.ts"
import { compress, compressedBytesMin, type Encoding, encodingOf, isCompressible } from "./compression.ts"

/** Headers of every answer, whatever its status. */
export const securityHeaders: Headers = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
}

/** Statuses whose answers never have a body, and therefore no length. */
const isBodiless = (status: number): boolean => status === 204 || status === 304

/** `Vary` of an answer whose encoding depends on the request, beside what the response varies by already. */
const varyOf = (response: ServerResponse): string =>
  response.hasHeader("Vary") ? `${response.getHeader("Vary")}, Accept-Encoding` : "Accept-Encoding"

/**
 * Writes an answer. Returns null when it is written, or a promise that resolves when its compressed body is.
 *
 * @param offered encodings that the edge offers, the preferred one first
 */
export const writeAnswer = (
  request: IncomingMessage,
  response: ServerResponse,
  { body, headers, mediaType, status }: Answer,
  offered: ReadonlyArray<Encoding>,
): Promise<void> | null => {
  if (body === null) {
    const length = isBodiless(status) ? {} : { "Content-Length": 0 }
    response.writeHead(status, { ...length, ...securityHeaders, ...headers }).end()
    return null
  }
  const bytes = Buffer.byteLength(body)
  const write = (content: string | Uint8Array, length: number, more: Headers): void => {
    response.writeHead(status, {
      "Content-Type": mediaType,
      "Content-Length": length,
      ...securityHeaders,
      ...headers,
      ...more,
      // A text of one byte per character is ASCII, which is written faster as Latin-1.
    }).end(content, typeof content === "string" && length === content.length ? "latin1" : "utf8")
  }
  if (bytes < compressedBytesMin || headers["Content-Encoding"] !== undefined || !isCompressible(mediaType)) {
    write(body, bytes, {})
    return null
  }
  const vary = { Vary: varyOf(response) }
  const encoding = encodingOf(request.headers["accept-encoding"]?.toString(), offered)
  if (encoding === null) {
    write(body, bytes, vary)
    return null
  }
  return compress(body, encoding).then(
    (compressed) => write(compressed, compressed.byteLength, { ...vary, "Content-Encoding": encoding }),
  )
}

/** Writes a whole answer to a socket and closes it: a rejected upgrade, or a request that could not be parsed. */
export const writeRawAnswer = (socket: Duplex, { body, headers, mediaType, status }: Answer): void => {
  socket.on("error", () => socket.destroy())
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const content = Buffer.from(body ?? "")
  const all = {
    ...(body === null ? {} : { "Content-Type": mediaType }),
    "Content-Length": content.byteLength,
    ...securityHeaders,
    ...headers,
    Connection: "close",
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  socket.write([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", ""].join("\r\n"))
  socket.end(content)
}
