/**
 * Endpoint of the group Health and metrics that tells how each component does.
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
  /** Null when the session or the store could not be asked. */
  readonly report: SystemReport | null
  /** One round trip to the database; null when it did not answer. */
  readonly database: { readonly latencyMs: number; readonly used: number | null; readonly capacity: number } | null
  /** Of this node's requests in the last minute. */
  readonly rates: NodeRates
  readonly bytesReceived: number
  readonly bytesSent: number
  /** By which edge records leave this node, as they last told. */
  readonly egress: ReadonlyArray<EgressState>
}

const DetailedHealthBody = Schema.Struct({
  overall_status: ComponentStatus,
  timestamp: IsoTime,
  version: Schema.String,
  uptime: Count.annotate({ description: "Seconds since this process began to serve." }),
  components: Schema.Struct({
    api: Schema.Struct({
      status: ComponentStatus,
      response_time_ms: NullableFinite.annotate({ description: "Mean over the last minute." }),
      requests_per_second: NullableFinite.annotate({ description: "Over the last minute." }),
    }),
    database: Schema.Struct({
      status: ComponentStatus,
      connection_pool: NullableString.annotate({ description: "used/capacity" }),
      query_time_ms: NullableFinite.annotate({ description: "One round trip, now." }),
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
      data_rate: NullableFinite.annotate({ description: "Packets per second of all routers." }),
      buffer_usage: NullableFinite,
    }),
    edge: Schema.Struct({
      status: ComponentStatus,
      ways_out: Schema.Array(Schema.Struct({
        destination: Schema.Literals(destinations),
        status: Schema.Literals(["starting", "active", "refused", "unavailable", "disabled"]),
        reason: NullableString.annotate({
          description: "Why it is refused (the privacy gate closed it), unavailable or disabled.",
        }),
      })),
    }),
  }),
  metrics: Schema.Struct({
    cpu_usage: NullableFinite,
    memory_usage: NullableFinite,
    disk_usage: NullableFinite,
    network_io: Schema.Struct({ bytes_in: Count, bytes_out: Count }).annotate({
      description: "Through this listener since it began, WebSockets included.",
    }),
  }),
  reasons: Reasons,
})

type Body = typeof DetailedHealthBody.Type

const edgeStatus = (egress: ReadonlyArray<EgressState>): typeof ComponentStatus.Type => {
  if (egress.some(({ status }) => status === "refused" || status === "unavailable")) return "degraded"
  return egress.some(({ status }) => status === "active" || status === "starting") ? "active" : "disabled"
}

/** Healthy when everything that should work does: what is stopped on purpose is not missing. */
const overall = (health: DetailedHealth): typeof ComponentStatus.Type => {
  const { database, report, egress } = health
  if (database === null || report === null || edgeStatus(egress) === "degraded") return "degraded"
  if (report.session.status === "error" || report.unavailableActors.length > 0) return "degraded"
  const { csi, late, tracker } = summarise(report)
  const works = (status: typeof ComponentStatus.Type) => status === "active" || status === "disabled"
  return works(csi) && works(tracker) && late.length === 0 ? "healthy" : "degraded"
}

const notMeasured = "Nobody measures it on this platform."

/** Why figures are null, by their paths, and why the whole is degraded where frames are late. */
const reasonsOf = (body: Omit<Body, "reasons">, health: DetailedHealth): Body["reasons"] => {
  const { api, csi_processor: csi, database } = body.components
  const { report } = health
  const asked = report === null ? "The session could not be asked." : null
  const why: ReadonlyArray<readonly [string, unknown, string]> = [
    ["overall_status", null, report === null ? "" : summarise(report).late.join(" ")],
    ["components.api.response_time_ms", api.response_time_ms, "This node answered no request in the last minute."],
    ["components.api.requests_per_second", api.requests_per_second, "There are no two samples yet."],
    [
      "components.database.connection_pool",
      database.connection_pool,
      health.database === null ? "The database did not answer." : "The driver does not say how many are in use.",
    ],
    ["components.database.query_time_ms", database.query_time_ms, "The database did not answer."],
    ["components.cache_store", null, "There is no cache store: what is remembered is in each node's memory."],
    ["components.neural_network.gpu_memory_usage", null, notMeasured],
    ["components.neural_network.inference_queue", null, "One pass takes all persons of a hop: there is no queue."],
    ["components.csi_processor.data_rate", csi.data_rate, asked ?? "No router streams."],
    ["components.csi_processor.buffer_usage", null, notMeasured],
    ["metrics.cpu_usage", body.metrics.cpu_usage, asked ?? "It is known from the second measurement on."],
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
  summary: "How each component does, and what this node uses",
  access: "read",
  category: "health",
  status: 200,
  response: { bare: codec, envelope: codec },
  failures: [],
})
