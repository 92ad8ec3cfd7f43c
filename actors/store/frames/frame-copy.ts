/**
 * Writes a batch of frames by COPY: one transaction for the fence, the minute sums, and the frames as binary rows.
 *
 * Boundary: `frame-writer.ts` decides which batches are copied, and handles those that cannot be.
 *
 * Invariants:
 * 1. A batch is written whole or not at all. A batch with a frame that is not new is rejected, because the sums count all frames.
 * 2. `NotCopied` means that nothing was written. If only the commit failed, the outcome is unknown, as for any lost answer: that
 * is an `SqlError`.
 */
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import { activities } from "../../../protocols/domain/frame-summary.ts"
import { type CopyClient, NotCopied } from "../sql/copy-clients.ts"
import { CopyRows, messagesBytesMax } from "../sql/copy-rows.ts"
import { fence, type FrameBatch, type PreviousHead } from "./frame-id-fence.ts"
import { frameRowColumns, type Memory } from "./frame-statement.ts"
import { addToMinutes, minuteRows, minuteSumsOf } from "./minute-sums.ts"

const fields = 11 + activities.length
/** Upper bound of the fields of a row in bytes, without the environment's id and the body. */
const fixedBytesMax = 192

const statement = `COPY pose_frames (${frameRowColumns}) FROM STDIN (FORMAT binary)`

const utf8 = new TextEncoder()

/**
 * The frames of a batch as rows of `pose_frames`.
 *
 * @throws RangeError if a value does not fit its column's type
 */
const rowsOf = ({ frames, heads, heads1 }: FrameBatch, memory: Memory): Uint8Array => {
  const environmentIds = heads.map(({ environmentId }) => utf8.encode(environmentId))
  const bytes = frames.reduce(
    (sum, { body }, i) => sum + fixedBytesMax + environmentIds[heads1[i]! - 1]!.length + body.length,
    0,
  )
  const rows = new CopyRows(memory(messagesBytesMax(frames.length, bytes)))
  const sources = new Map<string, Uint8Array>()
  for (let i = 0; i < frames.length; i++) {
    const { body, frame: { frameId, summary, timestampMs }, keyId } = frames[i]!
    const source = sources.get(summary.source) ?? utf8.encode(summary.source)
    sources.set(summary.source, source)
    rows.row(fields)
    rows.bytes(environmentIds[heads1[i]! - 1]!)
    rows.moment(timestampMs)
    rows.bigint(frameId)
    if (summary.personCount === null) rows.null()
    else rows.smallint(summary.personCount)
    if (summary.confidence === null) rows.null()
    else rows.real(summary.confidence)
    for (const activity of activities) rows.smallint(summary.activities[activity])
    rows.real(summary.processingMs)
    rows.bytes(source)
    if (summary.present === null) rows.null()
    else rows.boolean(summary.present)
    if (summary.motion === null) rows.null()
    else rows.real(summary.motion)
    if (keyId === null) rows.null()
    else rows.smallint(keyId)
    rows.bytes(body)
  }
  return rows.end()
}

/**
 * Writes a batch of new frames and returns what `insertFrames` returns. Returns null, and writes nothing, if a frame is not new.
 *
 * A failed transaction ends with its connection, so a failure of its rollback does not matter.
 */
export const copyFrames = Effect.fnUntraced(function* (
  { copy, sql }: CopyClient,
  batch: FrameBatch,
  memory: Memory,
): Effect.fn.Return<ReadonlyArray<PreviousHead> | null, NotCopied | SqlError.SqlError> {
  const rows = yield* Effect.try({ try: () => rowsOf(batch, memory), catch: (cause) => new NotCopied({ cause }) })
  const uncommitted = Effect.gen(function* () {
    yield* sql`BEGIN`
    const previous = yield* sql<PreviousHead>`
      WITH fence AS (${fence(sql, batch.heads)}),
        sums AS (${addToMinutes(sql, minuteRows(sql, minuteSumsOf(batch.frames)))})
      SELECT environment_id, previous_id FROM fence`
    const firstIds = new Map(batch.heads.map(({ environmentId, firstId }) => [environmentId, firstId]))
    const isNew = previous.every((head) => firstIds.get(head.environment_id)! > head.previous_id)
    if (isNew) yield* copy(statement, rows)
    return isNew ? previous : null
  })
  const previous = yield* Effect.mapError(uncommitted, (cause) => new NotCopied({ cause }))
  if (previous === null) yield* sql`ROLLBACK`
  else yield* sql`COMMIT`
  return previous
})
