import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { loadScenario } from "../../../deploy/source/load-scenario.ts"
import { chooseSource, demoNames, type SourceFlags } from "../../../deploy/settings/source-options.ts"

const none: SourceFlags = {
  replay: [],
  files: [],
  loop: false,
  speed: 1,
  scenario: null,
  demo: null,
  seed: null,
  source: null,
}
const choose = (flags: Partial<SourceFlags>) => Effect.runSync(chooseSource({ ...none, ...flags }))
const refusal = (flags: Partial<SourceFlags>) =>
  Effect.runSync(Effect.flip(chooseSource({ ...none, ...flags }))).message

describe("the source of a start", () => {
  it("is chosen by the flags", () => {
    expect(choose({})).toEqual({ kind: "simulated", scenario: "living-room", seed: null, speed: 1 })
    expect(choose({ scenario: "falls", seed: 7, speed: 2 })).toEqual({
      kind: "simulated",
      scenario: "falls",
      seed: 7,
      speed: 2,
    })
    expect(choose({ source: "none" })).toEqual({ kind: "none" })
    expect(choose({ replay: ["a", "b"], files: ["c"], loop: true })).toEqual({
      kind: "replay",
      files: ["a", "b", "c"],
      speed: 1,
      loop: true,
    })
  })

  it.each(demoNames)("is a scenario that exists for --demo %s", async (demo) => {
    const source = choose({ demo, seed: 3 })
    if (source.kind !== "simulated") throw new Error("a demo is a simulation")
    const scenario = await Effect.runPromise(loadScenario(source.scenario, source.seed))
    expect(scenario).toMatchObject({ scenarioId: source.scenario, seed: 3 })
    expect(scenario.rooms).toHaveLength(1)
  })

  it.each<[Partial<SourceFlags>, string]>([
    [{ files: ["a.csv"] }, "--replay"],
    [{ replay: ["a"], source: "none" }, "exclude"],
    [{ replay: ["a"], seed: 1 }, "--seed"],
    [{ replay: ["a"], scenario: "falls" }, "--scenario"],
    [{ loop: true }, "--loop"],
    [{ source: "none", scenario: "falls" }, "--scenario"],
    [{ source: "none", speed: 2 }, "--speed"],
    [{ demo: "fall", scenario: "home" }, "--demo"],
    [{ demo: "fall", replay: ["a"] }, "--demo"],
    [{ demo: "fall", source: "none" }, "--demo"],
  ])("rejects contradictions: %o", (flags, word) => {
    expect(refusal(flags)).toContain(word)
  })
})
