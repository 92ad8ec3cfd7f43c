/**
 * Endpoint of the group Health and metrics with the health of each component.
 */
import { Schema } from "effect"
import type { NodeRates } from "../../core/analytics/samples.ts"
import { Reasons } from "./analytics.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Count, NullableFinite, NullableString, round3, round4OrNull } from "./fields.ts"
import { IsoTime, isoTime } from "./forms.ts"
import { destinations } from "../../core/privacy/privacy-class.ts"
import type { EgressState } from "../ports/egress.ts"
import { ComponentStatus, summarise, type SystemReport } from "./system-status.ts"

interface DetailedHealth {
  readonly version: string
  readonly uptimeS: number
  /** Null when the session or the store did not answer. */
  readonly report: SystemReport | null
  /** Duration of one round trip to the database; null when it did not answer. */
  readonly database: { readonly latencyMs: number; readonly used: number | null; readonly capacity: number } | null
  /** Rates of this node's requests over the last minute. */
  readonly rates: NodeRates
  readonly bytesReceived: number
  readonly bytesSent: number
  /** The egresses of this node, in the states that they last reported. */
  readonly egress: ReadonlyArray<EgressState>
}

const DetailedHealthBody = Schema.Struct({
  overall_status: ComponentStatus,
  timestamp: IsoTime,
  version: Schema.String,
  uptime: Count.annotate({ description: "Seconds since the start of this process." }),
  components: Schema.Struct({
    api: Schema.Struct({
      status: ComponentStatus,
      response_time_ms: NullableFinite.annotate({ description: "Mean response time over the last minute, in ms." }),
      requests_per_second: NullableFinite.annotate({ description: "Requests per second over the last minute." }),
    }),
    database: Schema.Struct({
      status: ComponentStatus,
      connection_pool: NullableString.annotate({ description: "used/capacity" }),
      query_time_ms: NullableFinite.annotate({ description: "Duration of one round trip to the database, in ms." }),
    }),
    cache_store: Schema.Struct({
      status: ComponentStatus,
      memory_usage: NullableString,
      connected_clients: Schema.NullOr(Count),
    }),
    neural_network: Schema.Struct({
      status: ComponentStatus,
      model_loaded: Schema.Boolean,
      gpu_memory_usage: NullableFinite,
      inference_queue: Schema.NullOr(Count),
    }),
    csi_processor: Schema.Struct({
      status: ComponentStatus,
      data_rate: NullableFinite.annotate({ description: "CSI packets per second of all routers." }),
      buffer_usage: NullableFinite,
    }),
    edge: Schema.Struct({
      status: ComponentStatus,
      ways_out: Schema.Array(Schema.Struct({
        destination: Schema.Literals(destinations),
        status: Schema.Literals(["starting", "active", "refused", "unavailable", "disabled"]),
        reason: NullableString.annotate({
          description:
            "Why the egress is `refused` (the privacy gate closed it), `unavailable` or `disabled`, or which nodes it leaves out; else null.",
        }),
      })),
    }),
  }),
  metrics: Schema.Struct({
    cpu_usage: NullableFinite,
    memory_usage: NullableFinite,
    disk_usage: NullableFinite,
    network_io: Schema.Struct({ bytes_in: Count, bytes_out: Count }).annotate({
      description: "Bytes through this listener since its start, including WebSockets.",
    }),
  }),
  reasons: Reasons,
})

type Body = typeof DetailedHealthBody.Type

const edgeStatus = (egress: ReadonlyArray<EgressState>): typeof ComponentStatus.Type => {
  if (egress.some(({ status }) => status === "refused" || status === "unavailable")) return "degraded"
  return egress.some(({ status }) => status === "active" || status === "starting") ? "active" : "disabled"
}

/** Healthy if every component that should work does. A component that was stopped on purpose is not a failure. */
const overall = (health: DetailedHealth): typeof ComponentStatus.Type => {
  const { database, report, egress } = health
  if (database === null || report === null || edgeStatus(egress) === "degraded") return "degraded"
  if (report.session.status === "error" || report.unavailableActors.length > 0) return "degraded"
  const { csi, late, tracker } = summarise(report)
  const works = (status: typeof ComponentStatus.Type) => status === "active" || status === "disabled"
  return works(csi) && works(tracker) && late.length === 0 ? "healthy" : "degraded"
}

const notMeasured = "It is not measured on this platform."

/** Why values are null, by path, and why the status is degraded if frames are late. */
const reasonsOf = (body: Omit<Body, "reasons">, health: DetailedHealth): Body["reasons"] => {
  const { api, csi_processor: csi, database } = body.components
  const { report } = health
  const asked = report === null ? "The session did not answer." : null
  const why: ReadonlyArray<readonly [string, unknown, string]> = [
    ["overall_status", null, report === null ? "" : summarise(report).late.join(" ")],
    ["components.api.response_time_ms", api.response_time_ms, "This node answered no request in the last minute."],
    ["components.api.requests_per_second", api.requests_per_second, "It needs two samples, and there is only one yet."],
    [
      "components.database.connection_pool",
      database.connection_pool,
      health.database === null
        ? "The database did not answer."
        : "The driver does not report how many connections are in use.",
    ],
    ["components.database.query_time_ms", database.query_time_ms, "The database did not answer."],
    ["components.cache_store", null, "There is no cache store: each node caches in its own memory."],
    ["components.neural_network.gpu_memory_usage", null, notMeasured],
    ["components.neural_network.inference_queue", null, "There is no queue: one pass takes all persons of a hop."],
    ["components.csi_processor.data_rate", csi.data_rate, asked ?? "No router streams."],
    ["components.csi_processor.buffer_usage", null, notMeasured],
    ["metrics.cpu_usage", body.metrics.cpu_usage, asked ?? "It is available after the second measurement."],
    ["metrics.memory_usage", body.metrics.memory_usage, asked ?? notMeasured],
    ["metrics.disk_usage", body.metrics.disk_usage, asked ?? notMeasured],
  ]
  return Object.fromEntries(
    why.flatMap(([path, value, reason]) => value === null && reason !== "" ? [[path, reason]] : []),
  )
}

const componentsOf = ({ database, rates, report, egress }: DetailedHealth): Body["components"] => {
  const summary = report === null ? null : summarise(report)
  const dataRates = summary?.statuses.flatMap(({ dataRateHz }) => dataRateHz ?? []) ?? []
  const network = summary?.network ?? "unavailable"
  return {
    api: {
      status: "healthy",
      response_time_ms: round4OrNull(rates.responseTimeMs),
      requests_per_second: round4OrNull(rates.requestsPerSecond),
    },
    database: {
      status: database === null ? "unavailable" : "healthy",
      connection_pool: database === null || database.used === null ? null : `${database.used}/${database.capacity}`,
      query_time_ms: database === null ? null : round3(database.latencyMs),
    },
    cache_store: { status: "disabled", memory_usage: null, connected_clients: null },
    neural_network: {
      status: network,
      model_loaded: network === "active",
      gpu_memory_usage: null,
      inference_queue: null,
    },
    csi_processor: {
      status: summary?.csi ?? "unavailable",
      data_rate: dataRates.length === 0 ? null : round4OrNull(dataRates.reduce((sum, rate) => sum + rate, 0)),
      buffer_usage: null,
    },
    edge: {
      status: edgeStatus(egress),
      ways_out: egress.map(({ destination, reason, status }) => ({ destination, status, reason })),
    },
  }
}

const codec = jsonCodec(DetailedHealthBody, (health: DetailedHealth, nowMs): Body => {
  const body = {
    overall_status: overall(health),
    timestamp: isoTime(nowMs),
    version: health.version,
    uptime: health.uptimeS,
    components: componentsOf(health),
    metrics: {
      cpu_usage: round4OrNull(health.report?.host.cpu ?? null),
      memory_usage: round4OrNull(health.report?.host.memory ?? null),
      disk_usage: round4OrNull(health.report?.host.disk ?? null),
      network_io: { bytes_in: health.bytesReceived, bytes_out: health.bytesSent },
    },
  }
  return { ...body, reasons: reasonsOf(body, health) }
})

export const detailedHealth = endpoint({
  method: "GET",
  path: "/health/detailed",
  group: "Health and metrics",
  summary: "Get the health of each component, and the resource usage of this node",
  access: "read:system",
  credentials: "recent",
  category: "health",
  status: 200,
  response: { bare: codec, envelope: codec },
  failures: [],
})
