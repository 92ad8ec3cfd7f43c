import { Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { CsiBatch } from "../../../core/formats/csi-batch.ts"
import {
  createBatchDecoder,
  decodeCsiBatch,
  encodeCsiBatch,
  readCsiBatchEnvelope,
} from "../../../protocols/grpc/csi-batch.ts"
import { checkCsiBatch, csiBatchLimits } from "../../../protocols/grpc/csi-batch-checks.ts"
import { wavepose } from "../../../protocols/grpc/generated/wavepose.js"
import { batches, exampleBatch } from "./batches.ts"

const refusedField = (bytes: Uint8Array): string => {
  const result = decodeCsiBatch(bytes)
  return Result.isFailure(result) ? result.failure.field : "nothing"
}

type Message = wavepose.v1.CsiBatch.$Properties

/** The example batch as a protobuf message with a part replaced, written by the generated code. */
const altered = (change: (message: Message) => Message, batch: CsiBatch = exampleBatch("r1", 7)): Uint8Array =>
  wavepose.v1.CsiBatch.encode(change(wavepose.v1.CsiBatch.decode(encodeCsiBatch(batch)))).finish()

const bytesOf = (array: ArrayBufferView): Uint8Array => new Uint8Array(array.buffer, array.byteOffset, array.byteLength)

describe("CSI batch codec", () => {
  it("decodes what it encoded, at every alignment", () => {
    fc.assert(
      fc.property(batches, fc.integer({ min: 0, max: 7 }), (batch, offset) => {
        const bytes = encodeCsiBatch(batch)
        const shifted = new Uint8Array(bytes.byteLength + offset).subarray(offset)
        shifted.set(bytes)
        expect(Result.getOrThrow(decodeCsiBatch(shifted))).toEqual(batch)
        expect(Result.getOrThrow(readCsiBatchEnvelope(shifted))).toEqual({
          routerId: batch.routerId,
          batchSequence: batch.batchSequence,
        })
      }),
      { seed: 1, numRuns: 300 },
    )
  })

  it("decodes a router's batches equally with a decoder of their own, in any order of layouts", () => {
    fc.assert(
      fc.property(fc.array(batches, { minLength: 2, maxLength: 4 }), (different) => {
        const decode = createBatchDecoder()
        for (const batch of different) {
          for (const batchSequence of [1, 2]) {
            const bytes = encodeCsiBatch({ ...batch, batchSequence })
            expect(Result.getOrThrow(decode(bytes))).toEqual(Result.getOrThrow(decodeCsiBatch(bytes)))
            // What a decoder remembers is its own, and of what was valid.
            bytes.fill(0)
          }
          expect(Result.isFailure(decode(altered((m) => ({ ...m, layout: null }), batch)))).toBe(true)
          expect(Result.isFailure(decode(altered((m) => ({ ...m, layout: { ...m.layout, format: "" } }), batch)))).toBe(
            true,
          )
        }
      }),
      { seed: 3, numRuns: 50 },
    )
  })

  it("writes and reads the same message as the generated code", () => {
    fc.assert(
      fc.property(batches, (batch) => {
        const bytes = encodeCsiBatch(batch)
        const message = wavepose.v1.CsiBatch.decode(bytes)
        expect(message.layout?.subcarrierIndices).toEqual([...batch.layout.subcarrierIndices])
        expect(message.transmitterIds).toEqual(batch.transmitterIds)
        expect(Result.getOrThrow(decodeCsiBatch(wavepose.v1.CsiBatch.encode(message).finish()))).toEqual(batch)
      }),
      { seed: 2, numRuns: 100 },
    )
  })

  it("encodes samples in the narrowest exact type", () => {
    const batch = exampleBatch("r1", 1)
    const ofType = (csi: Float32Array) => wavepose.v1.CsiBatch.decode(encodeCsiBatch({ ...batch, csi })).sampleType
    expect(ofType(new Float32Array(batch.csi.length).fill(-128))).toBe(wavepose.v1.SampleType.SAMPLE_TYPE_INT8)
    expect(ofType(new Float32Array(batch.csi.length).fill(128))).toBe(wavepose.v1.SampleType.SAMPLE_TYPE_INT16)
    expect(ofType(new Float32Array(batch.csi.length).fill(32768))).toBe(wavepose.v1.SampleType.SAMPLE_TYPE_FLOAT32)
    expect(ofType(new Float32Array(batch.csi.length).fill(0.5))).toBe(wavepose.v1.SampleType.SAMPLE_TYPE_FLOAT32)
  })

  it("encodes integer samples in their own type, and decodes them as floats", () => {
    const batch = exampleBatch("r1", 1)
    for (
      const [csi, type] of [
        [new Int8Array(batch.csi.length).fill(-7), wavepose.v1.SampleType.SAMPLE_TYPE_INT8],
        [new Int16Array(batch.csi.length).fill(30_000), wavepose.v1.SampleType.SAMPLE_TYPE_INT16],
      ] as const
    ) {
      const bytes = encodeCsiBatch({ ...batch, csi })
      expect(wavepose.v1.CsiBatch.decode(bytes).sampleType).toBe(type)
      expect(Result.getOrThrow(decodeCsiBatch(bytes)).csi).toEqual(new Float32Array(csi))
    }
  })

  it.each<[field: string, change: (message: Message) => Message]>([
    ["router_id", (m) => ({ ...m, routerId: "" })],
    ["router_id", (m) => ({ ...m, routerId: "a b" })],
    ["router_id", (m) => ({ ...m, routerId: "x".repeat(65) })],
    ["source", (m) => ({ ...m, source: 0 })],
    ["source", (m) => ({ ...m, source: 9 as never })],
    ["layout", (m) => ({ ...m, layout: null })],
    ["layout.format", (m) => ({ ...m, layout: { ...m.layout, format: "" } })],
    ["layout.receive_antennas", (m) => ({ ...m, layout: { ...m.layout, receiveAntennas: 9 } })],
    ["layout.transmit_antennas", (m) => ({ ...m, layout: { ...m.layout, transmitAntennas: 0 } })],
    ["layout.subcarrier_indices", (m) => ({ ...m, layout: { ...m.layout, subcarrierIndices: [] } })],
    ["layout.subcarrier_indices", (m) => ({ ...m, layout: { ...m.layout, subcarrierIndices: [1, 1] } })],
    ["layout.subcarrier_indices", (m) => ({ ...m, layout: { ...m.layout, subcarrierIndices: [40_000] } })],
    ["layout.subcarrier_indices", (m) => ({
      ...m,
      layout: { ...m.layout, subcarrierIndices: Array.from({ length: 4097 }, (_, i) => i) },
    })],
    ["layout.subcarrier_spacing_hz", (m) => ({ ...m, layout: { ...m.layout, subcarrierSpacingHz: NaN } })],
    ["layout.center_frequency_hz", (m) => ({ ...m, layout: { ...m.layout, centerFrequencyHz: -1 } })],
    ["layout.bandwidth_hz", (m) => ({ ...m, layout: { ...m.layout, bandwidthHz: Infinity } })],
    ["frame_count", (m) => ({ ...m, frameCount: 0 })],
    ["frame_count", (m) => ({ ...m, frameCount: csiBatchLimits.frames + 1 })],
    ["timestamps_us", (m) => ({ ...m, timestampsUs: new Uint8Array(79) })],
    ["timestamps_us", (m) => ({ ...m, timestampsUs: bytesOf(Float64Array.from({ length: 10 }, (_, i) => 10 - i)) })],
    ["timestamps_us", (m) => ({ ...m, timestampsUs: bytesOf(new Float64Array(10).fill(NaN)) })],
    ["timestamps_us", (m) => ({ ...m, timestampsUs: bytesOf(new Float64Array(10).fill(-1)) })],
    ["timestamps_us", (m) => ({ ...m, timestampsUs: bytesOf(new Float64Array(10).fill(1e300)) })],
    ["sequences", (m) => ({ ...m, sequences: new Uint8Array(41) })],
    ["rssi_dbm", (m) => ({ ...m, rssiDbm: new Uint8Array(0) })],
    ["noise_floor_dbm", (m) => ({ ...m, noiseFloorDbm: new Uint8Array(11) })],
    ["transmitter_index", (m) => ({ ...m, transmitterIndex: new Uint8Array(10) })],
    ["transmitter_index", (m) => ({ ...m, transmitterIndex: bytesOf(new Uint16Array(10).fill(1)) })],
    ["transmitter_ids", (m) => ({ ...m, transmitterIds: ["x".repeat(65)] })],
    ["transmitter_ids", (m) => ({ ...m, transmitterIds: new Array<string>(4097).fill("a") })],
    ["sample_type", (m) => ({ ...m, sampleType: 0 })],
    ["sample_type", (m) => ({ ...m, sampleType: 4 as never })],
    ["csi", (m) => ({ ...m, csi: m.csi!.subarray(4) })],
    ["csi", (m) => ({ ...m, csi: bytesOf(new Float32Array(m.csi!.length / 4).fill(Infinity)) })],
  ])("rejects a wrong %s and names it", (field, change) => {
    expect(refusedField(altered(change))).toBe(field)
  })

  it("rejects a batch whose samples would exceed 16 MiB before reading them", () => {
    const indices = Array.from({ length: 4096 }, (_, i) => i)
    const bytes = altered((m) => ({
      ...m,
      frameCount: 4096,
      layout: { ...m.layout, subcarrierIndices: indices, receiveAntennas: 8, transmitAntennas: 8 },
    }))
    expect(refusedField(bytes)).toBe("csi")
  })

  it("rejects messages that are too long or have too many fields", () => {
    expect(refusedField(new Uint8Array(csiBatchLimits.bytes + 1))).toBe("message")
    const unknownFields = new Uint8Array(200_000).map((_, i) => i % 2 === 0 ? 0x78 : 1)
    expect(refusedField(unknownFields)).toBe("message")
    expect(Result.isFailure(readCsiBatchEnvelope(unknownFields))).toBe(true)
  })

  it("skips unknown fields", () => {
    const bytes = encodeCsiBatch(exampleBatch("r1", 7))
    const extended = new Uint8Array(bytes.byteLength + 3)
    extended.set([0x98, 0x06, 0x01])
    extended.set(bytes, 3)
    expect(refusedField(extended)).toBe("nothing")
  })

  it("answers 10,000 mutated messages with a batch or a typed failure", () => {
    const original = encodeCsiBatch(exampleBatch("r1", 7, { frameCount: 2 }))
    let refused = 0
    const edits = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(edits, fc.nat(), fc.boolean(), (changes, cut, headOnly) => {
        const bytes = original.slice(0, headOnly ? cut % original.length : original.length)
        // Most of the message is samples: half of the edits go to the fields before them.
        for (const [at, value] of changes) if (bytes.length > 0) bytes[at % (headOnly ? bytes.length : 300)] = value
        const result = decodeCsiBatch(bytes)
        readCsiBatchEnvelope(bytes)
        if (Result.isFailure(result)) {
          refused++
          expect(result.failure._tag).toBe("InvalidBatch")
          expect(result.failure.field).not.toBe("")
        } else expect(result.success.csi.every(Number.isFinite)).toBe(true)
      }),
      { seed: 3, numRuns: 10_000 },
    )
    expect(refused).toBeGreaterThan(5000)
  })

  it("answers random bytes with a typed failure", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(refusedField(bytes)).not.toBe("nothing")
      }),
      { seed: 4, numRuns: 2000 },
    )
  })
})

describe("the check of a batch that is handed over as an object", () => {
  const batch = exampleBatch("r1", 7, { frameCount: 2 })

  it("passes every batch that can be encoded and decoded", () => {
    fc.assert(fc.property(batches, (batch) => {
      expect(Result.getOrThrow(checkCsiBatch(batch))).toBe(batch)
    }))
  })

  it.each([
    ["router_id", { routerId: "-" }],
    ["layout.format", { layout: { ...batch.layout, format: "" } }],
    ["layout.receive_antennas", { layout: { ...batch.layout, receiveAntennas: 0 } }],
    ["layout.subcarrier_indices", { layout: { ...batch.layout, subcarrierIndices: new Int16Array(0) } }],
    ["frame_count", { frameCount: 0 }],
    ["frame_count", { timestampsUs: new Float64Array(3) }],
    ["csi", { csi: batch.csi.subarray(2) }],
    ["csi", { csi: new Float32Array(batch.csi.length).fill(NaN) }],
    ["timestamps_us", { timestampsUs: Float64Array.of(2, 1) }],
    ["transmitter_index", { transmitterIndex: Uint16Array.of(0, 9) }],
  ])("rejects one by its %s", (field, change) => {
    expect(Result.getFailure(checkCsiBatch({ ...batch, ...change }))).toMatchObject({ _tag: "Some", value: { field } })
  })
})
