import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { echoEvidence, type Evidence, initialExistence, updateExistence } from "../../../core/tracking/existence.ts"
import { adultEcho, noEcho, stillEcho, unknownEcho } from "../../harness/detections.ts"

/** The probability after a number of hops of the same evidence. */
const after = (hops: number, evidence: Evidence, from: number = initialExistence): number => {
  let probability = from
  for (let hop = 0; hop < hops; hop++) probability = updateExistence(probability, evidence)
  return probability
}

const sure = 0.98
const adultM2 = 0.2
const unheard: Evidence = {
  movingM2: null,
  turns: false,
  still: unknownEcho,
  standing: 0.97,
  seen: null,
  walked: true,
}
const seenOf = (sigmaM: number, lyingProbability = 0) => ({ seen: { sigmaM, lyingProbability } })
const walker: Evidence = { ...unheard, movingM2: adultM2, standing: 0.02 }
const unseenWalker: Evidence = { ...walker, movingM2: null }
const standing = (still: Evidence["still"]): Evidence => ({ ...unheard, still })
/** A target that moves in place, with an empty background. */
const inPlace = (movingM2: number): Evidence => ({ ...unheard, movingM2, still: noEcho, standing: 0.9 })

describe("existence", () => {
  it("confirms a walking adult within a second, and is never certain", () => {
    expect(after(1, walker)).toBeGreaterThan(initialExistence)
    expect(after(10, walker)).toBeGreaterThan(0.9)
    expect(after(10_000, walker)).toBe(0.99)
    expect(updateExistence(0.99, walker)).toBe(0.99)
  })

  it("holds a standing person by their echo, as long as it is present", () => {
    expect(after(10 * 60 * 10, standing(adultEcho), sure)).toBeGreaterThan(0.95)
    expect(after(100, standing(noEcho), sure)).toBeLessThan(0.1)
  })

  it("recovers a doubtful person by an echo", () => {
    expect(after(100, standing(adultEcho), 0.5)).toBeGreaterThan(0.9)
  })

  it("fades slowly for a standing person without evidence", () => {
    const half = after(600, standing(unknownEcho), sure)
    expect(after(100, standing(unknownEcho), sure)).toBeGreaterThan(0.9)
    expect(half).toBeGreaterThan(0.2)
    expect(half).toBeLessThan(0.8)
    expect(after(3000, standing(unknownEcho), sure)).toBeLessThan(0.05)
  })

  it("drops an undetected walker within five seconds, whatever the echo at the predicted place", () => {
    expect(after(5, unseenWalker, sure)).toBeGreaterThan(0.9)
    expect(after(50, unseenWalker, sure)).toBeLessThan(0.2)
    expect(after(50, { ...unseenWalker, still: adultEcho }, sure)).toBeLessThan(0.2)
  })

  it("never confirms a fan or a pet as a person", () => {
    for (const movingM2 of [0.002, 0.005, 0.01, 0.015]) {
      expect(after(50, inPlace(movingM2))).toBeLessThan(initialExistence)
      expect(after(600, inPlace(movingM2))).toBeLessThan(0.02)
    }
    for (const movingM2 of [0.001, 0.003, 0.006]) {
      expect(after(600, { ...walker, movingM2, standing: 0.05 })).toBeLessThan(0.02)
    }
  })

  it("drops an oscillating target within three seconds, however large it is", () => {
    expect(after(30, { ...walker, movingM2: 1, turns: true }, 0.99)).toBeLessThan(0.02)
  })

  it("fades within seconds for a standing track with an uncertain pose, unless there is an echo", () => {
    const doubted: Evidence = { ...unheard, ...seenOf(0.4) }
    expect(after(10, doubted, sure)).toBeGreaterThan(0.9)
    expect(after(60, doubted, sure)).toBeLessThan(0.1)
    expect(after(600, { ...doubted, still: adultEcho }, sure)).toBeGreaterThan(0.95)
    expect(after(60, { ...unheard, ...seenOf(0.2) }, sure)).toBe(after(60, unheard, sure))
    expect(after(60, { ...walker, ...seenOf(0.4) }, sure)).toBe(after(60, walker, sure))
  })

  it("holds a person who certainly lies without an echo at torso height, but no place that nobody walked to", () => {
    const lying: Evidence = { ...standing(noEcho), ...seenOf(0.15, 0.95) }
    expect(after(100, lying, sure)).toBeGreaterThan(0.9)
    for (const other of [{ walked: false }, seenOf(0.4, 0.95), seenOf(0.15, 0.2)]) {
      expect(after(100, { ...lying, ...other }, sure)).toBeLessThan(0.1)
    }
    expect(after(30, { ...lying, turns: true, movingM2: 0.2 }, sure)).toBeLessThan(0.02)
  })

  it("is lower for a target that moves in place without a still echo", () => {
    const gestures: Evidence = { ...unheard, movingM2: adultM2, still: adultEcho, standing: 0.9 }
    expect(after(20, gestures)).toBeGreaterThan(after(20, { ...gestures, still: noEcho }))
    expect(after(20, gestures)).toBe(after(20, { ...gestures, still: unknownEcho }))
  })

  it("has more evidence for a person with a larger echo, within bounds, and none where the empty room is unknown", () => {
    expect(echoEvidence(unknownEcho)).toBe(0)
    const evidence = [0, 0.001, 0.01, 0.05, 0.1, 0.5, 1e3].map((section) => echoEvidence(stillEcho(section)))
    expect(evidence).toEqual([...evidence].sort((a, b) => a - b))
    expect(evidence[0]).toBe(-2)
    expect(evidence.at(-1)).toBe(1.5)
  })

  it("stays a probability with any evidence", () => {
    const section = fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }))
    const evidence: fc.Arbitrary<Evidence> = fc.record({
      movingM2: section,
      turns: fc.boolean(),
      seen: fc.option(fc.record({
        sigmaM: fc.double({ min: 0.01, max: 3, noNaN: true }),
        lyingProbability: fc.double({ min: 0, max: 1, noNaN: true }),
      })),
      walked: fc.boolean(),
      still: section.map(stillEcho),
      standing: fc.double({ min: 0.001, max: 0.999, noNaN: true }),
    })
    fc.assert(
      fc.property(fc.array(fc.tuple(evidence, fc.nat({ max: 5_000 })), { maxLength: 5 }), (life) => {
        let probability = initialExistence
        for (const [one, hops] of life) {
          probability = after(hops, one, probability)
          expect(probability).toBeGreaterThanOrEqual(0)
          expect(probability).toBeLessThanOrEqual(0.99)
        }
      }),
      { seed: 1, numRuns: 100 },
    )
  })
})
