/** The rows of summaries: the columns that are summed, from frames and from minute sums alike, and what a row of the database means. */
import { activities } from "../../../protocols/domain/frame-summary.ts"
import type { Activity } from "../../../protocols/domain/pose.ts"
import type { SummaryRow } from "../../../protocols/ports/frame-summaries.ts"

/** The columns that minutes and frames share, for a frame. Floats add faster than PostgreSQL's sum of bigint. */
export const frameSums = `environment_id, ts AS minute, 1 AS frames, (source = 'live')::int AS live,
  (source = 'replay')::int AS replay, (source = 'simulated')::int AS simulated,
  (person_count IS NOT NULL)::int AS counted, coalesce(person_count, 0)::float8 AS persons, person_count AS most,
  (coalesce(confidence, 0) * coalesce(person_count, 0))::float8 AS confidence_sum,
  present::int AS present, (NOT present)::int AS absent, (motion IS NOT NULL)::int AS motions, motion::float8 AS motion,
  ${activities.map((activity) => `${activity}::float8`).join(", ")}`

/** The columns of a minute. */
export const minuteSums =
  `environment_id, minute, frames, frames_live AS live, frames_replay AS replay, frames_simulated AS simulated,
  frames_0 + frames_1 + frames_2 + frames_3 + frames_4_plus AS counted, person_frames::float8 AS persons, person_max AS most, confidence_sum,
  frames_present AS present, frames_absent AS absent, motion_frames AS motions, motion_sum AS motion,
  ${activities.map((activity) => `${activity}::float8`).join(", ")}`

/** A row of sums from the database. */
export type SumRow = Readonly<Record<Activity, number>> & {
  readonly timestampUs: number
  readonly environmentId: string
  readonly frameId: number | null
  readonly frames: number
  readonly live: number
  readonly replay: number
  readonly simulated: number
  /** Frames whose persons are counted. */
  readonly counted: number
  readonly persons: number
  readonly most: number | null
  readonly confidenceSum: number
  readonly present: number
  readonly absent: number
  readonly motions: number
  readonly motion: number
  /** Number of database rows behind it; for a single frame, the number of frames examined so far. */
  readonly records: number
}

export const rowOf = (row: SumRow, falls: number | null): SummaryRow => ({
  environmentId: row.environmentId,
  timestampMs: row.timestampUs / 1000,
  frameId: row.frameId,
  frames: row.frames,
  countedFrames: row.counted,
  personFrames: row.persons,
  personMax: row.counted > 0 ? row.most : null,
  confidence: row.persons > 0 ? row.confidenceSum / row.persons : null,
  activities: {
    walking: row.walking,
    standing: row.standing,
    sitting: row.sitting,
    lying: row.lying,
    falling: row.falling,
    unknown: row.unknown,
  },
  present: row.present,
  absent: row.absent,
  motion: row.motions > 0 ? row.motion / row.motions : null,
  falls,
  sources: { live: row.live, replay: row.replay, simulated: row.simulated },
})
