import { describe, expect, it } from "vitest"
import { LostHops } from "./lost-hops.ts"

const framesWithout = (...missing: ReadonlyArray<number>) =>
  Array.from({ length: 20 }, (_, i) => (i + 1) * 100)
    .filter((ms) => !missing.includes(ms))
    .map((timestampMs, i) => ({ frameId: i + 1, timestampMs }))
const acknowledgedMs = Array.from({ length: 25 }, (_, i) => (i + 1) * 100)

describe("an acknowledged hop without a frame", () => {
  it("is of a move if a claim lies between the frames around it", () => {
    const lost = new LostHops().judge({ acknowledgedMs, frames: framesWithout(600), claims: [5], shedHops: 0 })
    expect(lost).toEqual({ moved: [600], stayed: [], shed: 0 })
  })

  it("is of a move, too, if the room was claimed since the last judgement", () => {
    const hops = new LostHops()
    const seen = { acknowledgedMs, shedHops: 0 }
    expect(hops.judge({ ...seen, frames: framesWithout(600), claims: [15] })).toEqual({
      moved: [600],
      stayed: [],
      shed: 0,
    })
    expect(hops.judge({ ...seen, frames: framesWithout(600, 900), claims: [15] }))
      .toEqual({ moved: [], stayed: [900], shed: 0 })
  })

  it("is told once, beside what the room has shed and not lost yet", () => {
    const hops = new LostHops()
    const seen = { acknowledgedMs, claims: [] }
    expect(hops.judge({ ...seen, frames: framesWithout(600), shedHops: 2 })).toEqual({
      moved: [],
      stayed: [600],
      shed: 2,
    })
    expect(hops.judge({ ...seen, frames: framesWithout(600, 900), shedHops: 3 }))
      .toEqual({ moved: [], stayed: [900], shed: 2 })
    // Another activation counts from zero.
    expect(hops.judge({ ...seen, frames: framesWithout(600, 900), shedHops: 1 })).toEqual({
      moved: [],
      stayed: [],
      shed: 1,
    })
  })
})
