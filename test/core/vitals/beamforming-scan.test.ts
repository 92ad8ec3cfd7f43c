/** Beamforming feedback scans: presence from its reading, persons by their breathing, and null where both are unknown. */
import { describe, expect, it } from "vitest"
import type { LinkObservation, Observation } from "../../../core/observation/observation.ts"
import { breathsOf, createBeamformingScanner } from "../../../core/vitals/beamforming-scan.ts"
import { whileMoving } from "../../../core/vitals/breathing.ts"
import type { PresenceReading } from "../../../core/vitals/presence.ts"
import { noVitals } from "../../harness/vitals.ts"

const link = (transmitterId: string, breathingRateBpm: number | null, timesS: ReadonlyArray<number> = []) => ({
  transmitterId,
  vitals: { ...noVitals, breathingRateBpm, breathingConfidence: breathingRateBpm === null ? 0 : 0.8 },
  dynamicTimesS: Float32Array.from(timesS),
} as unknown as LinkObservation)

const observation = (
  hop: number,
  ...links: ReadonlyArray<LinkObservation>
) => ({ hop, links } as unknown as Observation)

const reading = (present: boolean | null, motion: number | null = 0): PresenceReading => ({
  presence: { present, confidence: 0.9, reason: present === null ? "not enough data yet" : null },
  motion,
  machine: false,
  vitals: noVitals,
})

const scan = (of: Observation, at: PresenceReading) => createBeamformingScanner().scan(of, at)

describe("a scan", () => {
  const two = observation(17_000_000_000, link("sta-1", 13), link("sta-2", 19, [0.01, 0.0625]))

  it("counts still persons by their breathing", () => {
    expect(scan(two, reading(true))).toMatchObject({ personCount: 2, personCountReason: null, stations: 2 })
    expect(scan(observation(5, link("a", 13), link("b", 13.8)), reading(true)).personCount).toBe(1)
  })

  it("counts 0 persons without presence, whatever rates there are", () => {
    expect(scan(two, reading(false))).toMatchObject({ personCount: 0, presence: { present: false, confidence: 0.9 } })
  })

  it("has no count during motion, with unknown presence, or with one station's breathing rate", () => {
    const third = { ...link("sta-3", null), vitals: { ...noVitals, breathingReason: whileMoving } }
    expect(scan({ ...two, links: [...two.links, third] }, reading(true, 0.2))).toMatchObject({
      personCount: null,
      personCountReason: expect.stringMatching(/moves/) as string,
    })
    expect(scan(two, reading(null))).toMatchObject({ personCount: null, personCountReason: "not enough data yet" })
    const one = scan(observation(5, link("a", 13), link("b", null)), reading(true))
    expect(one).toMatchObject({
      personCount: null,
      personCountReason: expect.stringMatching(/breathing: 1; a count needs 2/) as string,
    })
  })

  it("has the time of the last report in nanoseconds", () => {
    expect(scan(two, reading(true)).timestampNs).toBe(17_000_000_000n * 100_000_000n + 62_500_000n)
    expect(scan(observation(1, link("a", null)), reading(true)).timestampNs).toBe(200_000_000n)
  })

  it("drops a station's breath after ten seconds, and combines stations that alternate", () => {
    const scanner = createBeamformingScanner()
    scanner.scan(observation(0, link("a", 13)), reading(true))
    expect(scanner.scan(observation(100, link("b", 19)), reading(true)).personCount).toBe(2)
    expect(scanner.scan(observation(101, link("b", 19)), reading(true))).toMatchObject({
      personCount: null,
      stations: 1,
    })
  })
})

it("counts the minimum number of persons that explains the rates", () => {
  expect(breathsOf([])).toBe(0)
  expect(breathsOf([12, 12.5, 14.9])).toBe(1)
  expect(breathsOf([12, 16, 20])).toBe(3)
  // 24 is twice 12, 36 three times: harmonics of one breath.
  expect(breathsOf([12, 24, 36])).toBe(1)
  expect(breathsOf([12, 17, 24])).toBe(2)
})
