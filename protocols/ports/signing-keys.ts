/**
 * The keys that sign access tokens, shared by all nodes. The store answers this port.
 *
 * Invariant: the newest key that is not retired signs; a retired one verifies until the last token it signed has expired.
 */
import { Context, type Effect, type Redacted } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"

export interface SigningKey {
  readonly keyId: string
  /** 256 random bits. */
  readonly secret: Redacted.Redacted<Uint8Array>
  readonly createdAtMs: number
  /** When another took over; null: none has. */
  readonly retiredAtMs: number | null
}

export class SigningKeys extends Context.Service<SigningKeys, {
  /** Newest first, at least one: the first is made by who asks first. */
  readonly all: Effect.Effect<ReadonlyArray<SigningKey>, StoreUnavailable>
  /**
   * Makes a new key, retires the others and forgets those that were retired before `forgottenBeforeMs`; answers what there
   * is now, newest first.
   */
  readonly rotate: (forgottenBeforeMs: number) => Effect.Effect<ReadonlyArray<SigningKey>, StoreUnavailable>
}>()("wavepose/protocols/SigningKeys") {}
