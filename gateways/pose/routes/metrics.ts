/**
 * Handlers of the group Health and metrics: detailed health, metrics, and the text for Prometheus.
 */
import { Clock, Effect, Result } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { floorTo, hourMs, minuteMs, type TimeRange } from "../../../core/analytics/calendar.ts"
import { type SampleRing, thinned } from "../../../core/analytics/samples.ts"
import { detailedHealth } from "../../../protocols/pose-api/detailed-health.ts"
import { epochMsOf } from "../../../protocols/pose-api/fields.ts"
import { metrics, type MetricsAnswer, metricTypes, prometheus } from "../../../protocols/pose-api/metrics.ts"
import { activePersons, statusesOf } from "../../../protocols/pose-api/system-status.ts"
import { Analytics } from "../../../protocols/ports/analytics.ts"
import { EgressStates } from "../../../protocols/ports/egress.ts"
import { rangeBetween } from "./analytics/report-request.ts"
import { metricRegistries } from "../telemetry/metric-registries.ts"
import { NodeMeasures } from "../telemetry/node-measures.ts"
import { LoadSampler } from "../telemetry/load-sampler.ts"
import { route } from "../server/route.ts"

const historyMsDefault = hourMs
/** How long the metrics wait for the last minute of the store. */
const storeTimeout = "2 seconds"
/** Maximum number of points of a history. */
const pointsMax = 360

/** Points from the stored frames of a range, at most `pointsMax`. */
const storedHistory = Effect.fnUntraced(function* (range: TimeRange) {
  const { fromMs, toMs } = range
  if (toMs <= fromMs) return []
  const widthMs = Math.max(1, Math.ceil((toMs - fromMs) / pointsMax / minuteMs)) * minuteMs
  const nowMs = yield* Clock.currentTimeMillis
  // The sums are of whole minutes: those that begin within the range. The last one may not have ended.
  const firstMs = floorTo(fromMs + minuteMs - 1, minuteMs)
  const lastMs = Math.min(floorTo(toMs + minuteMs - 1, minuteMs), nowMs)
  const buckets = yield* (yield* Analytics).rates({ ...range, environmentId: null }, widthMs)
  return buckets.map(({ frames, startMs }) => {
    const [bucketFromMs, bucketToMs] = [Math.max(startMs, firstMs), Math.min(startMs + widthMs, lastMs)]
    return {
      atMs: Math.max(startMs, fromMs),
      framesPerSecond: frames / Math.max(1, (bucketToMs - bucketFromMs) / 1e3),
      averageLatencyMs: null,
      cpuUsage: null,
      source: "store" as const,
    }
  })
})

/** The history of a range: the samples of this node, after the points from the store of the time before them. */
const historyOf = (
  samples: Pick<SampleRing, "within">,
  range: TimeRange,
  stored: ReadonlyArray<MetricsAnswer["history"][number]>,
) => {
  const sampled = thinned(samples.within(range), pointsMax).map((point) => ({ ...point, source: "node" as const }))
  return [...stored, ...sampled]
}

/** Persons in the frames of the last whole minute; null if no frame counts them. */
const lastMinute = Effect.fnUntraced(function* (nowMs: number) {
  const toMs = floorTo(nowMs, minuteMs)
  const scope = { fromMs: toMs - minuteMs, toMs, environmentId: null }
  const [minute] = yield* (yield* Analytics).rates(scope, minuteMs)
  return minute === undefined || minute.countedFrames === 0 ? null : minute.personFrames
})

/** The last minute and the points of a range, which may be long: once the store has answered, its own limits hold. Null: no answer. */
const fromStore = Effect.fnUntraced(function* (nowMs: number, range: TimeRange) {
  const answered = yield* Effect.result(Effect.timeout(lastMinute(nowMs), storeTimeout))
  if (Result.isFailure(answered)) return { minute: null, history: null }
  const history = yield* Effect.catchTag(storedHistory(range), "StoreUnavailable", () => Effect.succeed(null))
  return { minute: answered.success, history }
})

/** Routes of metrics and detailed health. `version` is the version of the service. */
export const makeMetricsRoutes = Effect.fnUntraced(function* (version: string) {
  const { rates, read, samples, startedMs, httpCounters } = yield* LoadSampler
  const { database, read: readAll } = yield* NodeMeasures
  const egressStates = yield* EgressStates

  return [
    route(
      detailedHealth,
      Effect.fnUntraced(function* () {
        const [{ report, sample }, answered] = yield* Effect.all([read, database], { concurrency: 2 })
        const { bytesReceived, bytesSent } = httpCounters.totals()
        const uptimeS = Math.max(0, Math.floor((sample.atMs - startedMs) / 1e3))
        const egress = yield* egressStates.current
        const of = report === null || report.session === null ? null : report
        return {
          version,
          uptimeS,
          report: of,
          database: answered,
          rates: rates(sample),
          bytesReceived,
          bytesSent,
          egress,
        }
      }),
    ),

    route(
      metrics,
      Effect.fnUntraced(function* ({ query }) {
        const nowMs = yield* Clock.currentTimeMillis
        const toMs = query.end_time === undefined ? nowMs : epochMsOf(query.end_time)
        const fromMs = query.start_time === undefined ? toMs - historyMsDefault : epochMsOf(query.start_time)
        const range = yield* rangeBetween(fromMs, toMs, null)
        const untilMs = Math.min(range.toMs, samples.oldest()?.atMs ?? Infinity)
        const [{ report, sample, usage }, stored] = yield* Effect.all([
          read,
          fromStore(nowMs, { fromMs: range.fromMs, toMs: untilMs }),
        ], { concurrency: 2 })
        const statuses = report === null ? [] : statusesOf(report)
        const qualities = statuses.flatMap(({ trackQuality }) => trackQuality ?? [])
        return {
          types: query.metric_type === undefined ? metricTypes : [query.metric_type],
          sample,
          rates: rates(sample),
          memoryUsage: report?.host.memory ?? null,
          processMemoryBytes: usage.residentBytes,
          activePersons: activePersons(statuses),
          trackQuality: qualities.length === 0 ? null : qualities.reduce((a, b) => a + b, 0) / qualities.length,
          detectionsPerMinute: stored.minute,
          history: historyOf(samples, range, stored.history ?? []),
          storeAnswers: stored.history !== null,
          nowMs,
        } satisfies MetricsAnswer
      }),
    ),

    route(
      prometheus,
      Effect.fnUntraced(function* () {
        return metricRegistries(yield* readAll).map((registry) => PrometheusMetrics.formatUnsafe(registry)).join("")
      }),
    ),
  ]
})
