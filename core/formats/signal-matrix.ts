/**
 * The signal matrix of PicoScenes: an array of complex numbers with its dimensions, as software radios write it.
 *
 * Layout: `BBv1` or `BBv2`; u8 number of dimensions; each as u32 (v1) or u64 (v2); `C` for complex; `F` or `D` and 32 or 64 bits; `C` or
 * `R` for the order of the elements, by columns (the first dimension runs fastest) or by rows; then the elements
 * (RXS-Parsing-Core, `SignalMatrix.hxx`).
 */
import { u32, u64 } from "./little-endian.ts"
import type { Refusal } from "./record-stream.ts"

const prefixBytes = 5
const typeBytes = 4
/** Bytes of a matrix without dimensions. */
export const matrixHeaderBytesMin = prefixBytes + typeBytes

const dimensionsMax = 4
/** Largest number of 32 bits. */
const largest = (2 - 2 ** -23) * 2 ** 127
const letter = { B: 66, C: 67, D: 68, F: 70, R: 82, v: 118, 1: 49, 2: 50 } as const

const refusal = (reason: Refusal["reason"], message: string): Refusal => ({ reason, message })

/**
 * Reads the matrix in `bytes[at..end)`, which must have these dimensions ([tone, tx, rx, matrix]; those that are 1 may be missing at
 * the end), to `out`, interleaved (re, im) with the first dimension fastest. Returns why it is invalid, or null.
 */
export const readSignalMatrix = (
  bytes: Uint8Array,
  at: number,
  end: number,
  dimensions: readonly [number, number, number, number],
  out: Float32Array,
): Refusal | null => {
  const header = readHeader(bytes, at, end)
  if ("reason" in header) return header
  if (dimensions.some((size, i) => size !== (header.sizes[i] ?? 1))) {
    return refusal("value-count", `the matrix is ${header.sizes.join(" x ")}, not ${dimensions.join(" x ")}`)
  }
  const elementBytes = header.wide ? 16 : 8
  const elements = dimensions.reduce((product, size) => product * size, 1)
  if (header.elementsAt + elements * elementBytes !== end) {
    return refusal("value-count", `${end - header.elementsAt} bytes are not ${elements} complex numbers`)
  }
  const { byRows, elementsAt, wide } = header
  const view = new DataView(bytes.buffer, bytes.byteOffset + elementsAt, elements * elementBytes)
  const [tones, transmit, receive, matrices] = dimensions
  for (let i = 0, to = 0; i < elements; i++, to += 2) {
    const from = elementBytes * (byRows ? placeByRows(i, tones, transmit, receive, matrices) : i)
    const re = wide ? view.getFloat64(from, true) : view.getFloat32(from, true)
    const im = wide ? view.getFloat64(from + 8, true) : view.getFloat32(from + 4, true)
    if (!(Math.abs(re) <= largest && Math.abs(im) <= largest)) {
      return refusal("bad-value", "a value of the matrix is not a finite 32-bit number")
    }
    out[to] = re
    out[to + 1] = im
  }
  return null
}

interface Header {
  readonly sizes: ReadonlyArray<number>
  readonly wide: boolean
  readonly byRows: boolean
  readonly elementsAt: number
}

const readHeader = (bytes: Uint8Array, at: number, end: number): Header | Refusal => {
  const version = bytes[at + 3]
  const known = version === letter[1] || version === letter[2]
  if (!known || bytes[at] !== letter.B || bytes[at + 1] !== letter.B || bytes[at + 2] !== letter.v) {
    return refusal("bad-field", "the CSI is not a signal matrix")
  }
  const count = bytes[at + 4]!
  const sizeBytes = version === letter[1] ? 4 : 8
  const typeAt = at + prefixBytes + count * sizeBytes
  if (count < 1 || count > dimensionsMax || typeAt + typeBytes > end) {
    return refusal("bad-field", `a matrix of ${count} dimensions is invalid`)
  }
  const sizeAt = (i: number): number => at + prefixBytes + i * sizeBytes
  const sizes = Array.from({ length: count }, (_, i) => sizeBytes === 4 ? u32(bytes, sizeAt(i)) : u64(bytes, sizeAt(i)))
  const bits = bytes[typeAt + 2]
  const wide = bytes[typeAt + 1] === letter.D && bits === 64
  const narrow = bytes[typeAt + 1] === letter.F && bits === 32
  const byRows = bytes[typeAt + 3] === letter.R
  if (bytes[typeAt] !== letter.C || !(wide || narrow) || !(byRows || bytes[typeAt + 3] === letter.C)) {
    return refusal("unsupported-layout", "the elements of the matrix are not complex floating-point numbers")
  }
  return { sizes, wide, byRows, elementsAt: typeAt + typeBytes }
}

/** Position in a matrix ordered by rows of the `i`th element by columns. */
const placeByRows = (i: number, tones: number, transmit: number, receive: number, matrices: number): number => {
  const tone = i % tones
  const tx = Math.floor(i / tones) % transmit
  const rx = Math.floor(i / (tones * transmit)) % receive
  const matrix = Math.floor(i / (tones * transmit * receive))
  return ((tone * transmit + tx) * receive + rx) * matrices + matrix
}
