/**
 * The real actors on the real embedded store, in one process on a test clock: what they say to what comes in.
 */
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openSimulation, scenarioEnrolment } from "../../deploy/source/simulate.ts"
import { loadScenario } from "../../deploy/play-command.ts"
import { defaultStartOptions } from "../../protocols/domain/system.ts"
import { encodeCsiBatch } from "../../protocols/grpc/csi-batch.ts"
import { decodePoseFrame } from "../../protocols/grpc/pose-frame.ts"
import { Directory } from "../../protocols/messages/directory.ts"
import { Environment } from "../../protocols/messages/environment.ts"
import { Router } from "../../protocols/messages/router.ts"
import { Session, sessionEntityId } from "../../protocols/messages/session.ts"
import { runActors } from "../harness/actors.ts"
import { embeddedDatabase, type TestDatabase } from "../harness/database.ts"

const startMs = Date.UTC(2026, 0, 1)
describe("the actors together", () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await embeddedDatabase()
  }, 30_000)
  afterAll(() => database.stop())

  it(
    "answers strangers, a stopped system, a batch that comes twice, and frames",
    () =>
      runActors(
        { location: database.location, startMs, seed: "seed" },
        Effect.gen(function* () {
          const scenario = yield* loadScenario("small-room")
          const { environment, routerIds } = scenarioEnrolment(scenario)
          yield* (yield* Directory).enrol(environment, routerIds)
          const router = yield* Router.client
          const room = (yield* Environment.client)(environment.environmentId)
          const session = (yield* Session.client)(sessionEntityId)
          const source = openSimulation(scenario, { startMs, seed: 1, hops: null })
          const nextHop = Effect.map(source.next, (hop) => hop!.batches)

          const [first] = yield* nextHop
          const stranger = yield* Effect.flip(router("stranger").Ingest({ batch: encodeCsiBatch(first!) }))
          expect(stranger).toMatchObject({ _tag: "UnknownRouter", message: expect.stringContaining("not enrolled") })
          const invalid = yield* Effect.flip(router("sim-1").Ingest({ batch: Uint8Array.of(1, 2, 3) }))
          expect(invalid).toMatchObject({ _tag: "InvalidBatch" })
          expect(yield* Effect.flip(room.Latest())).toMatchObject({ _tag: "SystemNotRunning" })
          expect(yield* Effect.flip((yield* Environment.client)("nowhere").Latest())).toMatchObject({
            _tag: "UnknownEnvironment",
          })

          const send = (batches: Effect.Success<typeof nextHop>) =>
            Effect.forEach(batches, (batch) => router(batch.routerId).Ingest({ batch: encodeCsiBatch(batch) }))
          yield* send(yield* nextHop)
          const stopped = yield* send(yield* nextHop)
          expect(stopped[0]).toMatchObject({ acceptedFrames: 0, dropReason: expect.stringContaining("not running") })

          yield* session.Start({ ...defaultStartOptions, environmentId: environment.environmentId })
          yield* session.Status().pipe(Effect.repeat({ until: ({ status }) => status === "running" }))
          expect(yield* Effect.flip(session.Start(defaultStartOptions))).toMatchObject({ _tag: "SystemConflict" })
          expect(yield* Effect.flip(room.Latest())).toMatchObject({
            _tag: "NoFrames",
            message: expect.stringContaining("No CSI has come yet"),
          })

          for (let hop = 0; hop < 5; hop++) yield* send(yield* nextHop)
          const again = yield* nextHop
          yield* send(again)
          const before = yield* router("sim-1").Describe()
          expect(yield* send(again)).toEqual(again.map(({ frameCount }) => ({
            acceptedFrames: frameCount,
            droppedFrames: 0,
            dropReason: null,
          })))
          expect((yield* router("sim-1").Describe()).acceptedFrames).toBe(before.acceptedFrames)
          const frame = decodePoseFrame(yield* room.Latest())
          expect(frame).toMatchObject({ routerCount: 6, provenance: { source: "simulated" } })
          expect(frame.frameId).toBeGreaterThanOrEqual(4)
          expect(yield* room.Describe()).toMatchObject({ active: true, streamingRouters: 6, noFramesReason: null })
        }),
      ),
    60_000,
  )
})
