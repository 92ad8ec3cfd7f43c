import { describe, expect, it } from "vitest"
import { createMotion, type Keyframe } from "../../../sim/bodies/motion.ts"
import { channel, createPose } from "../../../sim/bodies/pose.ts"

/** Values of one channel every millisecond. */
const traceOf = (frames: ReadonlyArray<Keyframe>, rates = 0): ReadonlyArray<number> => {
  const start = createPose()
  const moving = createPose()
  moving[channel.yaw] = rates
  const motion = createMotion(start, moving, frames)
  const pose = createPose()
  return Array.from({ length: Math.round(motion.durationS * 1000) + 1 }, (_, i) => {
    motion.write(i / 1000, pose)
    return pose[channel.yaw]!
  })
}

const slopes = (trace: ReadonlyArray<number>): ReadonlyArray<number> =>
  trace.slice(1).map((value, i) => (value - trace[i]!) * 1000)

describe("a motion", () => {
  it("goes from rest to rest with minimum jerk: 1.875 times the mean speed, half way", () => {
    const trace = traceOf([{ atS: 2, set: { yaw: 3 } }])
    const speeds = slopes(trace)
    const peak = Math.max(...speeds)
    expect(peak).toBeCloseTo((1.875 * 3) / 2, 4)
    expect(speeds.indexOf(peak)).toBeGreaterThan(990)
    expect(speeds.indexOf(peak)).toBeLessThan(1010)
    expect(speeds[0]).toBeLessThan(1e-3)
    expect(trace[trace.length - 1]).toBeCloseTo(3, 12)
  })

  it("passes middle keyframes without a stop or a jump in speed, and rests where it turns back", () => {
    const passing = slopes(traceOf([{ atS: 1, set: { yaw: 1 } }, { atS: 2, set: { yaw: 3 } }]))
    expect(passing[1000]).toBeCloseTo(1, 2)
    const turning = slopes(traceOf([{ atS: 1, set: { yaw: 1 } }, { atS: 2, set: { yaw: 0 } }]))
    expect(Math.abs(turning[1000]!)).toBeLessThan(0.01)
    for (const speeds of [passing, turning]) {
      for (const [i, speed] of speeds.slice(1).entries()) expect(Math.abs(speed - speeds[i]!)).toBeLessThan(0.02)
    }
  })

  it("never leaves the range of its keyframes", () => {
    const trace = traceOf([0.2, 2, 0.1, 1.9, 2.1, 0].map((yaw, i) => ({ atS: 0.3 + 0.4 * i, set: { yaw } })))
    expect(Math.min(...trace)).toBeGreaterThan(-1e-9)
    expect(Math.max(...trace)).toBeLessThan(2.1 + 1e-9)
  })

  it("starts with the initial rate and keeps given rates", () => {
    const speeds = slopes(traceOf([{ atS: 1, set: { yaw: 2 }, rates: { yaw: 5 } }, { atS: 2, set: { yaw: 4 } }], 1.5))
    expect(speeds[0]).toBeCloseTo(1.5, 1)
    expect(speeds[1000]).toBeCloseTo(5, 1)
  })

  it("skips channels that a keyframe does not name, and reports activities in time", () => {
    const motion = createMotion(createPose(), null, [
      { atS: 0.5, set: { pelvisX: 1 }, activity: "sitting" },
      { atS: 2, set: { pelvisY: 4 } },
    ])
    const pose = createPose()
    motion.write(1, pose)
    expect(pose[channel.pelvisX]).toBe(1)
    expect(pose[channel.pelvisY]).toBeCloseTo(2, 9)
    expect(motion.activityAt(0.4)).toBeNull()
    expect(motion.activityAt(0.6)).toBe("sitting")
  })
})
