import { describe, expect, it } from "vitest"
import { repeatedHops } from "../../../actors/environment/repeated-hops.ts"

/** Whether each of these hops is repeated, after a frame of hop 999. */
const repeated = (...hops: ReadonlyArray<number>) => {
  const isRepeated = repeatedHops(100_000)
  return hops.map((hop) => isRepeated({ hop }))
}

describe("repeated hops", () => {
  it("are those up to the newest stored frame, until a newer one comes", () => {
    expect(repeated(990, 998, 999, 1_000, 1_001)).toEqual([true, true, true, false, false])
  })

  it("end with a hop long before: the clock was set back", () => {
    expect(repeated(10, 11, 995)).toEqual([false, false, false])
  })
})
