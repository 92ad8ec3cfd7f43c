/**
 * The messages of channel `alerts`: an alert in each response form, and the filters of a subscription.
 *
 * A subscription receives `alert` once per alert. Later revisions follow as `alert_update` with the same `alert_id`, so that a client that
 * handles only `alert` receives each alert once.
 */
import { Schema } from "effect"
import { type Alert, AlertStatus, AlertType, Severity } from "../domain/event.ts"
import { Identifier } from "../domain/site.ts"
import { NullableString, round4, Uuid } from "./fields.ts"
import { type Form, IsoTime, isoTime, isoTimeOrNull } from "./forms.ts"
import { reader } from "./input.ts"
import { ZoneReference } from "./event-json.ts"
import { ageMsOf, provenanceOf } from "./pose-json.ts"
import { Point, ProvenanceShape } from "./pose-schema.ts"

export const AlertFilters = Schema.Struct({
  environment_id: Schema.optionalKey(Identifier),
  alert_types: Schema.optionalKey(Schema.Array(AlertType).check(Schema.isMaxLength(16))),
  severity: Schema.optionalKey(Schema.Array(Severity).check(Schema.isMaxLength(16))),
})

/** The filters of a subscription to `alerts`, as sent by the client. Unknown ones are dropped. */
export const readAlertFilters = reader(AlertFilters, { whole: "filters", lenient: true })

/** The filter of a subscription; null lets all alerts pass. */
export interface AlertFilter {
  readonly types: ReadonlyArray<AlertType> | null
  readonly severities: ReadonlyArray<Severity> | null
}

export const alertFilterOf = ({ alert_types, severity }: typeof AlertFilters.Type): AlertFilter => ({
  types: alert_types ?? null,
  severities: severity ?? null,
})

/** The applied filters. `environmentId` null: all environments. */
export const alertFiltersApplied = (environmentId: string | null, { severities, types }: AlertFilter) => ({
  environment_id: environmentId,
  alert_types: types,
  severity: severities,
})

/** Whether a subscription receives this alert. Once it has, it receives all later revisions. */
export const passesAlert = ({ severities, types }: AlertFilter, { severity, type }: Alert): boolean =>
  (types === null || types.includes(type)) && (severities === null || severities.includes(severity))

const dataFields = {
  person_id: Schema.NullOr(Schema.Int),
  location: Schema.NullOr(Point),
  confidence: Schema.Finite,
  /** Always null: CSI provides no pictures. */
  video_clip_url: Schema.Null,
}

const metadataFields = {
  began_at: IsoTime,
  ended_at: Schema.NullOr(IsoTime),
  resolution: NullableString,
  zone: Schema.NullOr(ZoneReference),
  provenance: ProvenanceShape,
}

const fields = {
  alert_id: Uuid,
  environment_id: Schema.String,
  timestamp: IsoTime,
  alert_type: AlertType,
  severity: Severity,
  status: AlertStatus,
  actions_required: Schema.Array(Schema.Literals(["medical_response", "notification"])),
}

/** An alert in each form. */
export const AlertBody = {
  bare: Schema.Struct({
    ...fields,
    data: Schema.Struct(dataFields),
    metadata: Schema.Struct({ environment_id: Schema.String, ...metadataFields }),
  }).annotate({ identifier: "Alert.bare" }),
  envelope: Schema.Struct({
    ...fields,
    data: Schema.Struct({ ...dataFields, track_id: Schema.NullOr(Schema.Int) }),
    metadata: Schema.Struct(metadataFields),
  }).annotate({ identifier: "Alert.envelope" }),
}

const messageFields = { type: Schema.Literals(["alert", "alert_update"]), subscription_id: Schema.String }

/** An alert, or a change of one, as a subscription receives it. */
export const AlertMessage = {
  bare: Schema.Struct({ ...messageFields, ...AlertBody.bare.fields }),
  envelope: Schema.Struct({ ...messageFields, ...AlertBody.envelope.fields }),
}

/** The actions that an alert requires: none once it is over. */
const actionsRequired = ({ status, type }: Alert): typeof AlertBody.bare.Type["actions_required"] => {
  if (status === "cleared") return []
  return type === "fall_detection" ? ["medical_response", "notification"] : ["notification"]
}

const metadataOf = (alert: Alert, nowMs: number) => ({
  began_at: isoTime(alert.beganMs),
  ended_at: isoTimeOrNull(alert.endedMs),
  resolution: alert.resolution,
  zone: alert.zone === null ? null : { zone_id: alert.zone.zoneId, zone_name: alert.zone.name },
  provenance: provenanceOf(alert, ageMsOf(alert, nowMs)),
})

const commonOf = (alert: Alert) => ({
  alert_id: alert.alertId,
  environment_id: alert.environmentId,
  timestamp: isoTime(alert.timestampMs),
  alert_type: alert.type,
  severity: alert.severity,
  status: alert.status,
  actions_required: actionsRequired(alert),
})

const dataOf = (alert: Alert) => ({
  person_id: alert.personId,
  location: alert.location,
  confidence: round4(alert.confidence),
  video_clip_url: null,
})

/** An alert as JSON, in each form. */
export const alertBody = {
  bare: (alert: Alert, nowMs: number): typeof AlertBody.bare.Type => ({
    ...commonOf(alert),
    data: dataOf(alert),
    metadata: { environment_id: alert.environmentId, ...metadataOf(alert, nowMs) },
  }),
  envelope: (alert: Alert, nowMs: number): typeof AlertBody.envelope.Type => ({
    ...commonOf(alert),
    data: { ...dataOf(alert), track_id: alert.personId },
    metadata: metadataOf(alert, nowMs),
  }),
}

/** The JSON text of an alert for one subscription. `known`: the subscription has received an earlier revision. */
export const alertText = (form: Form, subscriptionId: string, alert: Alert, known: boolean, nowMs: number): string =>
  JSON.stringify({
    type: known ? "alert_update" : "alert",
    subscription_id: subscriptionId,
    ...alertBody[form](alert, nowMs),
  })
