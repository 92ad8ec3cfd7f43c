/** A person who walks through a wall has left; one who turns, stands or falls beside it has not. */
import { describe, expect, it } from "vitest"
import type { MotionState } from "../../../core/tracking/kalman.ts"
import { leavingAfter } from "../../../core/tracking/leaving.ts"

const size = [5, 4, 2.6] as const

const motion = (x: number, y: number, velocityX: number, velocityY: number): MotionState => ({
  x,
  y,
  velocityX,
  velocityY,
  positionVariance: 0.01,
  covariance: 0,
  velocityVariance: 0.01,
})

const walk = { leaving: "inside", walkingHops: 12 } as const

describe("leaving", () => {
  it("is a walk through any of the walls", () => {
    const through = [motion(0.2, 2, -1, 0), motion(4.8, 2, 1, 0), motion(2, 0.2, 0, -1), motion(2, 3.8, 0, 1)]
    const at = [{ x: 0.5, y: 2 }, { x: 4.5, y: 2 }, { x: 2, y: 0.5 }, { x: 2, y: 3.5 }]
    const states = through.map((state, i) => leavingAfter({ ...walk, detection: at[i], motion: state }, size))
    expect(states).toEqual(["left", "left", "left", "left"])
  })

  it("goes on after the last detection at the wall", () => {
    const at = leavingAfter({ ...walk, detection: { x: 0.5, y: 2 }, motion: motion(0.45, 2, -1, 0) }, size)
    expect(at).toBe("at_wall")
    const next = { leaving: at, walkingHops: 13, detection: undefined }
    expect(leavingAfter({ ...next, motion: motion(0.4, 2, -1, 0) }, size)).toBe("at_wall")
    expect(leavingAfter({ ...next, motion: motion(0.2, 2, -0.8, 0) }, size)).toBe("left")
  })

  it("is not a walk along a wall, a stop or a turn at it, or a fall before or beside it", () => {
    const at = { x: 0.3, y: 2 }
    const along = leavingAfter({ ...walk, detection: at, motion: motion(0.2, 2, 0.1, 1) }, size)
    const stop = leavingAfter({ ...walk, detection: at, motion: motion(0.3, 2, -0.7, 0) }, size)
    const turn = leavingAfter({ ...walk, detection: at, motion: motion(0.1, 2, 0.4, 0) }, size)
    // The motion of a walker who falls goes on for a moment, but the detections stay where the body is.
    const before = leavingAfter({ ...walk, detection: { x: 0.7, y: 2 }, motion: motion(0.1, 2, -0.8, 0) }, size)
    // A person who stood there falls: for some hops this is motion towards the wall.
    const falling = { leaving: "inside", walkingHops: 4, detection: at, motion: motion(0.1, 2, -0.8, 0) } as const
    const beside = leavingAfter(falling, size)
    expect([along, stop, turn, before, beside]).toEqual(["inside", "at_wall", "inside", "inside", "inside"])
  })

  it("lasts until the track is well within the room again", () => {
    const after = (x: number, detection?: { x: number; y: number }) =>
      leavingAfter({ leaving: "left", walkingHops: 0, detection, motion: motion(x, 2, 0.5, 0) }, size)
    expect([after(-0.3), after(0.3, { x: 0.9, y: 2 }), after(0.55, { x: 0.6, y: 2 })]).toEqual([
      "left",
      "left",
      "inside",
    ])
  })
})
