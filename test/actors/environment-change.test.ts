/**
 * The real actors on the real embedded store when an environment is changed while its frames are watched.
 */
import { Effect, Fiber, Stream } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { loadScenario } from "../../deploy/commands/replay-command.ts"
import { openSimulation, scenarioEnrolments } from "../../deploy/source/simulate.ts"
import { defaultStartOptions } from "../../protocols/domain/system.ts"
import { encodeCsiBatch } from "../../protocols/grpc/csi-batch.ts"
import { decodePoseFrame } from "../../protocols/grpc/pose-frame.ts"
import { Enrolments } from "../../protocols/ports/enrolments.ts"
import { Environment } from "../../protocols/messages/environment.ts"
import { Router } from "../../protocols/messages/router.ts"
import { Session, sessionEntityId } from "../../protocols/messages/session.ts"
import { runActors } from "../harness/actors.ts"
import { embeddedDatabase, type TestDatabase } from "../harness/database.ts"

const startMs = Date.UTC(2026, 0, 1)

let database: TestDatabase
beforeAll(async () => {
  database = await embeddedDatabase()
}, 60_000)
afterAll(() => database.stop())

it(
  "takes a new geometry and other routers in a running session, without an end of its frames",
  () =>
    runActors(
      { location: database.location, startMs, seed: "one" },
      Effect.gen(function* () {
        const scenario = yield* loadScenario("small-room")
        const { environment, routerIds } = scenarioEnrolments(scenario)[0]!
        const { environmentId, geometry, name } = environment
        const { change, create } = yield* Enrolments
        const router = yield* Router.client
        const room = (yield* Environment.client)(environmentId)
        const session = (yield* Session.client)(sessionEntityId)
        const source = openSimulation(scenario, { startMs, seed: 1, hops: null })
        const sendHop = Effect.flatMap(source.next, (hop) =>
          Effect.forEach(
            hop!.batches.filter(({ routerId }) => routerId === routerIds[0]),
            (batch) => router(batch.routerId).Ingest({ batches: [encodeCsiBatch(batch)] }),
          ))

        // The system runs before there is an environment.
        yield* session.Start(defaultStartOptions)
        yield* session.Status().pipe(Effect.repeat({ until: ({ status }) => status === "running" }))
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
