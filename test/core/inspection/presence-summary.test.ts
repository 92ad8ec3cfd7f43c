import { describe, expect, it } from "vitest"
import { PresenceTally, withBreath } from "../../../core/inspection/presence-summary.ts"
import type { PresenceReading } from "../../../core/vitals/presence.ts"
import { noVitals } from "../../harness/vitals.ts"

const reading = (present: boolean | null, confidence: number, motion: number | null, reason: string | null = null) =>
  ({ presence: { present, confidence, reason }, motion, machine: false, vitals: noVitals }) satisfies PresenceReading

const summaryOf = (hops: ReadonlyArray<readonly [PresenceReading, number]>) => {
  const tally = new PresenceTally()
  for (const [one, count] of hops) tally.add(one, count)
  return tally.read()
}

const early = reading(null, 0, null, "not enough data yet")
const there = reading(true, 0.9, 0.5)
const away = reading(false, 0.8, 0)

describe("presence of a whole capture", () => {
  it("leaves out the hops that have no answer", () => {
    expect(summaryOf([[early, 100], [there, 10]])).toEqual({
      present: true,
      confidence: 0.9,
      reason: null,
      share: 1,
      motion: 0.5,
      answered: 10 / 110,
    })
  })

  it("is what most answered hops say, less sure by those that say otherwise", () => {
    const visit = summaryOf([[away, 90], [there, 10]])
    expect(visit).toMatchObject({ present: false, share: 0.1 })
    expect(visit.confidence).toBeCloseTo(0.9 * 0.8)
    expect(visit.motion).toBeCloseTo(0.05)
    expect(summaryOf([[away, 10], [there, 90]])).toMatchObject({ present: true, share: 0.9 })
  })

  it("gives the commonest reason when no hop has an answer", () => {
    const none = summaryOf([[reading(null, 0, null, "rare"), 1], [early, 5]])
    expect(none).toEqual({
      present: null,
      confidence: 0,
      reason: "not enough data yet",
      share: null,
      motion: null,
      answered: 0,
    })
    expect(summaryOf([]).reason).toMatch(/shorter than a hop/)
  })

  it("is nothing where something moved for longer than there was an answer", () => {
    const machine = reading(null, 0, 0.3, "what moves is a machine")
    expect(summaryOf([[early, 500], [machine, 50], [there, 10], [away, 30]])).toMatchObject({
      present: null,
      confidence: 0,
      reason: "what moves is a machine",
      share: 0.25,
    })
    expect(summaryOf([[machine, 5], [there, 50]])).toMatchObject({ present: true, reason: null })
  })

  it("is unknown if nobody was found but a breath was measured", () => {
    const [absent, present] = [summaryOf([[away, 90], [there, 10]]), summaryOf([[there, 10]])]
    expect(withBreath(absent, 12)).toMatchObject({
      present: null,
      confidence: 0,
      share: 0.1,
      reason: expect.stringContaining("breath"),
    })
    expect(withBreath(absent, null)).toBe(absent)
    expect(withBreath(present, 12)).toBe(present)
  })
})
