/**
 * Webhooks: endpoints of operators that are told of events.
 *
 * Boundary: poses are streams, and no event; who wants them takes the WebSocket or gRPC. Times are milliseconds since the Unix epoch.
 */
import { Schema } from "effect"
import type { ActivityEvent, EventType } from "./event.ts"

/** Alerts are named otherwise than their events in two cases; both names are taken. */
export const alertSynonyms = {
  inactivity: "inactivity_detection",
  intrusion: "intrusion_detection",
} as const satisfies Record<string, EventType>

/** Endpoints that there may be. */
export const webhooksMax = 100
/** Deliveries to one endpoint in an hour; the rest wait for the next one. */
export const deliveriesPerHourMax = 10_000
/** Tries of one delivery, over about two and a half hours; and its greatest age. Then it is given up, and counted. */
export const attemptsMax = 12
export const deliveryAgeMsMax = 24 * 3_600_000
/** An endpoint that has taken nothing for so long, though it was tried, is disabled. */
export const failingMsMax = 24 * 3_600_000

/** An endpoint as operators see it; its secret is shown once, when it is made. */
export interface Webhook {
  readonly webhookId: string
  readonly url: string
  readonly description: string
  readonly eventTypes: ReadonlyArray<EventType>
  readonly createdAtMs: number
  readonly createdBy: string
  /** Null while it is told of events. */
  readonly disabledAtMs: number | null
  readonly disabledReason: string | null
  /** Since when no delivery was taken; null when the last one was. */
  readonly failingSinceMs: number | null
  readonly lastError: string | null
  readonly lastAttemptMs: number | null
  readonly lastSuccessMs: number | null
  readonly delivered: number
  readonly givenUp: number
  /** Deliveries that wait. */
  readonly waiting: number
}

/** Whether anybody outside is to be told of an event: an incident only once it is an alert, for before that it may be withdrawn. */
export const isToldOutside = ({ incident }: ActivityEvent): boolean => incident === null || incident.raisedMs !== null

/** The id of a message: the same for each try, so that who is told twice can know it. */
export const messageIdOf = (eventId: string, revision: number): string => `evt_${eventId}_${revision}`

/** Where endpoints may be: at public addresses over https alone, or also within the own network and over http. */
export type WebhookTargets = "public" | "private"

/** There are as many webhooks as may be. */
export class TooManyWebhooks extends Schema.TaggedError<TooManyWebhooks>()("TooManyWebhooks", {
  message: Schema.String,
}) {
  static readonly now = new TooManyWebhooks({
    message: `There are ${webhooksMax} webhooks, which is the most. Delete one that is not needed.`,
  })
}
