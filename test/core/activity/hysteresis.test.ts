import { describe, expect, it } from "vitest"
import { createLatch } from "../../../core/activity/hysteresis.ts"
import { createTokenBucket } from "../../../core/activity/token-bucket.ts"

describe("a latch", () => {
  const run = (input: string) => {
    const latch = createLatch({ onS: 2, offS: 3 })
    return [...input].map((each, timeS) => latch.step(timeS, each === "1").on ? "1" : "0").join("")
  }

  it("turns on and off after the input has lasted, and keeps its value otherwise", () => {
    expect(run("0111110000011")).toBe("0001111110000")
    expect(run("0110110110110")).toBe("0000000000000")
    expect(run("1110011001111")).toBe("0011111111111")
  })

  it("dates a turn at the change of the input, and reports it once", () => {
    const latch = createLatch({ onS: 2, offS: 0 })
    const turns = [0, 1, 1, 1, 1, 0, 0].map((input, timeS) => latch.step(timeS, input === 1))
    expect(turns.map(({ turned }) => turned)).toEqual([false, false, false, true, false, true, false])
    expect(turns[3]).toMatchObject({ on: true, sinceS: 1 })
    expect(turns[5]).toMatchObject({ on: false, sinceS: 5 })
  })
})

describe("a token bucket", () => {
  it("gives a burst and then the rate, at any frequency of requests", () => {
    const bucket = createTokenBucket({ burst: 3, perS: 0.5 })
    const given = Array.from({ length: 200 }, (_, i) => bucket.take(i / 10) ? i / 10 : null).filter((at) => at !== null)
    expect(given.slice(0, 3)).toEqual([0, 0.1, 0.2])
    expect(given.length).toBe(3 + Math.floor(19.9 * 0.5))
  })
})
