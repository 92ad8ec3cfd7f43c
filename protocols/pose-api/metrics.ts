/**
 * Endpoints of the group Health and metrics with the service's own measurements: as JSON with a history, and as text for Prometheus.
 *
 * A value that is not measured is null, with its reason in `reasons`.
 */
import { Schema } from "effect"
import { requestRules } from "./request-rules.ts"
import type { HistoryPoint, NodeRates, NodeSample } from "../../core/analytics/samples.ts"
import { Reasons } from "./analytics.ts"
import { endpoint, jsonCodec, textCodec } from "./endpoint.ts"
import { Count, Fraction, NullableFinite, round4OrNull, Timestamp } from "./fields.ts"
import { IsoTime, isoTime } from "./forms.ts"
import { noCount } from "./status-reasons.ts"

export const metricTypes = ["performance", "resources", "business"] as const
type MetricType = (typeof metricTypes)[number]

/** The source of a point of the history: measured by this node, or computed from the stored frames. */
type PointSource = "node" | "store"

export interface MetricsAnswer {
  readonly types: ReadonlyArray<MetricType>
  readonly sample: NodeSample
  readonly rates: NodeRates
  readonly memoryUsage: number | null
  readonly processMemoryBytes: number
  readonly activePersons: number | null
  readonly trackQuality: number | null
  /** Persons in the frames of the last whole minute; null if no stored frame of it counts persons, or the store does not answer. */
  readonly detectionsPerMinute: number | null
  readonly history: ReadonlyArray<HistoryPoint & { readonly source: PointSource }>
  /** Whether the store has answered what was asked of it: without it, the history begins with this node's samples. */
  readonly storeAnswers: boolean
  readonly nowMs: number
}

const Share = Schema.NullOr(Fraction)

const MetricsBody = Schema.Struct({
  current: Schema.Struct({
    timestamp: IsoTime,
    performance: Schema.optionalKey(Schema.Struct({
      frames_per_second: NullableFinite.annotate({
        description: "Frames per second of all environments of the session.",
      }),
      average_latency_ms: NullableFinite.annotate({
        description: "Mean time from the end of a hop to its frame, in ms.",
      }),
      processing_queue_size: NullableFinite,
      error_rate: Share.annotate({
        description: "Fraction of this node's answers over the last minute with a 5xx status, 0 to 1.",
      }),
      event_loop_lag_ms: Schema.Finite.annotate({
        description: "Longest event loop delay of the last ten seconds, in ms.",
      }),
    })),
    resources: Schema.optionalKey(Schema.Struct({
      cpu_usage: Share,
      memory_usage: Share,
      gpu_usage: Share,
      disk_io: Schema.Struct({ read_mb_per_sec: NullableFinite, write_mb_per_sec: NullableFinite }).annotate({
        description: "Disk I/O of this process over the last minute, in 1e6 bytes per second.",
      }),
      process_memory_bytes: Count,
    })),
    business: Schema.optionalKey(Schema.Struct({
      active_persons: Schema.NullOr(Count),
      detections_per_minute: Schema.NullOr(
        Count.annotate({ description: "Persons in the frames of the last whole minute, counted once per frame." }),
      ),
      tracking_accuracy: Share,
      track_quality: Share.annotate({
        description: "Mean probability that the active tracks are persons, 0 to 1.",
      }),
    })),
  }),
  historical: Schema.Array(Schema.Struct({
    timestamp: IsoTime,
    frames_per_second: NullableFinite,
    average_latency_ms: NullableFinite,
    cpu_usage: Share,
    source: Schema.Literals(["node", "store"]).annotate({
      description:
        "`node`: measured by this node, which keeps one day. `store`: computed from the stored frames of the time before.",
    }),
  })),
  reasons: Reasons,
})

const noReport = "The system did not answer."
const noStore = "The database did not answer."
const noProc = "The platform does not report the disk I/O of a process, or there is only one sample yet."

/** The values that are null, and why. */
const reasonsOf = (answer: MetricsAnswer): Record<string, string> => {
  const { rates, sample } = answer
  const why: ReadonlyArray<readonly [MetricType, string, unknown, string]> = [
    ["performance", "frames_per_second", sample.framesPerSecond, "No environment produces frames."],
    ["performance", "average_latency_ms", sample.averageLatencyMs, "No frame of a live source was produced recently."],
    ["performance", "processing_queue_size", null, "The depth of the actors' mailboxes is not measured."],
    ["performance", "error_rate", rates.errorRate, "This node answered no request in the last minute."],
    ["resources", "cpu_usage", sample.cpuUsage, "It is available after the second measurement."],
    ["resources", "memory_usage", answer.memoryUsage, noReport],
    ["resources", "gpu_usage", null, "GPU usage is not measured on this platform."],
    ["resources", "disk_io.read_mb_per_sec", rates.diskReadMbps, noProc],
    ["resources", "disk_io.write_mb_per_sec", rates.diskWrittenMbps, noProc],
    ["business", "active_persons", answer.activePersons, answer.memoryUsage === null ? noReport : noCount],
    [
      "business",
      "detections_per_minute",
      answer.detectionsPerMinute,
      answer.storeAnswers ? "No stored frame of the last minute counts persons." : noStore,
    ],
    [
      "business",
      "tracking_accuracy",
      null,
      "The true positions of persons are unknown at run time. See track_quality.",
    ],
    ["business", "track_quality", answer.trackQuality, "No track is active."],
  ]
  const nulls = why.filter(([type, , value]) => value === null && answer.types.includes(type))
  return {
    ...Object.fromEntries(nulls.map(([type, name, , reason]) => [`current.${type}.${name}`, reason])),
    ...(answer.storeAnswers
      ? {}
      : { historical: `${noStore} The points of before this node's first sample are missing.` }),
    ...(answer.history.some(({ source }) => source === "store")
      ? { "historical.cpu_usage": "Points from the store have only the frame rate: no latency and no CPU usage." }
      : {}),
  }
}

const metricsBody = (answer: MetricsAnswer): typeof MetricsBody.Type => {
  const { rates, sample, types } = answer
  const performance = {
    frames_per_second: round4OrNull(sample.framesPerSecond),
    average_latency_ms: round4OrNull(sample.averageLatencyMs),
    processing_queue_size: null,
    error_rate: round4OrNull(rates.errorRate),
    event_loop_lag_ms: sample.loopLagMs,
  }
  const resources = {
    cpu_usage: round4OrNull(sample.cpuUsage),
    memory_usage: round4OrNull(answer.memoryUsage),
    gpu_usage: null,
    disk_io: {
      read_mb_per_sec: round4OrNull(rates.diskReadMbps),
      write_mb_per_sec: round4OrNull(rates.diskWrittenMbps),
    },
    process_memory_bytes: answer.processMemoryBytes,
  }
  const business = {
    active_persons: answer.activePersons,
    detections_per_minute: answer.detectionsPerMinute,
    tracking_accuracy: null,
    track_quality: round4OrNull(answer.trackQuality),
  }
  return {
    current: {
      timestamp: isoTime(answer.nowMs),
      ...(types.includes("performance") ? { performance } : {}),
      ...(types.includes("resources") ? { resources } : {}),
      ...(types.includes("business") ? { business } : {}),
    },
    historical: answer.history.map((point) => ({
      timestamp: isoTime(point.atMs),
      frames_per_second: round4OrNull(point.framesPerSecond),
      average_latency_ms: round4OrNull(point.averageLatencyMs),
      cpu_usage: round4OrNull(point.cpuUsage),
      source: point.source,
    })),
    reasons: reasonsOf(answer),
  }
}

const codec = jsonCodec(MetricsBody, metricsBody)

export const metrics = endpoint({
  method: "GET",
  path: "/metrics",
  rules: [requestRules.range],
  group: "Health and metrics",
  summary: "Get the service's measurements, now and over a range",
  access: "read:system",
  credentials: "recent",
  category: "health",
  query: Schema.Struct({
    start_time: Schema.optionalKey(
      Timestamp.annotate({ description: "Start of the history. Default: one hour before its end." }),
    ),
    end_time: Schema.optionalKey(Timestamp.annotate({ description: "End of the history. Default: now." })),
    metric_type: Schema.optionalKey(
      Schema.Literals(metricTypes).annotate({ description: "Only this group of current values. Default: all groups." }),
    ),
  }),
  status: 200,
  response: { bare: codec, envelope: codec },
  failures: [],
})

export const prometheus = endpoint({
  method: "GET",
  path: "/metrics",
  group: "Health and metrics",
  summary: "Get the metrics of this node as text for Prometheus",
  access: "read:system",
  credentials: "recent",
  category: "monitoring",
  atRoot: true,
  status: 200,
  mediaType: "text/plain; version=0.0.4; charset=utf-8",
  response: { bare: textCodec, envelope: textCodec },
  unwrapped: true,
  failures: [],
})
