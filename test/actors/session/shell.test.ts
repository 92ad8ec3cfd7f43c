import { NodeCrypto } from "@effect/platform-node"
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { noCounts } from "../../../core/signal/reducer-counters.ts"
import { Escalations } from "../../../actors/runtime/supervision.ts"
import { layerSession } from "../../../actors/session/shell.ts"
import type { ConfigurationRecord } from "../../../actors/session/configuration.ts"
import { ConfigurationStore } from "../../../actors/store/configurations.ts"
import { SessionStore } from "../../../actors/store/sessions.ts"
import {
  type ConfigurationChanges,
  defaultConfiguration,
  defaultNeuralNetwork,
} from "../../../protocols/domain/configuration.ts"
import { StoreUnavailable, UnknownEnvironment } from "../../../protocols/domain/failure.ts"
import { defaultStartOptions, type StartOptions, type SystemSession } from "../../../protocols/domain/system.ts"
import { Directory } from "../../../protocols/messages/directory.ts"
import { Environment } from "../../../protocols/messages/environment.ts"
import { Router, type RouterState } from "../../../protocols/messages/router.ts"
import { Session, sessionEntityId } from "../../../protocols/messages/session.ts"
import { randomNetwork } from "../../core/pose/random-network.ts"
import { clusterLayer } from "../../harness/cluster.ts"
import { modelsOf } from "../../harness/pose-models.ts"

/** What surrounds a session, for the test to steer. */
const makeWorld = () => ({
  saved: null as SystemSession | null,
  /** Configurations with their records, in the order in which they were saved. */
  records: [] as Array<ConfigurationRecord>,
  storeFails: (_: SystemSession): boolean => false,
  /** Environments that are active. */
  active: new Set<string>(),
  activate: (_: string, _options: StartOptions): Effect.Effect<void> => Effect.void,
  deactivate: (_: string): Effect.Effect<void> => Effect.void,
  routerState: (_: string): RouterState => "streaming",
  calibrated: [] as Array<string>,
})
type World = ReturnType<typeof makeWorld>

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
      Latest: () => unused,
      Watch: () => Stream.die("not part of this double"),
      WatchAlerts: () => Stream.die("not part of this double"),
      Acknowledge: () => unused,
      Track: () => unused,
      Describe: () => unused,
    },
    { disableFatalDefects: true, concurrency: "unbounded" },
  )
  const router = Router.toLayer({
    Ingest: () => unused,
    Calibrate: ({ address: { entityId } }) => Effect.sync(() => void world.calibrated.push(entityId)),
    Save: () => Effect.void,
    Describe: ({ address: { entityId } }) =>
      Effect.sync(() => ({
        routerId: entityId,
        environmentId: "a",
        state: world.routerState(entityId),
        packetRateHz: null,
        packetLoss: null,
        lastPacketMs: null,
        lastEventMs: null,
        transmitterIds: [],
        acceptedFrames: 0,
        droppedFrames: 0,
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
      }),
      Layer.succeed(Directory, directory),
      NodeCrypto.layerSecureRandom,
      Escalations.layer,
      modelsOf([randomNetwork(1), randomNetwork(2)]),
    )),
  )
}

const client = Effect.map(Session.client, (make) => make(sessionEntityId))

const run = <A, E>(world: World, use: (session: Effect.Success<typeof client>) => Effect.Effect<A, E>) =>
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

/** Lets the clock run, a quarter of a second at a time, until the system is in one of these states. */
const settle = (session: Effect.Success<typeof client>, ...wanted: ReadonlyArray<SystemSession["status"]>) =>
  Effect.gen(function* () {
    for (let i = 0; i < 1_000; i++) {
      const status = yield* session.Status()
      if (wanted.includes(status.status)) return status
      yield* TestClock.adjust(250)
    }
    return yield* session.Status()
  })

describe("session actor", () => {
  it("starts and stops the environments, and keeps every state", () => {
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

  it("does not move when the move cannot be saved", () => {
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

  it("tries a save again", () => {
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

  it("ends in error when the store goes away during a start, stops what it started, and can be started again", () => {
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

  it("ends in error when an environment breaks, and stops the others", () => {
    const world = makeWorld()
    world.activate = (id) => id === "b" ? Effect.die(new Error("poison")) : Effect.void
    return run(world, (session) =>
      Effect.gen(function* () {
        yield* session.Start(defaultStartOptions)
        const { failure, status } = yield* settle(session, "error", "running")
        expect(status).toBe("error")
        expect(failure).toContain("environment b did not obey: poison")
        expect(world.active.size).toBe(0)
      }))
  })

  it("leaves a stop that hangs when it is forced, with the older steps ended first", () => {
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

  it("waits for the routers that calibrate, says how far they are, and for no router that is not heard", () => {
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

  it("goes on without a router that does not finish its calibration", () => {
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

  /** The model that each environment was told last. */
  const watchModels = (world: World) => {
    const models = new Map<string, string | null>()
    world.activate = (id, { neuralNetwork }) => Effect.sync(() => void models.set(id, neuralNetwork.modelVersion))
    return models
  }
  const operator = { kind: "user", id: "u1", name: "otto" } as const
  const change = (changes: ConfigurationChanges, ifRevision: number | null = null) => ({
    changes,
    by: operator,
    ifRevision,
  })
  const useModel = (modelVersion: string | null) => change({ neuralNetwork: { modelVersion } })

  it("gives all environments another model while it runs, keeps it, and refuses one that nobody has", () => {
    const world = makeWorld()
    const models = watchModels(world)
    return run(world, (session) =>
      Effect.gen(function* () {
        const unknown = { neuralNetwork: { modelVersion: "random-3" } }
        expect(yield* Effect.flip(session.Start(unknown))).toMatchObject({ _tag: "UnknownModel" })
        yield* session.Start({})
        const { sessionId } = yield* settle(session, "running")
        expect(yield* session.Configure(useModel("random-2"))).toMatchObject({
          changed: ["neuralNetwork.modelVersion"],
        })
        expect(yield* session.Status()).toMatchObject({ status: "running", sessionId })
        expect(models).toEqual(new Map([["a", "random-2"], ["b", "random-2"]]))
        expect(world.saved!.options.neuralNetwork.modelVersion).toBe("random-2")
        expect(yield* Effect.flip(session.Configure(useModel("random-3")))).toMatchObject({
          _tag: "UnknownModel",
          modelVersion: "random-3",
        })
        expect(models).toEqual(new Map([["a", "random-2"], ["b", "random-2"]]))
        yield* session.Configure(useModel(null))
        expect(models).toEqual(new Map([["a", null], ["b", null]]))
      }))
  })

  it("tells a model that somebody names from one that the configuration names and that is gone", () => {
    const world = makeWorld()
    const configuration = { ...defaultConfiguration, neuralNetwork: { ...defaultNeuralNetwork, modelVersion: "gone" } }
    const planned = { atMs: 0, before: {}, after: {}, by: operator, fields: [], revision: 1, takenBack: null }
    world.records.push({ change: planned, configuration })
    return run(world, (session) =>
      Effect.gen(function* () {
        const gone = { _tag: "UnusableModel", modelVersion: "gone", message: expect.stringContaining("are gone") }
        expect(yield* Effect.flip(session.Start({}))).toMatchObject(gone)
        const maxPersons = { detection: { maxPersons: 2 } }
        expect(yield* Effect.flip(session.Configure(change(maxPersons)))).toMatchObject(gone)
        expect(yield* Effect.flip(session.Start({ neuralNetwork: { modelVersion: "random-3" } }))).toMatchObject({
          _tag: "UnknownModel",
        })
        yield* session.Start({ neuralNetwork: { modelVersion: null } })
        yield* settle(session, "running")
      }))
  })

  it("takes a model back from all when one environment cannot load it", () => {
    const world = makeWorld()
    const models = watchModels(world)
    const told = world.activate
    world.activate = (id, options) =>
      id === "b" && options.neuralNetwork.modelVersion !== null ? Effect.die(new Error("poison")) : told(id, options)
    return run(world, (session) =>
      Effect.gen(function* () {
        yield* session.Start(defaultStartOptions)
        yield* settle(session, "running")
        expect(yield* Effect.flip(session.Configure(useModel("random-2")))).toMatchObject({
          _tag: "ActorUnavailable",
          message: "environment b did not obey: poison",
        })
        expect(models).toEqual(new Map([["a", null], ["b", null]]))
        expect(world.saved).toMatchObject({ status: "running", options: { neuralNetwork: { modelVersion: null } } })
        const { configuration, revision } = yield* session.Configuration()
        expect(configuration).toEqual(defaultConfiguration)
        // The change and the way back are both on record.
        expect(world.records.map((record) => record.change)).toMatchObject([
          { revision: 1, by: operator, takenBack: null, after: { "neuralNetwork.modelVersion": "random-2" } },
          {
            revision: 2,
            takenBack: "environment b did not obey: poison",
            after: { "neuralNetwork.modelVersion": null },
          },
        ])
        expect(revision).toBe(2)
      }))
  })

  it("waits for no environment that hangs on a model", () => {
    const world = makeWorld()
    const models = watchModels(world)
    const told = world.activate
    world.activate = (id, options) =>
      id === "b" && options.neuralNetwork.modelVersion !== null ? Effect.never : told(id, options)
    return run(world, (session) =>
      Effect.gen(function* () {
        yield* session.Start(defaultStartOptions)
        yield* settle(session, "running")
        const changing = yield* Effect.forkChild(Effect.flip(session.Configure(useModel("random-2"))))
        yield* TestClock.adjust(4_000)
        expect(models.get("a")).toBe("random-2")
        yield* TestClock.adjust(2_000)
        expect(yield* Fiber.join(changing)).toMatchObject({ _tag: "ActorUnavailable" })
        expect(models).toEqual(new Map([["a", null], ["b", null]]))
      }))
  })

  it("keeps a change while it is stopped, and starts with it; a start changes the configuration, too", () => {
    const world = makeWorld()
    const seen: Array<StartOptions> = []
    world.activate = (_, options) => Effect.sync(() => void seen.push(options))
    return run(world, (session) =>
      Effect.gen(function* () {
        yield* session.Configure(change({ detection: { maxPersons: 3 }, environmentId: "b" }))
        expect(seen).toEqual([])
        yield* session.Start({ domain: "security", calibrationRequired: false })
        yield* settle(session, "running")
        expect(seen).toMatchObject([{ domain: "security", environmentId: "b", detection: { maxPersons: 3 } }])
        expect(yield* session.Configuration()).toEqual({
          revision: 2,
          configuration: {
            ...defaultConfiguration,
            domain: "security",
            environmentId: "b",
            detection: { ...defaultConfiguration.detection, maxPersons: 3 },
          },
        })
        expect(world.records[1]!.change).toMatchObject({ by: { kind: "node" }, fields: ["domain"] })
      }))
  })

  it("has running environments obey at once, but moves to another one with a restart", () => {
    const world = makeWorld()
    return run(world, (session) =>
      Effect.gen(function* () {
        yield* session.Start({ environmentId: "a" })
        yield* settle(session, "running")
        const changed = yield* session.Configure(
          change({ environmentId: "b", alerts: { fallDetection: { enabled: false } } }),
        )
        expect(changed.restartRequired).toEqual(["environmentId"])
        expect((yield* session.Status()).options).toMatchObject({
          environmentId: "a",
          alerts: { fallDetection: { enabled: false } },
        })
        expect(world.active).toEqual(new Set(["a"]))
        yield* session.Restart()
        yield* settle(session, "running")
        expect(world.active).toEqual(new Set(["b"]))
      }))
  })

  it("refuses a change of another revision, one that contradicts itself, an environment that is not there, and any during a start", () => {
    const world = makeWorld()
    world.activate = () => Effect.never
    return run(world, (session) =>
      Effect.gen(function* () {
        const refused = (order: ReturnType<typeof change>) => Effect.flip(session.Configure(order))
        yield* session.Configure(change({ domain: "retail" }, 0))
        expect(yield* refused(change({ domain: "general" }, 0))).toMatchObject({
          _tag: "ConfigurationMoved",
          revision: 1,
        })
        expect(yield* refused(change({ detection: { trackingMinHits: 80 } }))).toMatchObject({
          _tag: "InvalidConfiguration",
          problems: [{ setting: "detection.trackingMinHits" }],
        })
        expect(yield* refused(change({ environmentId: "attic" }))).toMatchObject({ _tag: "UnknownEnvironment" })
        yield* session.Start({})
        expect(yield* refused(change({ domain: "general" }))).toMatchObject({ _tag: "SystemConflict" })
        expect(yield* session.Configuration()).toMatchObject({ revision: 1, configuration: { domain: "retail" } })
        expect(world.records).toHaveLength(1)
      }))
  })

  it("changes nothing that cannot be saved", () => {
    const world = makeWorld()
    let applied = 0
    return run(world, (session) =>
      Effect.gen(function* () {
        yield* session.Start({})
        yield* settle(session, "running")
        world.activate = () => Effect.sync(() => void applied++)
        world.storeFails = () => true
        const changing = yield* Effect.forkChild(Effect.flip(session.Configure(change({ domain: "retail" }))))
        yield* TestClock.adjust(1_000)
        expect(yield* Fiber.join(changing)).toMatchObject({ _tag: "StoreUnavailable" })
        expect(yield* session.Configuration()).toEqual({ revision: 0, configuration: defaultConfiguration })
        expect(applied).toBe(0)
      }))
  })

  it("has environments obey what an actor before it has saved", () => {
    const world = makeWorld()
    const told: Array<string> = []
    world.activate = (id, { domain }) => Effect.sync(() => void told.push(`${id} ${domain}`))
    world.saved = {
      status: "running",
      sessionId: "before",
      startedAtMs: 0,
      estimatedReadyMs: null,
      steps: [],
      options: { ...defaultStartOptions, domain: "retail" },
      failure: null,
    }
    return run(world, (session) =>
      Effect.gen(function* () {
        expect(yield* session.Configuration()).toMatchObject({ revision: 0, configuration: { domain: "retail" } })
        yield* TestClock.adjust(100)
        expect(told.toSorted()).toEqual(["a retail", "b retail"])
      }))
  })

  it("resumes the steps that a dead process has left", () => {
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
