/**
 * Foreign bytes for every decoder, and what must hold whatever they are. The fuzz test and the fuzz bench share them.
 *
 * A new capture format needs an entry in `captures`: the compiler says so.
 */
import fc from "fast-check"
import assert from "node:assert/strict"
import { BinOrders } from "../../../core/formats/bin-order.ts"
import { type CsiBatch, valuesPerFrame } from "../../../core/formats/csi-batch.ts"
import type { DecodeResult, Fault } from "../../../core/formats/decoder.ts"
import {
  type CaptureFormat,
  captureFormats,
  createCaptureDecoder,
  detectFormat,
} from "../../../core/formats/detect-format.ts"
import { decodeRuviewDatagram } from "../../../core/formats/ruview-datagram.ts"
import { atherosCaptures } from "./atheros-records.ts"
import { feedbackCaptures } from "./beamforming-frames.ts"
import { captureOf } from "./damage.ts"
import { csvLine } from "./esp32-lines.ts"
import { consoleText } from "./esp32-console-lines.ts"
import { espCsiRsText } from "./esp-csi-rs-lines.ts"
import { tableLine } from "./esp32-tables.ts"
import { feitCsiRecords } from "./feitcsi-records.ts"
import { intelRecords } from "./intel-records.ts"
import { matFiles } from "./mat-files.ts"
import { nexmonCaptures } from "./nexmon-records.ts"
import { picoScenesFrames } from "./picoscenes-frames.ts"
import { npzFiles } from "./npz-files.ts"
import { ruviewDatagrams } from "./ruview-datagrams.ts"
import { ruviewLine } from "./ruview-lines.ts"

/** Captures of each format: whole records, damaged ones, and noise. */
const captures: Readonly<Record<CaptureFormat, fc.Arbitrary<Uint8Array>>> = {
  nexmon: nexmonCaptures,
  picoscenes: captureOf(picoScenesFrames),
  intel5300: captureOf(intelRecords),
  atheros: atherosCaptures,
  feitcsi: captureOf(feitCsiRecords),
  "beamforming-feedback": feedbackCaptures,
  npz: npzFiles,
  mat: matFiles,
  ruview: captureOf(ruviewLine),
  "esp-csi-rs": captureOf(espCsiRsText),
  "esp32-table": captureOf(tableLine),
  "esp32-console": captureOf(consoleText),
  "esp32-csi-tool": captureOf(csvLine),
}

/** What a decoder made of an input. */
interface Outcome {
  readonly frames: number
  readonly faults: number
}

/** Inputs for one decoder, and the check of what it makes of them; `cut` is where the input is cut in two. */
export interface Family {
  readonly name: string
  readonly inputs: fc.Arbitrary<Uint8Array>
  readonly check: (bytes: Uint8Array, cut: number) => Outcome
}

interface Decoded {
  readonly batches: ReadonlyArray<CsiBatch>
  readonly faults: ReadonlyArray<Fault>
}

const identity = { routerId: "r", source: "replay" } as const

/** Bytes in the middle of a larger buffer, whose other bytes must not be read. */
const guarded = (bytes: Uint8Array): Uint8Array => {
  const buffer = new Uint8Array(bytes.length + 700).fill(49)
  buffer.fill(0xbb, 0, 5)
  buffer.set(bytes, 5)
  return buffer.subarray(5, 5 + bytes.length)
}

const decode = (format: CaptureFormat, bytes: Uint8Array): Decoded => {
  const decoder = createCaptureDecoder(format, identity)
  const results = [decoder.push(bytes), decoder.end()]
  return { batches: results.flatMap(({ batches }) => batches), faults: results.flatMap(({ faults }) => faults) }
}

/** Decodes pieces; what comes of each is hashed and handed back before the next. */
const decodeInPieces = (format: CaptureFormat, pieces: ReadonlyArray<Uint8Array>) => {
  const decoder = createCaptureDecoder(format, identity)
  const faults: Array<Fault> = []
  let sum = noFrames
  const take = (result: DecodeResult): void => {
    sum = fingerprint(result.batches, sum)
    faults.push(...result.faults)
    result.batches.forEach((batch) => decoder.recycle?.(batch))
  }
  for (const piece of pieces) take(decoder.push(piece))
  take(decoder.end())
  return { sum, faults }
}

/** Numbers of CSI that a byte of a capture may become. */
const numbersPerByteMax = 16
/** Numbers of a batch's buffer beyond what its frames need. */
const numbersMax = 2 ** 21

const assertWhole = (batch: CsiBatch): void => {
  assert.ok(batch.frameCount > 0 && batch.frameCount <= 256, `${batch.frameCount} frames in a batch`)
  assert.equal(batch.csi.length, batch.frameCount * valuesPerFrame(batch.layout) * 2)
  assert.ok(
    batch.csi.buffer.byteLength / batch.csi.BYTES_PER_ELEMENT <= Math.max(numbersMax, batch.csi.length),
    "a buffer larger than needed",
  )
  for (const value of batch.csi) if (!Number.isFinite(value)) assert.fail(`${value} in the CSI`)
  for (let i = 1; i < batch.frameCount; i++) {
    assert.ok(batch.timestampsUs[i]! >= batch.timestampsUs[i - 1]!, "time steps back within a batch")
  }
  const { subcarrierIndices } = batch.layout
  for (let i = 1; i < subcarrierIndices.length; i++) {
    assert.ok(subcarrierIndices[i]! > subcarrierIndices[i - 1]!, "subcarriers do not ascend")
  }
}

const hash = (into: number, value: number): number => Math.imul(into ^ value, 16_777_619)

/** The hash of no frames. */
const noFrames = 2_166_136_261

/** A hash of the frames after those of `sum`, however they were cut into batches. */
const fingerprint = (batches: ReadonlyArray<CsiBatch>, sum: number): number => {
  for (const batch of batches) {
    const { csi } = batch
    const bits = csi instanceof Float32Array ? new Uint32Array(csi.buffer, csi.byteOffset, csi.length) : csi
    const numbers = batch.csi.length / batch.frameCount
    for (let i = 0; i < batch.frameCount; i++) {
      for (let v = i * numbers; v < (i + 1) * numbers; v++) sum = hash(sum, bits[v]!)
      sum = hash(hash(sum, batch.timestampsUs[i]!), batch.sequences[i]!)
      sum = hash(hash(sum, batch.rssiDbm[i]!), batch.noiseFloorDbm[i]!)
      for (const letter of batch.transmitterIds[batch.transmitterIndex[i]!]!) sum = hash(sum, letter.charCodeAt(0))
    }
  }
  return sum
}

/** Whole batches and faults within the capture, the same however the bytes arrive and whatever is around them. */
const checkCapture = (format: CaptureFormat) => (bytes: Uint8Array, cut: number): Outcome => {
  const at = cut % (bytes.length + 1)
  const whole = decode(format, bytes)
  const pieces = decodeInPieces(format, [guarded(bytes.subarray(0, at)), guarded(bytes.subarray(at))])
  whole.batches.forEach(assertWhole)
  assert.equal(pieces.sum, fingerprint(whole.batches, noFrames), "the frames depend on how the bytes arrive")
  assert.deepEqual(pieces.faults, whole.faults, "the faults depend on how the bytes arrive")
  for (const { offset } of whole.faults) {
    assert.ok(offset >= 0 && offset < Math.max(1, bytes.length), `fault at ${offset}`)
  }
  const numbers = whole.batches.reduce((sum, { csi }) => sum + csi.length, 0)
  assert.ok(numbers <= numbersPerByteMax * bytes.length, `${numbers} numbers from ${bytes.length} bytes`)
  detectFormat(bytes)
  return { frames: whole.batches.reduce((sum, { frameCount }) => sum + frameCount, 0), faults: whole.faults.length }
}

/** The orders of the nodes, as all inputs before leave them. */
const orders = new BinOrders()

const checkRuviewDatagram = (bytes: Uint8Array): Outcome => {
  const result = decodeRuviewDatagram(guarded(bytes), 0)
  const next = decodeRuviewDatagram(guarded(bytes), 0, orders)
  if ("reason" in next && !("reason" in result)) assert.equal(next.reason, "bin-order")
  if ("reason" in result) {
    assert.equal(result.offset, 0)
    return { frames: 0, faults: 1 }
  }
  if ("frame" in result) assert.equal(result.frame.csi.length, valuesPerFrame(result.frame.layout) * 2)
  return { frames: 1, faults: 0 }
}

export const families: ReadonlyArray<Family> = [
  ...captureFormats.map((format) => ({ name: format, inputs: captures[format], check: checkCapture(format) })),
  { name: "ruview datagrams", inputs: ruviewDatagrams, check: checkRuviewDatagram },
]
