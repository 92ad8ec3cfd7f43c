/**
 * Decode: how fast captures become CSI batches, beside a copy of the same bytes and beside csiread.
 *
 *     npm run bench:decode -- [rounds] [format ...]
 *
 * Every capture is a recording, repeated to 16 MiB. "memory" decodes it from memory in pieces of 64 KiB, as a replay does, against one
 * copy of the bytes; "kept" does the same but hands no memory back, so that every batch costs fresh memory; "file" reads it from the
 * file as well, against csiread, which does so too. Before anything is measured, every value is compared with csiread's. Not
 * measured: what becomes of the batches, and the first call, when code is compiled.
 * Writes `results/decode.json`.
 */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import type { CaptureDecoder } from "../../core/formats/decoder.ts"
import { type CaptureFormat, createCaptureDecoder } from "../../core/formats/detect-format.ts"
import { framesOf } from "../harness/decode.ts"
import { hasRecordings, recording } from "../harness/recordings.ts"
import {
  type Contender,
  inProcess,
  interleave,
  machine,
  median,
  rounded,
  roundedSpread,
  speedOver,
  type Spread,
  writeResults,
} from "./harness.ts"
import { nexmonValues } from "./nexmon-values.ts"
import { type Csiread, type CsireadArray, type CsireadCall, startCsiread } from "./peers/csiread.ts"

interface Case {
  readonly name: string
  readonly format: CaptureFormat
  readonly recording: string
  /** Bytes at the beginning that are not repeated. */
  readonly headBytes: number
  /** How csiread reads it; null when it does not know the format. */
  readonly csiread: CsireadCall | null
}

const call = (
  name: CsireadCall["class"],
  args: CsireadCall["arguments"],
  axes: CsireadCall["axes"],
  over: Partial<CsireadCall> = {},
): CsireadCall => ({ class: name, arguments: args, read: {}, axes, transform_order: false, ...over })

const picoScenes = (size: ReadonlyArray<number>): CsireadCall =>
  call("Picoscenes", {
    pl_size: {
      CSI: size,
      PilotCSI: [0, 0, 0],
      LegacyCSI: [0, 0, 0],
      BasebandSignals: [0, 0, 0],
      PreEQSymbols: [0, 0, 0],
      MPDU: 0,
    },
  }, [0, 2, 3, 1])

const cases: ReadonlyArray<Case> = [
  {
    name: "nexmon int16",
    format: "nexmon",
    recording: "csikit/nexmon/example_4339.pcap",
    headBytes: 24,
    csiread: call("Nexmon", { chip: "4339", bw: 80 }, [0, 2, 3, 1], { transform_order: true }),
  },
  {
    name: "intel5300",
    format: "intel5300",
    recording: "csiread/sample_0x5_64_3000.dat",
    headBytes: 0,
    csiread: call("Intel", { nrxnum: 3, ntxnum: 1 }, [0, 2, 3, 1]),
  },
  {
    name: "atheros",
    format: "atheros",
    recording: "csiread/ath_csi_1.dat",
    headBytes: 0,
    csiread: call("Atheros", { nrxnum: 3, ntxnum: 2, tones: 56 }, [0, 2, 3, 1], { read: { endian: "little" } }),
  },
  {
    name: "esp32 csv",
    format: "esp32-csi-tool",
    recording: "pulse_esp32/mov_01.csv",
    headBytes: 0,
    csiread: call("ESP32", { maxlen: 384 }, [0, 2, 3, 1]),
  },
  {
    name: "picoscenes qca9300",
    format: "picoscenes",
    recording: "csiread/rx_by_qca9300.csi",
    headBytes: 0,
    csiread: picoScenes([56, 3, 1]),
  },
  {
    name: "picoscenes iwl5300",
    format: "picoscenes",
    recording: "csikit/picoscenes/picoscenes_iwl5300_example2.csi",
    headBytes: 0,
    csiread: picoScenes([30, 3, 1]),
  },
  // csiread seeks past the baseband signals, which are most of this capture; a decoder of a stream has to be given them.
  {
    name: "picoscenes usrp",
    format: "picoscenes",
    recording: "csiread/rx_by_usrpN210.csi",
    headBytes: 0,
    csiread: picoScenes([56, 1, 1]),
  },
  {
    name: "feitcsi he160",
    format: "feitcsi",
    recording: "csikit/feitcsi/HESU160_5500.csi",
    headBytes: 0,
    csiread: null,
  },
]

const [roundsText = "7", ...names] = process.argv.slice(2)
const rounds = Number(roundsText)
const budgetMs = 300
const captureBytes = 16 * 2 ** 20
const pieceBytes = 65_536
const identity = { routerId: "bench", source: "replay" } as const

/** The recording as often as fits. */
const repeated = (bytes: Uint8Array, headBytes: number): Uint8Array => {
  const body = bytes.subarray(headBytes)
  const times = Math.max(1, Math.floor(captureBytes / body.length))
  const whole = new Uint8Array(headBytes + times * body.length)
  whole.set(bytes.subarray(0, headBytes))
  for (let i = 0; i < times; i++) whole.set(body, headBytes + i * body.length)
  return whole
}

type Take = (batch: CsiBatch, decoder: CaptureDecoder) => void

/** Decodes the pieces that `next` gives, until it gives none; each batch goes to `take`. */
const decode = (format: CaptureFormat, next: () => Uint8Array | null, take: Take): void => {
  const decoder = createCaptureDecoder(format, identity)
  for (let piece = next(); piece !== null; piece = next()) {
    for (const batch of decoder.push(piece).batches) take(batch, decoder)
  }
  for (const batch of decoder.end().batches) take(batch, decoder)
}

const handBack: Take = (batch, decoder) => decoder.recycle?.(batch)

const piecesOf = (bytes: Uint8Array): () => Uint8Array | null => {
  let at = 0
  return () => at < bytes.length ? bytes.subarray(at, at += pieceBytes) : null
}

/** Decodes a file piece by piece; what becomes of the batches is not measured. */
const decodeFile = (format: CaptureFormat, file: string): void => {
  const piece = new Uint8Array(pieceBytes)
  const handle = openSync(file, "r")
  const next = (): Uint8Array | null => {
    const bytes = readSync(handle, piece)
    return bytes > 0 ? piece.subarray(0, bytes) : null
  }
  decode(format, next, handBack)
  closeSync(handle)
}

/** Whether the numbers from `a` on equal csiread's from `b` on. */
const equal = (ours: Float32Array, a: number, theirs: Float32Array, b: number, numbers: number): boolean => {
  for (let i = 0; i < numbers; i++) if (ours[a + i] !== theirs[b + i]) return false
  return true
}

/**
 * Compares every row of tones; returns how many complex values there were. Throws where a row is not among csiread's of the frame.
 *
 * The order of the rows is not compared: csiread does not undo the antenna selection in PicoScenes captures, and takes the antennas
 * of Atheros for streams. It may have more rows to a frame than we have antennas, and has a frame a row for Nexmon.
 */
const compare = (batches: ReadonlyArray<CsiBatch>, { shape: [count, rx, tx, tones], values }: CsireadArray): number => {
  const frames = framesOf(batches)
  const rowwise = rx * tx === 1
  let rows = 0
  let compared = 0
  frames.forEach(({ batch: { layout }, csi }, n) => {
    const numbers = 2 * layout.subcarrierIndices.length
    const ownRows = layout.receiveAntennas * layout.transmitAntennas
    const first = rowwise ? rows : n * rx * tx
    const theirs = new Set(Array.from({ length: rowwise ? ownRows : rx * tx }, (_, i) => first + i))
    for (let row = 0; row < ownRows; row++) {
      const same = [...theirs].find((other) => equal(csi, row * numbers, values, 2 * other * tones, numbers))
      if (same === undefined) throw new Error(`frame ${n}, row ${row}: the values are not csiread's`)
      theirs.delete(same)
    }
    rows += ownRows
    compared += csi.length / 2
  })
  if (count !== (rowwise ? rows : frames.length)) throw new Error(`csiread has ${count} frames, not ${frames.length}`)
  return compared
}

interface Result {
  readonly megabytes: number
  readonly frames: number
  /** Complex values that were found equal to csiread's; null where it was not run. */
  readonly valuesEqual: number | null
  /** Megabytes of the capture per second, and per CPU second. */
  readonly speedMBs: Readonly<Record<string, number>>
  readonly speedMBcpuS: Readonly<Record<string, number>>
  readonly memoryOverCopy: Spread
  readonly fileOverCsiread: Spread | string
  /** Nexmon: the innermost loop, against a copy of the same values; see `nexmon-values.ts`. */
  readonly valuesOverCopy?: Spread
}

const runCase = async (
  { csiread: how, format, headBytes, name, recording: source }: Case,
  folder: string,
  peer: Csiread | string,
): Promise<Result> => {
  const bytes = repeated(recording(source), headBytes)
  const file = join(folder, "capture")
  writeFileSync(file, bytes)
  const target = new Uint8Array(bytes.length)
  const contenders: Array<Contender> = [
    inProcess("copy", () => target.set(bytes)),
    inProcess("memory", () => decode(format, piecesOf(bytes), handBack)),
    inProcess("kept", () => decode(format, piecesOf(bytes), () => {})),
    inProcess("file", () => decodeFile(format, file)),
  ]
  const batches: Array<CsiBatch> = []
  decode(format, piecesOf(bytes), (batch) => batches.push(batch))
  let valuesEqual: number | null = null
  if (how !== null && typeof peer !== "string") {
    valuesEqual = compare(batches, await peer.export(file, how))
    contenders.push({ name: "csiread", measure: (budget) => peer.measure(file, how, budget) })
  }
  const values = format === "nexmon" ? nexmonValues(bytes) : null
  const sides = [...contenders, ...values?.contenders ?? []]
  const { cpuMs, wallMs } = await interleave(sides, { rounds, budgetMs })
  const bytesOf = (side: string): number => contenders.some(({ name }) => name === side) ? bytes.length : values!.bytes
  const speeds = (times: ReadonlyMap<string, ReadonlyArray<number>>) =>
    Object.fromEntries([...times].map(([side, ms]) => [side, rounded(bytesOf(side) / 1e3 / median(ms))]))
  const missing = typeof peer === "string" ? `not run: ${peer}` : "not run: csiread does not know the format"
  console.error(`${name}: measured`)
  return {
    megabytes: rounded(bytes.length / 1e6),
    frames: batches.reduce((sum, { frameCount }) => sum + frameCount, 0),
    valuesEqual,
    speedMBs: speeds(wallMs),
    speedMBcpuS: speeds(cpuMs),
    memoryOverCopy: roundedSpread(speedOver(cpuMs, "memory", "copy")),
    ...values === null ? {} : { valuesOverCopy: roundedSpread(speedOver(cpuMs, "values", "copy of values")) },
    fileOverCsiread: wallMs.has("csiread") ? roundedSpread(speedOver(cpuMs, "file", "csiread")) : missing,
  }
}

const chosen = cases.filter(({ format, recording: source }) =>
  (names.length === 0 || names.includes(format)) && hasRecordings(source)
)
if (chosen.length === 0) throw new Error("none of the recordings is there: set WAVEPOSE_RECORDINGS")
const peer = await startCsiread()
const folder = mkdtempSync(join(tmpdir(), "wavepose-bench-"))
const results: Record<string, Result> = {}
try {
  for (const one of chosen) results[one.name] = await runCase(one, folder, peer)
} finally {
  rmSync(folder, { recursive: true })
  if (typeof peer !== "string") peer.stop()
}
const table = Object.entries(results).map(([name, { fileOverCsiread, memoryOverCopy, speedMBcpuS }]) => ({
  "MB per CPU second": name,
  ...speedMBcpuS,
  "memory / copy": memoryOverCopy.median,
  "file / csiread": typeof fileOverCsiread === "string" ? "not run" : fileOverCsiread.median,
}))
console.table(table)
const versions = typeof peer === "string" ? peer : peer.versions
if (names.length === 0) writeResults("decode", { machine, peer: versions, rounds, budgetMs, unit: "MB/s", results })
