/**
 * System status: the gathered report, the status of each component that follows from it, and the body in each form.
 *
 * Values that are not measured (GPU, interference level, depth of an inference queue) are null.
 */
import { Schema } from "effect"
import type { Behind } from "../domain/behind.ts"
import type { EnvironmentStatus, SystemSession } from "../domain/system.ts"
import { SystemStatusValue } from "../domain/system.ts"
import type { UnavailableActor } from "../messages/unavailable-actors.ts"
import { jsonCodec } from "./endpoint.ts"
import { Count, NullableFinite, NullableString, round4OrNull } from "./fields.ts"
import { IsoTime, isoTimeOrNull } from "./forms.ts"
import { maxOrNull, meanOrNull, sumOrNull } from "./known-values.ts"
import { lateTexts } from "./pace.ts"
import { StatusReasons, statusReasons } from "./status-reasons.ts"

/** The status of one environment, or why it did not answer. */
export type EnvironmentReport =
  | {
    readonly environmentId: string
    readonly status: EnvironmentStatus
    /** The stage that is behind; null or absent: the newest frame is on time, or there is none. */
    readonly behind?: Behind | null
  }
  | { readonly environmentId: string; readonly status: null; readonly reason: string }

/** Usage of this machine, 0..1; null if the platform does not report it. */
export interface HostUsage {
  readonly cpu: number | null
  readonly memory: number | null
  readonly disk: number | null
}

/** Connections of the store; null if it does not answer. */
type DatabaseReport = { readonly used: number | null; readonly capacity: number } | null

export interface SystemReport {
  readonly session: SystemSession
  /** The environments of the session. */
  readonly environments: ReadonlyArray<EnvironmentReport>
  readonly database: DatabaseReport
  /** Actors that failed too often and are unavailable for a while. */
  readonly unavailableActors: ReadonlyArray<UnavailableActor>
  readonly host: HostUsage
  readonly version: string
}

/** A report whose session may not have answered. */
export type KnownReport =
  | SystemReport
  | Omit<SystemReport, "session"> & { readonly session: null; readonly reason: string }

export const ComponentStatus = Schema.Literals(["active", "healthy", "degraded", "unavailable", "disabled"])
export type ComponentStatus = typeof ComponentStatus.Type

/** The status that follows from a report, independent of the form. */
interface Summary {
  readonly csi: ComponentStatus
  readonly network: ComponentStatus
  readonly tracker: ComponentStatus
  readonly database: ComponentStatus
  /** Why there are no frames, from the first environment without frames; else why frames are late; else null. */
  readonly reason: string | null
  /**
   * Sentences for every environment whose newest frame is late, that leaves work out to stay in real time, or that did not answer: nobody
   * knows whether it is late.
   */
  readonly late: ReadonlyArray<string>
  readonly statuses: ReadonlyArray<EnvironmentStatus>
}

const csiStatus = (unreachable: number, statuses: ReadonlyArray<EnvironmentStatus>): ComponentStatus => {
  const routers = statuses.reduce((sum, status) => sum + status.routers, 0)
  const streaming = statuses.reduce((sum, status) => sum + status.streamingRouters, 0)
  if (streaming === 0) return "unavailable"
  return unreachable === 0 && streaming === routers ? "active" : "degraded"
}

/** Why CSI is not received from every router, if no environment says so; else null. */
const receptionReason = (csi: ComponentStatus, statuses: ReadonlyArray<EnvironmentStatus>): string | null => {
  if (csi === "active") return null
  if (statuses.length === 0) return "No environment is active. Add one, e.g. with wavepose site add."
  const routers = statuses.reduce((sum, status) => sum + status.routers, 0)
  const streaming = statuses.reduce((sum, status) => sum + status.streamingRouters, 0)
  return `${streaming} of ${routers} routers send CSI. wavepose doctor names the others.`
}

/** The environments that have answered. */
export const statusesOf = ({ environments }: Pick<SystemReport, "environments">): ReadonlyArray<EnvironmentStatus> =>
  environments.flatMap(({ status }) => status === null ? [] : [status])

/** The status of each component that follows from a report. */
export const summarise = ({ session, environments, database }: SystemReport): Summary => {
  const statuses = statusesOf({ environments })
  const unreachable = environments.length - statuses.length
  const running = session.status === "running"
  const reachable: ComponentStatus = statuses.length === 0 ? "unavailable" : unreachable === 0 ? "active" : "degraded"
  const hasNetwork = statuses.some(({ modelVersion }) => modelVersion !== null)
  const reasons = environments.map((report) => report.status === null ? report.reason : report.status.noFramesReason)
  const late = running
    ? environments.flatMap((of) => of.status === null ? [of.reason] : lateTexts(of.status, of.behind ?? null))
    : []
  const csi = csiStatus(unreachable, statuses)
  return {
    csi: !running ? "disabled" : csi === "active" && late.length > 0 ? "degraded" : csi,
    network: running && hasNetwork ? "active" : "disabled",
    tracker: running && session.options.detection.enableTracking ? reachable : "disabled",
    database: database === null ? "unavailable" : "healthy",
    reason: reasons.find((reason) => reason !== null) ?? late[0] ?? (running ? receptionReason(csi, statuses) : null),
    late,
    statuses,
  }
}

/** The failure of the session, else an unavailable actor; null without a failure. */
export const failureText = ({ unavailableActors, session }: SystemReport): string | null => {
  if (session.failure !== null) return session.failure
  const [first] = unavailableActors
  if (first === undefined) return null
  const others = unavailableActors.length === 1 ? "" : ` (and ${unavailableActors.length - 1} more)`
  return `${first.actor}${others} failed too often and is unavailable for a while. The log has the cause.`
}

/** Whole seconds since the start of the session; 0 while none is running. */
const uptimeSeconds = ({ startedAtMs, status }: SystemSession, nowMs: number): number =>
  startedAtMs === null || status === "stopped" ? 0 : Math.max(0, Math.floor((nowMs - startedAtMs) / 1000))

const BareStatus = Schema.Struct({
  status: SystemStatusValue,
  failure: NullableString,
  uptime_seconds: Count,
  version: Schema.String,
  components: Schema.Struct({
    csi_receiver: Schema.Struct({
      status: ComponentStatus,
      data_rate_hz: NullableFinite,
      packet_loss_rate: NullableFinite,
      last_packet_time: Schema.NullOr(IsoTime),
      reason: NullableString,
    }),
    neural_network: Schema.Struct({
      status: ComponentStatus,
      model_loaded: Schema.Boolean,
      inference_time_ms: NullableFinite,
      gpu_utilization: NullableFinite,
    }),
    tracking: Schema.Struct({
      status: ComponentStatus,
      active_tracks: Schema.NullOr(Count),
      track_quality: NullableFinite,
    }),
  }),
  hardware: Schema.Struct({
    cpu_usage: NullableFinite,
    memory_usage: NullableFinite,
    gpu_memory_usage: NullableFinite,
    disk_usage: NullableFinite,
  }),
  network: Schema.Struct({
    connected_routers: Count,
    signal_strength: Schema.NullOr(
      Schema.Finite.annotate({ description: "Mean signal strength over the environments, in dBm." }),
    ),
    interference_level: NullableFinite,
  }),
  reasons: StatusReasons,
})

/** The bare form of status. */
export const bareStatusCodec = jsonCodec(BareStatus, (report: SystemReport, nowMs) => {
  const { csi, network, tracker, reason, statuses } = summarise(report)
  const body = {
    status: report.session.status,
    failure: failureText(report),
    uptime_seconds: uptimeSeconds(report.session, nowMs),
    version: report.version,
    components: {
      csi_receiver: {
        status: csi,
        data_rate_hz: round4OrNull(sumOrNull(statuses.map(({ dataRateHz }) => dataRateHz))),
        packet_loss_rate: round4OrNull(meanOrNull(statuses.map(({ packetLoss }) => packetLoss))),
        last_packet_time: isoTimeOrNull(maxOrNull(statuses.map(({ lastPacketMs }) => lastPacketMs))),
        reason,
      },
      neural_network: {
        status: network,
        model_loaded: network !== "disabled",
        inference_time_ms: round4OrNull(meanOrNull(statuses.map(({ inferenceTimeMs }) => inferenceTimeMs))),
        gpu_utilization: null,
      },
      tracking: {
        status: tracker,
        active_tracks: activePersons(statuses),
        track_quality: round4OrNull(meanOrNull(statuses.map(({ trackQuality }) => trackQuality))),
      },
    },
    hardware: {
      cpu_usage: round4OrNull(report.host.cpu),
      memory_usage: round4OrNull(report.host.memory),
      gpu_memory_usage: null,
      disk_usage: round4OrNull(report.host.disk),
    },
    network: {
      connected_routers: statuses.reduce((sum, { streamingRouters }) => sum + streamingRouters, 0),
      signal_strength: round4OrNull(meanOrNull(statuses.map(({ rssiDbm }) => rssiDbm))),
      interference_level: null,
    },
  }
  return { ...body, reasons: statusReasons(body, report) }
})

/** The persons in all environments that count them; null if none does. */
export const activePersons = (statuses: ReadonlyArray<EnvironmentStatus>): number | null =>
  sumOrNull(statuses.map(({ activeTracks }) => activeTracks))

const EnvelopeStatus = Schema.Struct({
  status: SystemStatusValue,
  failure: NullableString,
  session_id: NullableString,
  uptime_seconds: Count,
  started_at: Schema.NullOr(IsoTime),
  version: Schema.String,
  performance: Schema.Struct({
    frames_processed: Count,
    average_fps: NullableFinite,
    average_latency_ms: NullableFinite,
    cpu_usage: NullableFinite,
    memory_usage: NullableFinite,
    gpu_usage: NullableFinite,
  }),
  components: Schema.Struct({
    csi_processor: Schema.Struct({
      status: ComponentStatus,
      last_heartbeat: Schema.NullOr(IsoTime),
      reason: NullableString,
    }),
    neural_network: Schema.Struct({
      status: ComponentStatus,
      model_loaded: Schema.Boolean,
      inference_queue_size: NullableFinite,
    }),
    tracker: Schema.Struct({ status: ComponentStatus, active_tracks: Schema.NullOr(Count) }),
    database: Schema.Struct({
      status: ComponentStatus,
      connection_pool: Schema.NullOr(Schema.String.annotate({ description: "used/capacity" })),
    }),
  }),
  reasons: StatusReasons,
})

const poolText = (database: DatabaseReport): string | null =>
  database === null || database.used === null ? null : `${database.used}/${database.capacity}`

/** The envelope form of status. */
export const envelopeStatusCodec = jsonCodec(EnvelopeStatus, (report: SystemReport, nowMs) => {
  const { csi, network, tracker, database, reason, statuses } = summarise(report)
  const body = {
    status: report.session.status,
    failure: failureText(report),
    session_id: report.session.sessionId,
    uptime_seconds: uptimeSeconds(report.session, nowMs),
    started_at: isoTimeOrNull(report.session.startedAtMs),
    version: report.version,
    performance: {
      frames_processed: statuses.reduce((sum, { framesProcessed }) => sum + framesProcessed, 0),
      average_fps: round4OrNull(meanOrNull(statuses.map(({ framesPerSecond }) => framesPerSecond))),
      average_latency_ms: round4OrNull(meanOrNull(statuses.map(({ averageLatencyMs }) => averageLatencyMs))),
      cpu_usage: round4OrNull(report.host.cpu),
      memory_usage: round4OrNull(report.host.memory),
      gpu_usage: null,
    },
    components: {
      csi_processor: {
        status: csi,
        last_heartbeat: isoTimeOrNull(maxOrNull(statuses.map(({ lastPacketMs }) => lastPacketMs))),
        reason,
      },
      neural_network: { status: network, model_loaded: network !== "disabled", inference_queue_size: null },
      tracker: { status: tracker, active_tracks: activePersons(statuses) },
      database: { status: database, connection_pool: poolText(report.database) },
    },
  }
  return { ...body, reasons: statusReasons(body, report) }
})
