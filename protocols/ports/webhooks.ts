/**
 * Webhooks: the port through which edges manage them. The store implements it and returns a secret only once.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { EventType } from "../domain/event.ts"
import type { TooManyWebhooks, Webhook } from "../domain/webhook.ts"

interface WebhookOrder {
  readonly url: string
  readonly description: string
  readonly eventTypes: ReadonlyArray<EventType>
  /** Null: a secret is generated. */
  readonly secret: string | null
  readonly createdBy: string
}

/** The fields of a webhook to change; fields that are not given keep their values. */
export interface WebhookChanges {
  readonly url?: string
  readonly description?: string
  readonly eventTypes?: ReadonlyArray<EventType>
  /** True: enabled for events from now on. False: disabled, and its queued deliveries are dropped. */
  readonly enabled?: boolean
}

export class Webhooks extends Context.Service<Webhooks, {
  /** Creates a webhook for events from now on. Its secret is returned only here. */
  readonly create: (
    order: WebhookOrder,
  ) => Effect.Effect<{ readonly webhook: Webhook; readonly secret: string }, TooManyWebhooks | StoreUnavailable>
  readonly all: Effect.Effect<ReadonlyArray<Webhook>, StoreUnavailable>
  /** Null if the id is unknown. */
  readonly one: (webhookId: string) => Effect.Effect<Webhook | null, StoreUnavailable>
  /** Changes it; null if the id is unknown. A new URL is tried at once. */
  readonly change: (
    webhookId: string,
    changes: WebhookChanges,
    by: string,
  ) => Effect.Effect<Webhook | null, StoreUnavailable>
  /** Removes it with its queued deliveries; false if the id is unknown. */
  readonly remove: (webhookId: string) => Effect.Effect<boolean, StoreUnavailable>
}>()("wavepose/protocols/Webhooks") {}
