/**
 * Test messages to webhooks: the port through which edges send one. The webhooks' sender answers.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"

/** The result of a test message. */
export interface WebhookTest {
  readonly sentAtMs: number
  readonly latencyMs: number
  /** Why the endpoint did not accept the message; null if it did. */
  readonly error: string | null
}

export class WebhookProbe extends Context.Service<WebhookProbe, {
  /** Sends one test message, which is neither repeated nor counted; null if the id is unknown. */
  readonly test: (webhookId: string) => Effect.Effect<WebhookTest | null, StoreUnavailable>
}>()("wavepose/protocols/WebhookProbe") {}
