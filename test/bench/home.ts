/**
 * The home-automation runtime under load: 5,000 entities, writes at a pace over REST, and WebSocket subscribers to all entities. Says how late
 * a change is at a subscriber from when its write was sent, whether one is lost, and what the service's process costs and holds.
 *
 * Not measured: subscribers on other machines, and several nodes. Writers and subscribers are bare sockets of this process and
 * share the machine's cores with the service. `bench home [seconds] [subscribers] [writes/s] [entities] [plain]`; `plain` does without
 * arrays of messages. Writes `results/home.json`.
 */
import { connect, type Socket } from "node:net"
import { startService } from "../harness/service.ts"
import { cpuSecondsOf, machine, rounded, writeResults } from "./harness.ts"
import { readFileSync } from "node:fs"

const [seconds = 30, subscribers = 200, writesPerSecond = 1_000, entities = 5_000] = process.argv.slice(2, 6).map(
  Number,
)
const coalesce = process.argv[6] !== "plain"
const writers = 64
const token = "bench"

const service = await startService({
  env: { WAVEPOSE_HOME_TOKENS: token, WAVEPOSE_BRIDGE: "off", WAVEPOSE_LOG_LEVEL: "warn" },
})
process.on("exit", () => service.process.kill("SIGKILL"))
const port = Number(new URL(service.home).port)
const pid = service.process.pid!
const residentMib = (): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024

const open = (): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1" }, () => resolve(socket.setNoDelay(true)))
    socket.once("error", reject)
  })

/** A connection that writes states, one after the other; each waits for the answer of the one before. */
const openWriter = async () => {
  const socket = await open()
  let answered: ((text: string) => void) | null = null
  let held = ""
  socket.on("data", (chunk) => {
    held += chunk.toString("latin1")
    const head = held.indexOf("\r\n\r\n")
    if (head < 0) return
    const length = Number(/content-length: (\d+)/i.exec(held)![1])
    if (held.length < head + 4 + length) return
    const text = held
    held = ""
    answered?.(text)
  })
  return (entity: number, state: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({
        state,
        attributes: { unit_of_measurement: "W", friendly_name: `Sensor ${entity}` },
      })
      answered = (text) =>
        /^HTTP\/1.1 20[01] /.test(text)
          ? resolve()
          : reject(new Error(text.slice(0, 400) + service.output().slice(-2000)))
      socket.write(
        `POST /api/states/sensor.n${entity} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${token}\r\n` +
          `Content-Length: ${body.length}\r\n\r\n${body}`,
      )
    })
}

/** A text frame of a client, masked with zeros. */
const clientFrame = (text: string): Buffer => {
  const body = Buffer.from(text)
  const length = body.length < 126 ? [0x80 | body.length] : [0x80 | 126, body.length >> 8, body.length & 255]
  return Buffer.concat([Buffer.from([0x81, ...length, 0, 0, 0, 0]), body])
}

const mark = Buffer.from(`"s":"t`)

/** A subscriber: notes the time that each change says it was sent at. */
const subscribe = async (note: (sentMs: number) => void): Promise<Socket> => {
  const socket = await open()
  const opened = new Promise<void>((resolve) => socket.once("data", () => resolve()))
  socket.write([
    "GET /api/websocket HTTP/1.1",
    "Host: h",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "",
    "",
  ].join("\r\n"))
  await opened
  const begun = new Promise<void>((resolve) => {
    let held: Buffer = Buffer.alloc(0)
    let ready = false
    socket.on("data", (chunk: Buffer) => {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
      if (!ready) {
        if (held.indexOf(`"sensor.n${entities - 1}":`) < 0 || held.indexOf(`"id":3,"type":"event"`) < 0) return
        ready = true
        resolve()
      }
      let from = 0
      for (;;) {
        const at = held.indexOf(mark, from)
        if (at < 0 || at + 24 > held.length) break
        note(Number(held.toString("latin1", at + mark.length, at + mark.length + 13)))
        from = at + mark.length
      }
      const rest = held.indexOf(mark, from)
      held = held.subarray(rest >= 0 ? rest : Math.max(from, held.length - mark.length))
    })
  })
  socket.write(clientFrame(JSON.stringify({ type: "auth", access_token: token })))
  if (coalesce) {
    socket.write(clientFrame(JSON.stringify({ id: 1, type: "supported_features", features: { coalesce_messages: 1 } })))
  }
  socket.write(clientFrame(JSON.stringify({ id: 3, type: "subscribe_entities" })))
  await begun
  return socket
}

const sleepUntil = (atMs: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, atMs - performance.now())))

const write = await Promise.all(Array.from({ length: writers }, openWriter))
const filledMs = performance.now()
await Promise.all(write.map(async (put, i) => {
  for (let entity = i; entity < entities; entity += writers) await put(entity, "new")
}))
console.log(`${entities} entities in ${Math.round(performance.now() - filledMs)} ms`)

const latenciesMs: Array<number> = []
const counts = new Array<number>(subscribers).fill(0)
const sockets: Array<Socket> = []
for (let i = 0; i < subscribers; i++) {
  sockets.push(
    await subscribe((sentMs) => {
      counts[i]! += 1
      latenciesMs.push(Date.now() - sentMs)
    }),
  )
}
console.log(`${subscribers} subscribers`)

const before = cpuSecondsOf(pid)
const beforeMib = residentMib()
const startMs = performance.now()
let written = 0
let behindMsMax = 0
const answersMs: Array<number> = []
await Promise.all(write.map(async (put, i) => {
  for (let n = i; n < writesPerSecond * seconds; n += writers) {
    const dueMs = startMs + (1_000 * n) / writesPerSecond
    await sleepUntil(dueMs)
    const sentMs = performance.now()
    behindMsMax = Math.max(behindMsMax, sentMs - dueMs)
    await put((n * 7) % entities, `t${Date.now()}n${n}`)
    answersMs.push(performance.now() - sentMs)
    written += 1
  }
}))
const tookS = (performance.now() - startMs) / 1_000
const deadlineMs = performance.now() + 10_000
while (counts.some((count) => count < written) && performance.now() < deadlineMs) {
  await sleepUntil(performance.now() + 50)
}
const cpuSeconds = cpuSecondsOf(pid) - before
const afterMib = residentMib()
for (const socket of sockets) socket.destroy()

const quantile = (values: Array<number>, q: number): number => {
  values.sort((a, b) => a - b)
  return values[Math.min(values.length - 1, Math.floor(q * values.length))] ?? NaN
}
const results = {
  machine,
  entities,
  subscribers,
  coalesced: coalesce,
  seconds: rounded(tookS),
  writesPerSecond: rounded(written / tookS),
  lostEvents: written * subscribers - counts.reduce((sum, count) => sum + count, 0),
  behindScheduleMsMax: rounded(behindMsMax),
  writeAnswerMs: { p50: rounded(quantile(answersMs, 0.5)), p99: rounded(quantile(answersMs, 0.99)) },
  writeToSubscriberMs: {
    target: "p99 under 100",
    p50: rounded(quantile(latenciesMs, 0.5)),
    p99: rounded(quantile(latenciesMs, 0.99)),
    max: rounded(quantile(latenciesMs, 1)),
  },
  serviceCores: rounded(cpuSeconds / tookS),
  serviceResidentMib: { before: Math.round(beforeMib), after: Math.round(afterMib) },
}
console.log(JSON.stringify(results, null, 2))
if (process.argv.length <= 2) writeResults("home", results)
await service.stop()
process.exit(0)
