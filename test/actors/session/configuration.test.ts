import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import {
  type ConfigurationChanges,
  defaultConfiguration,
  defaultNeuralNetwork,
} from "../../../protocols/domain/configuration.ts"
import { defaultStartOptions, type StartOptions } from "../../../protocols/domain/system.ts"
import { makeWorld, run, settle, type World } from "./world.ts"

/** The last model of each environment. */
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

describe("the configuration of a session", () => {
  it("changes the model of all environments while it runs, saves it, and rejects an unknown model", () => {
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

  it("distinguishes an unknown model of the request from a missing model of the configuration", () => {
    const world = makeWorld()
    const configuration = { ...defaultConfiguration, neuralNetwork: { ...defaultNeuralNetwork, modelVersion: "gone" } }
    const planned = { atMs: 0, before: {}, after: {}, by: operator, fields: [], revision: 1, takenBack: null }
    world.records.push({ change: planned, configuration })
    return run(world, (session) =>
      Effect.gen(function* () {
        const gone = { _tag: "UnusableModel", modelVersion: "gone", message: expect.stringContaining("are missing") }
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

  it("reverts the model of all environments when one cannot load it", () => {
    const world = makeWorld()
    const models = watchModels(world)
    const activate = world.activate
    world.activate = (id, options) =>
      id === "b" && options.neuralNetwork.modelVersion !== null
        ? Effect.die(new Error("poison"))
        : activate(id, options)
    return run(world, (session) =>
      Effect.gen(function* () {
        yield* session.Start(defaultStartOptions)
        yield* settle(session, "running")
        expect(yield* Effect.flip(session.Configure(useModel("random-2")))).toMatchObject({
          _tag: "ActorUnavailable",
          message: "environment b failed: poison",
        })
        expect(models).toEqual(new Map([["a", null], ["b", null]]))
        expect(world.saved).toMatchObject({ status: "running", options: { neuralNetwork: { modelVersion: null } } })
        const { configuration, revision } = yield* session.Configuration()
        expect(configuration).toEqual(defaultConfiguration)
        // The change and its reversal are both recorded.
        expect(world.records.map((record) => record.change)).toMatchObject([
          { revision: 1, by: operator, takenBack: null, after: { "neuralNetwork.modelVersion": "random-2" } },
          {
            revision: 2,
            takenBack: "environment b failed: poison",
            after: { "neuralNetwork.modelVersion": null },
          },
        ])
        expect(revision).toBe(2)
      }))
  })

  it("does not wait for an environment that hangs on a model", () => {
    const world = makeWorld()
    const models = watchModels(world)
    const activate = world.activate
    world.activate = (id, options) =>
      id === "b" && options.neuralNetwork.modelVersion !== null ? Effect.never : activate(id, options)
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

  it("saves a change while it is stopped, and starts with it; a start changes the configuration, too", () => {
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

  it("applies a change to running environments at once, but changes the environment with a restart", () => {
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

  it("rejects a change of another revision, contradicting settings, an unknown environment, and any change during a start", () => {
    const world = makeWorld()
    world.activate = () => Effect.never
    return run(world, (session) =>
      Effect.gen(function* () {
        const rejected = (order: ReturnType<typeof change>) => Effect.flip(session.Configure(order))
        yield* session.Configure(change({ domain: "retail" }, 0))
        expect(yield* rejected(change({ domain: "general" }, 0))).toMatchObject({
          _tag: "ConfigurationMoved",
          revision: 1,
        })
        expect(yield* rejected(change({ detection: { trackingMinHits: 80 } }))).toMatchObject({
          _tag: "InvalidConfiguration",
          problems: [{ setting: "detection.trackingMinHits" }],
        })
        expect(yield* rejected(change({ environmentId: "attic" }))).toMatchObject({ _tag: "UnknownEnvironment" })
        yield* session.Start({})
        expect(yield* rejected(change({ domain: "general" }))).toMatchObject({ _tag: "SystemConflict" })
        expect(yield* session.Configuration()).toMatchObject({ revision: 1, configuration: { domain: "retail" } })
        expect(world.records).toHaveLength(1)
      }))
  })

  it("does not apply a change that cannot be saved", () => {
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

  it("applies the configuration that its predecessor saved to the environments, and tries again if one is moving", () => {
    const world = makeWorld()
    const applied = new Set<string>()
    let refusals = 1
    world.activate = (id, { domain }) =>
      id === "b" && refusals-- > 0
        ? Effect.die(new Error("its node is going away"))
        : Effect.sync(() => void applied.add(`${id} ${domain}`))
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
        expect([...applied]).toEqual(["a retail"])
        yield* TestClock.adjust(2_000)
        expect([...applied].toSorted()).toEqual(["a retail", "b retail"])
      }))
  })
})
