/**
 * The real actors on the real embedded store when an environment is changed while its frames are watched.
 */
import { Deferred, Effect, Fiber, Stream } from "effect"
import { expect, it } from "vitest"
import { decodePoseFrame } from "../../protocols/grpc/pose-frame.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { Enrolments } from "../../protocols/ports/enrolments.ts"
import { runActors } from "../harness/actors.ts"
import { useDatabase } from "../harness/stores.ts"
import { simulatedRoom } from "../harness/simulated-room.ts"

const startMs = Date.UTC(2026, 0, 1)

const database = useDatabase()
const databaseOfSlowChange = useDatabase()

it(
  "takes a new geometry and other routers in a running session, without an end of its frames",
  () =>
    runActors(
      { location: database().location, startMs, seed: "one" },
      Effect.gen(function* () {
        const { environment, room, router, routerIds, sendHop, startSystem } = yield* simulatedRoom({
          name: "small-room",
          sends: (routerId, routerIds) => routerId === routerIds[0],
          startMs,
        })
        const { environmentId, geometry, name } = environment
        const { change, create } = yield* Enrolments

        // The system runs before there is an environment.
        yield* startSystem
        expect(yield* Effect.flip(sendHop)).toMatchObject({ _tag: "UnknownRouter" })
        yield* create({ environmentId, name, geometry: null }, { routerIds: routerIds.slice(0, 1), activate: false })
        yield* router(routerIds[0]!).ForgetEnrolment()
        const seen: Array<{ readonly frameId: number; readonly timestampMs: number; readonly mapped: boolean }> = []
        const watching = yield* Effect.forkChild(
          Stream.runForEach(room.Watch(), (bytes) =>
            Effect.sync(() => {
              const { frameId, timestampMs, view } = decodePoseFrame(bytes)
              seen.push({ frameId, timestampMs, mapped: view !== null })
            })),
        )
        yield* sendHop.pipe(Effect.repeat({ until: () => seen.length >= 5 }))
        expect((yield* room.Describe()).routers).toBe(1)

        yield* change(environmentId, { geometry, routerIds }, null)
        yield* room.Reload()
        yield* sendHop.pipe(Effect.repeat({ until: () => seen.some(({ mapped }) => mapped) && seen.length >= 15 }))
        yield* Fiber.interrupt(watching)
        expect((yield* room.Describe()).routers).toBe(routerIds.length)
        const [first] = seen
        expect(seen.map(({ frameId }) => frameId)).toEqual(seen.map((_, i) => first!.frameId + i))
        expect(seen.map(({ timestampMs }) => timestampMs)).toEqual(seen.map((_, i) => first!.timestampMs + 100 * i))
        expect(seen.map(({ mapped }) => mapped)).toEqual(seen.map(({ mapped }) => mapped).sort())

        yield* change(environmentId, { routerIds: [] }, null)
        yield* router(routerIds[0]!).ForgetEnrolment()
        expect(yield* Effect.flip(sendHop)).toMatchObject({ _tag: "UnknownRouter" })
      }),
    ),
  60_000,
)

/** A directory whose next reading of an environment waits. */
const heldDirectory = () => {
  const reached = Deferred.makeUnsafe<void>()
  const gate = Deferred.makeUnsafe<void>()
  let held = false
  return {
    reached: Deferred.await(reached),
    letGo: Deferred.succeed(gate, undefined),
    hold: () => void (held = true),
    of: (real: Directory["Service"]): Directory["Service"] => ({
      ...real,
      environment: (environmentId) =>
        Effect.suspend(() => {
          if (!held) return real.environment(environmentId)
          held = false
          Deferred.doneUnsafe(reached, Effect.void)
          return Effect.andThen(Deferred.await(gate), real.environment(environmentId))
        }),
    }),
  }
}

it(
  "makes frames while a slow store delays a change, and makes the changes in the order of their messages",
  () => {
    const { hold, letGo, of, reached } = heldDirectory()
    return runActors(
      { location: databaseOfSlowChange().location, startMs, seed: "two", directory: of },
      Effect.gen(function* () {
        const { environment, room, routerIds, sendHop, startSystem } = yield* simulatedRoom({
          name: "small-room",
          startMs,
        })
        yield* (yield* Directory).enrol(environment, routerIds)
        yield* startSystem
        const frames = Effect.map(room.Describe(), ({ framesProcessed }) => framesProcessed)
        const until = (count: number) =>
          Effect.andThen(sendHop, frames).pipe(Effect.repeat({ until: (made) => made >= count }))
        const before = yield* until(3)
        hold()
        const reloading = yield* Effect.forkChild(room.Reload(), { startImmediately: true })
        yield* reached
        const ending = yield* Effect.forkChild(room.Deactivate(), { startImmediately: true })
        yield* until(before + 5)
        expect((yield* room.Describe()).active).toBe(true)
        yield* letGo
        yield* Fiber.join(reloading)
        yield* Fiber.join(ending)
        expect((yield* room.Describe()).active).toBe(false)
      }),
    )
  },
  60_000,
)
