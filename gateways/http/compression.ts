/**
 * Compression of answers: the encoding that a client accepts, and the compressed bytes.
 *
 * Only bodies of `compressedBytesMin` or more and of a compressible type are worth it. zlib compresses on its own threads.
 */
import { promisify } from "node:util"
import { brotliCompress, constants, deflate, gzip } from "node:zlib"

const toBrotli = promisify(brotliCompress)

/** The quality at which Brotli needs the time of gzip; its default needs a hundred times as long. */
const brotliQuality = 4

const encoders = {
  br: (body: string | Uint8Array): Promise<Uint8Array> =>
    toBrotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
  gzip: promisify(gzip),
  deflate: promisify(deflate),
}

/** A value of `Content-Encoding`. */
export type Encoding = keyof typeof encoders

/** Shorter bodies are sent as they are. */
export const compressedBytesMin = 1_024

const compressibleType = /^(text\/|application\/([a-z0-9.+-]*\+)?(json|xml|javascript)|image\/svg\+xml)/

export const isCompressible = (mediaType: string): boolean => compressibleType.test(mediaType)

/** Encodings of an `Accept-Encoding` whose quality is not 0, by lower-case name. */
const acceptedIn = (header: string): ReadonlyArray<string> =>
  header.toLowerCase().split(",").flatMap((part) => {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim())
    const isRejected = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
    return isRejected ? [] : [name]
  })

/** The first of `offered` that the client accepts; null: the body is sent as it is. */
export const encodingOf = (
  acceptEncoding: string | undefined,
  offered: ReadonlyArray<Encoding>,
): Encoding | null => {
  if (acceptEncoding === undefined) return null
  const accepted = acceptedIn(acceptEncoding)
  return offered.find((encoding) => accepted.includes(encoding)) ?? null
}

export const compress = (body: string | Uint8Array, encoding: Encoding): Promise<Uint8Array> => encoders[encoding](body)
