/**
 * The real actors on the real embedded store, in one process on a test clock: their answers to batches and requests.
 */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { openSimulation, scenarioEnrolments } from "../../deploy/source/simulate.ts"
import { loadScenario } from "../../deploy/source/load-scenario.ts"
import { makeIngest } from "../../gateways/ingest/ingest.ts"
import { StoreUnavailable } from "../../protocols/domain/failure.ts"
import { defaultStartOptions } from "../../protocols/domain/system.ts"
import { encodeCsiBatch } from "../../protocols/grpc/csi-batch.ts"
import { decodePoseFrame } from "../../protocols/grpc/pose-frame.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { EdgeNode } from "../../protocols/messages/edge-node.ts"
import { Environment } from "../../protocols/messages/environment.ts"
import { LocalRouters, Router } from "../../protocols/messages/router.ts"
import { Session, sessionEntityId } from "../../protocols/messages/session.ts"
import { runActors } from "../harness/actors.ts"
import { useDatabase } from "../harness/stores.ts"

const startMs = Date.UTC(2026, 0, 1)
describe("the actors together", () => {
  const database = useDatabase()

  it(
    "answer unknown routers, a stopped system, a repeated batch, and frames",
    () =>
      runActors(
        { location: database().location, startMs, seed: "seed" },
        Effect.gen(function* () {
          const scenario = yield* loadScenario("small-room")
          const { environment, routerIds } = scenarioEnrolments(scenario)[0]!
          yield* (yield* Directory).enrol(environment, routerIds)
          const router = yield* Router.client
          const room = (yield* Environment.client)(environment.environmentId)
          const session = (yield* Session.client)(sessionEntityId)
          const source = openSimulation(scenario, { startMs, seed: 1, hops: null })
          const nextHop = Effect.map(source.next, (hop) => hop!.batches)

          const [first] = yield* nextHop
          const stranger = yield* Effect.flip(router("stranger").Ingest({ batches: [encodeCsiBatch(first!)] }))
          expect(stranger).toMatchObject({ _tag: "UnknownRouter", message: expect.stringContaining("not enrolled") })
          const [invalid] = yield* router("sim-1").Ingest({ batches: [Uint8Array.of(1, 2, 3)] })
          expect(invalid).toMatchObject({ _tag: "InvalidBatch" })
          expect(yield* Effect.flip(room.Latest())).toMatchObject({ _tag: "SystemNotRunning" })
          expect(yield* Effect.flip((yield* Environment.client)("nowhere").Latest())).toMatchObject({
            _tag: "UnknownEnvironment",
          })

          const send = (batches: Effect.Success<typeof nextHop>) =>
            Effect.map(
              Effect.forEach(batches, (batch) => router(batch.routerId).Ingest({ batches: [encodeCsiBatch(batch)] })),
              (outcomes) => outcomes.flat(),
            )
          yield* send(yield* nextHop)
          const stopped = yield* send(yield* nextHop)
          expect(stopped[0]).toMatchObject({ acceptedFrames: 0, dropReason: expect.stringContaining("not running") })

          const node = (yield* EdgeNode.client)("sim-1")
          expect(yield* node.Latest()).toMatchObject({ sensing: null, entry: { online: false } })
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
          // The messages have added the routers to the registry of this node; local calls continue their streams.
          const local = yield* LocalRouters
          for (const batch of again) {
            const outcomes = yield* local.to(batch.routerId)!([batch])
            expect(outcomes).toMatchObject([{ acceptedFrames: batch.frameCount }])
          }
          expect((yield* router("sim-1").Describe()).acceptedFrames).toBe(before.acceptedFrames)
          const ingest = yield* makeIngest
          const next = yield* nextHop
          for (const batch of next) {
            expect(yield* ingest(batch)).toMatchObject({
              acceptedFrames: batch.frameCount,
              errorCode: null,
            })
          }
          expect((yield* router("sim-1").Describe()).acceptedFrames)
            .toBe(before.acceptedFrames + next.find(({ routerId }) => routerId === "sim-1")!.frameCount)
          const frame = decodePoseFrame(yield* room.Latest())
          expect(frame).toMatchObject({ routerCount: 6, provenance: { source: "simulated" } })
          expect(frame.frameId).toBeGreaterThanOrEqual(4)
          expect(yield* room.Describe()).toMatchObject({ active: true, streamingRouters: 6, noFramesReason: null })
          expect(yield* room.Track({ trackId: 1 })).toBeNull()
          const heard = yield* node.Latest().pipe(Effect.repeat({ until: ({ sensing }) => sensing !== null }))
          expect(heard).toMatchObject({
            nodeId: "sim-1",
            privacyClass: 2,
            entry: { online: true, kind: "simulated", environmentId: environment.environmentId, standing: "seen" },
            sensing: { provenance: { source: "simulated", linksUsed: 5 } },
            events: { unknownPresence: { active: false } },
          })
        }),
      ),
    60_000,
  )

  it(
    "resume a session, end the last hop after silence, report that no router streams, and start another session afresh",
    () =>
      runActors(
        { location: database().location, startMs: startMs + 60_000, seed: "seed" },
        Effect.gen(function* () {
          const scenario = yield* loadScenario("small-room")
          const { environment, routerIds } = scenarioEnrolments(scenario)[0]!
          const directory = yield* Directory
          const router = yield* Router.client
          const room = (yield* Environment.client)(environment.environmentId)
          const session = (yield* Session.client)(sessionEntityId)
          // Its clock is an hour ahead of this one.
          const source = openSimulation(scenario, { startMs: startMs + 3_600_000, seed: 1, hops: null })
          const sendHop = Effect.flatMap(source.next, (hop) =>
            Effect.forEach(hop!.batches, (batch) =>
              router(batch.routerId).Ingest({ batches: [encodeCsiBatch(batch)] })))
          const latestMs = Effect.map(room.Latest(), (bytes) =>
            decodePoseFrame(bytes).timestampMs)

          const before = yield* latestMs
          // The newest frame of the session is a minute old.
          expect((yield* room.Describe()).frameAgeMs).toBeGreaterThan(50_000)
          yield* Effect.repeat(sendHop, { times: 3 })
          // Packets that go on keep the router heard, however often it was reported of them before.
          for (let hop = 0; hop < 6; hop++) {
            yield* TestClock.adjust(hop % 2 === 0 ? 50 : 1_950)
            yield* sendHop
            expect(yield* router("sim-1").Describe()).toMatchObject({ state: "streaming" })
          }
          expect(yield* latestMs).toBe(startMs + 3_600_000 + 900)
          // Its clock is 59 minutes ahead of now, and its newest packets have just come.
          const { clockOffsetMs } = yield* router("sim-1").Describe()
          expect(clockOffsetMs).toBeGreaterThan(-3_542_000)
          expect(clockOffsetMs).toBeLessThan(-3_538_000)
          const { frameAgeMs } = yield* room.Describe()
          expect(frameAgeMs).toBeLessThan(10_000)
          expect(before).toBeLessThan(startMs + 60_000)
          yield* TestClock.adjust("2 seconds")
          yield* latestMs.pipe(Effect.repeat({
            until: (ms) =>
              ms === startMs + 3_600_000 + 1_000,
          }))
          expect(yield* room.Describe()).toMatchObject({ streamingRouters: 6 })
          expect(yield* router("sim-1").Describe()).toMatchObject({ state: "stale" })
          yield* TestClock.adjust("3 seconds")
          expect(yield* room.Describe()).toMatchObject({
            active: true,
            streamingRouters: 0,
            dataRateHz: null,
            rssiDbm: null,
            activeTracks: null,
            noFramesReason: expect.stringContaining("stopped"),
          })
          const silent = yield* room.Describe()
          expect(silent.frameAgeMs! - frameAgeMs!).toBeGreaterThan(4_000)
          expect(silent.source).toBe("simulated")

          yield* session.Stop({ force: false, saveState: false })
          yield* session.Status().pipe(Effect.repeat({
            until: ({ status }) =>
              status === "stopped",
          }))
          yield* directory.enrol(environment, [...routerIds, "sim-extra"])
          yield* session.Start({ ...defaultStartOptions, environmentId: environment.environmentId })
          yield* session.Status().pipe(Effect.repeat({
            until: ({ status }) =>
              status === "running",
          }))
          expect(yield* Effect.flip(room.Latest())).toMatchObject({ _tag: "NoFrames" })
          expect(yield* room.Describe()).toMatchObject({
            active: true,
            routers: routerIds.length + 1,
            frameAgeMs: null,
          })
        }),
      ),
    60_000,
  )

  it("accept CSI while a calibration cannot be saved, and save it later", () => {
    let works = false
    let saved = 0
    const references = {
      load: () => Effect.succeed(null),
      save: () =>
        Effect.suspend(() =>
          works ? Effect.sync(() => void saved++) : Effect.fail(new StoreUnavailable({ message: "The disk is full." }))
        ),
    }
    return runActors(
      { location: database().location, startMs, seed: "seed", references },
      Effect.gen(function* () {
        const router = (yield* Router.client)("sim-1")
        const source = openSimulation(yield* loadScenario("small-room"), { startMs, seed: 1, hops: null })
        const sendHop = Effect.flatMap(
          source.next,
          (hop) =>
            router.Ingest({ batches: [encodeCsiBatch(hop!.batches.find(({ routerId }) => routerId === "sim-1")!)] }),
        )
        yield* router.Calibrate({ room: "empty", seconds: 1 })
        for (let hop = 0; hop < 20; hop++) {
          expect(yield* sendHop).toEqual([expect.objectContaining({ acceptedFrames: expect.toSatisfy((n) => n > 0) })])
        }
        expect((yield* router.Describe()).state).toBe("calibrating")
        works = true
        yield* TestClock.adjust("5 seconds")
        yield* sendHop
        expect((yield* router.Describe()).state).toBe("streaming")
        expect(saved).toBe(1)
      }),
    )
  }, 60_000)
})
