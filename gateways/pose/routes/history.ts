/**
 * Handler of stored frames.
 */
import { Effect } from "effect"
import type { PoseFrame } from "../../../protocols/domain/pose.ts"
import { InvalidRequest, NoFramesInRange } from "../../../protocols/pose-api/edge-failures.ts"
import { epochMsOf } from "../../../protocols/pose-api/fields.ts"
import { isoTime, isoTimeOrNull } from "../../../protocols/pose-api/forms.ts"
import {
  type BareHistoryQuery,
  type EnvelopeHistoryQuery,
  type HistoryAnswer,
  type HistoryFrame,
  type HistoryQuery,
  poseHistory,
} from "../../../protocols/pose-api/history.ts"
import { passes, type PoseFilter } from "../../../protocols/pose-api/pose-json.ts"
import {
  FrameHistory,
  type FrameRange,
  type PersonEntry,
  type PersonFilter,
} from "../../../protocols/ports/frame-history.ts"
import { oneOf } from "./aliased-parameter.ts"
import { environmentAsked } from "./environment-asked.ts"
import { brokenCursor, cursorText, readCursor } from "./history-cursor.ts"
import { route } from "../server/route.ts"

/** The request of a query in either form. */
interface Asked {
  readonly range: FrameRange
  readonly persons: PersonFilter
  readonly filter: PoseFilter
}

const asked = Effect.fnUntraced(function* (query: HistoryQuery) {
  const personId = yield* oneOf(["person_id", "track_id"], [query.person_id, query.track_id])
  const minConfidence = yield* oneOf(["confidence_threshold", "min_confidence"], [
    query.confidence_threshold,
    query.min_confidence,
  ])
  const fromMs = query.start_time === undefined ? null : epochMsOf(query.start_time)
  const toMs = query.end_time === undefined ? null : epochMsOf(query.end_time)
  if (fromMs !== null && toMs !== null && toMs <= fromMs) {
    return yield* InvalidRequest.of("end_time", "is not after start_time", query.end_time)
  }
  const environmentId = yield* environmentAsked(query.environment_id)
  const persons: PersonFilter = { personId, minConfidence: minConfidence ?? 0 }
  const filter: PoseFilter = {
    minConfidence: persons.minConfidence,
    personIds: personId === null ? null : new Set([personId]),
    includeKeypoints: query.include_keypoints ?? true,
    include3d: query.include_3d ?? false,
    includeDensePose: false,
  }
  return { range: { environmentId, fromMs, toMs }, persons, filter } satisfies Asked
})

/** Fails if the range holds no frame at all, as opposed to no frame that passes the filter. */
const orNoFrames = Effect.fnUntraced(function* (range: FrameRange, isEmpty: boolean) {
  const history = yield* FrameHistory
  if (!isEmpty || (yield* history.has(range))) return
  const available = yield* history.available(range.environmentId)
  return yield* new NoFramesInRange({
    environmentId: range.environmentId,
    requested: { start: isoTimeOrNull(range.fromMs), end: isoTimeOrNull(range.toMs) },
    available: available === null ? null : { start: isoTime(available.firstMs), end: isoTime(available.lastMs) },
  })
})

/** A page by cursor. */
const walk = Effect.fnUntraced(function* (query: BareHistoryQuery) {
  const history = yield* FrameHistory
  const { filter, persons, range } = yield* asked(query)
  const newestFirst = query.order === "desc"
  const walked = JSON.stringify({ range, persons, newestFirst })
  const cursor = query.cursor === undefined ? null : readCursor(query.cursor, walked)
  if (query.cursor !== undefined && cursor === null) return yield* brokenCursor("cursor", query.cursor)
  const { frames, next, total: counted } = yield* history.frames({
    range,
    filter: persons,
    newestFirst,
    after: cursor?.at ?? null,
    limit: query.limit,
    counted: cursor?.total == null,
  })
  if (cursor === null) yield* orNoFrames(range, frames.length === 0)
  const total = cursor?.total ?? counted!
  return {
    frames: frames.map((frame) => ({ frame, persons: frame.persons.filter(passes(filter)) })),
    filter,
    total,
    hasMore: next !== null,
    nextCursor: next === null ? null : cursorText({ at: next, total }, walked),
    page: 1,
    perPage: query.limit,
  } satisfies HistoryAnswer
})

/** Groups consecutive entries of the same frame. */
const byFrame = (entries: ReadonlyArray<PersonEntry>): ReadonlyArray<HistoryFrame> =>
  [...Map.groupBy(entries, ({ frame }): PoseFrame => frame)].map(([frame, of]) => ({
    frame,
    persons: of.flatMap(({ person }) => person === null ? [] : [person]),
  }))

/** A page of persons by number. */
const numbered = Effect.fnUntraced(function* (query: EnvelopeHistoryQuery) {
  const history = yield* FrameHistory
  const { filter, persons, range } = yield* asked(query)
  const { page, per_page: perPage } = query
  const { entries, hasMore, total } = yield* history.persons({
    range,
    filter: persons,
    offset: (page - 1) * perPage,
    limit: perPage,
  }).pipe(Effect.catchTag("TooManyFrames", ({ message }) => InvalidRequest.of("page", message, page)))
  yield* orNoFrames(range, entries.length === 0)
  return {
    frames: byFrame(entries),
    filter,
    total,
    hasMore,
    nextCursor: null,
    page,
    perPage,
  } satisfies HistoryAnswer
})

export const historyRoutes = [
  route(poseHistory, ({ query }) => "per_page" in query ? numbered(query) : walk(query)),
]
