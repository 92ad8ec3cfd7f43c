import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { rangeNameOf, seedRanges, trainingSeeds } from "../../../sim/evaluation/seed-ranges.ts"

describe("the seeds", () => {
  const ranges = Object.values(seedRanges)

  it("are in disjoint ranges", () => {
    for (const [i, a] of ranges.entries()) {
      expect(a.first).toBeLessThanOrEqual(a.last)
      for (const b of ranges.slice(i + 1)) expect(a.last < b.first || b.last < a.first).toBe(true)
    }
  })

  it("have a range by value", () => {
    expect(rangeNameOf({ first: 1, last: 9_999 })).toBe("train")
    expect(rangeNameOf({ first: 10_000, last: 19_999 })).toBe("validation")
    expect(rangeNameOf({ first: 20_000, last: 20_023 })).toBe("test")
    expect(rangeNameOf({ first: 9_999, last: 10_000 })).toBe("mixed")
  })

  it("are available to training from its own range only", () => {
    expect(trainingSeeds({ first: 3, last: 5 })).toEqual([3, 4, 5])
    expect(() => trainingSeeds({ first: 9_000, last: 10_000 })).toThrow(RangeError)
    expect(() => trainingSeeds({ first: 20_000, last: 20_001 })).toThrow(RangeError)
    expect(() => trainingSeeds({ first: 0, last: 1 })).toThrow(RangeError)
  })
})

/** Uses of foreign seeds in a source of the training: the test range by name, a number in it, or suites. */
const foreignSeeds = (text: string): ReadonlyArray<string> => {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)(\/\/|#).*$/gm, "")
  const numbers = code.match(/(?<=seed\w*["']?\s*[:=(,]?\s*)\d[\d_]*/gi) ?? []
  return [
    ...(code.match(/seedRanges\s*(\.\s*test|\[\s*["']test["']\s*\])|evaluation\/suites/g) ?? []),
    ...numbers.filter((digits) => Number(digits.replaceAll("_", "")) >= seedRanges.test.first),
  ]
}

describe("the training", () => {
  it("is rejected when it uses a test seed", () => {
    expect(foreignSeeds(`writeScenes({ seed: 20_000 })`)).toEqual(["20_000"])
    expect(foreignSeeds(`{ "seeds": 25000 }`)).toEqual(["25000"])
    expect(foreignSeeds(`for (const seed of seedsOf(seedRanges.test)) draw(seed)`)).toEqual(["seedRanges.test"])
    expect(foreignSeeds(`import { suites } from ` + `"../evaluation/suites.ts"`)).toEqual(["evaluation/suites"])
    expect(foreignSeeds(`trainingSeeds(seedRanges.train); const seed = 9_999; const rate = 48000`)).toEqual([])
  })

  it("uses none", () => {
    const folder = fileURLToPath(new URL("../../../sim/training", import.meta.url))
    const files = existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String) : []
    const sources = files.filter((file) => /\.(ts|py|json)$/.test(file))
    expect(
      sources.flatMap((file) =>
        foreignSeeds(readFileSync(join(folder, file), "utf8")).map((found) => `${file}: ${found}`)
      ),
    )
      .toEqual([])
  })
})
