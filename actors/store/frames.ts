/**
 * Pose frames in the database.
 *
 * Owns the group commit: appends that wait at the same moment, of whatever environment, share one statement and one
 * commit. Invariants: an append answers after its commit; at most `waitingMax` frames wait; an id is written once, and of
 * all its appends one alone is told so; an append that was interrupted before its statement began is not written.
 */
import { Context, Deferred, Effect, Exit, Layer, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { StoreUnavailable } from "../../protocols/domain/failure.ts"
import type { ArchivedFrame } from "../../protocols/messages/archive.ts"
import { orStoreUnavailable } from "./database.ts"

/** Frames that may wait for the writer; beyond them an append fails at once. */
const waitingMax = 1024
/** Frames of one statement. */
const batchMax = 256

export class FrameStore extends Context.Service<FrameStore, {
  /** Writes a frame; answers true when it is on disk, false when this id was there already and was left as it is. */
  readonly append: (environmentId: string, frame: ArchivedFrame) => Effect.Effect<boolean, StoreUnavailable>
  readonly newest: (environmentId: string) => Effect.Effect<ArchivedFrame | null, StoreUnavailable>
}>()("wavepose/actors/FrameStore") {
  static readonly layer: Layer.Layer<FrameStore, never, SqlClient.SqlClient> = Layer.effect(
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

const keyOf = (environmentId: string, frameId: number): string => `${frameId} ${environmentId}`

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const waiting = yield* Queue.dropping<Waiting>(waitingMax)

  const write = Effect.fnUntraced(function* (taken: ReadonlyArray<Waiting>) {
    const batch = taken.filter(({ cancelled }) => !cancelled)
    if (batch.length === 0) return
    const exit = yield* Effect.exit(orStoreUnavailable(sql<{ environment_id: string; frame_id: number }>`
      INSERT INTO pose_frames (environment_id, frame_id, ts, person_count, body)
      SELECT environment_id, frame_id, to_timestamp(ts_ms / 1000), person_count, body
      FROM unnest(
        ${batch.map(({ environmentId }) => environmentId)}::text[],
        ${batch.map(({ frame }) => frame.frameId)}::float8[],
        ${batch.map(({ frame }) => frame.timestampMs)}::float8[],
        ${batch.map(({ frame }) => frame.personCount)}::int4[],
        ${batch.map(({ frame }) => frame.body) as never}::bytea[]
      ) AS frame (environment_id, frame_id, ts_ms, person_count, body)
      ON CONFLICT DO NOTHING
      RETURNING environment_id, frame_id::float8`))
    if (Exit.isFailure(exit)) {
      for (const { done } of batch) Deferred.doneUnsafe(done, Exit.failCause(exit.cause))
      return
    }
    const written = new Set(exit.value.map((row) => keyOf(row.environment_id, row.frame_id)))
    for (const { environmentId, frame, done } of batch) {
      // The row is of the first of its key; it was in the way of the others.
      Deferred.doneUnsafe(done, Exit.succeed(written.delete(keyOf(environmentId, frame.frameId))))
    }
  })
  yield* Queue.takeBetween(waiting, 1, batchMax).pipe(Effect.flatMap(write), Effect.forever, Effect.forkScoped)

  return FrameStore.of({
    append: Effect.fnUntraced(function* (environmentId, frame) {
      const done = Deferred.makeUnsafe<boolean, StoreUnavailable>()
      const entry: Waiting = { environmentId, frame, done, cancelled: false }
      const queued = yield* Queue.offer(waiting, entry)
      if (!queued) {
        return yield* new StoreUnavailable({
          message: `${waitingMax} frames wait to be stored: the database is too slow.`,
        })
      }
      return yield* Effect.onInterrupt(Deferred.await(done), () => Effect.sync(() => entry.cancelled = true))
    }),
    newest: Effect.fnUntraced(function* (environmentId) {
      const [frame] = yield* orStoreUnavailable(sql<ArchivedFrame>`
        SELECT frame_id::float8 AS "frameId", (extract(epoch FROM ts) * 1000)::float8 AS "timestampMs",
          person_count::int4 AS "personCount", body
        FROM pose_frames WHERE environment_id = ${environmentId} ORDER BY frame_id DESC LIMIT 1`)
      return frame ?? null
    }),
  })
})
