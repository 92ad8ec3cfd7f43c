import { describe, expect, it } from "vitest"
import { createEmptyBaseline } from "../../../core/imaging/empty-baseline.ts"
import type { LinkObservation, Observation } from "../../../core/observation/observation.ts"
import { createRandom } from "../../../sim/randomness/random.ts"

const tones = 8
const antennas = 2
const values = 2 * antennas * tones
const rows = 3
const random = createRandom(1, "baseline")

/** A hop of one link whose response differs from the reference by `change`, with a little noise. */
const hopOf = (change: number, calibratedAtUs: number | null = 1): Observation => {
  const dynamic = Float32Array.from(
    { length: rows * values },
    (_, v) => change * Math.cos(v % values) + 1e-3 * random.normal(),
  )
  return {
    routerId: "r",
    receiveAntennas: antennas,
    tonesHz: new Float32Array(tones),
    links: [{ transmitterId: "t", calibratedAtUs, dynamic } as LinkObservation],
  } as unknown as Observation
}

const empty = { present: false, confidence: 0.9, reason: null }
const rmsOf = ([observation]: ReadonlyArray<Observation>): number => {
  const { dynamic } = observation!.links[0]!
  return Math.sqrt(dynamic.reduce((sum, value) => sum + value * value, 0) / dynamic.length)
}

describe("the baseline of an empty room", () => {
  it("removes a change since the calibration after 5 s of an empty room, and keeps what a person adds", () => {
    const baseline = createEmptyBaseline()
    const before = Array.from({ length: 49 }, () => rmsOf(baseline.take([hopOf(0.3)], empty)))
    expect(Math.min(...before)).toBeGreaterThan(0.15)
    expect(rmsOf(baseline.take([hopOf(0.3)], empty))).toBeLessThan(0.01)
    const present = { present: true, confidence: 0.9, reason: null }
    for (let hop = 0; hop < 3000; hop++) baseline.take([hopOf(0.5)], present)
    expect(rmsOf(baseline.take([hopOf(0.5)], present))).toBeCloseTo(rmsOf([hopOf(0.2)]), 2)
  })

  it.each([
    ["unknown", { present: null, confidence: 0, reason: "x" }],
    ["doubtful", { present: false, confidence: 0.65, reason: null }],
  ])("learns nothing while absence is %s", (_, presence) => {
    const baseline = createEmptyBaseline()
    for (let hop = 0; hop < 500; hop++) baseline.take([hopOf(0.3)], presence)
    const given = hopOf(0.3)
    expect(baseline.take([given], presence)[0]).toBe(given)
  })

  it("leaves links alone that have hardly changed, or are not calibrated", () => {
    const baseline = createEmptyBaseline()
    for (let hop = 0; hop < 500; hop++) baseline.take([hopOf(0.01), hopOf(0.3, null)], empty)
    const given = [hopOf(0.01), hopOf(0.3, null)]
    expect(baseline.take(given, empty)).toEqual(given)
  })

  it("is forgotten after another calibration, on another node too, and kept while that is outdated", () => {
    const learned = createEmptyBaseline()
    for (let hop = 0; hop < 300; hop++) learned.take([hopOf(0.3)], empty)
    const unknown = { present: null, confidence: 0, reason: "x" }
    const baseline = createEmptyBaseline(learned.memory())
    const outdated = hopOf(0.3, null)
    expect(baseline.take([outdated], unknown)[0]).toBe(outdated)
    expect(rmsOf(baseline.take([hopOf(0.3)], unknown))).toBeLessThan(0.01)
    const again = hopOf(0, 2)
    expect(baseline.take([again], unknown)[0]).toBe(again)
    expect(createEmptyBaseline(baseline.memory()).take([again], unknown)[0]).toBe(again)
  })

  it("follows a room that changes again", () => {
    const baseline = createEmptyBaseline()
    for (let hop = 0; hop < 300; hop++) baseline.take([hopOf(0.3)], empty)
    for (let hop = 0; hop < 3000; hop++) baseline.take([hopOf(-0.2)], empty)
    expect(rmsOf(baseline.take([hopOf(-0.2)], empty))).toBeLessThan(0.01)
  })
})
