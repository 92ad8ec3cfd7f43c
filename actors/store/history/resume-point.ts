/**
 * The position of the stored frames after a frame id.
 *
 * No index begins with the frame id. Ids have no gaps, so the newest `newest id - requested id` rows by time contain the frames after the
 * requested id. They are read from the primary key, without bodies.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import type { ResumePoint, ResumeRequest } from "../../../protocols/ports/frame-history.ts"
import { orStoreUnavailable } from "../database/database.ts"

interface PointRow {
  readonly newestFrameId: number
  readonly frameId: number | null
  readonly timestampUs: number | null
}

/** The resume point of a request; null while the environment has no frame. */
export const readResumePoint = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { afterFrameId, environmentId, framesMax }: ResumeRequest,
): Effect.fn.Return<ResumePoint | null, StoreUnavailable> {
  const after = sql`${afterFrameId}::float8::bigint`
  const [row] = yield* orStoreUnavailable(sql<PointRow>`
    SELECT head.frame_id::float8 AS "newestFrameId", first.frame_id::float8 AS "frameId",
      (extract(epoch FROM first.ts) * 1000000)::float8 AS "timestampUs"
    FROM frame_heads AS head LEFT JOIN LATERAL (
      SELECT ts, frame_id FROM (
        SELECT ts, frame_id FROM pose_frames WHERE environment_id = ${environmentId}
        ORDER BY ts DESC, frame_id DESC LIMIT least(${framesMax}::int8, greatest(0, head.frame_id - ${after}))
      ) AS recent WHERE frame_id > ${after} ORDER BY ts, frame_id LIMIT 1
    ) AS first ON TRUE
    WHERE head.environment_id = ${environmentId}`)
  if (row === undefined) return null
  const { frameId, newestFrameId, timestampUs } = row
  if (frameId === null || timestampUs === null) return { newestFrameId, first: null }
  return { newestFrameId, first: { timestampUs, environmentId, frameId } }
})
