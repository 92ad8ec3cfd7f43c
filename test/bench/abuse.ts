/**
 * Abuse: the frames of a simulated room while one sender floods a datagram port, and while plugins flood, spin, allocate and fill the disk.
 *
 *     npm run bench:abuse
 *
 * The flood comes from a thread of this process, at a fixed rate. Each plugin waits for its name in the state of an entity, so that the time from then
 * to its end is measured. The age of a frame is its arrival at a WebSocket client of this process less the end of its hop. Writes `results/abuse.json`
 * with the load of the machine before the run.
 */
import { createSocket } from "node:dgram"
import { mkdtempSync, rmSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { setInterval, setTimeout } from "node:timers/promises"
import { isMainThread, Worker, workerData } from "node:worker_threads"
import { WebSocket } from "ws"
import { writePlugin } from "../actors/home/plugins/plugins.ts"
import { eventually, signIn, startService } from "../harness/service.ts"
import { machine, rounded, writeResults } from "./harness.ts"

const floodPerS = 18_000
const floodS = 20
const quietS = 20
const room = "small-room"
const trigger = "abuse.go"
const token = "a-long-lived-token"

interface Flood {
  readonly host: string
  readonly port: number
  /** How many were sent. */
  readonly sent: SharedArrayBuffer
}

/** Sends datagrams of no known format at the rate, in the time. */
const flood = async ({ host, port, sent }: Flood) => {
  const socket = createSocket("udp4")
  const bytes = Buffer.alloc(300, 7)
  const count = new Int32Array(sent)
  const startMs = performance.now()
  for await (const _ of setInterval(5)) {
    const elapsedS = (performance.now() - startMs) / 1000
    if (elapsedS > floodS) break
    while (Atomics.load(count, 0) < floodPerS * elapsedS) {
      socket.send(bytes, port, host)
      Atomics.add(count, 0, 1)
    }
  }
  socket.close()
}

/** What a plugin does once the entity has its name. */
const misbehaviours: Readonly<Record<string, string>> = {
  flooder: "setInterval(() => { for (let i = 0; i < 5_000; i++) home.states.get('flooder.x').catch(() => {}) }, 1)",
  spinner: "for (;;);",
  hoarder: "globalThis.kept = []; setInterval(() => globalThis.kept.push(new Uint8Array(2e7).fill(1)), 5)",
  filler: "const at = new URL('./data/', import.meta.url); await Deno.mkdir(at, { recursive: true });" +
    "for (let i = 0;; i++) await Deno.writeFile(new URL(String(i), at), new Uint8Array(4e6))",
}

const writePlugins = (folder: string): void => {
  for (const [domain, act] of Object.entries(misbehaviours)) {
    writePlugin(folder, domain, {
      manifest: {
        permissions: { states: { read: ["abuse"] }, machine: { write: domain === "filler" ? ["./data"] : [] } },
      },
      source: `export const setup = (home) => {
        const look = setInterval(async () => {
          const entity = await home.states.get("${trigger}").catch(() => null)
          if (entity?.state !== "${domain}") return
          clearInterval(look)
          ${act}
        }, 100)
        return true
      }`,
    })
  }
}

const run = async () => {
  const load = rounded(loadavg()[0]!)
  const folder = mkdtempSync(join(tmpdir(), "wavepose-abuse-"))
  writePlugins(folder)
  const env = {
    WAVEPOSE_HOME_TOKENS: token,
    WAVEPOSE_PLUGINS: folder,
    WAVEPOSE_RATE_LIMITS: "on",
    WAVEPOSE_SHEDDING: "on",
  }
  const service = await startService({ args: ["--scenario", room], env })
  const api = await signIn(service)
  const ages: Array<{ readonly atMs: number; readonly ageMs: number }> = []
  const socket = new WebSocket(`${service.pose.replace("http", "ws")}/ws/pose?token=${api.token}`)
  socket.on("message", (bytes) => {
    const message = JSON.parse(String(bytes))
    if (message.type !== "pose_update") return
    ages.push({ atMs: Date.now(), ageMs: Date.now() - Date.parse(message.timestamp) })
  })
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject))
  socket.send(JSON.stringify({ type: "subscribe", channel: "pose_updates" }))
  await eventually(() => Promise.resolve(ages.length), (frames) => frames > 100, 60_000)

  const figures = (fromMs: number, untilMs: number) => {
    const sorted = ages.filter(({ atMs }) => atMs >= fromMs && atMs < untilMs).map(({ ageMs }) => ageMs)
      .sort((a, b) => a - b)
    const at = (q: number) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? null
    return {
      framesPerSecond: rounded(1000 * sorted.length / (untilMs - fromMs)),
      ageMs: { p50: at(0.5), p99: at(0.99) },
    }
  }
  const during = async <A>(work: () => Promise<A>) => {
    const fromMs = Date.now()
    const result = await work()
    return { ...figures(fromMs, Date.now()), result }
  }
  const quiet = await during(() => setTimeout(quietS * 1000))

  const sent = new SharedArrayBuffer(4)
  const flooded = await during(async () => {
    const workerData: Flood = { ...service.datagrams, sent }
    const worker = new Worker(new URL(import.meta.url), { workerData })
    await new Promise((resolve, reject) => worker.once("exit", resolve).once("error", reject))
  })
  const metrics = await fetch(`${service.pose}/metrics`, { headers: { authorization: `Bearer ${api.token}` } })
    .then((answer) => answer.text())
  const counted = (name: string) => Number(new RegExp(`^${name}\\S* (\\d+)`, "m").exec(metrics)?.[1] ?? 0)

  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  const set = (state: string) =>
    fetch(`${service.home}/api/states/${trigger}`, { method: "POST", headers, body: JSON.stringify({ state }) })
  type View = { readonly domain: string; readonly reason: string | null }
  const reasonOf = async (domain: string): Promise<string | null> => {
    const answer = await fetch(`${service.home}/api/services/homeassistant/plugins?return_response`, {
      method: "POST",
      headers,
    })
    const { service_response } = await answer.json() as { service_response?: { plugins: ReadonlyArray<View> } }
    return service_response?.plugins.find((plugin) => plugin.domain === domain)?.reason ?? null
  }
  const plugins: Record<string, unknown> = {}
  for (const domain of Object.keys(misbehaviours)) {
    await set("none")
    await setTimeout(5_000)
    const { result, ...frames } = await during(async () => {
      const startMs = Date.now()
      await set(domain)
      const reason = await eventually(() => reasonOf(domain), (said) => said !== null, 30_000)
      return { endedMs: Date.now() - startMs, reason }
    })
    plugins[domain] = { ...result, ...frames }
  }
  socket.terminate()
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
  const results = {
    machine,
    load,
    room,
    quiet: { framesPerSecond: quiet.framesPerSecond, ageMs: quiet.ageMs },
    flood: {
      sentPerSecond: rounded(new Int32Array(sent)[0]! / floodS),
      // The rest is dropped by the socket's buffer in the system.
      received: counted('wavepose_datagrams_received_total.kind="ruview"'),
      limited: counted("wavepose_sender_datagrams_limited_total"),
      framesPerSecond: flooded.framesPerSecond,
      ageMs: flooded.ageMs,
    },
    plugins,
  }
  console.log(JSON.stringify(results, null, 2))
  writeResults("abuse", results)
  process.exit(0)
}

if (isMainThread) await run()
else await flood(workerData as Flood)
