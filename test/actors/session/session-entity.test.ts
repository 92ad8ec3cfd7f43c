import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { defaultStartOptions } from "../../../protocols/domain/system.ts"
import type { RouterState } from "../../../protocols/messages/router.ts"
import { makeWorld, run, settle } from "./world.ts"

describe("session actor", () => {
  it("starts and stops the environments, and saves every state", () => {
    const world = makeWorld()
    return run(world, (session) =>
      Effect.gen(function* () {
        yield* session.Start(defaultStartOptions)
        expect(yield* settle(session, "running")).toMatchObject({ status: "running", failure: null })
        expect(world.active).toEqual(new Set(["a", "b"]))
        expect(world.saved).toEqual(yield* session.Status())
        yield* session.Stop({ force: false, saveState: true })
        expect(yield* settle(session, "stopped")).toMatchObject({ status: "stopped" })
        expect(world.active.size).toBe(0)
      }))
  })

  it("does not make a transition that cannot be saved", () => {
    const world = makeWorld()
    world.storeFails = () => true
    return run(world, (session) =>
      Effect.gen(function* () {
        const starting = yield* Effect.forkChild(Effect.flip(session.Start(defaultStartOptions)))
        yield* TestClock.adjust(1_000)
        expect(yield* Fiber.join(starting)).toMatchObject({ _tag: "StoreUnavailable" })
        expect(yield* session.Status()).toMatchObject({ status: "stopped", steps: [] })
        world.storeFails = () => false
        yield* session.Start(defaultStartOptions)
        expect(yield* settle(session, "running", "error")).toMatchObject({ status: "running" })
      }))
  })

  it("retries a save", () => {
    const world = makeWorld()
    let failures = 2
    world.storeFails = () => failures-- > 0
    return run(world, (session) =>
      Effect.gen(function* () {
        const starting = yield* Effect.forkChild(session.Start(defaultStartOptions))
        yield* TestClock.adjust(1_000)
        yield* Fiber.join(starting)
        expect(yield* settle(session, "running", "error")).toMatchObject({ status: "running" })
      }))
  })

  it("ends in error when the store fails during a start, stops the started environments, and can be started again", () => {
    const world = makeWorld()
    world.storeFails = ({ status, steps }) => status === "running" || steps.some((step) => step.status === "failed")
    return run(world, (session) =>
      Effect.gen(function* () {
        yield* session.Start(defaultStartOptions)
        expect(yield* settle(session, "error")).toMatchObject({ status: "error", failure: "the store is away" })
        expect(world.active.size).toBe(0)
        world.storeFails = () => false
        yield* session.Start(defaultStartOptions)
        expect(yield* settle(session, "running")).toMatchObject({ status: "running", failure: null })
      }))
  })

  it("ends in error when an environment fails, and stops the others", () => {
    const world = makeWorld()
    world.activate = (id) => id === "b" ? Effect.die(new Error("poison")) : Effect.void
    return run(world, (session) =>
      Effect.gen(function* () {
        yield* session.Start(defaultStartOptions)
        const { failure, status } = yield* settle(session, "error", "running")
        expect(status).toBe("error")
        expect(failure).toContain("environment b failed: poison")
        expect(world.active.size).toBe(0)
      }))
  })

  it("restarts a hanging stop when it is forced, after the older steps have ended", () => {
    const world = makeWorld()
    let hangs = true
    const interrupted: Array<string> = []
    world.deactivate = (id) =>
      Effect.suspend(() => hangs ? Effect.never : Effect.void).pipe(
        Effect.onInterrupt(() => Effect.sync(() => void interrupted.push(id))),
      )
    return run(world, (session) =>
      Effect.gen(function* () {
        yield* session.Start(defaultStartOptions)
        yield* settle(session, "running")
        yield* session.Stop({ force: false, saveState: true })
        yield* TestClock.adjust(1_000)
        expect(yield* Effect.flip(session.Stop({ force: false, saveState: false }))).toMatchObject({
          _tag: "SystemConflict",
          status: "stopping",
        })
        hangs = false
        yield* session.Stop({ force: true, saveState: false })
        expect(yield* settle(session, "stopped", "error")).toMatchObject({
          status: "stopped",
          failure: null,
          steps: [{ step: "stop_environments", status: "completed" }],
        })
        expect(interrupted).toHaveLength(2)
      }))
  })

  it("waits for the calibrating routers and reports their progress, and does not wait for a router without packets", () => {
    const world = makeWorld()
    let state: RouterState = "calibrating"
    world.routerState = (id) => id === "r1" ? state : "idle"
    return run(world, (session) =>
      Effect.gen(function* () {
        const begun = yield* session.Start({ ...defaultStartOptions, calibrationRequired: true })
        expect(begun.estimatedReadyMs! - 1_000_001).toBeGreaterThanOrEqual(60_000)
        yield* TestClock.adjust(30_500)
        const progress = (yield* session.Status()).steps.find(({ step }) => step === "calibrate_routers")!
        expect(world.calibrated.toSorted()).toEqual(["r1", "r2"])
        expect(progress).toMatchObject({ status: "in_progress", progress: 0.5 })
        state = "streaming"
        yield* TestClock.adjust(1_000)
        expect(yield* settle(session, "running")).toMatchObject({ status: "running" })
      }))
  })

  it("continues without a router that does not finish its calibration", () => {
    const world = makeWorld()
    world.routerState = () => "calibrating"
    return run(world, (session) =>
      Effect.gen(function* () {
        yield* session.Start({ ...defaultStartOptions, calibrationRequired: true })
        yield* TestClock.adjust(89_000)
        expect(yield* session.Status()).toMatchObject({ status: "starting" })
        yield* TestClock.adjust(2_000)
        expect(yield* session.Status()).toMatchObject({ status: "running" })
      }))
  })

  it("resumes the steps that a dead process left", () => {
    const world = makeWorld()
    world.saved = {
      status: "starting",
      sessionId: "before",
      startedAtMs: null,
      estimatedReadyMs: null,
      steps: [
        { step: "load_configuration", status: "completed", progress: 1 },
        { step: "start_environments", status: "in_progress", progress: 0.5 },
      ],
      options: { ...defaultStartOptions, environmentId: "b" },
      failure: null,
    }
    return run(world, (session) =>
      Effect.gen(function* () {
        expect(yield* settle(session, "running")).toMatchObject({ status: "running", sessionId: "before" })
        expect(world.active).toEqual(new Set(["b"]))
      }))
  })
})
