/**
 * Pose frames in the database.
 *
 * Owns the group commit: concurrent appends share one transaction. Environments are distributed over `lanesMax`
 * writers, so that one encodes while the database works for another. An environment keeps its writer, so its
 * frames are written in the order of their arrival.
 *
 * Invariants:
 * 1. An append returns after its commit; its frames are of one transaction. At most `waitingMax` appends wait for a writer.
 * 2. An id is written once: of several appends of an id, on any nodes, exactly one returns true. Ids of an environment increase: an append
 * whose id is not above the environment's head, or whose generation was superseded, is not written. The head's row is locked during the
 * write, so this holds across nodes.
 * 3. An append that is interrupted before its transaction begins is not written.
 * 4. The minute sums count the written frames in the same transaction.
 */
import type { PgClient } from "@effect/sql-pg"
import { Clock, Context, Effect, Exit, Layer, Queue, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import type { ArchivedFrame, NewestFrame } from "../../../protocols/messages/archive.ts"
import { Privacy } from "../../../protocols/ports/privacy.ts"
import { orStoreUnavailable } from "../database/database.ts"
import { FrameBodies } from "../encryption/body-encryption.ts"
import { batchOf } from "./frame-id-fence.ts"
import type { Memory } from "./frame-statement.ts"
import { makeFrameWriter } from "./frame-writer.ts"
import { type Day, dayOf, makePartition, windowOf } from "../sql/partitions.ts"

/** Appends that may wait for a writer. Further ones fail at once. */
const waitingMax = 1024
/** Appends of one transaction. */
const batchMax = 512
/** Writers of a node. Each uses a connection while it writes. */
const lanesMax = 2

const stored = Exit.succeed(true)
const notStored = Exit.succeed(false)

/** Memory that a writer keeps for reuse. */
const scratchBytesMax = 4 * 2 ** 20

export class FrameStore extends Context.Service<FrameStore, {
  /**
   * Writes frames with successive ids of one generation, one at least. True: they are on disk. False: the environment already has these ids or
   * later ones, and nothing was written. A caller that does not know what became of an append tries the same ids again, with no others.
   */
  readonly append: (
    environmentId: string,
    ...frames: ReadonlyArray<ArchivedFrame>
  ) => Effect.Effect<boolean, StoreUnavailable>
  /** Claims the environment for an activation: appends of earlier generations are not written from now on. Returns its generation. */
  readonly claim: (environmentId: string) => Effect.Effect<number, StoreUnavailable>
  /** The newest frame that was ever written, without its body if that was deleted or is unreadable. */
  readonly newest: (environmentId: string) => Effect.Effect<NewestFrame | null, StoreUnavailable>
}>()("wavepose/actors/FrameStore") {
  static readonly layer: Layer.Layer<
    FrameStore,
    never,
    SqlClient.SqlClient | PgClient.PgClient | FrameBodies | Privacy
  > = Layer.effect(
    FrameStore,
    Effect.suspend(() => make),
  )
}

interface Waiting {
  readonly environmentId: string
  readonly frames: ReadonlyArray<ArchivedFrame>
  readonly answer: (answer: Exit.Exit<boolean, StoreUnavailable>) => void
  /** The caller was interrupted. */
  cancelled: boolean
}

/** A reusable buffer for the bodies of successive batches: allocating one costs more than the copy. */
const scratch = (): Memory => {
  let memory = new Uint8Array(0)
  return (length) => {
    if (length > scratchBytesMax) return new Uint8Array(length)
    if (length > memory.length) memory = new Uint8Array(Math.min(scratchBytesMax, 2 * length))
    return memory.subarray(0, length)
  }
}

/** The writer of an environment. */
const laneOf = (environmentId: string): number => {
  let sum = 0
  for (let i = 0; i < environmentId.length; i++) sum += environmentId.charCodeAt(i)
  return sum % lanesMax
}

/** The first append of each id in a batch, of the newest generation. The others return false, whatever becomes of it. */
const firstOf = (batch: ReadonlyArray<Waiting>): ReadonlyArray<Waiting> => {
  const ids = new Map<string, Set<number>>()
  const newest = new Map<string, number>()
  for (const { environmentId, frames } of batch) {
    const { generation } = frames[0]!
    newest.set(environmentId, Math.max(generation, newest.get(environmentId) ?? generation))
  }
  return batch.filter(({ environmentId, frames }) => {
    if (frames[0]!.generation !== newest.get(environmentId)) return false
    const known = ids.get(environmentId) ?? new Set()
    ids.set(environmentId, known)
    if (frames.some(({ frameId }) => known.has(frameId))) return false
    for (const { frameId } of frames) known.add(frameId)
    return true
  })
}

/** Creates the partitions for frames. A day whose partition cannot be created uses the default one, without another attempt. */
const partitionMaker = Effect.gen(function* () {
  const context = yield* Effect.context<SqlClient.SqlClient>()
  const privacy = yield* Privacy
  const tried = new Set<Day>()
  // A statement that runs while a partition is attached is rejected, so the writers of a node wait.
  const oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)

  const tryDay = Effect.fnUntraced(function* (day: Day) {
    const { dataRetentionDays } = yield* privacy.current
    const { first, last } = windowOf(yield* Clock.currentTimeMillis, dataRetentionDays)
    for (const day of tried) if (day < first) tried.delete(day)
    if (tried.has(day) || day < first || day > last) return
    yield* makePartition(day).pipe(
      Effect.provide(context),
      Effect.catch((error) => Effect.logWarning("a day of frames has no partition of its own", error.message)),
    )
    tried.add(day)
  })

  return Effect.fnUntraced(function* (timesMs: ReadonlyArray<number>) {
    for (const day of new Set(timesMs.map(dayOf))) {
      if (!tried.has(day)) yield* oneAtATime(tryDay(day))
    }
  })
})

/** Claims an environment. Its first frame brings its generation: until then, ids alone are fenced. */
const claim = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, environmentId: string) {
  const [head] = yield* orStoreUnavailable(sql<{ generation: number }>`
    UPDATE frame_heads SET generation = generation + 1 WHERE environment_id = ${environmentId}
    RETURNING generation::float8`)
  return head?.generation ?? 1
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const bodies = yield* FrameBodies
  const makePartitions = yield* partitionMaker
  const writeBatch = yield* makeFrameWriter
  const lanes = yield* Effect.all(Array.from({ length: lanesMax }, () => Queue.dropping<Waiting>(waitingMax)))

  const store = Effect.fnUntraced(function* (appends: ReadonlyArray<Waiting>, memory: Memory) {
    const batch = appends.flatMap(({ environmentId, frames }) => frames.map((frame) => ({ environmentId, frame })))
    yield* makePartitions(batch.map(({ frame }) => frame.timestampMs))
    const sealed = yield* bodies.sealAll(batch.map(({ frame }) => frame.body))
    const frames = batchOf(batch.map((one, i) => ({ ...one, ...sealed[i]! })))
    const heads = yield* orStoreUnavailable(writeBatch(frames, appends.length, memory))
    return new Map(heads.map((head) => [head.environment_id, head.previous_id]))
  })

  const write = Effect.fnUntraced(function* (taken: ReadonlyArray<Waiting>, memory: Memory) {
    const batch = taken.filter(({ cancelled }) => !cancelled)
    if (batch.length === 0) return
    const first = firstOf(batch)
    const exit = yield* Effect.exit(store(first, memory))
    if (Exit.isFailure(exit)) {
      for (const { answer } of batch) answer(Exit.failCause(exit.cause))
      return
    }
    const firsts = new Set(first)
    for (const one of batch) {
      const isNew = firsts.has(one) && one.frames[0]!.frameId > (exit.value.get(one.environmentId) ?? Infinity)
      one.answer(isNew ? stored : notStored)
    }
  })
  for (const lane of lanes) {
    const memory = scratch()
    yield* Queue.takeBetween(lane, 1, batchMax).pipe(
      Effect.flatMap((taken) => write(taken, memory)),
      Effect.forever,
      Effect.forkScoped,
    )
  }

  return FrameStore.of({
    append: (environmentId, ...frames) =>
      Effect.callback((answer) => {
        const entry: Waiting = { environmentId, frames, answer, cancelled: false }
        if (!Queue.offerUnsafe(lanes[laneOf(environmentId)]!, entry)) {
          const message = `${waitingMax} appends of frames wait: the database is too slow.`
          return answer(new StoreUnavailable({ message }))
        }
        return Effect.sync(() => entry.cancelled = true)
      }),
    claim: (environmentId) => claim(sql, environmentId),
    newest: Effect.fnUntraced(function* (environmentId) {
      const [newest] = yield* orStoreUnavailable(sql<NewestFrame & { readonly keyId: number | null }>`
        SELECT head.frame_id::float8 AS "frameId", (extract(epoch FROM head.ts) * 1000)::float8 AS "timestampMs",
          frame.key_id::int4 AS "keyId", frame.body
        FROM frame_heads AS head LEFT JOIN pose_frames AS frame
          ON frame.environment_id = head.environment_id AND frame.ts = head.ts AND frame.frame_id = head.frame_id
        WHERE head.environment_id = ${environmentId}`)
      if (newest === undefined) return null
      const { body, frameId, keyId, timestampMs } = newest
      const opened = body === null
        ? null
        : yield* Effect.catch(bodies.open(keyId, body), ({ message }) => Effect.as(Effect.logWarning(message), null))
      return { frameId, timestampMs, body: opened }
    }),
  })
})
