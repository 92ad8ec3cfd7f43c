/**
 * Soak of a cluster: nodes are killed and drained while all rooms send in real time, and for a while other processes want the CPU.
 *
 *     npm run soak -- cluster --minutes 5 --environments 6 --located 1 --routers 2 --rate-hz 20 --kill-every-s 60 --drain-every-s 90
 *
 * The first node stays; routers and readers are connected to it. The others host rooms and are killed or drained in turn. Located rooms are
 * simulated, with a person; the others have no geometry. Each room has a stream of its own to its node, as devices have, and keeps what it cannot
 * send for `keptMs`. In the overload, all processes of the machine want `--overload-percent` of its CPU. The nodes have the share of the processor
 * that `npm start` gives them where the user may (`--niceness`, 0 for the usual one), and so has this process, which stands for
 * other machines. The checker is that of the fault harness.
 *
 * The age of a frame is that when its reader has it, outside of `recoveryS` after a kill, a drain or a join; `loopLateMs` is the delay of this
 * process, which sends and reads, and shares the CPU. Silences are given for each room. Writes `results/soak-cluster.json` with the options and
 * the load of the machine.
 */
import type { ChildProcess } from "node:child_process"
import { Effect, Redacted } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { setInterval } from "node:timers/promises"
import { parseArgs } from "node:util"
import { setShare } from "../../deploy/launcher/processor-share.mjs"
import { connectIngest } from "../../deploy/source/ingest-client.ts"
import { noProgress, play } from "../../deploy/source/play.ts"
import { openSimulation } from "../../deploy/source/simulate.ts"
import { violationsOf } from "../../sim/cluster/checker.ts"
import { historyOf, readRoom, type Room, sendRouter } from "../cluster/faults/rooms.ts"
import { startPostgres } from "../harness/postgres.ts"
import { smallRooms } from "../harness/rooms.ts"
import { eventually, hasJoined, main, signIn, startService, type TestService } from "../harness/service.ts"
import { machine, residentMibOf, rounded, writeResults } from "./harness.ts"
import { makeUsedCores, missingCores, type Pace, readPace, startBusy } from "./soak-overload.ts"
import { between, longestSilences, type Silence, type Span } from "./soak-silences.ts"

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    minutes: { type: "string", default: "30" },
    nodes: { type: "string", default: "3" },
    environments: { type: "string", default: "24" },
    located: { type: "string", default: "4" },
    routers: { type: "string", default: "4" },
    "rate-hz": { type: "string", default: "100" },
    "kill-every-s": { type: "string", default: "300" },
    "drain-every-s": { type: "string", default: "420" },
    "overload-s": { type: "string", default: "300" },
    "overload-percent": { type: "string", default: "150" },
    niceness: { type: "string", default: "-7" },
  },
})
const options = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)])) as Record<
  keyof typeof values,
  number
>

const hopsPerSecond = 10
/** Frames of this time after a change are not in the lateness. */
const recoveryS = 10
/** A device keeps what it cannot send for so long. */
const keptMs = 1_000
/** All rooms have new frames within this time after a change. */
const settleMsMax = 90_000
/** At the end, the newest frame of a room may be this old. */
const endLateMsMax = 30_000
const sampleEveryS = 10
/** The results have one sample of so many: one a minute. */
const samplesOfOneKept = 6

interface Change {
  readonly kind: "kill" | "drain" | "join" | "overload" | "overload ends"
  readonly atS: number
  /** The longest time between two frames of a room from the change until all rooms have new frames; null: they have none. */
  readonly silenceMs: number | null
  /** The room of that silence. */
  readonly room: string
  /** How long a drained node took to hand its shards over, as it says; null: it does not. */
  readonly handOverMs?: number | null
}

const names = (count: number, kind: string) => Array.from({ length: count }, (_, i) => `${kind}-${i + 1}`)
const located = names(options.located, "located")
const plain = names(options.environments - options.located, "room")
const rooms: ReadonlyArray<Room> = [...located, ...plain].map((environmentId) => ({
  environmentId,
  frames: [],
  arrivedMs: [],
}))
const routersOf = (room: string) => names(options.routers, `${room}.r`)

/** Site files of rooms without geometry, and the arguments that enrol them. */
const plainArguments = (folder: string): ReadonlyArray<string> =>
  plain.flatMap((environmentId) => {
    const file = join(folder, `${environmentId}.json`)
    writeFileSync(
      file,
      JSON.stringify({ environmentId, name: environmentId, geometry: null, routers: routersOf(environmentId) }),
    )
    return ["--site", file]
  })

const quantile = (sorted: ReadonlyArray<number>, q: number): number | null =>
  sorted.length === 0 ? null : Math.round(sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))]!)

const folder = mkdtempSync(join(tmpdir(), "wavepose-soak-"))
const postgres = (await startPostgres())!
const sites = await smallRooms(located)
const endShare = setShare(process.pid, main, options.niceness)
const startOther = () =>
  startService({
    env: { DATABASE_URL: postgres.url, WAVEPOSE_ROLES: "sensing", WAVEPOSE_SHEDDING: "on" },
    args: ["--source", "none"],
  })
const others: Array<TestService> = []
for (let i = 1; i < options.nodes; i++) others.push(await startOther())
const stays = await startService({
  env: { DATABASE_URL: postgres.url, WAVEPOSE_SHEDDING: "on" },
  args: ["--source", "none", ...plainArguments(folder), ...sites.siteArguments],
})
const api = await signIn(stays)
const { body: { key } } = await api.post("/auth/api-keys", { name: "soak", role: "operator" })

let over = false
const isOver = () => over
let stopSending = () => {}
/** How late the timer of this process was. */
const loopLateMs: Array<number> = []
/** Batches that no node took in time. */
let untaken = 0
const startMs = Math.ceil(Date.now() / 100) * 100
const sending = Effect.runPromise(
  Effect.gen(function* () {
    const connect = connectIngest({ address: stays.grpc, apiKey: Redacted.make(key), rootCertPem: null })
    const packetsPerHop = Math.max(1, Math.round(options["rate-hz"] / hopsPerSecond))
    for (const room of plain) {
      const send = yield* connect
      const deliver = async (bytes: Uint8Array) => {
        const answer = await Effect.runPromise(Effect.result(Effect.timeout(send(bytes), keptMs)))
        if (answer._tag === "Success") return answer.success
        untaken++
        return null
      }
      for (const routerId of routersOf(room)) void sendRouter(routerId, deliver, isOver, { packetsPerHop })
    }
    for (const room of located) {
      const source = openSimulation(sites.scenarioOf(room), { startMs, seed: 1, hops: null })
      yield* Effect.forkScoped(play(source, yield* connect, { startMs, speed: 1, progress: noProgress() }))
    }
    yield* Effect.callback<void>((resume) => {
      stopSending = () => resume(Effect.void)
    })
  }).pipe(Effect.scoped),
)
await Promise.all(rooms.map((room) => readRoom(stays, api.token, room, isOver)))

const beganMs = performance.now()
const atS = () => Math.round((performance.now() - beganMs) / 1000)
const changes: Array<Change> = []
interface Sample {
  readonly atS: number
  readonly residentMib: number
  readonly load: number
  readonly usedCores: number
  readonly pace: Pace | null
}
const samples: Array<Sample> = []
/** New frames of all rooms. */
const settle = async () => {
  const from = rooms.map(({ frames }) => frames.length)
  await eventually(
    () => Promise.resolve(Math.min(...rooms.map(({ frames }, i) => frames.length - from[i]!))),
    (more) => more >= hopsPerSecond,
    settleMsMax,
  )
}
const change = async (kind: Change["kind"], make: () => Promise<Pick<Change, "handOverMs"> | void>) => {
  const sinceMs = performance.now()
  const began = atS()
  const said = await make()
  const recovered = await settle().then(() => true, () => false)
  const { environmentId: room, ms } = longestSilences(rooms, [{ fromMs: sinceMs, untilMs: performance.now() }])[0]!
  changes.push({ kind, atS: began, silenceMs: recovered ? ms : null, room, ...said })
  console.log(JSON.stringify(changes.at(-1)))
}

let turn = 0
/** Ends one of the nodes that do not stay, and starts another one when all rooms have frames again. */
const replace = async (kind: "kill" | "drain") => {
  const at = turn++ % others.length
  const node = others[at]!
  await change(kind, async () => {
    if (kind === "kill") return await node.kill()
    await node.stop()
    const said = /shards handed over shards=\d+ ms=(\d+)/.exec(node.output())?.[1]
    return { handOverMs: said === undefined ? null : Number(said) }
  })
  await change("join", async () => {
    others[at] = await startOther()
    await hasJoined(others[at]!)
  })
}

let busy: ReadonlyArray<ChildProcess> = []
const overloadFromS = Math.max(0, (options.minutes * 60 - options["overload-s"]) / 2)
const next = { kill: options["kill-every-s"], drain: options["drain-every-s"], sample: 0 }
const loopMs = 500
const usedCores = makeUsedCores()
const sample = async () => {
  const cores = rounded(usedCores())
  const pace = await readPace(api, (id) => rooms.some(({ environmentId }) => environmentId === id))
  const residentMib = Math.round(residentMibOf(stays.process.pid!))
  samples.push({ atS: atS(), residentMib, load: rounded(loadavg()[0]!), usedCores: cores, pace })
  console.log(JSON.stringify(samples.at(-1)))
}
let tickMs = performance.now()
for await (const _ of setInterval(loopMs)) {
  loopLateMs.push(Math.max(0, performance.now() - tickMs - loopMs))
  const s = atS()
  if (s >= options.minutes * 60) break
  if (s >= next.sample) {
    await sample()
    next.sample = s + sampleEveryS
  }
  const overloaded = s >= overloadFromS && s < overloadFromS + options["overload-s"]
  if (overloaded && busy.length === 0) {
    const cores = missingCores(options["overload-percent"], samples.at(-1)!.usedCores)
    busy = startBusy(cores, options["overload-s"])
    await change("overload", () => Promise.resolve())
  }
  if (!overloaded && busy.length > 0) {
    for (const one of busy) one.kill()
    busy = []
    await change("overload ends", () => Promise.resolve())
  }
  for (const kind of ["kill", "drain"] as const) {
    if (s < next[kind]) continue
    next[kind] += options[`${kind}-every-s`]
    await replace(kind)
  }
  tickMs = performance.now()
}
const endMs = performance.now()
const violations = violationsOf({
  watched: rooms.map(({ environmentId, frames }) => ({ client: "reader", environmentId, frames: [...frames] })),
  history: await historyOf(postgres.url, rooms.map(({ environmentId }) => environmentId)),
  freshMs: Date.now() - endLateMsMax,
})
over = true
for (const one of busy) one.kill()
stopSending()
await sending
for (const one of [...others, stays]) await one.stop()
await postgres.stop()
sites.remove()
endShare()
rmSync(folder, { recursive: true, force: true })

const spanOf = (fromS: number, untilS: number): Span => ({
  fromMs: beganMs + fromS * 1000,
  untilMs: Math.min(endMs, beganMs + untilS * 1000),
})
const recoveries = changes.flatMap(({ atS, kind }) => kind.startsWith("overload") ? [] : [spanOf(atS, atS + recoveryS)])
const steady = between(recoveries, { fromMs: beganMs, untilMs: endMs })
const overload = spanOf(overloadFromS, overloadFromS + options["overload-s"])
const isIn = (spans: ReadonlyArray<Span>, ms: number) =>
  spans.some(({ fromMs, untilMs }) => ms >= fromMs && ms < untilMs)
/** Ages of the frames that arrived in these spans. */
const agesMs = (spans: ReadonlyArray<Span>) =>
  rooms.flatMap(({ arrivedMs, frames }) =>
    frames.flatMap(({ timestampMs }, i) =>
      isIn(spans, arrivedMs[i]!) ? [performance.timeOrigin + arrivedMs[i]! - timestampMs] : []
    )
  ).sort((a, b) => a - b)
const shown = (silences: ReadonlyArray<Silence>) =>
  silences.map(({ endMs, environmentId, ms }) => ({
    room: environmentId,
    ms,
    atS: Math.round((endMs - beganMs) / 1000),
  }))
const quantiles = (sorted: ReadonlyArray<number>) => ({
  p50: quantile(sorted, 0.5),
  p95: quantile(sorted, 0.95),
  p99: quantile(sorted, 0.99),
})
const result = {
  machine,
  options,
  frames: rooms.reduce((sum, { frames }) => sum + frames.length, 0),
  violations,
  ageMs: quantiles(agesMs(steady)),
  ageInOverloadMs: quantiles(agesMs([overload])),
  loopLateMs: quantiles(loopLateMs.sort((a, b) => a - b)),
  untaken,
  changes,
  /** The longest silence of each room: outside of recoveries and the overload, in the overload, and in all. */
  silences: {
    steady: shown(longestSilences(rooms, between([...recoveries, overload], { fromMs: beganMs, untilMs: endMs }))),
    overload: shown(longestSilences(rooms, [overload])),
    all: shown(longestSilences(rooms, [{ fromMs: beganMs, untilMs: endMs }])),
  },
  samples: samples.filter((_, i) => i % samplesOfOneKept === 0),
}
writeResults("soak-cluster", result)
console.log(JSON.stringify({ ...result, samples: samples.length }))
process.exit(violations.length === 0 ? 0 : 1)
