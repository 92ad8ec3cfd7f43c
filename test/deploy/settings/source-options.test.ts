import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { chooseSource, type SourceFlags } from "../../../deploy/settings/source-options.ts"

const none: SourceFlags = { replay: [], files: [], loop: false, speed: 1, scenario: null, seed: null, source: null }
const choose = (flags: Partial<SourceFlags>) => Effect.runSync(chooseSource({ ...none, ...flags }))
const refusal = (flags: Partial<SourceFlags>) =>
  Effect.runSync(Effect.flip(chooseSource({ ...none, ...flags }))).message

describe("the source of a start", () => {
  it("is chosen by the flags", () => {
    expect(choose({})).toEqual({ kind: "simulated", scenario: "home", seed: null, speed: 1 })
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

  it.each<[Partial<SourceFlags>, string]>([
    [{ files: ["a.csv"] }, "--replay"],
    [{ replay: ["a"], source: "none" }, "exclude"],
    [{ replay: ["a"], seed: 1 }, "--seed"],
    [{ replay: ["a"], scenario: "falls" }, "--scenario"],
    [{ loop: true }, "--loop"],
    [{ source: "none", scenario: "falls" }, "--scenario"],
    [{ source: "none", speed: 2 }, "--speed"],
  ])("rejects contradictions: %o", (flags, word) => {
    expect(refusal(flags)).toContain(word)
  })
})
