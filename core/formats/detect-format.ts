/** Tells the format of a capture from its first bytes, and makes its decoder. */
import type { StreamIdentity } from "./batch-builder.ts"
import type { CaptureDecoder } from "./decoder.ts"
import { Esp32CsvDecoder, looksLikeEsp32Csv } from "./esp32-csv.ts"
import { Intel5300Decoder, looksLikeIntel5300 } from "./intel5300.ts"

/** Formats of capture files. */
export type CaptureFormat = "esp32-csv" | "intel5300"

/** Bytes that `detectFormat` wants to see, where the capture has as many. */
export const detectionBytes = 16_384

/** The format of a capture, told by its content alone (names of captures do not say); null when it is none of ours. */
export const detectFormat = (firstBytes: Uint8Array): CaptureFormat | null => {
  const head = firstBytes.subarray(0, detectionBytes)
  if (looksLikeIntel5300(head)) return "intel5300"
  return looksLikeEsp32Csv(head) ? "esp32-csv" : null
}

/** A decoder for one capture of that format. */
export const createCaptureDecoder = (format: CaptureFormat, identity: StreamIdentity): CaptureDecoder =>
  format === "intel5300" ? new Intel5300Decoder(identity) : new Esp32CsvDecoder(identity)
