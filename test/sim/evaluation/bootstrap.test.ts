import { describe, expect, it } from "vitest"
import { bootstrapIntervals } from "../../../sim/evaluation/bootstrap.ts"
import { createRandom } from "../../../sim/randomness/random.ts"
import { talliesOff } from "./records.ts"

describe("the bootstrap", () => {
  const random = () => createRandom(3, "bootstrap")

  it("has no width for equal sequences, and its interval contains the figure for others", () => {
    const alike = bootstrapIntervals(talliesOff([0.3, 0.3, 0.3]), "estimator", random(), 50)
    expect(alike["mpjpe_absolute_mm"]).toEqual([expect.closeTo(300, 6), expect.closeTo(300, 6)])
    const [low, high] = bootstrapIntervals(
      talliesOff([0.1, 0.2, 0.3, 0.4]),
      "estimator",
      random(),
      500,
    )["mpjpe_absolute_mm"]!
    // The mean of four has a standard deviation of 112 / 2 mm.
    expect(low).toBeGreaterThan(100)
    expect(low).toBeLessThan(180)
    expect(high).toBeGreaterThan(320)
    expect(high).toBeLessThan(400)
  })

  it("repeats with its seed", () => {
    const some = talliesOff([0.1, 0.2, 0.3, 0.4])
    expect(bootstrapIntervals(some, "estimator", random(), 100)).toEqual(
      bootstrapIntervals(some, "estimator", random(), 100),
    )
  })

  it("gives no interval for one sequence, nor for a figure that most replicates lack", () => {
    expect(bootstrapIntervals(talliesOff([0.1]), "estimator", random(), 100)["mpjpe_absolute_mm"]).toBeNull()
    expect(bootstrapIntervals(talliesOff([0.1, 0.2]), "estimator", random(), 100)["fall_recall"]).toBeNull()
  })
})
