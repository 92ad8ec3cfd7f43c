/**
 * The body of a webhook delivery: an event (`event-json.ts`), its revision, and its alert if it raised one.
 */
import { Schema } from "effect"
import type { Released } from "../../core/privacy/gate.ts"
import { type ActivityEvent, alertOf, AlertStatus, AlertType, EventType } from "../domain/event.ts"
import { EventBody, eventBody } from "./event-json.ts"
import { NullableString } from "./fields.ts"
import { IsoTime, isoTime, isoTimeOrNull } from "./forms.ts"

export const WebhookMessage = Schema.Struct({
  type: EventType,
  /** Id of this revision of the event. */
  timestamp: IsoTime,
  data: Schema.Struct({
    ...EventBody.fields,
    revision: Schema.Int,
    /** Null if the event raised no alert. */
    alert: Schema.NullOr(Schema.Struct({
      alert_id: Schema.String,
      alert_type: AlertType,
      status: AlertStatus,
      raised_at: IsoTime,
      ended_at: Schema.NullOr(IsoTime),
      resolution: NullableString,
    })),
  }),
})
export type WebhookMessage = typeof WebhookMessage.Type

const WebhookTestMessage = Schema.Struct({
  type: Schema.Literal("test"),
  timestamp: IsoTime,
  data: Schema.Struct({ webhook_id: Schema.String }),
})

/** The message that tests a webhook. */
export const webhookTestMessage = (webhookId: string, nowMs: number): typeof WebhookTestMessage.Type => ({
  type: "test",
  timestamp: isoTime(nowMs),
  data: { webhook_id: webhookId },
})

const alertBody = (event: ActivityEvent): WebhookMessage["data"]["alert"] => {
  const alert = alertOf(event)
  return alert === null ? null : {
    alert_id: alert.alertId,
    alert_type: alert.type,
    status: alert.status,
    raised_at: isoTime(alert.timestampMs),
    ended_at: isoTimeOrNull(alert.endedMs),
    resolution: alert.resolution,
  }
}

/** The message of an event that the privacy gate released, at the time of sending. */
export const webhookMessage = (
  { record: event }: Released<ActivityEvent, "webhook">,
  nowMs: number,
): WebhookMessage => ({
  type: event.detail.type,
  timestamp: isoTime(event.revisedMs),
  data: { ...eventBody(event, nowMs), revision: event.revision, alert: alertBody(event) },
})
