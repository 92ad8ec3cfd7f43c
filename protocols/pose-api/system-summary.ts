/**
 * The status of the system in one line: what the WebSocket's channel `system_status` sends.
 */
import { Schema } from "effect"
import { Count, NullableFinite, NullableString, round4OrNull } from "./fields.ts"
import { meanOrNull } from "./known-values.ts"
import { StatusReasons, statusReasons } from "./status-reasons.ts"
import { activePersons, ComponentStatus, failureText, summarise, type SystemReport } from "./system-status.ts"

/** The status in a `system_status` message of the WebSocket. */
export const SystemSummarySchema = Schema.Struct({
  processing_fps: NullableFinite,
  active_persons: Schema.NullOr(Count),
  system_health: ComponentStatus,
  health_reason: NullableString.annotate({
    description: "Extension: why it is not healthy, with the environments whose frames are late; else null.",
  }),
  gpu_utilization: NullableFinite,
  reasons: StatusReasons,
})

/** The summary of a report: healthy only if every component that should work does. */
export const systemSummary = (report: SystemReport): typeof SystemSummarySchema.Type => {
  const { csi, database, late, reason, statuses } = summarise(report)
  const health = (): ComponentStatus => {
    if (report.session.status === "error") return "unavailable"
    if (csi === "disabled" || csi === "unavailable") return csi
    return csi === "active" && database === "healthy" && report.unavailableActors.length === 0 ? "healthy" : "degraded"
  }
  const system = health()
  const summary = {
    processing_fps: round4OrNull(meanOrNull(statuses.map(({ framesPerSecond }) => framesPerSecond))),
    active_persons: activePersons(statuses),
    system_health: system,
    health_reason: system === "healthy" ? null : failureText(report) ?? late[0] ?? reason,
    gpu_utilization: null,
  }
  return { ...summary, reasons: statusReasons(summary, report) }
}
