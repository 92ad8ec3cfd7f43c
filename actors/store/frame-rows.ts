/**
 * Rows of stored frames: how a range is asked for, and how rows become frames.
 *
 * Boundary: what is asked is in the files beside this one. A body that cannot be read is left out and logged: one bad row must not
 * take the others with it.
 */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { StoreUnavailable } from "../../protocols/domain/failure.ts"
import type { PoseFrame } from "../../protocols/domain/pose.ts"
import { decodePoseFrame } from "../../protocols/grpc/pose-frame.ts"
import type { FramePosition, FrameRange } from "../../protocols/messages/frame-history.ts"
import { orStoreUnavailable } from "./database.ts"
import type { FrameBodies } from "./frame-bodies.ts"

/** A frame's row as `frameColumns` selects it. */
export interface FrameRow {
  readonly timestampUs: number
  readonly frameId: number
  readonly keyId: number | null
  readonly body: Uint8Array
}

/** Columns of a `FramePosition`. */
export const positionColumns =
  `(extract(epoch FROM ts) * 1000000)::float8 AS "timestampUs", frame_id::float8 AS "frameId"`

/** Columns of a `FrameRow`. */
export const frameColumns = `${positionColumns}, key_id::int4 AS "keyId", body`

/** Bodies decoded in one go: about 5 ms. */
const decodedAtOnce = 64

export const positionOf = ({ frameId, timestampUs }: FramePosition): FramePosition => ({ timestampUs, frameId })

/** A moment as the writer of frames writes it. */
export const momentOf = (sql: SqlClient.SqlClient, ms: number): Statement.Fragment =>
  sql`to_timestamp(${ms}::float8 / 1000)`

/** The condition of a range on a column of times. */
export const within = (
  sql: SqlClient.SqlClient,
  column: "ts" | "minute",
  { environmentId, fromMs, toMs }: FrameRange,
): Statement.Fragment =>
  sql.and([
    sql`environment_id = ${environmentId}`,
    ...(fromMs === null ? [] : [sql`${sql.literal(column)} >= ${momentOf(sql, fromMs)}`]),
    ...(toMs === null ? [] : [sql`${sql.literal(column)} < ${momentOf(sql, toMs)}`]),
  ])

/** The condition of what follows a position. The time alone is said again, because it leaves out partitions. */
export const beyond = (
  sql: SqlClient.SqlClient,
  { frameId, timestampUs }: FramePosition,
  newestFirst: boolean,
): Statement.Fragment => {
  const moment = sql`to_timestamp(${timestampUs}::float8 / 1000000)`
  const id = sql`${frameId}::float8::bigint`
  return newestFirst
    ? sql`ts <= ${moment} AND (ts, frame_id) < (${moment}, ${id})`
    : sql`ts >= ${moment} AND (ts, frame_id) > (${moment}, ${id})`
}

export interface RowsRequest {
  readonly range: FrameRange
  readonly after: FramePosition | null
  readonly newestFirst: boolean
  readonly limit: number
  /** Frames with nobody in them are left out. */
  readonly peopled: boolean
}

/** The next rows of a range, in order. */
export const readRows = (
  sql: SqlClient.SqlClient,
  { after, limit, newestFirst, peopled, range }: RowsRequest,
): Effect.Effect<ReadonlyArray<FrameRow>, StoreUnavailable> => {
  const condition = sql.and([
    within(sql, "ts", range),
    ...(after === null ? [] : [beyond(sql, after, newestFirst)]),
    ...(peopled ? ["person_count > 0"] : []),
  ])
  const order = sql.literal(newestFirst ? "ts DESC, frame_id DESC" : "ts, frame_id")
  return orStoreUnavailable(sql<FrameRow>`
    SELECT ${sql.literal(frameColumns)} FROM pose_frames WHERE ${condition} ORDER BY ${order} LIMIT ${limit}::int4`)
}

/** What `read` makes of the plain body of each row; null for a row that cannot be read. Others get their turn in between. */
export const readBodies = Effect.fnUntraced(function* <A>(
  bodies: FrameBodies["Service"],
  rows: ReadonlyArray<FrameRow>,
  read: (body: Uint8Array) => A,
) {
  const made: Array<A | null> = []
  for (const [i, { body, frameId, keyId }] of rows.entries()) {
    if (i % decodedAtOnce === decodedAtOnce - 1) yield* Effect.yieldNow
    const plain = yield* bodies.open(keyId, body)
    const value = yield* Effect.try(() => read(plain)).pipe(
      Effect.catch(() =>
        Effect.as(Effect.logWarning(`the stored frame ${frameId} cannot be read and is left out`), null)
      ),
    )
    made.push(value)
  }
  return made
})

/** The frames of rows. */
export const readFrames = Effect.fnUntraced(function* (bodies: FrameBodies["Service"], rows: ReadonlyArray<FrameRow>) {
  const frames = yield* readBodies(bodies, rows, decodePoseFrame)
  return frames.filter((frame): frame is PoseFrame => frame !== null)
})
