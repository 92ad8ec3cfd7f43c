import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Observation } from "../../../core/observation/observation.ts"
import { decodeObservation, encodeObservation } from "../../../protocols/grpc/observation.ts"
import { vitals } from "../../harness/vitals.ts"

const number = fc.double({ noNaN: true })
const count = fc.integer({ min: 0, max: 0xffffffff })
const column = fc.float32Array({ maxLength: 40 })

const withoutShedHops: fc.Arbitrary<Observation> = fc.record({
  routerId: fc.string({ minLength: 1, maxLength: 12 }),
  hop: fc.maxSafeNat(),
  source: fc.constantFrom("live" as const, "replay" as const, "simulated" as const),
  calibrated: fc.boolean(),
  receiveAntennas: count,
  centerFrequencyHz: number,
  amplitudeOnly: fc.boolean(),
  tonesHz: column,
  packetRateHz: number,
  packetLoss: fc.option(number),
  links: fc.array(
    fc.record({
      transmitterId: fc.string({ maxLength: 12 }),
      packets: count,
      outliers: count,
      rssiDbm: number,
      motionStatistic: fc.option(number),
      motionStatisticSigma: number,
      slowStatistic: fc.option(number),
      slowStatisticSigma: number,
      windowWhole: fc.boolean(),
      dynamicPower: fc.option(number),
      occupancy: fc.option(number),
      vitals,
      dynamic: column,
      dynamicTimesS: column,
      leadsRad: column,
      calibratedAtUs: fc.option(number),
    }),
    { maxLength: 4 },
  ),
})
const shedHops = fc.array(fc.maxSafeNat(), { minLength: 1, maxLength: 5 })
const observations = fc.oneof(
  withoutShedHops,
  fc.tuple(withoutShedHops, shedHops).map(([observation, shedHops]) => ({ ...observation, shedHops })),
)

describe("observation codec", () => {
  it("decodes exactly what it encoded, at every alignment", () => {
    fc.assert(
      fc.property(observations, fc.integer({ min: 0, max: 3 }), (observation, offset) => {
        const bytes = encodeObservation(observation)
        const shifted = new Uint8Array(bytes.byteLength + offset).subarray(offset)
        shifted.set(bytes)
        expect(decodeObservation(shifted)).toEqual(observation)
      }),
      { seed: 1, numRuns: 500 },
    )
  })

  it("throws on bytes that are not an observation", () => {
    expect(() => decodeObservation(new Uint8Array(0))).toThrow("not an observation")
  })
})
