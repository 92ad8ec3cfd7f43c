/**
 * A cluster of two real processes on PostgreSQL, with routers that send and a reader for each room, for the injection of faults.
 *
 * The first node stays: routers and readers are connected to it. The second one reaches the database through a proxy. The rooms have no
 * geometry and few packets, because the cluster is judged and not the estimation; one more is located and simulated, when a fault needs it. The
 * checker is that of the simulated clusters.
 */
import { Effect, Fiber, Redacted } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { connectIngest } from "../../../deploy/source/ingest-client.ts"
import { noProgress, play } from "../../../deploy/source/play.ts"
import { openSimulation } from "../../../deploy/source/simulate.ts"
import type { IngestAck } from "../../../protocols/grpc/ingest-ack.ts"
import { violationsOf } from "../../../sim/cluster/checker.ts"
import type { Scenario } from "../../../sim/scenario/scenario.ts"
import { type DatabaseLink, linkTo } from "../../harness/database-link.ts"
import { canMountDisk, startPostgres, type TestPostgres, type TestStandby } from "../../harness/postgres.ts"
import { smallRooms } from "../../harness/rooms.ts"
import { eventually, signIn, startService, type TestService } from "../../harness/service.ts"
import { AcknowledgedHops } from "./acknowledged-hops.ts"
import { type Lost, LostHops } from "./lost-hops.ts"
import { namedUrl, noteWriters, readWriters, roomsOf } from "./frame-writers.ts"
import { historyOf, readRoom, type Room, sendRouter, shedHopsOf } from "./rooms.ts"
import { homeToken, startWriters, type Writers } from "./writers.ts"

const rooms = ["red", "green", "blue", "white", "black", "brown"]
const locatedRoom = "parlour"
const kernelPreload = fileURLToPath(new URL("./kernel-preload.ts", import.meta.url))
/** Frames of each room before a fault and after it. */
const settledFrames = 15
/** Of the disk of the database: a new database and the frames of some minutes take a third of it. */
const diskMib = 400
/** Rooms that have had no frame for so long stand still. */
const stalledMs = 3_000
/** A room without a frame for so long does not recover. */
const settleMsMax = 90_000
/** At the end, the newest frame may be this old. */
const lateMsMax = 30_000

export interface FaultWorld {
  readonly stays: TestService
  readonly api: Awaited<ReturnType<typeof signIn>>
  readonly postgres: TestPostgres
  readonly link: DatabaseLink
  /** Starts a standby, ends the database without a farewell, promotes the standby, and leads both nodes to it. Nothing leads back. */
  readonly failOver: () => Promise<void>
  /** The second node; null while it is away. */
  readonly second: () => TestService
  /** The rooms that it runs. */
  readonly roomsOfSecond: () => Promise<ReadonlySet<string>>
  readonly startSecond: (env?: Record<string, string>) => Promise<void>
  /** A simulated room with a person, which counts as a room from its start, when it has frames, to its stop. */
  readonly located: { readonly start: () => Promise<void>; readonly stop: () => void }
  /** How routers send; `disorder`: each batch twice, and every other one after its successor. */
  readonly sending: { disorder: boolean }
  /** Clients that write through both nodes. */
  readonly writers: Writers
  /** Sends bytes as a batch, and waits for the answer. */
  readonly sendRaw: (bytes: Uint8Array) => Promise<unknown>
  /** Waits for new frames of all rooms. */
  readonly settle: () => Promise<void>
  /** Waits until no room has had a frame for `stalledMs`. */
  readonly stall: () => Promise<void>
  /** The longest silence of a room since this time, milliseconds of `performance.now()`. */
  readonly silenceMs: (sinceMs: number) => number
  /** What the checker finds now. */
  readonly judge: () => Promise<Judgement>
  readonly stop: () => Promise<void>
}

export interface Judgement {
  readonly violations: ReadonlyArray<string>
  /** What each room has lost since the last judgement. */
  readonly lost: ReadonlyMap<string, Lost>
}

export interface FaultCase {
  readonly name: string
  /**
   * Acknowledged hops of a room that are lost at most with a move, on a machine with nothing else to do; absent: none are, as its routers give
   * the hop that no packet has ended to the room. A node that ends without a farewell has that hop in its memory. A room that does not move loses
   * what it says that it has shed, on any machine. Null: all that a node takes while it is frozen or without the database.
   */
  readonly lostHopsMax?: number | null
  /** The longest silence of a room on such a machine, milliseconds. */
  readonly limitMs: number
  /** Why this machine cannot make the fault; null or absent: it can. */
  readonly unavailable?: string | null
  /** Makes the fault, lets the rooms recover from it, and ends it. */
  readonly run: (world: FaultWorld) => Promise<unknown>
  /** Makes the cluster as it was before, once the checker has judged. */
  readonly after?: (world: FaultWorld) => Promise<unknown>
}

/** Site files of rooms with one router each, and the arguments that enrol them. */
const siteArguments = (folder: string): ReadonlyArray<string> =>
  rooms.flatMap((environmentId) => {
    const file = join(folder, `${environmentId}.json`)
    const site = { environmentId, name: environmentId, geometry: null, routers: [`${environmentId}.1`] }
    writeFileSync(file, JSON.stringify(site))
    return ["--site", file]
  })

/**
 * The located room.
 *
 * @param rooms those that count
 */
const makeLocated = (
  stays: TestService,
  token: string,
  { key, rooms, scenario }: { readonly key: string; readonly rooms: Array<Room>; readonly scenario: Scenario },
): FaultWorld["located"] => {
  let room: Room | null = null
  let playing: Fiber.Fiber<unknown, unknown> | null = null
  return {
    start: async () => {
      const started: Room = { environmentId: locatedRoom, frames: [], arrivedMs: [] }
      room = started
      await readRoom(stays, token, started, () => room !== started)
      const startMs = Math.ceil(Date.now() / 100) * 100
      const source = openSimulation(scenario, { startMs, seed: 1, hops: null })
      const connect = connectIngest({ address: stays.grpc, apiKey: Redacted.make(key), rootCertPem: null })
      playing = Effect.runFork(
        Effect.flatMap(connect, (send) => play(source, send, { startMs, speed: 1, progress: noProgress() })).pipe(
          Effect.scoped,
        ),
      )
      await eventually(() => Promise.resolve(started.frames.length), (frames) => frames >= settledFrames, settleMsMax)
      rooms.push(started)
    },
    stop: () => {
      if (room !== null) rooms.splice(rooms.indexOf(room), 1)
      room = null
      if (playing !== null) Effect.runFork(Fiber.interrupt(playing))
      playing = null
    },
  }
}

/** @param options.ownDisk gives the database a disk of its own, where the machine can */
export const startFaultWorld = async (options: { readonly ownDisk?: boolean } = {}): Promise<FaultWorld> => {
  const postgres = (await startPostgres(options.ownDisk && canMountDisk() ? { diskMib } : {}))!
  let standby: TestStandby | null = null
  const [link, linkOfFirst] = [await linkTo(postgres.url), await linkTo(postgres.url)]
  const folder = mkdtempSync(join(tmpdir(), "wavepose-faults-"))
  let started = 0
  const startTwo = (env: Record<string, string> = {}) =>
    startService({
      env: { DATABASE_URL: namedUrl(link.url, `second_${++started}`), WAVEPOSE_HOME_TOKENS: homeToken, ...env },
      args: ["--source", "none"],
    })
  // The second node joins before the system starts, so both nodes host rooms.
  let two = await startTwo()
  await noteWriters(postgres.url)
  const sites = await smallRooms([locatedRoom])
  const stays = await startService({
    env: { DATABASE_URL: namedUrl(linkOfFirst.url, "first"), WAVEPOSE_HOME_TOKENS: homeToken },
    args: ["--source", "none", ...siteArguments(folder), ...sites.siteArguments],
    preload: kernelPreload,
  })
  const api = await signIn(stays)
  const { body: { key } } = await api.post("/auth/api-keys", { name: "faults", role: "operator" })
  const all: Array<Room> = rooms.map((environmentId) => ({ environmentId, frames: [], arrivedMs: [] }))
  const sending = { disorder: false }
  let over = false
  const isOver = () => over
  let stopSending = () => {}
  let deliver: ((bytes: Uint8Array) => Promise<IngestAck | null>) | undefined
  let deliverRaw = deliver
  const connected = new Promise<void>((resolve) => {
    void Effect.runPromise(
      Effect.gen(function* () {
        const connect = connectIngest({ address: stays.grpc, apiKey: Redacted.make(key), rootCertPem: null })
        const [send, sendRaw] = [yield* connect, yield* connect]
        deliver = (bytes) => Effect.runPromise(Effect.orElseSucceed(send(bytes), () => null))
        // On a stream of its own: answers are in the order of the batches of a stream.
        deliverRaw = (bytes) => Effect.runPromise(Effect.orElseSucceed(sendRaw(bytes), () => null))
        resolve()
        yield* Effect.callback<void>((resume) => {
          stopSending = () => resume(Effect.void)
        })
      }).pipe(Effect.scoped),
    )
  })
  await connected
  await Promise.all(all.map((room) => readRoom(stays, api.token, room, isOver)))
  const acknowledged = new Map(rooms.map((room) => [room, new AcknowledgedHops()]))
  const senders = [...acknowledged].map(([room, hops]) =>
    sendRouter(`${room}.1`, deliver!, isOver, {
      sending,
      isMoving: true,
      answered: (hop, ack) => hops.take(hop, ack),
    })
  )
  const losses = new Map(rooms.map((room) => [room, new LostHops()]))
  const writers = startWriters({ nodes: () => [stays, two], api, room: rooms[0]! })
  const settle = async () => {
    const from = all.map(({ frames }) => frames.length)
    await eventually(
      () => Promise.resolve(all.map(({ frames }, i) => frames.length - from[i]!)),
      (more) => Math.min(...more) >= settledFrames,
      settleMsMax,
    )
  }
  const stall = async () => {
    const newestMs = () => Math.max(...all.map(({ arrivedMs }) => arrivedMs.at(-1) ?? 0))
    await eventually(() => Promise.resolve(performance.now() - newestMs()), (ms) => ms >= stalledMs, settleMsMax)
  }
  const located = makeLocated(stays, api.token, { key, rooms: all, scenario: sites.scenarioOf(locatedRoom) })
  return {
    stays,
    api,
    postgres,
    link,
    located,
    sending,
    writers,
    failOver: async () => {
      if (postgres.startStandby === null) throw new Error("a database in a container has no standby")
      const follows = await postgres.startStandby()
      await postgres.crash()
      await follows.promote()
      standby = follows
      for (const one of [link, linkOfFirst]) one.leadTo(follows.url)
    },
    second: () => two,
    roomsOfSecond: () => roomsOf((standby ?? postgres).url, "second"),
    startSecond: async (env) => {
      two = await startTwo(env)
    },
    sendRaw: (bytes) => deliverRaw!(bytes),
    settle,
    stall,
    silenceMs: (sinceMs) =>
      Math.round(
        Math.max(
          0,
          ...all.flatMap(({ arrivedMs }) => arrivedMs.slice(1).map((ms, i) => ms >= sinceMs ? ms - arrivedMs[i]! : 0)),
        ),
      ),
    judge: async () => {
      // Before the history is read: what a reader sees meanwhile may be newer than the history.
      const watched = all.map(({ environmentId, frames }) => ({ client: "reader", environmentId, frames: [...frames] }))
      // The history is read first: later heads belong to no frame of it.
      const { url } = standby ?? postgres
      const frames = await historyOf(url, all.map(({ environmentId }) => environmentId))
      const written = await readWriters(url)
      const history = new Map([...frames].map(([room, stored]) => [room, written.frames(room, stored)]))
      const shed = await shedHopsOf(api, rooms, settleMsMax)
      const lost = new Map([...losses].map(([room, hops]) => {
        const { timestampsMs: acknowledgedMs } = acknowledged.get(room)!
        const seen = {
          acknowledgedMs,
          frames: history.get(room)!,
          claims: written.claims(room),
          shedHops: shed.get(room)!,
        }
        return [room, hops.judge(seen)]
      }))
      const violations = [
        ...violationsOf({ history, watched, freshMs: Date.now() - lateMsMax }),
        ...await writers.violations(),
      ]
      return { lost, violations }
    },
    stop: async () => {
      over = true
      await writers.stop()
      located.stop()
      sites.remove()
      await Promise.all(senders)
      stopSending()
      await two.kill()
      await stays.stop()
      for (const one of [link, linkOfFirst]) await one.stop()
      await standby?.stop()
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
