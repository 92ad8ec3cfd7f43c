/**
 * The port through which actors and stores read the operator's privacy settings.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { PrivacySettings } from "../domain/configuration.ts"

export class Privacy extends Context.Service<Privacy, {
  /** Cheap enough to be called for every frame. Fails while the settings are unknown: data must not be stored in a forbidden form. */
  readonly current: Effect.Effect<PrivacySettings, StoreUnavailable>
}>()("wavepose/protocols/Privacy") {}
