/**
 * The port through which actors and stores learn what the operator decided about privacy.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { PrivacySettings } from "../domain/configuration.ts"

export class Privacy extends Context.Service<Privacy, {
  /** Cheap enough to be asked for every frame. Fails while the settings are not known: nothing may be stored in a form that they forbid. */
  readonly current: Effect.Effect<PrivacySettings, StoreUnavailable>
}>()("wavepose/protocols/Privacy") {}
