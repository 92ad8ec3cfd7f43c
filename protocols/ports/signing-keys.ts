/**
 * The signing keys of access tokens, shared by all nodes. The store implements this port.
 *
 * Invariant: the newest key that is not retired signs. A retired key verifies until the last token that it signed has expired.
 */
import { Context, type Effect, type Redacted } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"

export interface SigningKey {
  readonly keyId: string
  /** 256 random bits. */
  readonly secret: Redacted.Redacted<Uint8Array>
  readonly createdAtMs: number
  /** When a newer key replaced it; null: not yet. */
  readonly retiredAtMs: number | null
}

export class SigningKeys extends Context.Service<SigningKeys, {
  /** Newest first, at least one: the first request creates one. */
  readonly all: Effect.Effect<ReadonlyArray<SigningKey>, StoreUnavailable>
  /**
   * Creates a key, retires the others, and deletes those that were retired before `forgottenBeforeMs`. Returns the
   * remaining keys, newest first.
   */
  readonly rotate: (forgottenBeforeMs: number) => Effect.Effect<ReadonlyArray<SigningKey>, StoreUnavailable>
}>()("wavepose/protocols/SigningKeys") {}
