/** Arbitrary CSI batches for the codec's tests, and one plain example. */
import fc from "fast-check"
import type { CsiBatch, RadioLayout } from "../../../core/formats/csi-batch.ts"

const layouts: fc.Arbitrary<RadioLayout> = fc.record({
  format: fc.constantFrom("ruview", "esp32-csi-tool", "simulated"),
  receiveAntennas: fc.integer({ min: 1, max: 3 }),
  transmitAntennas: fc.integer({ min: 1, max: 2 }),
  subcarrierIndices: fc.uniqueArray(fc.integer({ min: -32768, max: 32767 }), { minLength: 1, maxLength: 12 })
    .map((indices) => Int16Array.from(indices.sort((a, b) => a - b))),
  subcarrierSpacingHz: fc.constantFrom(312_500, 78_125),
  centerFrequencyHz: fc.constantFrom(0, 2.437e9, 5.18e9),
  bandwidthHz: fc.constantFrom(20e6, 40e6),
})

const samples = (count: number): fc.Arbitrary<Float32Array> =>
  fc.oneof(
    fc.array(fc.integer({ min: -128, max: 127 }), { minLength: count, maxLength: count }),
    fc.array(fc.integer({ min: -32768, max: 32767 }), { minLength: count, maxLength: count }),
    fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: count, maxLength: count }),
    // Integers have one zero: the sign of a zero sample is not kept.
  ).map((values) => Float32Array.from(values, (value) => value + 0))

/** Any batch within the limits, small. */
export const batches: fc.Arbitrary<CsiBatch> = fc.tuple(layouts, fc.integer({ min: 1, max: 6 })).chain((
  [layout, frameCount],
) => {
  const values = frameCount * layout.receiveAntennas * layout.transmitAntennas * layout.subcarrierIndices.length
  const column = (min: number, max: number) =>
    fc.array(fc.integer({ min, max }), { minLength: frameCount, maxLength: frameCount })
  return fc.record({
    routerId: fc.constantFrom("node-1", "router:a.b", "R"),
    batchSequence: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    source: fc.constantFrom("live" as const, "replay" as const, "simulated" as const),
    layout: fc.constant(layout),
    frameCount: fc.constant(frameCount),
    timestampsUs: column(0, 1_700_000_000).map((times) => Float64Array.from(times.sort((a, b) => a - b))),
    sequences: column(0, 0xffffffff).map((values) => Uint32Array.from(values)),
    rssiDbm: column(-128, 0).map((values) => Int8Array.from(values)),
    noiseFloorDbm: column(-128, 0).map((values) => Int8Array.from(values)),
    transmitterIndex: column(0, 1).map((values) => Uint16Array.from(values)),
    transmitterIds: fc.constant(["aa:bb:cc:dd:ee:ff", "ü"]),
    csi: samples(values * 2),
  })
})

/** A batch of a 3-antenna router: `frameCount` frames of 56 subcarriers at 100 packets per second from `startUs`. */
export const exampleBatch = (
  routerId: string,
  batchSequence: number,
  options: { readonly frameCount?: number; readonly startUs?: number } = {},
): CsiBatch => {
  const { frameCount = 10, startUs = 1_700_000_000_000_000 } = options
  const indices = Int16Array.from({ length: 56 }, (_, i) => i < 28 ? i - 28 : i - 27)
  return {
    routerId,
    batchSequence,
    source: "simulated",
    layout: {
      format: "simulated",
      receiveAntennas: 3,
      transmitAntennas: 1,
      subcarrierIndices: indices,
      subcarrierSpacingHz: 312_500,
      centerFrequencyHz: 5.18e9,
      bandwidthHz: 20e6,
    },
    frameCount,
    timestampsUs: Float64Array.from({ length: frameCount }, (_, i) => startUs + i * 10_000),
    sequences: Uint32Array.from({ length: frameCount }, (_, i) => i),
    rssiDbm: new Int8Array(frameCount).fill(-50),
    noiseFloorDbm: new Int8Array(frameCount).fill(-92),
    transmitterIndex: new Uint16Array(frameCount),
    transmitterIds: ["ap"],
    csi: Float32Array.from({ length: frameCount * 3 * 56 * 2 }, (_, i) => Math.sin(i)),
  }
}
