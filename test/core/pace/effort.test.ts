/**
 * The effort falls when hops are old, rises when there is time again, and stays full without overload; what is shed is old or left out.
 */
import { describe, expect, it } from "vitest"
import { afterHop, type Effort, type EffortState, fullEffort, isShed } from "../../../core/pace/effort.ts"

const at = (effort: Effort, state: Partial<EffortState> = {}): EffortState => ({ ...fullEffort, effort, ...state })
const load = (given: Partial<Parameters<typeof afterHop>[1]>) => ({
  nowMs: 100_000,
  ageMs: 100,
  costMs: 20,
  missedHops: 0,
  ...given,
})

describe("the effort after a hop", () => {
  const cases: ReadonlyArray<[name: string, state: EffortState, load: ReturnType<typeof load>, effort: Effort]> = [
    ["stays full on time", at("full"), load({}), "full"],
    ["stays full on time, whatever a hop costs", at("full"), load({ costMs: 5_000 }), "full"],
    ["stays full with a hop that is not old yet", at("full"), load({ ageMs: 800 }), "full"],
    ["falls with an old hop", at("full"), load({ ageMs: 900 }), "fewer_refinements"],
    ["falls by one level", at("fewer_refinements"), load({ ageMs: 900 }), "fewer_spectra"],
    ["falls at once to half of the hops", at("full"), load({ ageMs: 1_000 }), "every_second_hop"],
    ["falls at once to a quarter of the hops", at("full"), load({ ageMs: 60_000 }), "every_fourth_hop"],
    [
      "falls at once soon after a change",
      at("fewer_refinements", { changedMs: 99_900 }),
      load({ ageMs: 1_400 }),
      "every_fourth_hop",
    ],
    ["falls to half of the hops", at("fewer_spectra"), load({ ageMs: 900 }), "every_second_hop"],
    ["falls to a quarter of the hops", at("every_second_hop"), load({ ageMs: 900 }), "every_fourth_hop"],
    [
      "falls to half of the hops when the source leaves two out",
      at("full"),
      load({ missedHops: 2 }),
      "every_second_hop",
    ],
    ["falls to a quarter of them when it leaves five out", at("full"), load({ missedHops: 5 }), "every_fourth_hop"],
    ["falls no further", at("every_fourth_hop"), load({ ageMs: 9_000 }), "every_fourth_hop"],
    [
      "waits for the effect of a change",
      at("fewer_spectra", { changedMs: 99_600 }),
      load({ ageMs: 900 }),
      "fewer_spectra",
    ],
    ["rises by one level", at("every_fourth_hop"), load({}), "every_second_hop"],
    ["rises to full", at("fewer_refinements"), load({}), "full"],
    ["does not rise soon after an old hop", at("every_second_hop", { lateMs: 99_200 }), load({}), "every_second_hop"],
    ["does not rise soon after a change", at("every_second_hop", { changedMs: 99_200 }), load({}), "every_second_hop"],
    [
      "does not rise without time for the higher level",
      at("fewer_refinements"),
      load({ costMs: 70 }),
      "fewer_refinements",
    ],
    [
      "rises where every second hop has the time",
      at("every_fourth_hop"),
      load({ costMs: 110 }),
      "every_second_hop",
    ],
    [
      "judges by the mean cost",
      at("fewer_refinements", { costMs: 20 }),
      load({ costMs: 150 }),
      "full",
    ],
  ]
  it.each(cases)("%s", (_, state, load, effort) => expect(afterHop(state, load).effort).toBe(effort))

  it("goes from full to the least effort and back within five seconds", () => {
    let state = fullEffort
    const seen: Array<Effort> = []
    for (let ms = 0; ms < 10_000; ms += 100) {
      state = afterHop(state, { nowMs: ms, ageMs: ms < 3_000 ? 1_500 : 200, costMs: 30, missedHops: 0 })
      if (seen.at(-1) !== state.effort) seen.push(state.effort)
      if (ms === 2_900) expect(state.effort).toBe("every_fourth_hop")
      if (ms === 8_000) expect(state.effort).toBe("full")
    }
    expect(seen).toEqual(["every_fourth_hop", "every_second_hop", "fewer_spectra", "fewer_refinements", "full"])
  })
})

describe("a hop", () => {
  const cases: ReadonlyArray<
    [name: string, effort: Effort, sinceHops: number, ageMs: number, newerWaits: boolean, shed: boolean]
  > = [
    ["on time is estimated", "full", 1, 100, true, false],
    ["that is old is shed while a newer one waits", "full", 1, 1_100, true, true],
    ["that is old is estimated when it is the newest", "full", 1, 60_000, false, false],
    ["is estimated two hops after the last at half of the hops", "every_second_hop", 2, 100, false, false],
    ["is left out after an estimated one at half of the hops", "every_second_hop", 1, 100, false, true],
    ["is left out at a quarter of the hops", "every_fourth_hop", 3, 100, false, true],
    ["is estimated at a quarter of the hops", "every_fourth_hop", 4, 100, false, false],
    ["is estimated after a gap at a quarter of the hops", "every_fourth_hop", 21, 100, false, false],
    ["is left out at half of the hops while a newer one waits", "every_second_hop", 6, 100, true, true],
    ["is estimated with fewer spectra", "fewer_spectra", 1, 100, false, false],
  ]
  it.each(cases)(
    "%s",
    (_, effort, sinceHops, ageMs, newerWaits, shed) =>
      expect(isShed(at(effort), { sinceHops, ageMs, newerWaits, mayFall: false })).toBe(shed),
  )

  it("is not left out while somebody may be falling, but shed when it is old", () => {
    const given = { sinceHops: 1, ageMs: 100, newerWaits: false, mayFall: true }
    expect(isShed(at("every_fourth_hop"), given)).toBe(false)
    expect(isShed(at("every_fourth_hop"), { ...given, newerWaits: true })).toBe(false)
    expect(isShed(at("every_fourth_hop"), { ...given, newerWaits: true, ageMs: 1_100 })).toBe(true)
  })
})
