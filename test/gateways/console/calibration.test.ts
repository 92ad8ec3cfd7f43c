import { describe, expect, it } from "vitest"
import { type BoardCalibration, calibrationStep, countdownAt } from "../../../gateways/console/web/setup/calibration.ts"

const board = (changes: Partial<BoardCalibration> = {}): BoardCalibration => ({
  router_id: "node-1",
  environment_id: "flat",
  state: "streaming",
  version: 1,
  calibration_timestamp: "2026-11-25T00:00:00.000Z",
  links: 2,
  calibrated_links: 2,
  two_sided_links: 0,
  stale_reason: null,
  running: null,
  ...changes,
})

describe("the calibration step of a room", () => {
  it.each(
    [
      ["no board", [], "none"],
      ["an uncalibrated board", [board(), board({ calibrated_links: 0 })], "none"],
      ["the empty side", [board()], "empty-done"],
      ["both sides", [board({ two_sided_links: 2 })], "both-done"],
      ["a stale board", [board(), board({ stale_reason: "the channel changed" })], "stale"],
    ] as const,
  )("is found from %s", (_, boards, step) => {
    expect(calibrationStep(boards).step).toBe(step)
  })

  it("follows the slowest board", () => {
    const step = calibrationStep([
      board({ running: { room: "empty", progress: 0.8, moving_share: 0 } }),
      board({ running: { room: "empty", progress: 0.3, moving_share: 0 } }),
    ])
    expect(step).toMatchObject({ step: "running", progress: 0.3, advice: "Stay out of the room until it is done." })
  })

  it.each(["idle", "lost"] as const)("does not wait for a board that is %s, and names it", (state) => {
    const running = { room: "empty", progress: 0, moving_share: null } as const
    const silent = board({ router_id: "node-3", state, calibrated_links: 0, running })
    const done = calibrationStep([board(), silent])
    expect(done.step).toBe("empty-done")
    expect(done.advice).toContain("nothing comes from it: node-3")
    const progress = { ...running, progress: 0.4 }
    expect(calibrationStep([board({ running: progress }), silent])).toMatchObject({ step: "running", progress: 0.4 })
    expect(calibrationStep([silent])).toMatchObject({ step: "none", advice: expect.stringContaining("sends") })
  })

  it("says when something moved in a room that should be empty", () => {
    const running = { room: "empty", progress: 0.5, moving_share: 0.2 } as const
    expect(calibrationStep([board({ running })]).advice).toContain("moved for 20 %")
    expect(calibrationStep([board({ running: { ...running, room: "occupied" } })]).advice).toContain("walk")
  })
})

it("a countdown that a locked phone has stopped begins nothing", () => {
  expect([0, 9_500, 10_000, 12_000, 60_000].map((nowMs) => countdownAt(10_000, nowMs))).toEqual([
    10,
    1,
    "due",
    "due",
    "missed",
  ])
})
