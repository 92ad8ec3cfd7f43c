import { describe, expect, it } from "vitest"
import { createUsualDelay } from "../../../core/pace/usual-delay.ts"

describe("the usual delay", () => {
  it("is the least that was seen", () => {
    const { beyond } = createUsualDelay()
    expect([300, 250, 260, 1_250].map((delayMs) => beyond(delayMs, 0))).toEqual([0, 0, 10, 1_000])
  })

  it("is at most a second, so that a source that is late from the start is late", () => {
    const { beyond } = createUsualDelay()
    expect(beyond(9_000, 0)).toBe(8_000)
  })

  it("may be negative: the clock of a source runs ahead", () => {
    const { beyond } = createUsualDelay()
    beyond(-400, 0)
    expect(beyond(100, 0)).toBe(500)
  })

  it("follows a slower network by a millisecond a second, and starts anew after a reset", () => {
    const { beyond, reset } = createUsualDelay()
    beyond(100, 0)
    expect(beyond(200, 60_000)).toBe(40)
    reset()
    expect(beyond(200, 60_000)).toBe(0)
  })
})
