/**
 * Webhooks: the port through which edges manage them. The store answers it; edges never see a secret again.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { EventType } from "../domain/event.ts"
import type { TooManyWebhooks, Webhook } from "../domain/webhook.ts"

interface WebhookOrder {
  readonly url: string
  readonly description: string
  readonly eventTypes: ReadonlyArray<EventType>
  /** Null: one is made. */
  readonly secret: string | null
  readonly createdBy: string
}

/** The parts of a webhook that a change may replace; those that are not given stay. */
export interface WebhookChanges {
  readonly url?: string
  readonly description?: string
  readonly eventTypes?: ReadonlyArray<EventType>
  /** True: one that was disabled is told of what happens from now on. False: it is disabled, and what waits for it is given up. */
  readonly enabled?: boolean
}

export class Webhooks extends Context.Service<Webhooks, {
  /** A new webhook, told of what happens from now on; its secret is answered here and never again. */
  readonly create: (
    order: WebhookOrder,
  ) => Effect.Effect<{ readonly webhook: Webhook; readonly secret: string }, TooManyWebhooks | StoreUnavailable>
  readonly all: Effect.Effect<ReadonlyArray<Webhook>, StoreUnavailable>
  /** Null when there is none of this id. */
  readonly one: (webhookId: string) => Effect.Effect<Webhook | null, StoreUnavailable>
  /** Changes it; null when there is none of this id. A new URL is tried at once. */
  readonly change: (
    webhookId: string,
    changes: WebhookChanges,
    by: string,
  ) => Effect.Effect<Webhook | null, StoreUnavailable>
  /** Ends it, and what waits for it; false when there is none of this id. */
  readonly remove: (webhookId: string) => Effect.Effect<boolean, StoreUnavailable>
}>()("wavepose/protocols/Webhooks") {}
