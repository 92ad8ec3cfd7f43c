/**
 * The real actors on the real embedded store when an environment is removed while its frames are watched.
 */
import { Cause, Effect, Exit, Fiber, Stream } from "effect"
import { expect, it } from "vitest"
import { Directory } from "../../protocols/ports/directory.ts"
import { Enrolments } from "../../protocols/ports/enrolments.ts"
import { runActors } from "../harness/actors.ts"
import { useDatabase } from "../harness/stores.ts"
import { simulatedRoom } from "../harness/simulated-room.ts"

const startMs = Date.UTC(2026, 0, 1)

const database = useDatabase()

it(
  "ends the frames and the streams of a removed environment, rejects its routers, and opens it again when it is enrolled",
  () =>
    runActors(
      { location: database().location, startMs, seed: "one" },
      Effect.gen(function* () {
        const { environment, room, routerIds, sendHop, startSystem } = yield* simulatedRoom({
          name: "one-link",
          startMs,
        })
        const { environmentId } = environment
        const directory = yield* Directory
        const latest = sendHop.pipe(Effect.andThen(room.Latest()), Effect.retry({ times: 50 }))

        yield* directory.enrol(environment, routerIds)
        yield* startSystem
        yield* latest
        let watched = 0
        const watching = yield* Effect.forkChild(
          Stream.runForEach(room.Watch(), () => Effect.sync(() => void watched++)),
        )
        yield* sendHop.pipe(Effect.repeat({ until: () => watched > 0 }))

        expect(yield* (yield* Enrolments).remove(environmentId)).toBe(true)
        yield* room.Deactivate()
        const ended = yield* Fiber.await(watching)
        expect(Exit.isFailure(ended) && Cause.squash(ended.cause)).toMatchObject({ _tag: "UnknownEnvironment" })
        expect(yield* Effect.flip(room.Latest())).toMatchObject({ _tag: "UnknownEnvironment" })
        expect(yield* Effect.flip(Effect.repeat(sendHop, { times: 3 }))).toMatchObject({ _tag: "UnknownRouter" })

        yield* directory.enrol(environment, routerIds)
        expect((yield* room.Describe()).active).toBe(true)
      }),
    ),
  60_000,
)
