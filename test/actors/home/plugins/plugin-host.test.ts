/** The host with built-in plugins, on both runtimes: order, time limits, failures, unload. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Deferred, Effect, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { type BuiltInFailure, type BuiltInHome, launchBuiltIn } from "../../../../actors/home/plugins/built-ins.ts"
import { type Capabilities, makeCapabilities } from "../../../../actors/home/plugins/plugin-capabilities.ts"
import type { Owners } from "../../../../actors/home/plugins/owned-entities.ts"
import { makePluginHost } from "../../../../actors/home/plugins/plugin-host.ts"
import { makeLife } from "../../../../actors/home/plugins/plugin-supervisor.ts"
import { makeServiceRegistry } from "../../../../actors/home/services/registry.ts"
import { defineService } from "../../../../actors/home/services/service.ts"
import { Manifest, permissionsOf, SetupFailed, UnloadFailed } from "../../../../protocols/domain/plugin.ts"
import { HomeRuntime } from "../../../../protocols/ports/home-runtime.ts"
import { layerHome } from "../../../harness/home.ts"
import { processes, writePlugin } from "./plugins.ts"

type Setup = (home: BuiltInHome) => Effect.Effect<void, BuiltInFailure, Scope.Scope>

/** One supervised plugin with its own capabilities, on a test clock. */
const withLife = <A, E>(
  setup: Setup,
  program: (parts: {
    readonly life: Effect.Success<ReturnType<typeof makeLife>>
    readonly replica: Effect.Success<HomeRuntime["Service"]["replica"]>
  }) => Effect.Effect<A, E, Scope.Scope>,
  unload: Effect.Effect<void, UnloadFailed> | null = null,
) =>
  Effect.gen(function* () {
    const registry = yield* makeServiceRegistry
    const runtime = yield* HomeRuntime
    const manifest = Manifest.make({ domain: "lamp", name: "Lamp", version: "1" })
    const context = yield* Effect.context<Effect.Services<ReturnType<typeof makeCapabilities>>>()
    const life = yield* makeLife({
      domain: "lamp",
      launch: Effect.fnUntraced(function* (serving) {
        const capabilities = yield* Effect.provide(
          makeCapabilities("lamp", permissionsOf(manifest), registry, new Map(), serving),
          context,
        )
        const launched = yield* launchBuiltIn(setup, capabilities, serving)
        return { capabilities, launched: unload === null ? launched : { ...launched, unload } }
      }),
      loaded: Effect.void,
    })
    return yield* program({ life, replica: yield* runtime.replica })
  }).pipe(Effect.scoped, Effect.provide(layerHome), Effect.provide(TestClock.layer()), Effect.runPromise)

/** Starts something, moves the clock, and waits for it. */
const after = <A, E>(duration: string, work: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const done = yield* Deferred.make<A, E>()
    yield* Effect.forkScoped(Deferred.into(work, done))
    yield* TestClock.adjust(duration as "1 second")
    return yield* Deferred.await(done)
  })

const messageOf = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

describe("setting up", () => {
  it("fails after 300 s and leaves no entities", () =>
    withLife(
      ({ capabilities }) => Effect.andThen(capabilities.set("lamp.one", { state: "on", attributes: {} }), Effect.never),
      (
        { life, replica },
      ) =>
        Effect.gen(function* () {
          const error = yield* after("300 seconds", Effect.flip(life.load))
          expect(error).toMatchObject({ _tag: "SetupFailed", reason: "timeout" })
          expect(life.status()).toBe("setup_error")
          expect(replica.all()).toEqual([])
        }),
    ))

  it("is retried until the plugin is ready", () => {
    let tries = 0
    const setup: Setup = ({ capabilities }) =>
      Effect.suspend(() => {
        tries += 1
        return tries < 3
          ? Effect.fail(new SetupFailed({ domain: capabilities.domain, reason: "retry", message: "no bridge yet" }))
          : Effect.void
      })
    return withLife(setup, ({ life }) =>
      Effect.gen(function* () {
        expect(yield* messageOf(life.load)).toBe("no bridge yet")
        expect([life.status(), life.reason()]).toEqual(["setup_retry", "no bridge yet"])
        yield* TestClock.adjust("4999 millis")
        expect(tries).toBe(1)
        yield* TestClock.adjust("1 millis")
        expect([tries, life.status()]).toEqual([2, "setup_retry"])
        yield* TestClock.adjust("10 seconds")
        expect([tries, life.status(), life.reason()]).toEqual([3, "loaded", null])
      }))
  })

  it("fails only this plugin if it throws", () =>
    withLife(() => Effect.die(new Error("a bug")), ({ life }) =>
      Effect.gen(function* () {
        expect(yield* messageOf(life.load)).toContain("a bug")
        expect(life.status()).toBe("setup_error")
      })))
})

describe("unloading", () => {
  it("removes entities; registered ones become unavailable", () =>
    withLife(({ capabilities }) =>
      Effect.gen(function* () {
        yield* capabilities.registerEntity({ entityId: "lamp.known", uniqueId: "known" })
        for (const entityId of ["lamp.known", "lamp.passing"]) {
          yield* capabilities.set(entityId, { state: "on", attributes: {} })
        }
      }), ({ life, replica }) =>
      Effect.gen(function* () {
        yield* life.load
        yield* life.unload
        expect(life.status()).toBe("not_loaded")
        expect(replica.all().map(({ entityId, state }) => [entityId, state])).toEqual([["lamp.known", "unavailable"]])
        yield* life.load
        expect(replica.one("lamp.passing")?.state).toBe("on")
      })))

  it("waits for a setup in progress, and then ends the plugin", async () => {
    const ready = await Effect.runPromise(Deferred.make<void>())
    let isOpen = false
    const setup: Setup = () =>
      Effect.andThen(
        Deferred.await(ready),
        Effect.acquireRelease(Effect.sync(() => void (isOpen = true)), () => Effect.sync(() => void (isOpen = false))),
      )
    await withLife(setup, ({ life }) =>
      Effect.gen(function* () {
        const loading = yield* Effect.forkScoped(life.load)
        yield* Effect.yieldNow
        expect(life.status()).toBe("setup_in_progress")
        const unloading = yield* Effect.forkScoped(life.unload)
        yield* Effect.yieldNow
        yield* Deferred.succeed(ready, undefined)
        yield* Fiber.join(loading)
        yield* Fiber.join(unloading)
        expect([life.status(), isOpen]).toEqual(["not_loaded", false])
      }))
  })

  it("leaves the plugin failed until the service restarts, if it fails", () =>
    withLife(
      () => Effect.void,
      ({ life }) =>
        Effect.gen(function* () {
          yield* life.load
          expect(yield* messageOf(life.unload)).toBe("stuck")
          yield* life.load
          expect(life.status()).toBe("failed_unload")
        }),
      Effect.fail(new UnloadFailed({ domain: "lamp", message: "stuck" })),
    ))
})

describe("capabilities", () => {
  const withCapabilities = <A, E>(
    program: (capabilities: Record<"lamp" | "other", Capabilities>) => Effect.Effect<A, E, Scope.Scope>,
  ) =>
    Effect.gen(function* () {
      const registry = yield* makeServiceRegistry
      const owners: Owners = new Map()
      const capabilitiesOf = (domain: string, permissions: object = {}) =>
        makeCapabilities(
          domain,
          permissionsOf({ domain, name: domain, version: "1", permissions } as Manifest),
          registry,
          owners,
          new Map(),
        )
      const both = { states: { write: ["light"] } }
      return yield* program({ lamp: yield* capabilitiesOf("lamp", both), other: yield* capabilitiesOf("other", both) })
    }).pipe(Effect.scoped, Effect.provide(layerHome), Effect.runPromise)
  const on = { state: "on", attributes: {} }

  it("allow a plugin to write only its own entities and permitted domains", () =>
    withCapabilities(({ lamp, other }) =>
      Effect.gen(function* () {
        yield* lamp.set("Light.One", on)
        expect(yield* messageOf(other.set("light.one", on))).toBe("other: light.one is of the plugin lamp.")
        expect(yield* messageOf(other.remove("light.one"))).toContain("of the plugin lamp")
        expect(yield* messageOf(lamp.set("switch.one", on))).toContain("permissions.states.write")
        expect(yield* messageOf(lamp.set("nonsense", on))).toContain("no entity id")
        expect((yield* other.all).map(({ entityId }) => entityId)).toEqual(["light.one"])
        expect(yield* messageOf(lamp.call("light", "turn_on", {}, false))).toContain("permissions.services")
        expect(yield* messageOf(lamp.listen("secrets", () => {}))).toContain("permissions.events.subscribe")
        yield* lamp.remove("light.one")
        yield* other.set("light.one", on)
      })
    ))

  it("allow services only in the plugin's own domain", () =>
    withCapabilities(({ lamp }) =>
      Effect.gen(function* () {
        const service = (domain: string) =>
          defineService({ domain, name: "x", fields: {}, run: () => Effect.succeed(null) })
        yield* lamp.registerService(service("lamp"))
        expect(yield* messageOf(lamp.registerService(service("light")))).toContain("its own domain")
      })
    ))
})

describe("a host", () => {
  it("lists each plugin that cannot be set up with the reason, and sets up the others in order", async () => {
    const folder = mkdtempSync(join(tmpdir(), "wavepose-host-"))
    const plugins = {
      lonely: { dependencies: ["absent"] },
      one: { dependencies: ["two"] },
      two: { dependencies: ["one"] },
      follower: { dependencies: ["lonely"] },
      packaged: { requirements: ["left-pad"] },
      off: { disabled: "not this year" },
      wavepose: {},
      scene: {},
    }
    for (const [domain, manifest] of Object.entries(plugins)) writePlugin(folder, domain, { manifest })
    try {
      await Effect.gen(function* () {
        const registry = yield* makeServiceRegistry
        const begun: Array<string> = []
        const builtIns = new Map([[
          "wavepose",
          ({ capabilities }: BuiltInHome) => Effect.sync(() => void begun.push(capabilities.domain)),
        ]])
        const host = yield* makePluginHost({ folder, secret: [], processes, builtIns }, registry)
        yield* host.start
        const reasons = Object.fromEntries(
          host.views().map(({ domain, reason, status }) => [domain, `${status}: ${reason}`]),
        )
        expect(reasons["lonely"]).toContain("setup_error: lonely: it depends on absent, which is not there")
        expect(reasons["one"]).toContain("circular: one -> two -> one")
        expect(reasons["follower"]).toContain("lonely, which cannot be set up")
        expect(reasons["packaged"]).toContain("left-pad")
        expect(reasons["off"]).toContain("not this year")
        expect(reasons["wavepose"]).toContain("give yours another domain")
        expect(reasons["scene"]).toContain("a domain of the service itself")
        expect(begun).toEqual(["wavepose"])
        expect(yield* Effect.map(Effect.flip(host.load("absent")), ({ _tag }) => _tag)).toBe("NotFound")
        expect(yield* Effect.map(Effect.flip(host.load("lonely")), ({ _tag }) => _tag)).toBe("SetupFailed")
      }).pipe(Effect.scoped, Effect.provide(layerHome), Effect.runPromise)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
