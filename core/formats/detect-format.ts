/** Tells the format of a capture from its first bytes, and makes its decoder: the one table of the formats. */
import type { StreamIdentity } from "./batch-builder.ts"
import type { CaptureDecoder } from "./decoder.ts"
import { Esp32CsvDecoder, looksLikeEsp32Csv } from "./esp32-csv.ts"
import { Intel5300Reader } from "./intel5300.ts"
import { beginsWithRecords, type RecordReader, RecordStream } from "./record-stream.ts"

interface Format {
  /** Whether a capture that begins with these bytes is one of this format. */
  readonly looksRight: (head: Uint8Array) => boolean
  readonly decoder: (identity: StreamIdentity) => CaptureDecoder
}

/** A format of binary records. */
const records = (reader: () => RecordReader): Format => ({
  looksRight: (head) => beginsWithRecords(reader(), head),
  decoder: (identity) => new RecordStream(reader(), identity),
})

/** Formats of capture files, the strictest tests first. */
const formats = {
  intel5300: records(() => new Intel5300Reader()),
  "esp32-csi-tool": { looksRight: looksLikeEsp32Csv, decoder: (identity) => new Esp32CsvDecoder(identity) },
} as const satisfies Record<string, Format>

export type CaptureFormat = keyof typeof formats

export const captureFormats = Object.keys(formats) as ReadonlyArray<CaptureFormat>

/** Bytes that `detectFormat` wants to see, where the capture has as many. */
export const detectionBytes = 65_536

/** The format of a capture, told by its content alone (names of captures do not say); null when it is none of ours. */
export const detectFormat = (firstBytes: Uint8Array): CaptureFormat | null => {
  const head = firstBytes.subarray(0, detectionBytes)
  return captureFormats.find((format) => formats[format].looksRight(head)) ?? null
}

/** A decoder for one capture of that format. */
export const createCaptureDecoder = (format: CaptureFormat, identity: StreamIdentity): CaptureDecoder =>
  formats[format].decoder(identity)
