/**
 * Codec of the CSI batch: `core/formats/csi-batch.ts` <-> the message `wavepose.v1.CsiBatch`.
 *
 * The decoder reads foreign bytes. It is written by hand on protobuf's reader, so that no memory is allocated for a field before its size
 * is checked: the cost of a message is bounded by the limits.
 *
 * Invariants of a decoded batch: those of `core/formats/csi-batch.ts`, and every limit of `csiBatchLimits`.
 */
import type { Result } from "effect"
import protobuf from "protobufjs/minimal.js"
import type { CsiBatch, RadioLayout } from "../../core/formats/csi-batch.ts"
import type { InvalidBatch } from "../domain/failure.ts"
import { checkLayout, checkRouterId, checkValues, csiBatchLimits, readOrInvalid } from "./csi-batch-checks.ts"
import { eachField, refuse, text, unsigned, within } from "./field-reader.ts"
import { narrowestSamples, samplesOf, sampleWidths } from "./samples.ts"
import { bytesOf, columnOf, sourceNumber, sourceOf } from "./wire.ts"

/** Maximum number of fields of a message, known and unknown: one per transmitter, and some for later versions. */
const fieldsMax = csiBatchLimits.transmitters + 64

/** The fields of a batch that are needed to route and acknowledge it. */
interface CsiBatchEnvelope {
  readonly routerId: string
  readonly batchSequence: number
}

// ---------------------------------------------------------------------------------------------------------- encoding

/** Encodes a batch. Samples are encoded as int8 or int16 if all of them are such integers, else as float32. */
export const encodeCsiBatch = (batch: CsiBatch): Uint8Array => {
  const { bytes: csi, sampleType } = narrowestSamples(batch.csi)
  const writer = protobuf.Writer.create()
  writer.uint32(10).string(batch.routerId)
  writer.uint32(16).uint64(batch.batchSequence)
  writer.uint32(24).int32(sourceNumber(batch.source))
  writeLayout(batch.layout, writer.uint32(34).fork()).ldelim()
  writer.uint32(40).uint32(batch.frameCount)
  writer.uint32(50).bytes(bytesOf(batch.timestampsUs))
  writer.uint32(58).bytes(bytesOf(batch.sequences))
  writer.uint32(66).bytes(bytesOf(batch.rssiDbm))
  writer.uint32(74).bytes(bytesOf(batch.noiseFloorDbm))
  writer.uint32(82).bytes(bytesOf(batch.transmitterIndex))
  for (const id of batch.transmitterIds) writer.uint32(90).string(id)
  writer.uint32(96).int32(sampleType)
  writer.uint32(106).uint32(csi.byteLength)
  // The samples are most of the message, so they are copied only once, into a buffer of the final size.
  const head = writer.finish(true)
  const bytes = new Uint8Array(head.byteLength + csi.byteLength)
  bytes.set(head)
  bytes.set(csi, head.byteLength)
  return bytes
}

const writeLayout = (layout: RadioLayout, writer: protobuf.Writer): protobuf.Writer => {
  writer.uint32(10).string(layout.format)
  writer.uint32(16).uint32(layout.receiveAntennas)
  writer.uint32(24).uint32(layout.transmitAntennas)
  writer.uint32(34).fork()
  for (const index of layout.subcarrierIndices) writer.sint32(index)
  writer.ldelim()
  return writer.uint32(41).double(layout.subcarrierSpacingHz)
    .uint32(49).double(layout.centerFrequencyHz)
    .uint32(57).double(layout.bandwidthHz)
}

// ---------------------------------------------------------------------------------------------------------- decoding

/**
 * Router and sequence of an encoded batch, without reading its columns; `InvalidBatch` if they are not readable.
 */
export const readCsiBatchEnvelope = (bytes: Uint8Array): Result.Result<CsiBatchEnvelope, InvalidBatch> =>
  readMessage(bytes, () => {
    const envelope = { routerId: "", batchSequence: 0 }
    eachField(protobuf.Reader.create(bytes), fieldsMax, (field, wire, reader) => {
      if (field === 1 && wire === 2) envelope.routerId = text(reader, "router_id")
      else if (field === 2 && wire === 0) envelope.batchSequence = unsigned(reader, "batch_sequence")
      else return false
      return true
    })
    checkRouterId(envelope.routerId)
    return envelope
  })

/** Decodes and checks a whole batch. Columns are views into the bytes if their alignment allows: do not reuse the buffer. */
type BatchDecoder = (bytes: Uint8Array) => Result.Result<CsiBatch, InvalidBatch>

/** A decoder for batches with mostly the same layout, such as those of one router: it reuses the last layout if the bytes are equal. */
export const createBatchDecoder = (): BatchDecoder => {
  let known: { readonly bytes: Uint8Array; readonly layout: RadioLayout } | null = null
  return (bytes) =>
    decodeWith(bytes, (encoded) => {
      if (known !== null && encoded !== null && sameBytes(known.bytes, encoded)) return known.layout
      const layout = readLayout(encoded)
      known = { bytes: encoded!.slice(), layout }
      return layout
    })
}

/** Decodes a batch by itself. */
export const decodeCsiBatch: BatchDecoder = (bytes) => decodeWith(bytes, readLayout)

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

const decodeWith = (
  bytes: Uint8Array,
  layoutOf: (encoded: Uint8Array | null) => RadioLayout,
): Result.Result<CsiBatch, InvalidBatch> =>
  readMessage(bytes, () => {
    const raw = readFields(bytes)
    checkRouterId(raw.routerId)
    const layout = layoutOf(raw.layout)
    const frameCount = within("frame_count", raw.frameCount, 1, csiBatchLimits.frames)
    const values = frameCount * layout.receiveAntennas * layout.transmitAntennas * layout.subcarrierIndices.length
    checkColumns(raw, frameCount, values)
    const batch: CsiBatch = {
      routerId: raw.routerId,
      batchSequence: raw.batchSequence,
      source: sourceOf(raw.source) ?? refuse("source", "source must be live, replay or simulated"),
      layout,
      frameCount,
      timestampsUs: columnOf(raw.timestampsUs, 8, Float64Array),
      sequences: columnOf(raw.sequences, 4, Uint32Array),
      rssiDbm: columnOf(raw.rssiDbm, 1, Int8Array),
      noiseFloorDbm: columnOf(raw.noiseFloorDbm, 1, Int8Array),
      transmitterIndex: columnOf(raw.transmitterIndex, 2, Uint16Array),
      transmitterIds: raw.transmitterIds,
      csi: samplesOf(raw.sampleType, raw.csi) ?? refuse("csi", "every sample must be a finite number"),
    }
    checkValues(batch)
    return batch
  })

/** The unchecked fields of a message. Columns are views. */
interface RawBatch extends CsiBatchEnvelope {
  readonly source: number
  readonly layout: Uint8Array | null
  readonly frameCount: number
  readonly timestampsUs: Uint8Array
  readonly sequences: Uint8Array
  readonly rssiDbm: Uint8Array
  readonly noiseFloorDbm: Uint8Array
  readonly transmitterIndex: Uint8Array
  readonly transmitterIds: ReadonlyArray<string>
  readonly sampleType: number
  readonly csi: Uint8Array
}

const none = new Uint8Array(0)
const numberFields: Record<number, string> = { 2: "batch_sequence", 3: "source", 5: "frame_count", 12: "sample_type" }

const readFields = (bytes: Uint8Array): RawBatch => {
  const transmitterIds: Array<string> = []
  const numbers = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  const columns: Array<Uint8Array | null> = numbers.map(() => null)
  let routerId = ""
  eachField(protobuf.Reader.create(bytes), fieldsMax, (field, wire, reader) => {
    if (wire === 0 && (field === 2 || field === 3 || field === 5 || field === 12)) {
      numbers[field] = unsigned(reader, numberFields[field]!)
    } else if (wire === 2 && field === 1) routerId = text(reader, "router_id")
    else if (wire === 2 && field === 11) {
      if (transmitterIds.length === csiBatchLimits.transmitters) {
        refuse("transmitter_ids", `a batch holds at most ${csiBatchLimits.transmitters} transmitters`)
      }
      transmitterIds.push(text(reader, "transmitter_ids"))
    } else if (wire === 2 && (field === 4 || (field >= 6 && field <= 10) || field === 13)) {
      columns[field] = reader.bytes()
    } else return false
    return true
  })
  return {
    routerId,
    batchSequence: numbers[2]!,
    source: numbers[3]!,
    layout: columns[4]!,
    frameCount: numbers[5]!,
    timestampsUs: columns[6] ?? none,
    sequences: columns[7] ?? none,
    rssiDbm: columns[8] ?? none,
    noiseFloorDbm: columns[9] ?? none,
    transmitterIndex: columns[10] ?? none,
    transmitterIds,
    sampleType: numbers[12]!,
    csi: columns[13] ?? none,
  }
}

const readLayout = (bytes: Uint8Array | null): RadioLayout => {
  if (bytes === null) return refuse("layout", "layout is missing")
  const numbers = [0, 0, 0, 0, 0, 0, 0, 0]
  let format = ""
  const indices: Array<number> = []
  const addIndex = (reader: protobuf.Reader): void => {
    if (indices.length === csiBatchLimits.subcarriers) {
      refuse("layout.subcarrier_indices", `a layout has at most ${csiBatchLimits.subcarriers} subcarriers`)
    }
    const index = reader.sint32()
    if (index < -32768 || index > 32767) refuse("layout.subcarrier_indices", "a subcarrier index must fit 16 bits")
    if (index <= (indices.at(-1) ?? -32769)) refuse("layout.subcarrier_indices", "subcarrier indices must ascend")
    indices.push(index)
  }
  eachField(protobuf.Reader.create(bytes), csiBatchLimits.subcarriers + 64, (field, wire, reader) => {
    if (field === 1 && wire === 2) format = text(reader, "layout.format")
    else if ((field === 2 || field === 3) && wire === 0) numbers[field] = reader.uint32()
    else if (field === 4 && wire === 2) {
      const packed = protobuf.Reader.create(reader.bytes())
      while (packed.pos < packed.len) addIndex(packed)
    } else if (field === 4 && wire === 0) addIndex(reader)
    else if (field >= 5 && field <= 7 && wire === 1) numbers[field] = reader.double()
    else return false
    return true
  })
  return checkLayout({
    format,
    receiveAntennas: numbers[2]!,
    transmitAntennas: numbers[3]!,
    subcarrierIndices: Int16Array.from(indices),
    subcarrierSpacingHz: numbers[5]!,
    centerFrequencyHz: numbers[6]!,
    bandwidthHz: numbers[7]!,
  })
}

/** Checks the byte length of every column against the counts, before any is read. */
const checkColumns = (raw: RawBatch, frameCount: number, values: number): void => {
  const width = sampleWidths[raw.sampleType] ?? 0
  if (width === 0) refuse("sample_type", "sample_type must be int8, int16 or float32")
  if (values * 8 > csiBatchLimits.bytes) refuse("csi", "the samples exceed 16 MiB as float32: send smaller batches")
  const lengths: ReadonlyArray<readonly [field: string, actual: Uint8Array, expected: number]> = [
    ["timestamps_us", raw.timestampsUs, 8 * frameCount],
    ["sequences", raw.sequences, 4 * frameCount],
    ["rssi_dbm", raw.rssiDbm, frameCount],
    ["noise_floor_dbm", raw.noiseFloorDbm, frameCount],
    ["transmitter_index", raw.transmitterIndex, 2 * frameCount],
    ["csi", raw.csi, 2 * values * width],
  ]
  for (const [field, { byteLength }, expected] of lengths) {
    if (byteLength !== expected) {
      refuse(field, `${field} has ${byteLength} bytes; ${frameCount} frames need ${expected}`)
    }
  }
}

/** Reads a message; bytes that are not a batch become an `InvalidBatch`. */
const readMessage = <A>(bytes: Uint8Array, read: () => A): Result.Result<A, InvalidBatch> =>
  readOrInvalid(() => {
    if (bytes.byteLength > csiBatchLimits.bytes) refuse("message", "a batch has at most 16 MiB: send smaller batches")
    return read()
  })
