/**
 * The minute sums of frames: computed here for frames that are copied, and the statement that adds sums to stored ones.
 *
 * Boundary: the statement that inserts frames (`frame-statement.ts`) computes their sums itself, because only it knows which are new. Both
 * give the same sums.
 */
import type { SqlClient, Statement } from "effect/sql"
import { activities } from "../../../protocols/domain/frame-summary.ts"
import type { Activity } from "../../../protocols/domain/pose.ts"
import type { Source } from "../../../protocols/domain/provenance.ts"
import type { ArchivedFrame } from "../../../protocols/messages/archive.ts"
import { integers, numbers, texts } from "../sql/columns.ts"
import { timestampUsOf, unixMsOf } from "../sql/copy-rows.ts"

/** A row of `pose_minutes`. */
interface MinuteSum {
  readonly environmentId: string
  readonly minuteMs: number
  frames: number
  readonly sources: Record<Source, number>
  personFrames: number
  /** -1 if no frame counts persons; the table has 0. */
  personMax: number
  /** Time of the first frame with the maximum of persons. */
  personMaxAtMs: number
  /** Sum over persons. */
  confidenceSum: number
  readonly activities: Record<Activity, number>
  /** Frames with 0, 1, 2, 3, and more persons. Frames whose persons are not counted are in none. */
  readonly byPersons: [number, number, number, number, number]
  processingMsSum: number
  /** Frames that state presence, and absence. */
  present: number
  absent: number
  /** Frames with a value of motion, and its sum. */
  motionFrames: number
  motionSum: number
}

const minuteUs = 60_000_000

const emptyMinute = (environmentId: string, minuteMs: number): MinuteSum => ({
  environmentId,
  minuteMs,
  frames: 0,
  sources: { live: 0, replay: 0, simulated: 0 },
  personFrames: 0,
  personMax: -2,
  personMaxAtMs: 0,
  confidenceSum: 0,
  activities: { walking: 0, standing: 0, sitting: 0, lying: 0, falling: 0, unknown: 0 },
  byPersons: [0, 0, 0, 0, 0],
  processingMsSum: 0,
  present: 0,
  absent: 0,
  motionFrames: 0,
  motionSum: 0,
})

const add = (sum: MinuteSum, { summary, timestampMs }: ArchivedFrame): void => {
  const { confidence, motion, personCount, present, processingMs, source } = summary
  sum.frames++
  sum.sources[source]++
  const persons = personCount ?? 0
  sum.personFrames += persons
  // A frame whose persons are not counted is the maximum only among such frames.
  const rank = personCount ?? -1
  if (rank > sum.personMax || (rank === sum.personMax && timestampMs < sum.personMaxAtMs)) {
    sum.personMax = rank
    sum.personMaxAtMs = timestampMs
  }
  // With the precision of the frame's columns.
  sum.confidenceSum += Math.fround(confidence ?? 0) * persons
  sum.processingMsSum += Math.fround(processingMs)
  if (present === true) sum.present++
  if (present === false) sum.absent++
  if (motion !== null) {
    sum.motionFrames++
    sum.motionSum += Math.fround(motion)
  }
  for (const activity of activities) sum.activities[activity] += summary.activities[activity]
  if (personCount !== null) sum.byPersons[Math.min(personCount, 4)]!++
}

/** The sums of frames by environment and minute. */
export const minuteSumsOf = (
  frames: Iterable<{ readonly environmentId: string; readonly frame: ArchivedFrame }>,
): ReadonlyArray<MinuteSum> => {
  const byEnvironment = new Map<string, Map<number, MinuteSum>>()
  for (const { environmentId, frame } of frames) {
    const minutes = byEnvironment.get(environmentId) ?? new Map<number, MinuteSum>()
    byEnvironment.set(environmentId, minutes)
    const minute = Math.floor(timestampUsOf(frame.timestampMs) / minuteUs)
    const sum = minutes.get(minute) ?? emptyMinute(environmentId, unixMsOf(minute * minuteUs))
    minutes.set(minute, sum)
    add(sum, frame)
  }
  return [...byEnvironment.values()].flatMap((minutes) => [...minutes.values()])
}

/** Rows of sums, as a table expression with the columns of `pose_minutes` in their order. */
export const minuteRows = (sql: SqlClient.SqlClient, sums: ReadonlyArray<MinuteSum>): Statement.Fragment => {
  const counts = (of: (sum: MinuteSum) => number) => sql`${integers(sums.map(of))}::int4[]`
  const values = (of: (sum: MinuteSum) => number) => sql`${numbers(sums.map(of))}::float8[]`
  return sql`
    SELECT environment_id, to_timestamp(minute_ms / 1000), frames, live, replay, simulated, persons, most,
      to_timestamp(most_at_ms / 1000), confidence, walking, standing, sitting, lying, falling, unknown, n0, n1, n2, n3, n4, processing,
      present, absent, motions, motion
    FROM unnest(${texts(sums.map(({ environmentId }) => environmentId))}::text[], ${values((s) => s.minuteMs)},
      ${counts((s) => s.frames)}, ${counts((s) => s.sources.live)}, ${counts((s) => s.sources.replay)},
      ${counts((s) => s.sources.simulated)}, ${counts((s) => s.personFrames)}, ${
    counts((s) => Math.max(0, s.personMax))
  },
      ${values((s) => s.personMaxAtMs)}, ${values((s) => s.confidenceSum)}, ${counts((s) => s.activities.walking)},
      ${counts((s) => s.activities.standing)}, ${counts((s) => s.activities.sitting)},
      ${counts((s) => s.activities.lying)}, ${counts((s) => s.activities.falling)},
      ${counts((s) => s.activities.unknown)}, ${counts((s) => s.byPersons[0])}, ${counts((s) => s.byPersons[1])},
      ${counts((s) => s.byPersons[2])}, ${counts((s) => s.byPersons[3])}, ${counts((s) => s.byPersons[4])},
      ${values((s) => s.processingMsSum)}, ${counts((s) => s.present)}, ${counts((s) => s.absent)},
      ${counts((s) => s.motionFrames)}, ${values((s) => s.motionSum)}
    ) AS given (environment_id, minute_ms, frames, live, replay, simulated, persons, most, most_at_ms, confidence,
      walking, standing, sitting, lying, falling, unknown, n0, n1, n2, n3, n4, processing, present, absent, motions, motion)
    ORDER BY 1, 2`
}

/** Adds rows of sums to the stored ones: a statement over the table expression of the rows. */
export const addToMinutes = (sql: SqlClient.SqlClient, rows: Statement.Fragment): Statement.Fragment =>
  sql`
    INSERT INTO pose_minutes AS sum ${rows}
    ON CONFLICT (environment_id, minute) DO UPDATE SET
      frames = sum.frames + excluded.frames,
      frames_live = sum.frames_live + excluded.frames_live,
      frames_replay = sum.frames_replay + excluded.frames_replay,
      frames_simulated = sum.frames_simulated + excluded.frames_simulated,
      person_frames = sum.person_frames + excluded.person_frames,
      person_max = greatest(sum.person_max, excluded.person_max),
      person_max_at = CASE WHEN excluded.person_max > sum.person_max THEN excluded.person_max_at
        ELSE sum.person_max_at END,
      confidence_sum = sum.confidence_sum + excluded.confidence_sum,
      walking = sum.walking + excluded.walking,
      standing = sum.standing + excluded.standing,
      sitting = sum.sitting + excluded.sitting,
      lying = sum.lying + excluded.lying,
      falling = sum.falling + excluded.falling,
      unknown = sum.unknown + excluded.unknown,
      frames_0 = sum.frames_0 + excluded.frames_0,
      frames_1 = sum.frames_1 + excluded.frames_1,
      frames_2 = sum.frames_2 + excluded.frames_2,
      frames_3 = sum.frames_3 + excluded.frames_3,
      frames_4_plus = sum.frames_4_plus + excluded.frames_4_plus,
      processing_ms_sum = sum.processing_ms_sum + excluded.processing_ms_sum,
      frames_present = sum.frames_present + excluded.frames_present,
      frames_absent = sum.frames_absent + excluded.frames_absent,
      motion_frames = sum.motion_frames + excluded.motion_frames,
      motion_sum = sum.motion_sum + excluded.motion_sum`
