/** Beamforming feedback scans: presence as it is read, persons by their breath, and null where neither tells. */
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
})

const scan = (of: Observation, at: PresenceReading) => createBeamformingScanner().scan(of, at)

describe("a scan", () => {
  const two = observation(17_000_000_000, link("sta-1", 13), link("sta-2", 19, [0.01, 0.0625]))

  it("counts those who keep still by their breath", () => {
    expect(scan(two, reading(true))).toMatchObject({ personCount: 2, personCountReason: null, stations: 2 })
    expect(scan(observation(5, link("a", 13), link("b", 13.8)), reading(true)).personCount).toBe(1)
  })

  it("counts nobody where nobody is, whatever is heard", () => {
    expect(scan(two, reading(false))).toMatchObject({ personCount: 0, presence: { present: false, confidence: 0.9 } })
  })

  it("has no count while somebody moves, presence is not known, or one station alone hears a breath", () => {
    const third = { ...link("sta-3", null), vitals: { ...noVitals, breathingReason: whileMoving } }
    expect(scan({ ...two, links: [...two.links, third] }, reading(true, 0.2))).toMatchObject({
      personCount: null,
      personCountReason: expect.stringMatching(/moves/) as string,
    })
    expect(scan(two, reading(null))).toMatchObject({ personCount: null, personCountReason: "not enough data yet" })
    const one = scan(observation(5, link("a", 13), link("b", null)), reading(true))
    expect(one).toMatchObject({
      personCount: null,
      personCountReason: expect.stringMatching(/by 1 stations; it takes 2/) as string,
    })
  })

  it("has the time of the last report to the nanosecond", () => {
    expect(scan(two, reading(true)).timestampNs).toBe(17_000_000_000n * 100_000_000n + 62_500_000n)
    expect(scan(observation(1, link("a", null)), reading(true)).timestampNs).toBe(200_000_000n)
  })

  it("forgets a station's breath after ten seconds, and hears those that take turns together", () => {
    const scanner = createBeamformingScanner()
    scanner.scan(observation(0, link("a", 13)), reading(true))
    expect(scanner.scan(observation(100, link("b", 19)), reading(true)).personCount).toBe(2)
    expect(scanner.scan(observation(101, link("b", 19)), reading(true))).toMatchObject({
      personCount: null,
      stations: 1,
    })
  })
})

it("takes the least number of persons that explains the rates", () => {
  expect(breathsOf([])).toBe(0)
  expect(breathsOf([12, 12.5, 14.9])).toBe(1)
  expect(breathsOf([12, 16, 20])).toBe(3)
  // 24 is twice 12, 36 three times: harmonics of one breath.
  expect(breathsOf([12, 24, 36])).toBe(1)
  expect(breathsOf([12, 17, 24])).toBe(2)
})
