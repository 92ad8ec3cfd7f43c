/**
 * Rows of stored frames: the conditions of a range, and the conversion of rows to frames.
 *
 * Boundary: the queries are in the other files of this folder and in `history`. An unreadable body is logged and omitted, so that the other
 * rows are still returned.
 */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import type { PoseFrame } from "../../../protocols/domain/pose.ts"
import { decodePoseFrame } from "../../../protocols/grpc/pose-frame.ts"
import type { FramePosition, FrameRange } from "../../../protocols/ports/frame-history.ts"
import { orStoreUnavailable } from "../database/database.ts"
import type { ActiveReader } from "../sensing/active-environments.ts"
import type { FrameBodies } from "../encryption/body-encryption.ts"

/** A row of the columns `frameColumns`. */
export interface FrameRow {
  readonly timestampUs: number
  readonly environmentId: string
  readonly frameId: number
  readonly keyId: number | null
  readonly body: Uint8Array
}

/** Columns of a `FramePosition`. */
export const positionColumns =
  `(extract(epoch FROM ts) * 1000000)::float8 AS "timestampUs", environment_id AS "environmentId", frame_id::float8 AS "frameId"`

/** Columns of a `FrameRow`. */
export const frameColumns = `${positionColumns}, key_id::int4 AS "keyId", body`

/** Bodies that are decoded without a pause: about 5 ms. */
const decodedAtOnce = 64

export const positionOf = ({ environmentId, frameId, timestampUs }: FramePosition): FramePosition => ({
  timestampUs,
  environmentId,
  frameId,
})

/** A time with the precision that the writer of frames uses. */
export const momentOf = (sql: SqlClient.SqlClient, ms: number): Statement.Fragment =>
  sql`to_timestamp(${ms}::float8 / 1000)`

/** The order of frames. Within an environment it is that of the primary key. */
export const frameOrder = "ts, environment_id, frame_id"
const frameOrderDescending = "ts DESC, environment_id DESC, frame_id DESC"

/**
 * The condition of an environment. Without one it covers the active environments with frames, as an array for the lookup in the
 * primary keys: no index begins with the time.
 */
const ofEnvironment = ({ covers, sql }: ActiveReader, environmentId: string | null): Statement.Fragment =>
  environmentId === null
    ? sql`environment_id = ANY(ARRAY(SELECT environment_id FROM frame_heads WHERE ${covers(null)}))`
    : covers(environmentId)

/** The condition of a range on a column of times. */
const inTime = (
  sql: SqlClient.SqlClient,
  column: "ts" | "minute",
  { fromMs, toMs }: Pick<FrameRange, "fromMs" | "toMs">,
): ReadonlyArray<Statement.Fragment> => [
  ...(fromMs === null ? [] : [sql`${sql.literal(column)} >= ${momentOf(sql, fromMs)}`]),
  ...(toMs === null ? [] : [sql`${sql.literal(column)} < ${momentOf(sql, toMs)}`]),
]

/** The condition of a range on a column of times. */
export const within = (
  reader: ActiveReader,
  column: "ts" | "minute",
  range: FrameRange,
): Statement.Fragment =>
  reader.sql.and([ofEnvironment(reader, range.environmentId), ...inTime(reader.sql, column, range)])

/** The condition of what follows a position. It repeats the time alone, because that excludes partitions. */
const beyond = (
  sql: SqlClient.SqlClient,
  { environmentId, frameId, timestampUs }: FramePosition,
  newestFirst: boolean,
): Statement.Fragment => {
  const moment = sql`to_timestamp(${timestampUs}::float8 / 1000000)`
  const id = sql`${frameId}::float8::bigint`
  const [row, position] = environmentId === null
    ? [sql`(ts, frame_id)`, sql`(${moment}, ${id})`]
    : [sql`(ts, environment_id, frame_id)`, sql`(${moment}, ${environmentId}::text, ${id})`]
  return newestFirst ? sql`ts <= ${moment} AND ${row} < ${position}` : sql`ts >= ${moment} AND ${row} > ${position}`
}

interface RowsRequest {
  readonly range: FrameRange
  readonly after: FramePosition | null
  readonly newestFirst: boolean
  readonly limit: number
  /** Frames without persons are excluded. */
  readonly peopled: boolean
}

/**
 * The query of the next frames of a range, in order, with these columns of `pose_frames`.
 *
 * It finds the first `limit` frames of each active environment by the primary key, without bodies, then selects the first `limit` of all,
 * and reads only these.
 */
export const nextFrames = (
  { covers, sql }: ActiveReader,
  { after, limit, newestFirst, peopled, range }: RowsRequest,
  columns: string,
): Statement.Fragment => {
  const condition = sql.and([
    ...inTime(sql, "ts", range),
    ...(after === null ? [] : [beyond(sql, range.environmentId === null ? after : inRange(after), newestFirst)]),
    ...(peopled ? ["person_count > 0"] : []),
    "TRUE",
  ])
  const byKey = sql.literal(newestFirst ? "ts DESC, frame_id DESC" : "ts, frame_id")
  const wanted = sql.literal(columns)
  if (range.environmentId !== null) {
    return sql`SELECT ${wanted} FROM pose_frames WHERE environment_id = ${range.environmentId} AND ${condition}
      ORDER BY ${byKey} LIMIT ${limit}::int4`
  }
  const order = sql.literal(newestFirst ? frameOrderDescending : frameOrder)
  return sql`SELECT frame.* FROM (
      SELECT near.* FROM frame_heads CROSS JOIN LATERAL (
        SELECT environment_id, ts, frame_id FROM pose_frames
        WHERE environment_id = frame_heads.environment_id AND ${condition} ORDER BY ${byKey} LIMIT ${limit}::int4
      ) AS near WHERE ${covers(null, "frame_heads.environment_id")} ORDER BY ${order} LIMIT ${limit}::int4
    ) AS taken CROSS JOIN LATERAL (
      SELECT ${wanted} FROM pose_frames
      WHERE environment_id = taken.environment_id AND ts = taken.ts AND frame_id = taken.frame_id LIMIT 1
    ) AS frame`
}

/** Converts a position to a range of one environment. */
const inRange = (position: FramePosition): FramePosition => ({ ...position, environmentId: null })

/** The next rows of a range, in order. */
export const readRows = (
  reader: ActiveReader,
  request: RowsRequest,
): Effect.Effect<ReadonlyArray<FrameRow>, StoreUnavailable> => {
  const { sql } = reader
  const order = sql.literal(request.newestFirst ? frameOrderDescending : frameOrder)
  return orStoreUnavailable(sql<FrameRow>`
    SELECT ${sql.literal(frameColumns)} FROM (${
    nextFrames(reader, request, "ts, environment_id, frame_id, key_id, body")
  }) AS next ORDER BY ${order}`)
}

/** Applies `read` to the plain body of each row; null for an unreadable row. Yields to other work in between. */
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
