/** Simulated tracks err as they are said to. */
import { describe, expect, it } from "vitest"
import { createRandom } from "../../../sim/random.ts"
import { createSimulatedTrack } from "../../../sim/training/simulated-track.ts"

const hopS = 0.1

describe("a simulated track", () => {
  it("wanders about the truth by the sigma that it says, give or take a third", () => {
    const ratios: Array<number> = []
    for (let seed = 0; seed < 40; seed++) {
      const track = createSimulatedTrack(createRandom(seed, "track"))
      let squares = 0
      let said = 0
      const steps = 3_000
      for (let i = 0; i < steps; i++) {
        const { sigmaM, x, y } = track.step(1, 2, hopS)
        squares += ((x - 1) ** 2 + (y - 2) ** 2) / 2
        said = sigmaM
      }
      ratios.push(Math.sqrt(squares / steps) / said)
    }
    ratios.sort((a, b) => a - b)
    expect(ratios[20]!).toBeGreaterThan(0.75)
    expect(ratios[20]!).toBeLessThan(1.35)
    expect(new Set(ratios.map((ratio) => ratio.toFixed(3))).size).toBeGreaterThan(30)
  })

  it("follows a walker's velocity with a lag, and counts its age", () => {
    const track = createSimulatedTrack(createRandom(1, "track"))
    const mean = { x: 0, y: 0 }
    let last = track.step(0, 0, hopS)
    for (let i = 1; i <= 600; i++) {
      last = track.step(0.12 * i, 0, hopS)
      if (i <= 100) continue
      mean.x += last.velocityX / 500
      mean.y += last.velocityY / 500
    }
    expect(mean.x).toBeCloseTo(1.2, 1)
    expect(mean.y).toBeCloseTo(0, 1)
    expect(last.ageS).toBeCloseTo(60.1, 6)
  })
})
