/**
 * The database of a simulated cluster: its connections, its faults and the tables that decide who owns and who writes.
 *
 * Owns what PostgreSQL does with the statements of `effect/cluster` (`runner-storage.ts` beside this file) and of the frame store: shard
 * locks belong to the session of a process and end with it, or when it was idle for `idleSessionMs`; an append is fenced by its id.
 *
 * Invariants: a statement is executed at one moment, or not at all; its answer may be lost.
 */
import { Data, Effect, Latch } from "effect"
import type { SimulatedThread } from "./process.ts"
import type { World } from "./world.ts"

/** The statement was not executed, or its answer was lost: a caller cannot tell. */
export class DatabaseAway extends Data.TaggedError("DatabaseAway")<{ readonly message: string }> {}

/** `idle_session_timeout`, which Effect Cluster sets to the expiry of a lock. */
const idleSessionMs = 9_000
/** The session of a node that has renewed within this time is not ended by a peer. */
const renewedMsMax = 3_000
/** The time after which a client gives a statement up. */
const answerMsMax = 3_000
const latencyMs = { low: 0, high: 6 } as const
const slowMsMax = 1_000
/** Statements that take more of the disk. Updates of a row reuse its page. */
const growing: ReadonlySet<string> = new Set(["append", "leave memory"])

export interface StoredFrame {
  readonly frameId: number
  readonly timestampMs: number
  readonly body: Uint8Array
  /** The process of the activation that made it. */
  readonly writer: string
  readonly writtenMs: number
  /** The process that held the shard of the environment at that moment and had begun to run it; null: none. */
  readonly owner: string | null
}

interface Session {
  readonly locks: Set<string>
  usedMs: number
}

interface RunnerRow {
  readonly runner: string
  /** The process that registered it. */
  readonly process: string
  readonly machineId: number
  healthy: boolean
  heartbeatMs: number
}

export class SimulatedDatabase {
  readonly #world: World
  readonly #fenced: boolean
  readonly #sessions = new Map<string, Session>()
  /** Processes that have connections, with or without a session that holds locks. */
  readonly #connected = new Set<string>()
  readonly #runners = new Map<string, RunnerRow>()
  readonly #frames = new Map<string, Array<StoredFrame>>()
  readonly #claims = new Map<string, { readonly generation: number; readonly process: string }>()
  /** What environments have left for their next activation. */
  readonly memories = new Map<string, string>()
  readonly #unreachable = new Map<number, Latch.Latch>()
  /** Processes of unreachable nodes that have closed their sessions. */
  readonly #closing = new Map<number, ReadonlyArray<string>>()
  #machines = 0
  /** Numbers of nodes half of whose answers are lost. */
  readonly losesAnswersOf = new Set<number>()
  isAway = false
  isSlow = false
  isFull = false
  /** Statements that were executed. */
  readonly load = { statements: 0 }

  /** @param fenced false: a planted bug, without the fence of frame ids */
  constructor(world: World, fenced: boolean) {
    this.#world = world
    this.#fenced = fenced
  }

  /** Runs a statement for a process. */
  readonly call = <A>(process: SimulatedThread, name: string, statement: () => A): Effect.Effect<A, DatabaseAway> =>
    Effect.gen({ self: this }, function* () {
      const { between, sleep } = this.#world
      yield* process.gate
      yield* this.#unreachable.get(process.node)?.await ?? Effect.void
      yield* sleep(between(latencyMs.low, latencyMs.high) + (this.isSlow ? between(0, slowMsMax) : 0))
      if (this.isAway) return yield* new DatabaseAway({ message: `${name}: the database is away` })
      if (this.isFull && growing.has(name)) return yield* new DatabaseAway({ message: `${name}: the disk is full` })
      yield* process.gate
      this.load.statements++
      this.#connected.add(process.name)
      const answer = statement()
      const isLost = this.losesAnswersOf.has(process.node) && this.#world.random.uniform() < 0.5
      yield* sleep(between(latencyMs.low, latencyMs.high))
      yield* this.#unreachable.get(process.node)?.await ?? Effect.void
      yield* process.gate
      return isLost ? yield* new DatabaseAway({ message: `${name}: the answer was lost` }) : answer
    }).pipe(Effect.timeoutOrElse({
      duration: answerMsMax,
      orElse: () => Effect.fail(new DatabaseAway({ message: `${name}: no answer` })),
    }))

  cut(node: number): void {
    this.#unreachable.set(node, Latch.makeUnsafe(false))
  }

  heal(node: number): void {
    this.#unreachable.get(node)?.openUnsafe()
    this.#unreachable.delete(node)
    for (const process of this.#closing.get(node) ?? []) this.endSession(process)
    this.#closing.delete(node)
  }

  /** A process closes its session. The database learns it once it is reachable. */
  closeSession({ name, node }: SimulatedThread): void {
    if (!this.#unreachable.has(node)) this.endSession(name)
    else this.#closing.set(node, [...this.#closing.get(node) ?? [], name])
  }

  /** Ends the connections of a process, and its locks. */
  endSession(process: string): void {
    this.#connected.delete(process)
    this.#sessions.delete(process)
  }

  endAllSessions(): void {
    this.#connected.clear()
    this.#sessions.clear()
  }

  // Statements: each is executed at one moment.

  /** False: the session was ended, and with it its locks. A new one is opened. */
  useSession(process: string): boolean {
    const session = this.#alive(process)
    if (session === undefined) {
      this.#sessions.set(process, { locks: new Set(), usedMs: this.#world.nowMs() })
      return false
    }
    session.usedMs = this.#world.nowMs()
    return true
  }

  /** Locks the shards that no other session holds; returns those that the process holds. */
  lock(process: string, shards: ReadonlyArray<string>): ReadonlyArray<string> {
    const locks = this.#sessions.get(process)?.locks
    if (locks === undefined) return []
    const free = shards.filter((shard) => (this.ownerOf(shard) ?? process) === process)
    const taken = free.filter((shard) => !locks.has(shard))
    if (taken.length > 0) this.#world.note(`${process} locks ${taken.join(" ")}`)
    for (const shard of taken) locks.add(shard)
    return free
  }

  /** The shards among `shards` that the session of the process holds. */
  held(process: string, shards: ReadonlyArray<string>): ReadonlyArray<string> {
    const locks = this.#alive(process)?.locks
    return locks === undefined ? [] : shards.filter((shard) => locks.has(shard))
  }

  release(process: string, shard: string): void {
    if (this.#alive(process)?.locks.delete(shard)) this.#world.note(`${process} releases ${shard}`)
  }

  releaseAll(process: string): void {
    this.#alive(process)?.locks.clear()
  }

  /** The process whose session holds a shard. */
  ownerOf(shard: string): string | null {
    for (const process of this.#sessions.keys()) if (this.#alive(process)?.locks.has(shard)) return process
    return null
  }

  register(process: string, address: string, runner: string, healthy: boolean): number {
    const machineId = this.#runners.get(address)?.machineId ?? ++this.#machines
    this.#runners.set(address, { runner, process, machineId, healthy, heartbeatMs: this.#world.nowMs() })
    this.#world.note(`${address} registers`)
    return machineId
  }

  unregister(address: string): void {
    this.#world.note(`${address} unregisters`)
    for (const [known, row] of this.#runners) {
      if (known === address || !this.#isCurrent(row)) this.#runners.delete(known)
    }
  }

  runners(): ReadonlyArray<readonly [runner: string, healthy: boolean]> {
    return [...this.#runners.values()].filter((row) => this.#isCurrent(row)).map((
      { healthy, runner },
    ) => [runner, healthy])
  }

  setHealth(address: string, healthy: boolean): void {
    const row = this.#runners.get(address)
    if (row === undefined || row.healthy === healthy) return
    row.healthy = healthy
    this.#world.note(`${address} is ${healthy ? "healthy" : "unhealthy"}`)
  }

  /** When a runner has renewed last; null: it is not registered. */
  heartbeatOf(address: string): number | null {
    return this.#runners.get(address)?.heartbeatMs ?? null
  }

  /** Whether a runner's process has connections. */
  isConnected(address: string): boolean {
    return this.#connected.has(this.#runners.get(address)?.process ?? "")
  }

  /** Ends the session of a runner that has not renewed lately. */
  endLapsed(address: string): void {
    const row = this.#runners.get(address)
    if (row === undefined || this.#world.nowMs() - row.heartbeatMs < renewedMsMax) return
    this.#world.note(`${row.process} loses its locks: a peer ends its session`)
    this.endSession(row.process)
  }

  heartbeat(address: string): void {
    const row = this.#runners.get(address)
    if (row !== undefined) row.heartbeatMs = this.#world.nowMs()
  }

  /** Claims an environment for an activation in a process; returns its generation. */
  claim(environmentId: string, process: string): number {
    const generation = (this.#claims.get(environmentId)?.generation ?? 0) + 1
    this.#claims.set(environmentId, { generation, process })
    return generation
  }

  /** Appends a frame, unless the environment has its id or a later one, or a later activation has claimed it. */
  append(
    environmentId: string,
    shard: string,
    { generation, ...frame }: Omit<StoredFrame, "owner" | "writtenMs"> & { readonly generation: number },
  ): boolean {
    const frames = this.framesOf(environmentId)
    const claim = this.#claims.get(environmentId)
    const isStale = generation < (claim?.generation ?? 0)
    if (this.#fenced && (isStale || frame.frameId <= (frames.at(-1)?.frameId ?? 0))) return false
    // A frame is of the activation that made it, whichever node's archive carries it to the database.
    const writer = generation === claim?.generation ? claim.process : frame.writer
    const holder = this.ownerOf(shard)
    const owner = holder === claim?.process ? holder : null
    this.#frames.set(environmentId, [...frames, { ...frame, writer, writtenMs: this.#world.nowMs(), owner }])
    this.#world.note(`${frame.writer} stores ${environmentId} ${frame.frameId} of ${frame.timestampMs}`)
    return true
  }

  /** In the order in which they were written. */
  framesOf(environmentId: string): ReadonlyArray<StoredFrame> {
    return this.#frames.get(environmentId) ?? []
  }

  #alive(process: string): Session | undefined {
    const session = this.#sessions.get(process)
    if (session === undefined || this.#world.nowMs() - session.usedMs <= idleSessionMs) return session
    this.#world.note(`${process} loses its locks: its session was idle`)
    this.#sessions.delete(process)
    return undefined
  }

  #isCurrent({ heartbeatMs }: RunnerRow): boolean {
    return this.#world.nowMs() - heartbeatMs < idleSessionMs
  }
}
