import { describe, expect, it } from "vitest"
import { echoLevelOf, EchoPowerWindow } from "../../../core/vitals/echo-level.ts"

describe("echo level", () => {
  it("weights the power by the ratio of correlated to uncorrelated variance", () => {
    expect(echoLevelOf(0.01, 0.5)).toBeCloseTo(-2, 9)
    expect(echoLevelOf(0.01, 1 / 11)).toBeCloseTo(-3, 9)
    expect(echoLevelOf(0.01, 1)).toBeCloseTo(0, 9)
  })

  it("is -Infinity without correlated power", () => {
    expect([echoLevelOf(0.01, 0), echoLevelOf(0.01, -0.3), echoLevelOf(0, 0.5)]).toEqual([
      -Infinity,
      -Infinity,
      -Infinity,
    ])
  })
})

describe("mean echo power", () => {
  it("is that of the last 5 s, by amplitude, so that a burst counts little", () => {
    const window = new EchoPowerWindow()
    expect(window.mean(0)).toBe(0)
    for (let hop = 0; hop < 50; hop++) window.add(hop, 0.01)
    expect(window.mean(49)).toBeCloseTo(0.01, 9)
    expect(window.mean(98)).toBeCloseTo(0.01, 9)
    expect(window.mean(99)).toBe(0)
    for (let hop = 100; hop < 150; hop++) window.add(hop, hop === 120 ? 1 : 0)
    expect(window.mean(149)).toBeCloseTo(1 / 2500, 9)
  })
})
