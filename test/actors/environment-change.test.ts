/**
 * The real actors on the real embedded store when an environment is changed while its frames are watched.
 */
import { Effect, Fiber, Stream } from "effect"
import { expect, it } from "vitest"
import { decodePoseFrame } from "../../protocols/grpc/pose-frame.ts"
import { Enrolments } from "../../protocols/ports/enrolments.ts"
import { runActors } from "../harness/actors.ts"
import { useDatabase } from "../harness/stores.ts"
import { simulatedRoom } from "../harness/simulated-room.ts"

const startMs = Date.UTC(2026, 0, 1)

const database = useDatabase()

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
