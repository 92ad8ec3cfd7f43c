/**
 * Webhooks: endpoints of operators that receive events.
 *
 * Boundary: poses are not events; clients read them over the WebSocket or gRPC. Times are milliseconds since the Unix epoch.
 */
import { Schema } from "effect"
import type { ActivityEvent, EventType } from "./event.ts"

/** Two types of alerts have other names than their events; both names are accepted. */
export const alertSynonyms = {
  inactivity: "inactivity_detection",
  intrusion: "intrusion_detection",
} as const satisfies Record<string, EventType>

/** The most endpoints. */
export const webhooksMax = 100
/** Deliveries to one endpoint in an hour; further ones wait for the next hour. */
export const deliveriesPerHourMax = 10_000
/** Tries of one delivery, over about two and a half hours; and its greatest age. Then it is abandoned and counted. */
export const attemptsMax = 12
export const deliveryAgeMsMax = 24 * 3_600_000
/** An endpoint whose deliveries have all failed for this long is disabled. */
export const failingMsMax = 24 * 3_600_000

/** An endpoint as operators see it; its secret is shown once, when it is made. */
export interface Webhook {
  readonly webhookId: string
  readonly url: string
  readonly description: string
  readonly eventTypes: ReadonlyArray<EventType>
  readonly createdAtMs: number
  readonly createdBy: string
  /** Null while it is enabled. */
  readonly disabledAtMs: number | null
  readonly disabledReason: string | null
  /** Since when deliveries fail; null if the last one succeeded. */
  readonly failingSinceMs: number | null
  readonly lastError: string | null
  readonly lastAttemptMs: number | null
  readonly lastSuccessMs: number | null
  readonly delivered: number
  readonly givenUp: number
  /** Deliveries that wait. */
  readonly waiting: number
}

/** Whether an event is delivered. An incident is delivered only after its alert is raised, because before it may be withdrawn. */
export const isReported = ({ incident }: ActivityEvent): boolean => incident === null || incident.raisedMs !== null

/** The id of a message: the same for each try, so that a receiver can detect duplicates. */
export const messageIdOf = (eventId: string, revision: number): string => `evt_${eventId}_${revision}`

/** Where endpoints may be: at public addresses over https alone, or also within the own network and over http. */
export type WebhookTargets = "public" | "private"

/** The limit of webhooks is reached. */
export class TooManyWebhooks extends Schema.TaggedError<TooManyWebhooks>()("TooManyWebhooks", {
  message: Schema.String,
}) {
  static readonly now = new TooManyWebhooks({
    message: `There are ${webhooksMax} webhooks, which is the most. Delete one that is not needed.`,
  })
}
