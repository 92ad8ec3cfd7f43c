/** What the memory of a person at rest becomes. */
import { describe, expect, it } from "vitest"
import { noRest, rememberedOf, type Rest } from "../../../core/pose/resting.ts"

interface Hop {
  readonly restsS: number
  readonly pelvisM: number
  readonly low?: number
}

/** The hops, 0.1 s each, of a person whose network remembers the number of the hop; returns what it remembers after each. */
const remembered = (hops: ReadonlyArray<Hop>): ReadonlyArray<number> => {
  let rest: Rest = noRest
  let values: Float32Array = Float32Array.of(-1)
  return hops.map(({ low = 0, pelvisM, restsS }, i) => {
    const now = { ageS: 10 + i / 10, restsS, pelvisM, low, values: Float32Array.of(i) }
    ;({ rest, values } = rememberedOf(rest, values, now))
    return values[0]!
  })
}

const moving = (count: number, pelvisM: number): ReadonlyArray<Hop> =>
  Array.from({ length: count }, () => ({ restsS: 0, pelvisM }))
const resting = (count: number, pelvisM: number, low = 0, fromS = 0.1): ReadonlyArray<Hop> =>
  Array.from({ length: count }, (_, i) => ({ restsS: fromS + i / 10, pelvisM, low }))

describe("the memory of a person", () => {
  it("learns in motion, and for three seconds of rest", () => {
    const after = remembered([...moving(20, 0.9), ...resting(60, 0.9)])
    expect(after.slice(0, 49)).toEqual(Array.from({ length: 49 }, (_, i) => i))
    expect(after.slice(50).every((one) => one === after[50])).toBe(true)
  })

  it("returns to that of the coming to rest if the person seems to lie down without motion", () => {
    const low = remembered([...moving(20, 0.55), ...resting(10, 0.55), ...resting(40, 0.5, 0.9, 1.1)])
    expect(low[29]).toBe(29)
    // At rest from 0.6 s after the last motion on, in hop 25, which used the memory of hop 24.
    expect(low.slice(30).every((one) => one === 24)).toBe(true)
    const sinking = remembered([...moving(20, 0.85), ...resting(10, 0.85), ...resting(40, 0.6, 0, 1.1)])
    expect(sinking.at(-1)).toBe(24)
  })

  it("follows one who lay down in motion", () => {
    const after = remembered([...moving(20, 0.3), ...resting(40, 0.2, 0.9)])
    expect(after.at(-1)).toBe(49)
  })

  it("returns to what it was if a fidget seems to be a lying down, and not after a longer motion, a fall or a getting up", () => {
    const before = [...moving(20, 0.55), ...resting(60, 0.55)]
    const kept = remembered(before).at(-1)
    const after = (hops: ReadonlyArray<Hop>): number => remembered([...before, ...hops]).at(-1)! - before.length
    expect(after([...moving(5, 0.5), ...resting(10, 0.5, 0.9)])).toBe(kept! - before.length)
    expect(after([...moving(12, 0.5), ...resting(10, 0.5, 0.9)])).toBe(21)
    expect(after([...moving(5, 0.2), ...resting(10, 0.2, 0.9)])).toBe(14)
    expect(after([...moving(5, 0.6), ...resting(10, 0.6)])).toBe(14)
  })
})
