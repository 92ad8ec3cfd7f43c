/**
 * Shared parts of the codecs: the source enumeration, and columns of numbers as bytes.
 *
 * Columns are little-endian on the wire and in memory: all platforms of Deno and Node are little-endian.
 */
import type { Source } from "../../core/formats/csi-batch.ts"

const sources: ReadonlyArray<Source | null> = [null, "live", "replay", "simulated"]

/** The number of a source in the proto enumeration `Source`. */
export const sourceNumber = (source: Source): number => sources.indexOf(source)

/** The source of a number of the proto enumeration; null if it is unknown. */
export const sourceOf = (number: number): Source | null => sources[number] ?? null

/** The bytes of a typed array, without a copy. */
export const bytesOf = (column: ArrayBufferView): Uint8Array =>
  new Uint8Array(column.buffer, column.byteOffset, column.byteLength)

/** Bytes as a typed array of `width`-byte elements: a view if the alignment allows, else a copy. */
export const columnOf = <A>(
  bytes: Uint8Array,
  width: number,
  make: { new (buffer: ArrayBufferLike, byteOffset: number, length: number): A },
): A =>
  bytes.byteOffset % width === 0
    ? new make(bytes.buffer, bytes.byteOffset, bytes.byteLength / width)
    : new make(new Uint8Array(bytes).buffer, 0, bytes.byteLength / width)
