/**
 * Counts of stored frames and their persons: sums of whole minutes, and single rows only at the ends of the range.
 */
import { Effect } from "effect"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import type { FrameRange } from "../../../protocols/ports/frame-history.ts"
import { orStoreUnavailable } from "../database/database.ts"
import type { ActiveReader } from "../sensing/active-environments.ts"
import { nextFrames, within } from "../frames/frame-rows.ts"
import { minuteSlicesOf } from "./minute-slices.ts"

interface FrameCounts {
  readonly frames: number
  /** Frames with persons. */
  readonly peopled: number
  /** Sum of the persons over the frames. */
  readonly persons: number
}

const none: FrameCounts = { frames: 0, peopled: 0, persons: 0 }

const sum = (a: FrameCounts, b: FrameCounts): FrameCounts => ({
  frames: a.frames + b.frames,
  peopled: a.peopled + b.peopled,
  persons: a.persons + b.persons,
})

const countRows = (reader: ActiveReader, range: FrameRange): Effect.Effect<FrameCounts, StoreUnavailable> =>
  Effect.map(
    orStoreUnavailable(reader.sql<FrameCounts>`
      SELECT count(*)::float8 AS frames, (count(*) FILTER (WHERE person_count > 0))::float8 AS peopled,
        coalesce(sum(person_count), 0)::float8 AS persons
      FROM pose_frames WHERE ${within(reader, "ts", range)}`),
    ([counts]) => counts ?? none,
  )

/** Minute sums of a range, for days that still have frames: the sums outlive the days that retention drops. */
const keptMinutes = (reader: ActiveReader, range: FrameRange) =>
  reader.sql`WITH minutes AS (
      SELECT environment_id, minute, frames, frames_1, frames_2, frames_3, frames_4_plus, person_frames,
        date_bin('24 hours', minute, '2000-01-01 00:00:00+00') AS day
      FROM pose_minutes WHERE ${within(reader, "minute", range)}
    ), kept_days AS (
      SELECT environment_id, day FROM (SELECT DISTINCT environment_id, day FROM minutes) AS days WHERE EXISTS (
        SELECT 1 FROM pose_frames WHERE environment_id = days.environment_id
          AND ts >= day AND ts < day + interval '24 hours')
    ), kept AS (SELECT * FROM minutes JOIN kept_days USING (environment_id, day))`

const countMinutes = (reader: ActiveReader, range: FrameRange): Effect.Effect<FrameCounts, StoreUnavailable> =>
  Effect.map(
    orStoreUnavailable(reader.sql<FrameCounts>`${keptMinutes(reader, range)}
      SELECT coalesce(sum(frames), 0)::float8 AS frames, coalesce(sum(frames_1 + frames_2 + frames_3 + frames_4_plus), 0)::float8 AS peopled,
        coalesce(sum(person_frames::float8), 0) AS persons
      FROM kept`),
    ([counts]) => counts ?? none,
  )

/** Counts the frames of a range exactly. */
export const countFrames = (
  reader: ActiveReader,
  range: FrameRange,
): Effect.Effect<FrameCounts, StoreUnavailable> => {
  const { after, before, minutes } = minuteSlicesOf(range)
  const { environmentId } = range
  const nothing = Effect.succeed(none)
  return Effect.map(
    Effect.all([
      before === null ? nothing : countRows(reader, { environmentId, ...before }),
      minutes === null ? nothing : countMinutes(reader, { environmentId, ...minutes }),
      after === null ? nothing : countRows(reader, { environmentId, ...after }),
    ]),
    (parts) => parts.reduce(sum),
  )
}

/** The position to read from, and the number of persons to skip from there. */
interface PersonSeek {
  readonly fromMs: number | null
  readonly skip: number
}

/** The minute that contains the person of this number (from 0), by the sums of earlier minutes; null if there are fewer. */
const seekMinute = (reader: ActiveReader, range: FrameRange, offset: number) =>
  orStoreUnavailable(reader.sql<{ minuteMs: number; before: number }>`${keptMinutes(reader, range)}
    SELECT (extract(epoch FROM minute) * 1000)::float8 AS "minuteMs", before::float8 AS before FROM (
      SELECT minute, person_frames, sum(person_frames) OVER (ORDER BY minute) - person_frames AS before
      FROM (
        SELECT minute, sum(person_frames::float8) AS person_frames FROM kept WHERE person_frames > 0 GROUP BY minute
      ) AS summed
    ) AS running
    WHERE before + person_frames > ${offset}::float8 ORDER BY minute LIMIT 1`)

/** Finds the person of this number among all persons of the range, counted from 0 in the order of the frames. */
export const seekPerson = Effect.fnUntraced(function* (
  reader: ActiveReader,
  range: FrameRange,
  offset: number,
): Effect.fn.Return<PersonSeek, StoreUnavailable> {
  const { environmentId } = range
  const { after, before, minutes } = minuteSlicesOf(range)
  const first = before === null ? 0 : (yield* countRows(reader, { environmentId, ...before })).persons
  if (offset < first || minutes === null) return { fromMs: range.fromMs, skip: offset }
  const [found] = yield* seekMinute(reader, { environmentId, ...minutes }, offset - first)
  if (found !== undefined) return { fromMs: found.minuteMs, skip: offset - first - found.before }
  const whole = (yield* countMinutes(reader, { environmentId, ...minutes })).persons
  return { fromMs: after?.fromMs ?? range.toMs, skip: offset - first - whole }
})

/** The time of the first or last frame of a range; null if it is empty. Milliseconds since the Unix epoch. */
export const edgeOf = (reader: ActiveReader, range: FrameRange, edge: "first" | "last") =>
  Effect.map(
    orStoreUnavailable(reader.sql<{ ms: number }>`
      SELECT (extract(epoch FROM ts) * 1000)::float8 AS ms FROM (${
      nextFrames(reader, { range, after: null, newestFirst: edge === "last", limit: 1, peopled: false }, "ts")
    }) AS edge`),
    ([row]) => row?.ms ?? null,
  )
