/** Detects the format of a capture from its first bytes, and creates its decoder: the table of all formats. */
import { AtherosReader } from "./atheros.ts"
import type { StreamIdentity } from "./batch-builder.ts"
import { BeamformingFeedbackReader, looksLikeBeamformingFeedback } from "./beamforming-feedback.ts"
import type { CaptureDecoder } from "./decoder.ts"
import { EspCsiRsReader, looksLikeEspCsiRs } from "./esp-csi-rs.ts"
import { Esp32ConsoleReader, looksLikeEsp32Console } from "./esp32-console.ts"
import { Esp32CsvReader } from "./esp32-csv.ts"
import { Esp32TableReader, looksLikeEsp32Table } from "./esp32-table.ts"
import { FeitCsiReader } from "./feitcsi.ts"
import { Intel5300Reader } from "./intel5300.ts"
import { type LineReader, LineRecords } from "./line-records.ts"
import { looksLikeMat, readMat } from "./mat.ts"
import { NexmonReader } from "./nexmon.ts"
import { looksLikeNpz, readNpz } from "./npz.ts"
import { PcapReader } from "./pcap.ts"
import { looksLikePicoScenes } from "./picoscenes-frame.ts"
import { PicoScenesReader } from "./picoscenes.ts"
import { beginsWithRecords, type RecordReader, RecordStream } from "./record-stream.ts"
import { looksLikeRuviewJson, RuviewJsonReader } from "./ruview-jsonl.ts"
import { looksLikeEsp32Csv } from "./serial-text.ts"
import { type FileReader, WholeFileDecoder } from "./whole-file.ts"

interface Format {
  /** Whether a capture that begins with these bytes has this format. */
  readonly looksRight: (head: Uint8Array) => boolean
  readonly decoder: (identity: StreamIdentity, rateHz: number | null) => CaptureDecoder
  /** Whether frames are delivered only at the end of the capture. */
  readonly wholeFile?: true
}

/** A format of binary records. */
const records = (reader: () => RecordReader): Format => ({
  looksRight: (head) => beginsWithRecords(reader(), head),
  decoder: (identity) => new RecordStream(reader(), identity),
})

/** A format of text, one record per line. */
const lines = (reader: () => LineReader, looksRight: Format["looksRight"]): Format => ({
  looksRight,
  decoder: (identity) => new RecordStream(new LineRecords(reader()), identity),
})

/** A format that is read as a whole. */
const wholeFile = (read: FileReader, looksRight: Format["looksRight"]): Format & { readonly wholeFile: true } => ({
  looksRight,
  decoder: (identity, rateHz) => new WholeFileDecoder(read, identity, rateHz),
  wholeFile: true,
})

/** Formats of capture files, the strictest tests first. */
const formats = {
  nexmon: records(() => new PcapReader(new NexmonReader())),
  "beamforming-feedback": {
    looksRight: looksLikeBeamformingFeedback,
    decoder: (identity) => new RecordStream(new PcapReader(new BeamformingFeedbackReader()), identity),
  },
  npz: wholeFile(readNpz, looksLikeNpz),
  mat: wholeFile(readMat, looksLikeMat),
  picoscenes: {
    looksRight: looksLikePicoScenes,
    decoder: (identity) => new RecordStream(new PicoScenesReader(), identity),
  },
  intel5300: records(() => new Intel5300Reader()),
  atheros: records(() => new AtherosReader()),
  feitcsi: records(() => new FeitCsiReader()),
  ruview: lines(() => new RuviewJsonReader(), looksLikeRuviewJson),
  "esp32-csi-tool": lines(() => new Esp32CsvReader(), looksLikeEsp32Csv),
  "esp-csi-rs": lines(() => new EspCsiRsReader(), looksLikeEspCsiRs),
  "esp32-table": lines(() => new Esp32TableReader(), looksLikeEsp32Table),
  "esp32-console": lines(() => new Esp32ConsoleReader(), looksLikeEsp32Console),
} as const satisfies Record<string, Format>

export type CaptureFormat = keyof typeof formats

export const captureFormats = Object.keys(formats) as ReadonlyArray<CaptureFormat>

/** Bytes that `detectFormat` needs, if the capture has as many. */
export const detectionBytes = 65_536

/** The format of a capture, by its content and not by its name; null for an unknown format. */
export const detectFormat = (firstBytes: Uint8Array): CaptureFormat | null => {
  const head = firstBytes.subarray(0, detectionBytes)
  return captureFormats.find((format) => formats[format].looksRight(head)) ?? null
}

/**
 * A decoder for one capture of that format.
 *
 * @param rateHz packets in a second of a capture without times, as the user knows it; null if unknown
 */
export const createCaptureDecoder = (
  format: CaptureFormat,
  identity: StreamIdentity,
  rateHz: number | null = null,
): CaptureDecoder => {
  const { decoder }: Format = formats[format]
  return decoder(identity, rateHz)
}

/** Whether captures of this format can be decoded while they are written. */
export const isStreamable = (format: CaptureFormat): boolean => !("wholeFile" in formats[format])
