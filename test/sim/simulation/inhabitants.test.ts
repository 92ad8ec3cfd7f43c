import { describe, expect, it } from "vitest"
import { defaultSuite, randomScenario } from "../../../sim/random-scenario/random-scenario.ts"
import type { Scenario } from "../../../sim/scenario/scenario.ts"
import { createInhabitants } from "../../../sim/simulation/inhabitants.ts"
import type { PersonTruth } from "../../../sim/simulation/truth.ts"

const rateHz = 20

/** The truth about everyone at `rateHz`, from the first moment, without a radio. */
const truths = (scenario: Scenario, untilS: number): ReadonlyArray<ReadonlyArray<PersonTruth>> => {
  const { moveTo, truth } = createInhabitants(scenario, 0)
  return Array.from({ length: untilS * rateHz }, (_, i) => {
    moveTo((i + 1) / rateHz)
    return truth()
  })
}

const gapM = ({ location: a }: PersonTruth, { location: b }: PersonTruth): number =>
  a === null || b === null ? Infinity : Math.hypot(a[0] - b[0], a[1] - b[1])

const pairsOf = <A>(all: ReadonlyArray<A>): ReadonlyArray<readonly [A, A]> =>
  all.flatMap((a, i) => all.slice(i + 1).map((b) => [a, b] as const))

/** Times at which persons enter or leave, seconds. */
const passagesOf = (moments: ReadonlyArray<ReadonlyArray<PersonTruth>>): ReadonlyArray<number> =>
  moments.slice(1).flatMap((persons, i) =>
    persons.filter((person, k) => (person.location === null) !== (moments[i]![k]!.location === null))
      .map(() => (i + 2) / rateHz)
  )

describe("three persons of a random scenario, in twelve of them for 40 s", () => {
  const scenarios = Array.from(
    { length: 12 },
    (_, seed) => randomScenario({ ...defaultSuite, persons: 3, emptySeconds: 0 }, 100 + seed),
  )
  const runs = scenarios.map((scenario) => truths(scenario, 40))

  it("are nearer than 0.4 m for less than 1 % of the time that they are together", () => {
    const gaps = runs.flat().flatMap(pairsOf).map(([a, b]) => gapM(a, b)).filter(Number.isFinite)
    expect(gaps.length).toBeGreaterThan(10_000)
    expect(gaps.filter((gap) => gap < 0.4).length / gaps.length).toBeLessThan(0.01)
  })

  it("share neither seat nor place in bed", () => {
    const shared = runs.flat().flatMap(pairsOf).filter(([a, b]) =>
      a.activity === b.activity && (a.activity === "sitting" || a.activity === "lying") && gapM(a, b) < 0.4
    )
    expect(shared).toEqual([])
  })

  it("enter through the door one after the other", () => {
    for (const [i, moments] of runs.entries()) {
      const times = passagesOf(moments)
      for (const [k, timeS] of times.slice(1).entries()) expect(timeS - times[k]!, `scenario ${i}`).toBeGreaterThan(1)
    }
  })

  it("all enter", () => {
    for (const [i, moments] of runs.entries()) {
      for (const person of [0, 1, 2]) {
        const seen = moments.map((persons) => persons[person]!)
        expect(seen.some(({ location }) => location !== null), `scenario ${i}, person ${person}`).toBe(true)
      }
    }
  })
})

describe("persons who live together", () => {
  const scenario = randomScenario({ ...defaultSuite, persons: 4, emptySeconds: 0 }, 3)

  it("never stop following their scripts", () => {
    // No step of these scripts lasts longer than 20 s, and waits are shorter than a minute.
    const unchanged = [0, 0, 0, 0]
    let longest = 0
    const before: Array<string> = []
    for (const persons of truths(scenario, 240)) {
      for (const [i, { activity }] of persons.entries()) {
        unchanged[i] = before[i] === `${activity}` ? unchanged[i]! + 1 : 0
        before[i] = `${activity}`
        longest = Math.max(longest, unchanged[i]! / rateHz)
      }
    }
    expect(longest).toBeGreaterThan(5)
    expect(longest).toBeLessThan(60)
  })

  it("behave the same at any sampling rate", () => {
    const seldom = createInhabitants(scenario, 0)
    const often = createInhabitants(scenario, 0)
    for (let second = 1; second <= 60; second++) {
      for (let part = 1; part < 37; part++) often.moveTo(second - 1 + part / 37)
      often.moveTo(second)
      seldom.moveTo(second)
      expect(often.truth()).toEqual(seldom.truth())
    }
  })
})
