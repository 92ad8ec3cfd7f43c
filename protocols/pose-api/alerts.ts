/**
 * Endpoints of the group Alerts: the alerts as the WebSocket's channel `alerts` has them, and their acknowledgement.
 */
import { Schema } from "effect"
import { requestRules } from "./request-rules.ts"
import { type Alert, AlertStatus } from "../domain/event.ts"
import { Identifier } from "../domain/site.ts"
import { endpoint, jsonCodec, type ResponseCodec } from "./endpoint.ts"
import { Uuid } from "./fields.ts"
import type { Form } from "./forms.ts"
import { AlertBody, alertBody } from "./socket-alert.ts"

const group = "Alerts"

export const alertsDefault = 100
const alertsMax = 1000

const AlertId = Schema.String.check(Schema.isPattern(/^[0-9a-f-]{36}$/u))

interface AlertPage {
  readonly alerts: ReadonlyArray<Alert>
  readonly more: boolean
}

const pageCodec = (form: Form): ResponseCodec<AlertPage> =>
  jsonCodec(
    Schema.Struct({
      alerts: Schema.Array(AlertBody[form] as Schema.Codec<unknown>),
      pagination: Schema.Struct({ has_more: Schema.Boolean, next_cursor: Schema.NullOr(Schema.String) }),
    }),
    ({ alerts, more }: AlertPage, nowMs) => ({
      alerts: alerts.map((alert) => alertBody[form](alert, nowMs)),
      pagination: { has_more: more, next_cursor: more ? alerts.at(-1)!.alertId : null },
    }),
  )

export const listAlerts = endpoint({
  method: "GET",
  path: "/alerts",
  rules: [requestRules.cursor],
  group,
  summary: "The alerts of all environments, the newest first, by when what they report began",
  access: "read:events",
  category: "analytics",
  query: Schema.Struct({
    environment_id: Schema.optionalKey(Identifier.annotate({ description: "Default: all environments." })),
    status: Schema.optionalKey(AlertStatus.annotate({ description: "Default: alerts of every status." })),
    limit: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: alertsMax })).annotate({ default: alertsDefault }),
    ),
    cursor: Schema.optionalKey(AlertId.annotate({ description: "`next_cursor` of the page before." })),
  }),
  status: 200,
  response: { bare: pageCodec("bare"), envelope: pageCodec("envelope") },
  failures: ["UnknownEnvironment", "StoreUnavailable"],
})

interface Acknowledgement {
  readonly alertId: string
  readonly environmentId: string
  readonly by: string
}

const acknowledgementCodec = jsonCodec(
  Schema.Struct({
    alert_id: Uuid,
    environment_id: Schema.String,
    status: Schema.Literal("acknowledged"),
    acknowledged_by: Schema.String,
  }),
  ({ alertId, by, environmentId }: Acknowledgement) => ({
    alert_id: alertId,
    environment_id: environmentId,
    status: "acknowledged" as const,
    acknowledged_by: by,
  }),
)

export const acknowledgeAlert = endpoint({
  method: "POST",
  path: "/alerts/{alert_id}/acknowledge",
  group,
  summary: "Acknowledge an open alert; subscribers are notified with `alert_update`",
  access: "write:events",
  category: "analytics",
  params: Schema.Struct({ alert_id: AlertId }),
  status: 200,
  response: { bare: acknowledgementCodec, envelope: acknowledgementCodec },
  failures: ["ResourceNotFound", "StoreUnavailable", "UnknownEnvironment", "ActorUnavailable", "AnswerTimeout"],
})
