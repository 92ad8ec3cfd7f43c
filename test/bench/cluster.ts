/**
 * The cluster: the cost of a frame on one and two nodes, and the silence of a stream when nodes join, leave and fail.
 *
 *     npm run bench:cluster               both parts, under three minutes on a quiet machine
 *     npm run bench:cluster -- moves      one part: `cost` or `moves`; the other part's figures stay as they are
 *
 * Real processes on a local PostgreSQL. The cost is CPU time of the nodes per stored frame, for the same hops, sent as fast as they are
 * acknowledged; each node is pinned to one core where `taskset` is there. `scalingByCpu` is the throughput that two nodes have over one when each
 * has a core for itself: frames per CPU second of the busier node. The wall ratio depends on what else the machine does, this client included.
 * Rooms are spread evenly over two nodes first, by the rows with which the service moves rooms for their load, which it would do after a minute.
 * `two`: an ordinary sender, which is given the address of one node and finds the node of each room. `twoThrough`: the nodes state no addresses
 * (`WAVEPOSE_INGEST_ADDRESS=off`), so one takes the batches of all rooms, and those of the other cross.
 * A silence is the longest time between two frames at a WebSocket client of a node that stays, over three rooms in real time.
 * Writes `results/cluster.json`; `load` is the load average of the machine before and after a part.
 */
import { execFileSync } from "node:child_process"
import { Effect, Exit, Redacted, Scope } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { loadavg } from "node:os"
import { fileURLToPath } from "node:url"
import { connectIngest } from "../../deploy/source/ingest-client.ts"
import { type HopSource, noProgress, play, type SourceHop } from "../../deploy/source/play.ts"
import { openSimulation } from "../../deploy/source/simulate.ts"
import { startPostgres } from "../harness/postgres.ts"
import { smallRooms } from "../harness/rooms.ts"
import { type Api, eventually, hasJoined, signIn, startService, type TestService } from "../harness/service.ts"
import { watchFrames } from "../harness/watch-frames.ts"
import { cpuSecondsOf, machine, rounded, writeResults } from "./harness.ts"
import { spread, storedFrames } from "./spread-rooms.ts"

/** Rooms and hops of the cost; fewer where the machine is slow, e.g. `npm run bench:cluster -- cost 4 40`. */
const [part, roomCount = "12", hopCount = "100"] = process.argv.slice(2)
const costRooms = Array.from({ length: Number(roomCount) }, (_, i) => `room-${i + 1}`)
const costHops = Number(hopCount)
/** Hops before those that are measured: code is compiled and windows fill. */
const warmHops = costHops / 2
/** Hops of a room that a setup is measured with in its turn. */
const turnHops = 20
const startMs = 1_700_000_000_000
const moveRooms = ["red", "green", "blue"]
/** Frames before a fault is made, and after it. */
const settledFrames = 30

const allRoles = "gateway,sensing,home"

const startedOn = (service: TestService): number => service.output().split("environment started id=").length - 1

/** Whether each node could be pinned to a core. */
const pin = (service: TestService, core: number): boolean => {
  try {
    execFileSync("taskset", ["-acp", String(core), String(service.process.pid)], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

const node = (databaseUrl: string, roles: string, args: ReadonlyArray<string> = [], ingestAddress = "auto") =>
  startService({
    env: { DATABASE_URL: databaseUrl, WAVEPOSE_ROLES: roles, WAVEPOSE_INGEST_ADDRESS: ingestAddress },
    args: ["--source", "none", ...args],
  })

/** A sender that is given the address of this node, and stays connected until it is closed. */
const openSender = async (service: TestService, key: string) => {
  const scope = Scope.makeUnsafe()
  const deliver = await Effect.runPromise(
    connectIngest({ address: service.grpc, apiKey: Redacted.make(key), rootCertPem: null }).pipe(
      Effect.provideService(Scope.Scope, scope),
    ),
  )
  /** Sends hops of these sources until `stop`. */
  const send = (sources: ReadonlyArray<HopSource<never>>, startMs: number, speed: number | null) => {
    let stop = (): void => {}
    const played = Effect.forEach(
      sources,
      (source) => play(source, deliver, { startMs, speed, progress: noProgress() }),
      { concurrency: "unbounded", discard: true },
    )
    const stopped = Effect.callback<void>((resume) => {
      stop = () => resume(Effect.void)
    })
    const done = Effect.runPromise(Effect.raceFirst(played, stopped))
    return { done, stop: () => (stop(), done) }
  }
  return { send, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

const keyOf = async (api: Api): Promise<string> =>
  (await api.post("/auth/api-keys", { name: "bench", role: "operator" })).body.key

const recorded = (hops: ReadonlyArray<SourceHop>): HopSource<never> => {
  let next = 0
  return { next: Effect.sync(() => hops[next++] ?? null) }
}

type Sites = Awaited<ReturnType<typeof smallRooms>>

/** The hops of all rooms. */
const hopsOf = (sites: Sites): ReadonlyMap<string, ReadonlyArray<SourceHop>> =>
  new Map(costRooms.map((room) => {
    const simulation = openSimulation(sites.scenarioOf(room), { startMs, seed: 1, hops: null })
    return [room, Array.from({ length: warmHops + costHops }, () => Effect.runSync(simulation.next)!)]
  }))

interface Setup {
  readonly name: string
  readonly nodes: 1 | 2
  /** Whether the nodes state their addresses to senders. */
  readonly stated: boolean
}

/** Starts nodes with all rooms, spread evenly. */
const openSetup = async ({ name, nodes, stated }: Setup, sites: Sites, hops: ReturnType<typeof hopsOf>) => {
  const postgres = (await startPostgres())!
  const address = stated ? "auto" : "off"
  const others = nodes === 2 ? [await node(postgres.url, "gateway,sensing", [], address)] : []
  const first = await node(postgres.url, allRoles, sites.siteArguments, address)
  const services = [first, ...others]
  const api = await signIn(first)
  const key = await keyOf(api)
  await eventually(
    async () => {
      await api.get("/system/status")
      return services.reduce((total, one) => total + startedOn(one), 0)
    },
    (all) => all >= costRooms.length,
    60_000,
  )
  if (nodes === 2) await hasJoined(first)
  const environments = await spread(postgres.url, api)
  const pinned = services.map((one, i) => pin(one, i)).every((done) => done)
  const sender = await openSender(first, key)
  const cpuNow = () => services.map(({ process: { pid } }) => cpuSecondsOf(pid!))
  const sendHops = (from: number, to: number) =>
    sender.send(costRooms.map((room) => recorded(hops.get(room)!.slice(from, to))), startMs, null).done
  const cpuS = services.map(() => 0)
  let wallS = 0
  let framesBefore = 0
  return {
    name,
    warm: async () => {
      await sendHops(0, warmHops)
      framesBefore = await storedFrames(postgres.url)
    },
    /** Sends these hops, and adds up what they cost. */
    measure: async (from: number, to: number) => {
      const before = cpuNow()
      const beganMs = performance.now()
      await sendHops(from, to)
      wallS += (performance.now() - beganMs) / 1000
      for (const [i, s] of cpuNow().entries()) cpuS[i]! += s - before[i]!
    },
    close: async () => {
      await sender.close()
      const frames = (await storedFrames(postgres.url)) - framesBefore
      for (const one of services.toReversed()) await one.stop()
      await postgres.stop()
      const result = {
        nodes,
        pinned,
        environments,
        frames,
        cpuS: cpuS.map(rounded),
        cpuMsPerFrame: rounded(1000 * cpuS.reduce((a, b) => a + b, 0) / frames),
        framesPerSecondAtOneCoreEach: rounded(frames / Math.max(...cpuS)),
        framesPerSecond: rounded(frames / wallS),
      }
      console.log(JSON.stringify({ [name]: result }))
      return result
    },
  }
}

const longest = (arrivedMs: ReadonlyArray<number>, sinceMs: number): number =>
  arrivedMs.reduce((max, ms, i) => i > 0 && ms >= sinceMs ? Math.max(max, ms - arrivedMs[i - 1]!) : max, 0)

/** The longest silence of each room, of one change of the nodes after the other. */
const moves = async () => {
  const postgres = (await startPostgres())!
  const sites = await smallRooms(moveRooms)
  const stays = await node(postgres.url, allRoles, sites.siteArguments)
  const api = await signIn(stays)
  const key = await keyOf(api)
  await eventually(
    async () => {
      await api.get("/system/status")
      return startedOn(stays)
    },
    (all) => all >= moveRooms.length,
    60_000,
  )
  const nowMs = Math.ceil(Date.now() / 100) * 100
  const sources = moveRooms.map((room) =>
    openSimulation(sites.scenarioOf(room), { startMs: nowMs, seed: 1, hops: null })
  )
  const sender = await openSender(stays, key)
  const sending = sender.send(sources, nowMs, 1)
  const clients = await Promise.all(moveRooms.map((room) => watchFrames(stays, api.token, room)))
  const settle = async () => {
    const from = clients.map(({ frameIds }) => frameIds.length)
    await eventually(
      () => Promise.resolve(Math.min(...clients.map(({ frameIds }, i) => frameIds.length - from[i]!))),
      (more) => more >= settledFrames,
      60_000,
    )
  }
  const result: Record<string, ReadonlyArray<number>> = {}
  /** A change may say when it began to concern the rooms, milliseconds of `performance.now()`. */
  const measure = async (name: string, change: () => Promise<unknown>) => {
    await settle()
    const startMs = performance.now()
    const began = await change()
    await settle()
    const sinceMs = typeof began === "number" ? began : startMs
    result[name] = clients.map(({ arrivedMs }) => Math.round(longest(arrivedMs, sinceMs)))
    console.log(JSON.stringify({ [name]: result[name] }))
  }
  let joined!: TestService
  /** A node that starts takes CPU time of the others on this machine. The rooms move when it is warm. */
  const join = async () => {
    joined = await node(postgres.url, "gateway,sensing")
    await hasJoined(joined)
    const warm = /^(\S+) .*(node is warm|without a warm-up)/m.exec(joined.output())
    return warm === null ? undefined : Date.parse(warm[1]!) - performance.timeOrigin
  }
  await measure("undisturbedMs", () => Promise.resolve(null))
  await measure("joinMs", join)
  await measure("terminateMs", () => joined.stop())
  await measure("joinAgainMs", join)
  await measure("killMs", () => joined.kill())
  const gaps = clients.map(({ frameIds }) => frameIds.filter((id, i) => i > 0 && id !== frameIds[i - 1]! + 1).length)
  await sending.stop()
  await sender.close()
  for (const client of clients) client.close()
  await stays.stop()
  await postgres.stop()
  sites.remove()
  return { rooms: moveRooms.length, silencesMs: result, skippedOrRepeatedFrames: gaps }
}

const setups: ReadonlyArray<Setup> = [
  { name: "one", nodes: 1, stated: true },
  { name: "two", nodes: 2, stated: true },
  { name: "twoThrough", nodes: 2, stated: false },
]

/** The setups run side by side and are measured in turns, so that what else the machine does concerns all of them. */
const costs = async () => {
  const sites = await smallRooms(costRooms)
  const hops = hopsOf(sites)
  const opened = []
  for (const setup of setups) opened.push(await openSetup(setup, sites, hops))
  for (const { warm } of opened) await warm()
  for (let hop = warmHops; hop < warmHops + costHops; hop += turnHops) {
    for (const { measure } of opened) await measure(hop, Math.min(hop + turnHops, warmHops + costHops))
  }
  const [one, two, twoThrough] = [await opened[0]!.close(), await opened[1]!.close(), await opened[2]!.close()]
  sites.remove()
  return {
    rooms: costRooms.length,
    hopsPerRoom: costHops,
    one,
    two,
    twoThrough,
    cpuPerFrameTwoOverOne: rounded(two.cpuMsPerFrame / one.cpuMsPerFrame),
    cpuPerFrameThroughOverOne: rounded(twoThrough.cpuMsPerFrame / one.cpuMsPerFrame),
    scalingByCpu: rounded(two.framesPerSecondAtOneCoreEach / one.framesPerSecondAtOneCoreEach),
    scalingByCpuThrough: rounded(twoThrough.framesPerSecondAtOneCoreEach / one.framesPerSecondAtOneCoreEach),
    wallRatio: rounded(two.framesPerSecond / one.framesPerSecond),
  }
}

const measured = async <A extends object>(part: () => Promise<A>) => {
  const before = rounded(loadavg()[0]!)
  const result = await part()
  return { ...result, load: { before, after: rounded(loadavg()[0]!) } }
}

const file = fileURLToPath(new URL("./results/cluster.json", import.meta.url))
const earlier = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {}
// Each part is written as soon as it is measured.
let results = { ...earlier, machine }
for (const [name, measure] of [["cost", costs], ["moves", moves]] as const) {
  if (part !== undefined && part !== name) continue
  results = { ...results, [name]: await measured<object>(measure) }
  writeResults("cluster", results)
}
console.log(JSON.stringify(results))
process.exit(0)
