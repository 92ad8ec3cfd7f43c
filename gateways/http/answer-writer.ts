/**
 * Writes answers: to a response of `node:http`, or as bytes to a socket whose request never got a response.
 *
 * Every answer has the security headers; JSON, which no page can embed, only the one that concerns it. A compressible body is compressed for
 * clients that accept it. The hot path, an answer to a client that accepts no encoding, writes head and body in one piece.
 */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { jsonType } from "../../protocols/pose-api/endpoint.ts"
import { type Answer, noHeaders } from "./answer.ts"
import { compress, compressedBytesMin, type Encoding, encodingOf, isCompressible } from "./compression.ts"

const noSniffing = { "X-Content-Type-Options": "nosniff" } as const

/** Headers of every answer but JSON, whatever its status. */
export const securityHeaders = {
  ...noSniffing,
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
} as const

/** Statuses whose answers never have a body, and therefore no length. */
const isBodiless = (status: number): boolean => status === 204 || status === 304

/** `Vary` of an answer whose encoding depends on the request, beside what the response varies by already. */
const varyOf = (response: ServerResponse): string =>
  response.hasHeader("Vary") ? `${response.getHeader("Vary")}, Accept-Encoding` : "Accept-Encoding"

const writeEmpty = (response: ServerResponse, { headers, status }: Answer): void => {
  const length = isBodiless(status) ? noHeaders : { "Content-Length": "0" }
  response.writeHead(status, { ...length, ...securityHeaders, ...headers }).end()
}

/** Writes head and body in one piece. On the hot path: each merge of objects costs as much as several headers. */
const writeBody = (
  response: ServerResponse,
  { headers, mediaType, status }: Answer,
  body: string | Uint8Array,
  bytes: number,
): void => {
  response.writeHead(status, {
    "Content-Type": mediaType,
    "Content-Length": bytes,
    ...(mediaType === jsonType ? noSniffing : securityHeaders),
    ...headers,
    // A text of one byte per character is ASCII, which is written faster as Latin-1.
  }).end(body, typeof body === "string" && bytes === body.length ? "latin1" : "utf8")
}

/** Whether a body is worth compressing. */
const isWorthwhile = ({ headers, mediaType }: Answer, bytes: number): boolean =>
  bytes >= compressedBytesMin && headers["Content-Encoding"] === undefined && isCompressible(mediaType)

/** Whether no cache keeps an answer, so that it need not say by which headers of the request it varies. */
export const isUncached = ({ headers }: Answer): boolean => headers["Cache-Control"] === "no-store"

/**
 * Writes an answer; one with a compressed body when it is compressed.
 *
 * @param offered encodings that the edge offers, the preferred one first
 */
export const writeAnswer = (
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  offered: ReadonlyArray<Encoding>,
): void => {
  const { body, headers } = answer
  if (body === null) return writeEmpty(response, answer)
  const bytes = Buffer.byteLength(body)
  const accepted = request.headers["accept-encoding"]?.toString()
  if (accepted === undefined && isUncached(answer) || !isWorthwhile(answer, bytes)) {
    return writeBody(response, answer, body, bytes)
  }
  const encoding = encodingOf(accepted, offered)
  const varying = { ...answer, headers: { ...headers, Vary: varyOf(response) } }
  if (encoding === null) return writeBody(response, varying, body, bytes)
  const encoded = { ...varying, headers: { ...varying.headers, "Content-Encoding": encoding } }
  void compress(body, encoding).then(
    (compressed) => writeBody(response, encoded, compressed, compressed.byteLength),
    () => writeBody(response, varying, body, bytes),
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
