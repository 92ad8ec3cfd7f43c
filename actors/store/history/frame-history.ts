/**
 * The history of frames in the database: implements the port `FrameHistory`.
 *
 * A filter on persons needs the bodies of frames, which have no index. The lifetime of the track first narrows the range, frames without
 * persons are excluded, and one request reads at most `framesMax` of the others. Totals that would need more are
 * null with that reason.
 */
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import type { Person } from "../../../protocols/domain/pose.ts"
import { decodePoseFrame } from "../../../protocols/grpc/pose-frame.ts"
import { type PersonMark, personMarksOf } from "../../../protocols/grpc/pose-frame-persons.ts"
import {
  FrameHistory,
  type FramePosition,
  type FrameRange,
  type FramesPage,
  type FramesRequest,
  type PersonEntry,
  type PersonFilter,
  type PersonsPage,
  type PersonsRequest,
  TooManyFrames,
  type Total,
} from "../../../protocols/ports/frame-history.ts"
import { orStoreUnavailable } from "../database/database.ts"
import { type ActiveReader, makeActiveReader } from "../sensing/active-environments.ts"
import { FrameBodies } from "../encryption/body-encryption.ts"
import { countFrames, edgeOf, seekPerson } from "./frame-counts.ts"
import {
  frameColumns,
  frameOrder,
  type FrameRow,
  nextFrames,
  positionOf,
  readBodies,
  readFrames,
  readRows,
} from "../frames/frame-rows.ts"
import { readResumePoint } from "./resume-point.ts"
import { lifeOf } from "../tracks/stored-tracks.ts"

/** The most frames that one request reads: 17 minutes of one track, about 30 MB. */
const framesMax = 10_000
/** The most frames without persons that one request skips and returns: a day. They are skipped without reading them. */
const skippedMax = 1_000_000
/** Frames per read. */
const chunk = 500

const exactly = (count: number): Total => ({ count, reason: null })

const uncounted: Total = {
  count: null,
  reason: `More than ${framesMax} frames would have to be read to count the persons that pass; ask for less time.`,
}

const passes = ({ minConfidence, personId }: PersonFilter) => ({ confidence, id }: PersonMark | Person): boolean =>
  confidence >= minConfidence && (personId === null || id === personId)

type Needs = { readonly reader: ActiveReader; readonly bodies: FrameBodies["Service"] }

/** The part of a range that can match a filter; null if there is none. */
const narrowed = Effect.fnUntraced(function* (
  { reader }: Needs,
  range: FrameRange,
  personId: number | null,
): Effect.fn.Return<FrameRange | null, StoreUnavailable> {
  const life = personId === null ? null : yield* lifeOf(reader, personId, range)
  if (life === null) return range
  if (life === "elsewhere") return null
  const fromMs = Math.max(range.fromMs ?? -Infinity, life.fromMs)
  const toMs = Math.min(range.toMs ?? Infinity, life.toMs ?? Infinity)
  const environmentId = range.environmentId ?? life.environmentId
  return fromMs < toMs ? { environmentId, fromMs, toMs: toMs === Infinity ? null : toMs } : null
})

/** A row with matching persons, and their number. */
interface Match {
  readonly row: FrameRow
  readonly persons: number
}

/** Rows with matching persons, chunk by chunk. */
interface Scan {
  readonly matches: ReadonlyArray<Match>
  /** The last row that was read; null at the end of the range. */
  readonly at: FramePosition | null
}

/** Reads a range until `enough` returns true, the range ends, or `framesMax` frames were read. */
const scan = Effect.fnUntraced(function* (
  { bodies, reader }: Needs,
  { after, filter, newestFirst, range }: Pick<FramesRequest, "after" | "filter" | "newestFirst" | "range">,
  enough: (matches: ReadonlyArray<Match>) => boolean,
): Effect.fn.Return<Scan, StoreUnavailable> {
  const pass = passes(filter)
  const matches: Array<Match> = []
  let at = after
  for (let read = 0; read < framesMax && !enough(matches); read += chunk) {
    const rows = yield* readRows(reader, { range, after: at, newestFirst, limit: chunk, peopled: true })
    const marks = yield* readBodies(bodies, rows, personMarksOf)
    for (const [i, row] of rows.entries()) {
      const persons = marks[i]?.filter(pass).length ?? 0
      if (persons > 0) matches.push({ row, persons })
    }
    if (rows.length < chunk) return { matches, at: null }
    at = positionOf(rows.at(-1)!)
  }
  return { matches, at }
})

/** A page of all frames. */
const framesOf = Effect.fnUntraced(function* (needs: Needs, request: FramesRequest): Effect.fn.Return<
  FramesPage,
  StoreUnavailable
> {
  const { bodies, reader } = needs
  const { after, counted, limit, newestFirst, range } = request
  const total = counted ? exactly((yield* countFrames(reader, range)).frames) : null
  const rows = yield* readRows(reader, { range, after, newestFirst, limit: limit + 1, peopled: false })
  const page = rows.slice(0, limit)
  const frames = yield* readFrames(bodies, page)
  return { frames, next: rows.length > limit ? positionOf(page.at(-1)!) : null, total }
})

/** The number of frames with the person; counted by reading, if they are not too many. */
const countOf = Effect.fnUntraced(function* (needs: Needs, request: FramesRequest) {
  const { peopled } = yield* countFrames(needs.reader, request.range)
  if (peopled > framesMax) return uncounted
  const { at, matches } = yield* scan(needs, { ...request, after: null }, () => false)
  return at === null ? exactly(matches.length) : uncounted
})

/** A page of the frames with one person. */
const framesOfPerson = Effect.fnUntraced(function* (needs: Needs, request: FramesRequest): Effect.fn.Return<
  FramesPage,
  StoreUnavailable
> {
  const { counted, limit } = request
  const range = yield* narrowed(needs, request.range, request.filter.personId)
  if (range === null) return { frames: [], next: null, total: counted ? exactly(0) : null }
  const total = counted ? yield* countOf(needs, { ...request, range }) : null
  const { at, matches } = yield* scan(needs, { ...request, range }, ({ length }) => length > limit)
  const page = matches.slice(0, limit).map(({ row }) => row)
  const frames = yield* readFrames(needs.bodies, page)
  return { frames, next: matches.length > limit ? positionOf(page.at(-1)!) : at, total }
})

/** The entries of rows, without the first `skip`. */
const entriesOf = Effect.fnUntraced(function* (
  { bodies }: Needs,
  rows: ReadonlyArray<FrameRow>,
  filter: PersonFilter,
  skip: number,
  limit: number,
) {
  const frames = yield* readBodies(bodies, rows, decodePoseFrame)
  const entries = frames.flatMap((frame): ReadonlyArray<PersonEntry> =>
    frame === null ? [] : frame.persons.filter(passes(filter)).map((person) => ({ frame, person }))
  )
  return entries.slice(skip, skip + limit)
})

/** A page of the frames of a range without persons. */
const unpeopled = Effect.fnUntraced(
  function* (needs: Needs, { limit, offset, range }: PersonsRequest): Effect.fn.Return<
    PersonsPage,
    StoreUnavailable | TooManyFrames
  > {
    const { bodies, reader } = needs
    const { frames: total } = yield* countFrames(reader, range)
    if (offset < total && offset + limit > skippedMax) return yield* new TooManyFrames({ framesMax: skippedMax })
    const through = { range, after: null, newestFirst: false, limit: offset + limit, peopled: false }
    const { sql } = reader
    const rows = offset >= total ? [] : yield* orStoreUnavailable(sql<FrameRow>`
    SELECT ${sql.literal(frameColumns)} FROM (${
      nextFrames(reader, through, "ts, environment_id, frame_id, key_id, body")
    }) AS near ORDER BY ${sql.literal(frameOrder)} OFFSET ${offset}::int4 LIMIT ${limit}::int4`)
    const entries = (yield* readFrames(bodies, rows)).map((frame): PersonEntry => ({ frame, person: null }))
    return { entries, hasMore: offset + limit < total, total: exactly(total) }
  },
)

/** A page of all persons: the minute sums locate its start. */
const everybody = Effect.fnUntraced(function* (needs: Needs, request: PersonsRequest): Effect.fn.Return<
  PersonsPage,
  StoreUnavailable | TooManyFrames
> {
  const { reader } = needs
  const { sql } = reader
  const { filter, limit, offset, range } = request
  const total = (yield* countFrames(reader, range)).persons
  if (total === 0) return yield* unpeopled(needs, request)
  const { fromMs, skip } = yield* seekPerson(reader, range, offset)
  // Frames before the page are skipped without reading their bodies.
  const near = { range: { ...range, fromMs }, after: null, newestFirst: false, limit: skip + limit, peopled: true }
  const rows = offset >= total ? [] : yield* orStoreUnavailable(sql<FrameRow & { before: number }>`
    SELECT ${sql.literal(frameColumns)}, before FROM (
      SELECT near.*,
        (sum(person_count) OVER (ORDER BY ${sql.literal(frameOrder)}) - person_count)::float8 AS before
      FROM (${nextFrames(reader, near, "ts, environment_id, frame_id, key_id, body, person_count")}) AS near
    ) AS running
    WHERE before + person_count > ${skip}::float8 AND before < ${skip + limit}::float8
    ORDER BY ${sql.literal(frameOrder)}`)
  const entries = yield* entriesOf(needs, rows, filter, skip - (rows[0]?.before ?? skip), limit)
  return { entries, hasMore: offset + limit < total, total: exactly(total) }
})

/** A page of the persons that match a filter, read from the start of the range. */
const filteredPersons = Effect.fnUntraced(function* (needs: Needs, request: PersonsRequest): Effect.fn.Return<
  PersonsPage,
  StoreUnavailable | TooManyFrames
> {
  const { filter, limit, offset } = request
  const range = yield* narrowed(needs, request.range, filter.personId)
  if (range === null) return { entries: [], hasMore: false, total: exactly(0) }
  const { peopled } = yield* countFrames(needs.reader, range)
  const countable = peopled <= framesMax
  const count = (matches: ReadonlyArray<Match>) => matches.reduce((sum, { persons }) => sum + persons, 0)
  const { at, matches } = yield* scan(
    needs,
    { range, filter, newestFirst: false, after: null },
    (matches) => !countable && count(matches) > offset + limit,
  )
  const found = count(matches)
  const through = at === null
  if (!through && found < offset + limit) return yield* new TooManyFrames({ framesMax })
  // From the frame of the first entry to that of the last.
  let before = 0
  let skip = 0
  const rows: Array<FrameRow> = []
  for (const { persons, row } of matches) {
    if (before + persons > offset && before < offset + limit) {
      if (rows.length === 0) skip = offset - before
      rows.push(row)
    }
    before += persons
  }
  const entries = yield* entriesOf(needs, rows, filter, skip, limit)
  return { entries, hasMore: !through || found > offset + limit, total: through ? exactly(found) : uncounted }
})

/** The history of frames in this database. */
export const layerFrameHistory: Layer.Layer<FrameHistory, never, SqlClient.SqlClient | FrameBodies> = Layer.effect(
  FrameHistory,
  Effect.gen(function* () {
    const needs: Needs = { reader: yield* makeActiveReader, bodies: yield* FrameBodies }
    return {
      available: Effect.fnUntraced(function* (environmentId) {
        const all: FrameRange = { environmentId, fromMs: null, toMs: null }
        const firstMs = yield* edgeOf(needs.reader, all, "first")
        const lastMs = firstMs === null ? null : yield* edgeOf(needs.reader, all, "last")
        return firstMs === null || lastMs === null ? null : { firstMs, lastMs }
      }),
      has: (range) => Effect.map(edgeOf(needs.reader, range, "first"), (ms) => ms !== null),
      resumePoint: (request) => readResumePoint(needs.reader.sql, request),
      frames: (request) => request.filter.personId === null ? framesOf(needs, request) : framesOfPerson(needs, request),
      persons: (request) =>
        request.filter.personId === null && request.filter.minConfidence === 0
          ? everybody(needs, request)
          : filteredPersons(needs, request),
    }
  }),
)
