/** A session actor with doubles of the store and of the other actors, on a test clock. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { noCounts } from "../../../core/reduction/reducer-counters.ts"
import { Escalations } from "../../../actors/runtime/supervision.ts"
import { layerSession } from "../../../actors/session/session-entity.ts"
import { ConfigurationStore } from "../../../actors/store/session/configurations.ts"
import { SessionStore } from "../../../actors/store/session/sessions.ts"
import { StoreUnavailable, UnknownEnvironment } from "../../../protocols/domain/failure.ts"
import type { StartOptions, SystemSession } from "../../../protocols/domain/system.ts"
import type { ConfigurationRecord } from "../../../protocols/ports/configuration.ts"
import { Directory } from "../../../protocols/ports/directory.ts"
import { Environment } from "../../../protocols/messages/environment.ts"
import { Router, type RouterState } from "../../../protocols/messages/router.ts"
import { Session, sessionEntityId } from "../../../protocols/messages/session.ts"
import { randomNetwork } from "../../core/pose/random-network.ts"
import { clusterLayer } from "../../harness/cluster.ts"
import { modelsOf } from "../../harness/pose-models.ts"

/** The surroundings of a session, which tests control. */
export const makeWorld = () => ({
  saved: null as SystemSession | null,
  /** Configurations with their records, in the order of their saves. */
  records: [] as Array<ConfigurationRecord>,
  storeFails: (_: SystemSession): boolean => false,
  /** Environments that are active. */
  active: new Set<string>(),
  activate: (_: string, _options: StartOptions): Effect.Effect<void> => Effect.void,
  deactivate: (_: string): Effect.Effect<void> => Effect.void,
  routerState: (_: string): RouterState => "streaming",
  calibrated: [] as Array<string>,
})
export type World = ReturnType<typeof makeWorld>

const unused = Effect.die("not part of this double")

const doubles = (world: World) => {
  const store = SessionStore.of({
    load: Effect.sync(() => world.saved),
    save: (session, record = null) =>
      Effect.suspend(() => {
        if (world.storeFails(session)) return Effect.fail(new StoreUnavailable({ message: "the store is away" }))
        world.saved = session
        if (record !== null) world.records.push(record)
        return Effect.void
      }),
  })
  const environments = ["a", "b"].map((environmentId) => ({ environmentId, name: environmentId, geometry: null }))
  const directory = Directory.of({
    environments: Effect.succeed(environments),
    routers: Effect.succeed([{ routerId: "r1", environmentId: "a" }, { routerId: "r2", environmentId: "b" }]),
    environment: (id) => {
      const found = environments.find(({ environmentId }) => environmentId === id)
      return found === undefined ? Effect.fail(UnknownEnvironment.of(id)) : Effect.succeed(found)
    },
    environmentOf: () => unused,
    enrol: () => unused,
  })
  const environment = Environment.toLayer(
    {
      Observe: () => unused,
      Activate: ({ address: { entityId }, payload: { options } }) =>
        Effect.andThen(Effect.sync(() => world.active.add(entityId)), world.activate(entityId, options)),
      Deactivate: ({ address: { entityId } }) =>
        Effect.andThen(Effect.sync(() => world.active.delete(entityId)), world.deactivate(entityId)),
      Reload: () => unused,
      Latest: () => unused,
      Watch: () => Stream.die("not part of this double"),
      WatchAlerts: () => Stream.die("not part of this double"),
      Acknowledge: () => unused,
      Track: () => unused,
      Tracks: () => unused,
      Describe: () => unused,
    },
    { disableFatalDefects: true, concurrency: "unbounded" },
  )
  const router = Router.toLayer({
    Ingest: () => unused,
    Calibrate: ({ address: { entityId } }) => Effect.sync(() => void world.calibrated.push(entityId)),
    Save: () => Effect.void,
    ForgetEnrolment: () => unused,
    Tap: () => Stream.die("not part of this double"),
    Describe: ({ address: { entityId } }) =>
      Effect.sync(() => ({
        routerId: entityId,
        environmentId: "a",
        state: world.routerState(entityId),
        packetRateHz: null,
        packetLoss: null,
        lastPacketMs: null,
        lastEventMs: null,
        clockOffsetMs: 0,
        clockLagMs: null,
        transmitterIds: [],
        acceptedFrames: 0,
        droppedFrames: 0,
        shedFrames: 0,
        givenUpHops: 0,
        channel: null,
        counters: noCounts(),
        calibration: {
          version: 0,
          takenAtMs: null,
          links: 0,
          calibratedLinks: 0,
          twoSidedLinks: 0,
          stale: null,
          running: null,
        },
      })),
  }, { disableFatalDefects: true })
  return Layer.mergeAll(environment, router).pipe(
    Layer.provideMerge(Layer.mergeAll(
      Layer.succeed(SessionStore, store),
      Layer.succeed(ConfigurationStore, {
        load: Effect.sync(() => {
          const last = world.records.at(-1)
          return last === undefined ? null : { revision: last.change.revision, configuration: last.configuration }
        }),
        forget: Effect.void,
      }),
      Layer.succeed(Directory, directory),
      NodeCrypto.layerSecureRandom,
      Escalations.layer,
      modelsOf([randomNetwork(1), randomNetwork(2)]),
    )),
  )
}

const client = Effect.map(Session.client, (make) => make(sessionEntityId))

export const run = <A, E>(world: World, use: (session: Effect.Success<typeof client>) => Effect.Effect<A, E>) =>
  TestClock.setTime(1_000_000).pipe(
    Effect.andThen(
      Effect.andThen(TestClock.adjust(1), Effect.flatMap(client, use)).pipe(
        Effect.provide(layerSession.pipe(
          Layer.provideMerge(doubles(world)),
          Layer.provideMerge(clusterLayer),
        )),
      ),
    ),
    Effect.provide(TestClock.layer()),
    Effect.scoped,
    Effect.runPromise,
  )

/** Advances the clock in steps of 250 ms until the system is in one of these states. */
export const settle = (session: Effect.Success<typeof client>, ...wanted: ReadonlyArray<SystemSession["status"]>) =>
  Effect.gen(function* () {
    for (let i = 0; i < 1_000; i++) {
      const status = yield* session.Status()
      if (wanted.includes(status.status)) return status
      yield* TestClock.adjust(250)
    }
    return yield* session.Status()
  })
