import { describe, expect, it } from "vitest"
import { rangeNameOf, seedsOf } from "../../../sim/evaluation/seed-ranges.ts"
import { optionsOf, suiteNames, suites, trainedRoomOf, variantOf } from "../../../sim/evaluation/suites.ts"

describe("the suites", () => {
  it("are the published ones", () => {
    expect(suiteNames).toEqual([
      "new-body",
      "new-room",
      "new-layout",
      "new-radio",
      "many-persons",
      "impaired",
      "materials",
      "falls",
      "empty",
      "real-motion",
      "other-radio",
      "frozen-limbs",
      "carrying",
      "backwards",
      "turning",
      "long-lie",
      "door",
      "uncalibrated",
      "wrong-geometry",
      "old-calibration",
    ])
  })

  it("cycle through all of their variants, in sequences of at least half a minute", () => {
    for (const suite of suites) {
      expect(suite.seconds).toBeGreaterThanOrEqual(30)
      const seen = new Set(
        seedsOf({ first: 20_000, last: 20_023 }).map((seed) =>
          JSON.stringify([optionsOf(suite, seed), variantOf(suite, seed).mistake])
        ),
      )
      expect(seen.size, suite.name).toBe(suite.variants.length)
    }
  })

  it("use training rooms when rooms are not new", () => {
    for (const seed of [20_000, 29_997, 29_998, 2 ** 31 - 1]) {
      const room = trainedRoomOf(seed)
      expect(rangeNameOf({ first: room, last: room }), String(seed)).toBe("train")
    }
  })
})
