/**
 * Pose frames in the database.
 *
 * Owns the group commit: appends that wait at the same moment share one statement and one commit. Environments are spread over
 * `lanesMax` writers, so that one encodes while the database works for another; an environment stays with its writer, so its
 * frames are written in the order in which they come.
 *
 * Invariants:
 * 1. An append answers after its commit. At most `waitingMax` frames wait for a writer.
 * 2. An id is written once, and of all its appends, on whatever node, one alone is told so. Ids of an environment rise: an append whose
 *    id is not above the environment's head is not written. The head's row is locked while frames are written, so this holds between nodes.
 * 3. An append that was interrupted before its statement began is not written.
 * 4. The sums of minutes count what is written, in the same transaction.
 */
import { Clock, Context, Deferred, Effect, Exit, Layer, Queue, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { StoreUnavailable } from "../../protocols/domain/failure.ts"
import type { ArchivedFrame, NewestFrame } from "../../protocols/messages/archive.ts"
import { Privacy } from "../../protocols/messages/privacy.ts"
import { orStoreUnavailable } from "./database.ts"
import { FrameBodies } from "./frame-bodies.ts"
import { columnsOf, writeFrames } from "./frame-statement.ts"
import { type Day, dayOf, makePartition, windowOf } from "./partitions.ts"

/** Frames that may wait for a writer; beyond them an append fails at once. */
const waitingMax = 1024
/** Frames of one statement. */
const batchMax = 512
/** Writers of a node, each with a connection while it writes. */
const lanesMax = 2

/** Memory that a writer keeps. */
const scratchBytesMax = 4 * 2 ** 20

export class FrameStore extends Context.Service<FrameStore, {
  /**
   * Writes a frame; answers true when it is on disk, false when the environment has this id or a later one already: then nothing was
   * written.
   */
  readonly append: (environmentId: string, frame: ArchivedFrame) => Effect.Effect<boolean, StoreUnavailable>
  /** The newest frame that was ever written; without its body when that is deleted or cannot be read. */
  readonly newest: (environmentId: string) => Effect.Effect<NewestFrame | null, StoreUnavailable>
}>()("wavepose/actors/FrameStore") {
  static readonly layer: Layer.Layer<FrameStore, never, SqlClient.SqlClient | FrameBodies | Privacy> = Layer.effect(
    FrameStore,
    Effect.suspend(() => make),
  )
}

interface Waiting {
  readonly environmentId: string
  readonly frame: ArchivedFrame
  readonly done: Deferred.Deferred<boolean, StoreUnavailable>
  /** Nobody waits for the answer any more. */
  cancelled: boolean
}

/** Memory for the bodies of one batch after the other: fresh memory for each costs more than the copy. */
const scratch = () => {
  let memory = new Uint8Array(0)
  return (length: number): Uint8Array => {
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

/** The first append of each id in a batch; the others came too late, whatever becomes of it. */
const firstOf = (batch: ReadonlyArray<Waiting>): ReadonlySet<Waiting> => {
  const first = new Map<string, Waiting>()
  for (const one of batch) {
    const key = `${one.frame.frameId} ${one.environmentId}`
    if (!first.has(key)) first.set(key, one)
  }
  return new Set(first.values())
}

/** Makes the partitions that frames want; a day whose partition cannot be made goes to the default one, and is not tried again. */
const partitionMaker = Effect.gen(function* () {
  const context = yield* Effect.context<SqlClient.SqlClient>()
  const privacy = yield* Privacy
  const tried = new Set<Day>()
  // A writer whose statement runs while a partition is attached is refused: writers of a node wait for it.
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

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const bodies = yield* FrameBodies
  const makePartitions = yield* partitionMaker
  const lanes = yield* Effect.all(Array.from({ length: lanesMax }, () => Queue.dropping<Waiting>(waitingMax)))

  const store = Effect.fnUntraced(function* (batch: ReadonlyArray<Waiting>, bytes: (length: number) => Uint8Array) {
    yield* makePartitions(batch.map(({ frame }) => frame.timestampMs))
    const sealed = yield* bodies.sealAll(batch.map(({ frame }) => frame.body))
    const columns = columnsOf(
      batch.map(({ environmentId, frame }, i) => ({ environmentId, frame, ...sealed[i]! })),
      bytes,
    )
    // A frame that went to the default partition while another node made the partition of its day is refused once.
    const written = Effect.retry(writeFrames(sql, columns), {
      times: 1,
      while: ({ reason }) => reason._tag === "ConstraintError",
    })
    const heads = yield* orStoreUnavailable(written)
    return new Map(heads.map((head) => [head.environment_id, head.previous_id]))
  })

  const write = Effect.fnUntraced(function* (taken: ReadonlyArray<Waiting>, bytes: (length: number) => Uint8Array) {
    const batch = taken.filter(({ cancelled }) => !cancelled)
    if (batch.length === 0) return
    const first = firstOf(batch)
    const exit = yield* Effect.exit(store([...first], bytes))
    for (const one of batch) {
      const answer = Exit.map(
        exit,
        (previous) => first.has(one) && one.frame.frameId > (previous.get(one.environmentId) ?? Infinity),
      )
      Deferred.doneUnsafe(one.done, answer)
    }
  })
  for (const lane of lanes) {
    const bytes = scratch()
    yield* Queue.takeBetween(lane, 1, batchMax).pipe(
      Effect.flatMap((taken) => write(taken, bytes)),
      Effect.forever,
      Effect.forkScoped,
    )
  }

  return FrameStore.of({
    append: Effect.fnUntraced(function* (environmentId, frame) {
      const done = Deferred.makeUnsafe<boolean, StoreUnavailable>()
      const entry: Waiting = { environmentId, frame, done, cancelled: false }
      const queued = yield* Queue.offer(lanes[laneOf(environmentId)]!, entry)
      if (!queued) {
        return yield* new StoreUnavailable({
          message: `${waitingMax} frames wait to be stored: the database is too slow.`,
        })
      }
      return yield* Effect.onInterrupt(Deferred.await(done), () => Effect.sync(() => entry.cancelled = true))
    }),
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
