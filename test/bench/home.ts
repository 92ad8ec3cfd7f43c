/**
 * The home-automation runtime under load: 5,000 entities, writes at a pace over REST, and WebSocket subscribers to all entities. Says how late
 * a change is at a subscriber from when its write was due, whether one is lost, and what the service's process costs and holds.
 *
 * The same writes are made without subscribers first, so that what a write costs can be reported from what a delivery costs.
 * Not measured: subscribers on other machines, and several nodes. Writers and subscribers are bare sockets of this process, in two threads, and
 * share the machine's cores with the service. `bench home [seconds] [subscribers] [writes/s] [entities] [plain]`; `plain` does without
 * arrays of messages. Without arguments it writes `results/home.json`.
 */
import { connect, type Socket } from "node:net"
import { Worker } from "node:worker_threads"
import { startService } from "../harness/service.ts"
import { cpuSecondsOf, machine, residentMibOf, rounded, writeResults } from "./harness.ts"
import type { Expected, Received, SubscribersOptions } from "./home-subscribers.ts"

const [seconds = 60, subscribers = 200, writesPerSecond = 1_000, entities = 5_000] = process.argv.slice(2, 6).map(
  Number,
)
const coalesce = process.argv[6] !== "plain"
const secondsAlone = Math.min(seconds, 10)
/** Enough that a write seldom waits for the answer of another one, and few enough that none is idle for so long that the service closes it. */
const writers = Math.min(256, Math.max(8, Math.ceil(writesPerSecond / 4)))
const token = "bench"
const residentSamples = 6

const service = await startService({
  env: { WAVEPOSE_HOME_TOKENS: token, WAVEPOSE_BRIDGE: "off", WAVEPOSE_LOG_LEVEL: "warn" },
})
process.on("exit", () => service.process.kill("SIGKILL"))
const port = Number(new URL(service.home).port)
const pid = service.process.pid!

/** A connection that writes states, one after the other; each waits for the answer of the one before. One that was closed is opened again. */
const openWriter = async () => {
  let answered: ((text: string) => void) | null = null
  const open = async (): Promise<Socket> => {
    const socket = await new Promise<Socket>((resolve, reject) => {
      const opened = connect({ port, host: "127.0.0.1" }, () => resolve(opened.setNoDelay(true)))
      opened.once("error", reject)
    })
    socket.on("error", () => {})
    socket.once("close", () => answered?.("the service has closed a connection"))
    let held = ""
    socket.on("data", (chunk: Buffer) => {
      held += chunk.toString("latin1")
      const head = held.indexOf("\r\n\r\n")
      if (head < 0) return
      const length = Number(/content-length: (\d+)/i.exec(held)![1])
      if (held.length < head + 4 + length) return
      const text = held
      held = ""
      answered?.(text)
    })
    return socket
  }
  let socket = await open()
  return async (entity: number, state: string): Promise<void> => {
    if (socket.destroyed) socket = await open()
    await new Promise<void>((resolve, reject) => {
      const body = `{"state":"${state}","attributes":{"unit_of_measurement":"W","friendly_name":"Sensor ${entity}"}}`
      answered = (text) =>
        text.startsWith("HTTP/1.1 20")
          ? resolve()
          : reject(new Error(text.slice(0, 400) + service.output().slice(-2000)))
      socket.write(
        `POST /api/states/sensor.n${entity} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${token}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      )
    })
  }
}

const sleepUntil = (atMs: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, atMs - performance.now())))

const openWriters = () => Promise.all(Array.from({ length: writers }, openWriter))
type Writer = Awaited<ReturnType<typeof openWriter>>

const fillers = await openWriters()
const filledMs = performance.now()
// Nothing is measured yet: a write that is refused is made again.
let refusals = 0
const fill = (put: Writer, entity: number): Promise<void> =>
  put(entity, "new").catch((cause) => {
    if (refusals++ === 0) console.error(String(cause).slice(0, 600))
    return sleepUntil(performance.now() + 1_000).then(() => put(entity, "new"))
  })
await Promise.all(fillers.map(async (put, i) => {
  for (let entity = i; entity < entities; entity += writers) await fill(put, entity)
}))
console.log(`${entities} entities in ${Math.round(performance.now() - filledMs)} ms`)

/** Writes at the pace for so long, from a time on; answers what it cost the service. */
const writeFor = async (
  write: ReadonlyArray<Writer>,
  spanS: number,
  startMs: number,
  stateOf: (n: number) => string,
) => {
  const writes = Math.round(writesPerSecond * spanS)
  const cpuBefore = cpuSecondsOf(pid)
  const ownBefore = process.cpuUsage()
  const answersMs: Array<number> = []
  let behindMsMax = 0
  await Promise.all(write.map(async (put, i) => {
    for (let n = i; n < writes; n += writers) {
      const dueMs = startMs + (1_000 * n) / writesPerSecond
      await sleepUntil(dueMs)
      behindMsMax = Math.max(behindMsMax, performance.now() - dueMs)
      await put((n * 7) % entities, stateOf(n))
      answersMs.push(performance.now() - dueMs)
    }
  }))
  const tookS = (performance.now() - startMs) / 1_000
  const end = (): { readonly cpuSeconds: number; readonly ownCores: number } => {
    const { system, user } = process.cpuUsage(ownBefore)
    return { cpuSeconds: cpuSecondsOf(pid) - cpuBefore, ownCores: (system + user) / 1e6 / tookS }
  }
  return { writes, answersMs, behindMsMax, tookS, end }
}

const alone = await writeFor(await openWriters(), secondsAlone, performance.now() + 100, (n) => `alone${n}`)
const aloneCpu = alone.end().cpuSeconds

const options: SubscribersOptions = { port, token, subscribers, coalesce }
const worker = new Worker(new URL("./home-subscribers.ts", import.meta.url), { workerData: options })
worker.on("error", (cause) => {
  console.error(cause, service.output().slice(-2000))
  process.exit(1)
})
const answer = <A>(): Promise<A> => new Promise((resolve) => worker.once("message", resolve))
await answer()
console.log(`${subscribers} subscribers`)

const measured = await openWriters()
const leadMs = 500
const startMs = performance.now() + leadMs
const expected: Expected = {
  startMs: Date.now() + leadMs,
  intervalMs: 1_000 / writesPerSecond,
  writes: writesPerSecond * seconds,
}
const begun = answer()
worker.postMessage({ begin: expected })
await begun
const resident: Array<number> = []
const sampled = setInterval(() => resident.push(Math.round(residentMibOf(pid))), (1_000 * seconds) / residentSamples)
const run = await writeFor(measured, seconds, startMs, (n) => `^${n}^`)
const came = answer<Received>()
worker.postMessage({ end: { writes: run.writes } })
const { bytes, events, incomplete, latencies } = await came
const { cpuSeconds, ownCores } = run.end()
clearInterval(sampled)

const quantile = (values: Array<number>, q: number): number => {
  values.sort((a, b) => a - b)
  return rounded(values[Math.min(values.length - 1, Math.floor(q * values.length))] ?? NaN)
}
/** The latency that a share of all deliveries did not exceed. */
const latencyMs = (q: number): number => {
  let below = 0
  return latencies.findIndex((count) => (below += count) >= q * events)
}
const writeCpuUs = (1e6 * aloneCpu) / alone.writes
const results = {
  machine,
  entities,
  subscribers,
  coalesced: coalesce,
  seconds: rounded(run.tookS),
  writesPerSecond: rounded(run.writes / run.tookS),
  lostEvents: run.writes * subscribers - events,
  incompleteSubscribers: incomplete,
  behindScheduleMsMax: rounded(run.behindMsMax),
  writeAnswerMs: { p50: quantile(run.answersMs, 0.5), p99: quantile(run.answersMs, 0.99) },
  writeAnswerAloneMs: { p50: quantile(alone.answersMs, 0.5), p99: quantile(alone.answersMs, 0.99) },
  writeToSubscriberMs: { target: "p99 under 100", p50: latencyMs(0.5), p99: latencyMs(0.99), max: latencyMs(1) },
  serviceCores: { alone: rounded(aloneCpu / alone.tookS), withSubscribers: rounded(cpuSeconds / run.tookS) },
  serviceCpuUs: {
    write: rounded(writeCpuUs),
    delivery: rounded((1e6 * cpuSeconds - writeCpuUs * run.writes) / Math.max(1, events)),
  },
  receivedMibPerSecond: rounded(bytes / 2 ** 20 / run.tookS),
  benchCores: rounded(ownCores),
  serviceResidentMib: resident,
}
console.log(JSON.stringify(results, null, 2))
if (process.argv.length <= 2) writeResults("home", results)
await worker.terminate()
await service.stop()
process.exit(0)
