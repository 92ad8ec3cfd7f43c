/**
 * Handler of queries over stored frames.
 */
import { Clock, Effect } from "effect"
import { InvalidRequest } from "../../../protocols/pose-api/edge-failures.ts"
import { epochMsOf } from "../../../protocols/pose-api/fields.ts"
import {
  defaultLimit,
  defaultMetrics,
  poseQuery,
  type PoseQueryAnswer,
  type PoseQueryBody,
  stretchOfType,
  summaryMetrics,
} from "../../../protocols/pose-api/pose-query.ts"
import { type FrameFilter, FrameSummaries, type SummaryRequest } from "../../../protocols/ports/frame-summaries.ts"
import { environmentAsked } from "./environment-asked.ts"
import { brokenCursor, cursorText, readCursor } from "./history-cursor.ts"
import { route } from "../server/route.ts"

type Query = PoseQueryBody["query"]

const at = (path: string): string => `query.${path}`

const filterOf = ({ activity, confidence, person_count: count }: NonNullable<Query["filters"]>): FrameFilter => ({
  personsMin: count?.min ?? null,
  personsMax: count?.max ?? null,
  confidenceMin: confidence?.min ?? null,
  activities: [...new Set(activity ?? [])],
})

const appliedOf = ({ activities, confidenceMin, personsMax, personsMin }: FrameFilter) => ({
  ...(personsMin === null && personsMax === null ? {} : {
    person_count: {
      ...(personsMin === null ? {} : { min: personsMin }),
      ...(personsMax === null ? {} : { max: personsMax }),
    },
  }),
  ...(confidenceMin === null ? {} : { confidence: { min: confidenceMin } }),
  ...(activities.length === 0 ? {} : { activity: activities }),
})

/** The request to the store, without the cursor. */
const requestOf = Effect.fnUntraced(function* (query: Query) {
  const fromMs = epochMsOf(query.time_range.start)
  const toMs = epochMsOf(query.time_range.end)
  if (toMs <= fromMs) {
    return yield* InvalidRequest.of(at("time_range.end"), "is not after time_range.start", query.time_range.end)
  }
  const filter = filterOf(query.filters ?? {})
  const { personsMax, personsMin } = filter
  if (personsMin !== null && personsMax !== null && personsMax < personsMin) {
    return yield* InvalidRequest.of(at("filters.person_count.max"), "is less than person_count.min", personsMax)
  }
  const stretch = stretchOfType[query.aggregation?.type ?? "none"]
  // The specification has activities in every result.
  const metrics = new Set([...query.aggregation?.metrics ?? defaultMetrics, "activities" as const])
  const misplaced = stretch === "frame" ? metrics.intersection(summaryMetrics) : new Set()
  if (misplaced.size > 0) {
    const names = [...misplaced].join(", ")
    return yield* InvalidRequest.of(
      at("aggregation.metrics"),
      `${names}: available in summaries only. Set aggregation.type`,
      names,
    )
  }
  const environmentId = yield* environmentAsked(query.environment_id)
  const request: Omit<SummaryRequest, "after" | "limit"> = {
    environmentId,
    fromMs,
    toMs,
    filter,
    stretch,
    falls: metrics.has("fall_count"),
  }
  return { request, metrics }
})

const answer = Effect.fnUntraced(function* ({ query }: PoseQueryBody) {
  const { metrics, request } = yield* requestOf(query)
  const asked = JSON.stringify(request)
  const cursor = query.cursor === undefined ? null : readCursor(query.cursor, asked)
  if (query.cursor !== undefined && cursor === null) return yield* brokenCursor(at("cursor"), query.cursor)
  const summaries = yield* FrameSummaries
  const beganNs = yield* Clock.currentTimeNanos
  const { cacheHit, next, recordsScanned, rows } = yield* summaries.ask({
    ...request,
    after: cursor?.at ?? null,
    limit: query.limit ?? defaultLimit,
  }).pipe(Effect.catchTag("TooManyFrames", ({ message }) => InvalidRequest.of(at("time_range"), message)))
  const endedNs = yield* Clock.currentTimeNanos
  return {
    environmentId: request.environmentId,
    rows,
    metrics,
    filtersApplied: appliedOf(request.filter),
    executionMs: Number(endedNs - beganNs) / 1e6,
    recordsScanned,
    cacheHit,
    nextCursor: next === null ? null : cursorText({ at: next, total: null }, asked),
  } satisfies PoseQueryAnswer
})

export const poseQueryRoutes = [route(poseQuery, ({ body }) => answer(body))]
