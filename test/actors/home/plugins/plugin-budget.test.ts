/** Third-party plugins that misbehave, in real processes: each is ended with the reason, alone. */
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { defaultPluginBudget } from "../../../../core/home/plugin-budget.ts"
import { HomeRuntime } from "../../../../protocols/ports/home-runtime.ts"
import { lineLogger } from "../../../../deploy/settings/log.ts"
import { enforces, inHome, writePlugin } from "./plugins.ts"

const whenLoaded = (misbehave: string): string =>
  `import { scheduler } from "node:timers/promises"
  export const setup = (home) => { scheduler.wait(10).then(async () => { ${misbehave} }); return true }`
const steady = "export const setup = async (home) => (await home.states.set('steady.one', 'on'), true)"
const writes = { permissions: { machine: { write: ["./data"] } } }

/** A smaller part of a processor than a starved machine has for the plugin. */
const budget = { ...defaultPluginBudget, cpuCores: 0.02 }
const pause = (ms: number) => `await scheduler.wait(${ms})`
const busy = "for (const end = Date.now() + 50; Date.now() < end;);"
/** Computes, and sends what the host would take for a small use of the processor and a late time. */
const forge = (send: string) =>
  `const { cpuUsage } = (await import("node:process")).default
  const { writeSync } = await import("node:fs")
  for (;;) {
    ${busy} ${pause(1)}
    const { system, user } = cpuUsage()
    const report = JSON.stringify({ kind: "usage", key: "", upMs: 1e12, cpuMs: (system + user) / 1e3, residentBytes: 0 })
    ${send}
  }`
const forged = /unknown message/
const data = "const at = new URL('./data/', import.meta.url); await Deno.mkdir(at);"

/** What a plugin does, and the reasons for which it may be ended: on a busy machine another rule may act first. */
const misbehaviours: ReadonlyArray<
  readonly [name: string, source: string, reason: RegExp, manifest: Readonly<Record<string, unknown>>]
> = [
  ["floods with requests", "for (;;) { home.states.get('flood.x'); await 0 }", /messages|MiB per|processor|hangs/, {}],
  ["floods its log", "setInterval(() => { for (let i = 0; i < 500; i++) console.log('x') }, 1)", /more messages/, {}],
  ["writes raw output", "for (;;) console.table(['x'.repeat(10_000)])", /messages|MiB per|processor|hangs/, {}],
  ["sends one huge message", "home.log('info', 'x'.repeat(2e7))", /a message of over 4194304 characters/, {}],
  ["spins", "for (;;);", /processor time|hangs/, {}],
  ["spins in steps", `for (;;) { ${busy} ${pause(1)} }`, /processor time/, {}],
  ["writes reports of its use", forge(String.raw`writeSync(1, "\u001e" + report + "\n")`), forged, {}],
  ["posts reports of its use", forge("globalThis.postMessage(report)"), forged, {}],
  [
    "hides reports of its use in a message",
    forge(String.raw`globalThis.postMessage('{"kind":"handled"}\n\u001e' + report)`),
    forged,
    {},
  ],
  [
    "answers pings in advance",
    `globalThis.postMessage('{"kind":"pong","count":1000000}')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`,
    /hangs/,
    {},
  ],
  [
    "floods its error output",
    `const text = new Uint8Array(65_536).fill(120); for (;;) { Deno.stderr.writeSync(text); ${pause(1)} }`,
    /MiB per second/,
    {},
  ],
  ["says that its heap is full", "throw new Error('JavaScript OOM')", /it crashed with code 1: error: Uncaught/, {}],
  [
    "fills its heap",
    `const kept = []; for (;;) { for (let i = 0; i < 1e5; i++) kept.push({ i }); ${pause(0)} }`,
    /memory|processor|hangs/,
    {},
  ],
  [
    "fills buffers",
    "globalThis.kept = []; setInterval(() => globalThis.kept.push(new Uint8Array(2e7).fill(1)), 5)",
    /more memory/,
    {},
  ],
  [
    "fills the disk",
    `${data} for (let i = 0;; i++) { await Deno.writeFile(new URL(String(i), at), new Uint8Array(4e6)); ${pause(40)} }`,
    /over its budget of 64 MiB/,
    writes,
  ],
  [
    "makes many files",
    `${data} for (let i = 0; i < 2500; i++) await Deno.writeFile(new URL(String(i), at), new Uint8Array(1))`,
    /over its budget of 2000 files/,
    writes,
  ],
]

describe.runIf(enforces)("a plugin that", () => {
  it.each(misbehaviours)("%s is ended with the reason", (_, source, reason, manifest) =>
    inHome(
      { rogue: { source: whenLoaded(source), manifest: { ...manifest } }, steady: { source: steady } },
      ({ host, replica, statusOf, until }) =>
        Effect.gen(function* () {
          yield* host.start
          yield* until(() => statusOf("rogue") === "setup_retry")
          expect(host.views().find(({ domain }) => domain === "rogue")!.reason).toMatch(reason)
          expect([statusOf("steady"), replica.one("steady.one")!.state]).toEqual(["loaded", "on"])
        }),
      source.includes(busy) ? { budget } : {},
    ))

  it("acknowledges the events of others is not ended for their number", () =>
    inHome({
      listener: {
        manifest: { permissions: { events: { subscribe: ["tick"] } } },
        source: `export const setup = async (home) => {
          let seen = 0
          await home.events.on("tick", (_, dropped) => { seen += 1 + dropped })
          await home.services.register({ name: "seen", response: "only" }, () => ({ seen }))
          return true
        }`,
      },
    }, ({ call, host, statusOf }) =>
      Effect.gen(function* () {
        yield* host.start
        const runtime = yield* HomeRuntime
        const context = yield* runtime.context(null)
        for (let burst = 1; burst <= 6; burst++) {
          for (let n = 0; n < 500; n++) yield* runtime.fire({ eventType: "tick", data: {}, origin: "LOCAL", context })
          let seen: unknown = 0
          while (seen !== burst * 500) seen = (yield* call("listener.seen", {}, true))!["seen"]
        }
        expect(statusOf("listener")).toBe("loaded")
      }).pipe(Effect.provide(TestClock.layer()))))

  it("fills a folder outside of its own is not set up again", () =>
    inHome({
      rogue: {
        manifest: { permissions: { machine: { write: ["../outer"] } } },
        source: `export const setup = async () => {
          await Deno.writeFile(new URL("../outer/" + crypto.randomUUID(), import.meta.url), new Uint8Array(65 * 2 ** 20))
          return true
        }`,
      },
    }, ({ folder, host, statusOf, until }) =>
      Effect.gen(function* () {
        mkdirSync(join(folder, "outer"))
        yield* host.start
        expect(statusOf("rogue")).toBe("loaded")
        yield* TestClock.adjust("2 seconds")
        yield* until(() => statusOf("rogue") === "setup_retry")
        yield* TestClock.adjust("5 seconds")
        yield* until(() => ["loaded", "setup_error"].includes(statusOf("rogue")!))
        expect(host.views()[0]).toMatchObject({ status: "setup_error", reason: expect.stringContaining("64 MiB") })
      }).pipe(Effect.provide(TestClock.layer()))))

  it("may write a folder with more files than can be measured is not set up", () =>
    inHome({
      rogue: {
        manifest: { permissions: { machine: { write: ["../outer"] } } },
        source: "export const setup = () => true",
      },
    }, ({ folder, host }) =>
      Effect.gen(function* () {
        mkdirSync(join(folder, "outer"))
        for (let n = 0; n < 2_100; n++) writeFileSync(join(folder, "outer", String(n)), "")
        yield* host.start
        expect(host.views()).toEqual([
          { domain: "rogue", status: "setup_error", reason: expect.stringContaining("too many to measure") },
        ])
      })))

  it("may write a disk that is almost full is ended", () => {
    let freeBytes = 2 ** 40
    return inHome(
      { rogue: { source: whenLoaded(""), manifest: writes } },
      ({ host, statusOf, until }) =>
        Effect.gen(function* () {
          yield* host.start
          expect(statusOf("rogue")).toBe("loaded")
          freeBytes = 127 * 2 ** 20
          yield* TestClock.adjust("2 seconds")
          yield* until(() => statusOf("rogue") === "setup_retry")
          expect(host.views()[0]!.reason).toContain("less than 128 MiB left")
        }).pipe(Effect.provide(TestClock.layer())),
      { spaceOf: () => Promise.resolve({ freeBytes, totalBytes: 2 ** 40 }) },
    )
  })

  it("may write a folder that others have filled is set up when an operator reloads it", () =>
    inHome({
      innocent: {
        manifest: { permissions: { machine: { write: ["../outer"] } } },
        source: "export const setup = () => true",
      },
    }, ({ folder, host, statusOf, until }) =>
      Effect.gen(function* () {
        mkdirSync(join(folder, "outer"))
        yield* host.start
        writeFileSync(join(folder, "outer", "big"), "x")
        truncateSync(join(folder, "outer", "big"), 70 * 2 ** 20)
        yield* TestClock.adjust("2 seconds")
        yield* until(() => statusOf("innocent") === "setup_retry")
        yield* TestClock.adjust("5 seconds")
        yield* until(() => statusOf("innocent") === "setup_error")
        expect(host.views()[0]!.reason).toMatch(
          /whoever wrote it, is over its budget of 64 MiB\. Remove files, or reload/,
        )
        yield* host.reload("innocent")
        expect(statusOf("innocent")).toBe("loaded")
      }).pipe(Effect.provide(TestClock.layer()))))

  it("has filled its folder is not set up again", () =>
    inHome({ rogue: { source: whenLoaded(""), manifest: writes } }, ({ folder, host }) =>
      Effect.gen(function* () {
        mkdirSync(join(folder, "rogue", "data"))
        writeFileSync(join(folder, "rogue", "data", "big"), "x")
        truncateSync(join(folder, "rogue", "data", "big"), 70 * 2 ** 20)
        yield* host.start
        expect(host.views()).toEqual([
          { domain: "rogue", status: "setup_error", reason: expect.stringContaining("Remove files") },
        ])
      })))

  it("prints lines of others writes them as its own text, and not more than its rate", async () => {
    const lines: Array<string> = []
    const forged = "x\n2026-01-01T00:00:00.000Z ERROR service plugin broke plugin=other"
    await inHome(
      {
        forger: {
          source: `export const setup = async (home) => {
          console.error(${JSON.stringify(forged)}, '" plugin=other')
          for (let i = 0; i < 500; i++) console.log(i)
          await home.states.set("forger.one", "on")
          throw new Error(${JSON.stringify(forged)})
        }`,
        },
      },
      ({ host }) =>
        host.start.pipe(
          Effect.provide(Logger.layer([lineLogger("text", "service", (line) => lines.push(line))])),
          Effect.provide(TestClock.layer()),
        ),
    )
    const own = lines.filter((line) => line.includes("plugin output plugin=forger"))
    expect(own).toHaveLength(200)
    expect(own[0]).toContain(
      String.raw`text="x\n2026-01-01T00:00:00.000Z ERROR service plugin broke plugin=other \" plugin=other"`,
    )
    const failed = lines.find((line) => line.includes("plugin setup failed"))
    expect(failed).toContain(String.raw`plugin=forger reason="forger: its setup failed: Error: x\n2026`)
    expect(lines.join("\n")).not.toMatch(/^2026-01-01/m)
  })

  it("spins ends with its service", async () => {
    const folder = mkdtempSync(join(tmpdir(), "wavepose-orphan-"))
    const path = writePlugin(folder, "orphan", { source: "console.log('here'); for (;;);" })
    const entry = fileURLToPath(new URL("../../../../actors/home/plugins/process-entry.ts", import.meta.url))
    const child = spawn(process.execPath, ["run", "--quiet", "-A", entry], { stdio: ["pipe", "pipe", "ignore"] })
    const ended = new Promise((resolve) => child.once("close", resolve))
    const module = pathToFileURL(join(path, "plugin.ts")).href
    const request = { method: "setup", module, domain: "orphan" }
    child.stdin.write(`key\n${JSON.stringify({ kind: "ask", id: 1, request })}\n`)
    await new Promise<void>((resolve) =>
      child.stdout.setEncoding("utf8").on("data", (text: string) => text.includes("here") && resolve())
    )
    child.stdin.end()
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
})
