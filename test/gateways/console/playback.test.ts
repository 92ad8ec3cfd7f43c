import { describe, expect, it } from "vitest"
import { personsAt, playbackDelayMs, shownEventMs } from "../../../gateways/console/web/state/playback.ts"
import { person, received } from "./frames.ts"

const frames = [received(1_000, 1_050, [person(1, 1)]), received(1_100, 1_150, [person(1, 2), person(2, 5)])]

describe("playback", () => {
  it("is a fixed time behind the newest frame, and goes on between frames", () => {
    expect(shownEventMs(frames[1]!, 1_150)).toBe(1_100 - playbackDelayMs)
    expect(shownEventMs(frames[1]!, 1_200)).toBe(1_150 - playbackDelayMs)
  })

  it("blends places and joints of a person between two frames", () => {
    const [shown] = personsAt(frames, 1_050)
    expect(shown!.x).toBeCloseTo(1.5)
    expect(shown!.joints[0]!.x).toBeCloseTo(1.5)
  })

  it("shows a new person only from the frame that has it", () => {
    expect(personsAt(frames, 1_050).map(({ id }) => id)).toEqual([1])
    expect(personsAt(frames, 1_100).map(({ id }) => id)).toEqual([1, 2])
  })

  it("does not extrapolate beyond the newest frame", () => {
    expect(personsAt(frames, 9_000).map(({ x }) => x)).toEqual([2, 5])
  })

  it("does not blend across a gap", () => {
    const gap = [received(1_000, 1_000, [person(1, 1)]), received(3_000, 3_000, [person(1, 5)])]
    expect(personsAt(gap, 2_000)[0]!.x).toBe(1)
  })

  it("shows no person before the first frame", () => {
    expect(personsAt([], 0)).toEqual([])
  })
})
