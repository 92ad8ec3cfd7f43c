/**
 * The current privacy settings for every frame. While they cannot be read, the last known ones apply.
 */
import { Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import type { PrivacySettings } from "../../../protocols/domain/configuration.ts"
import { Privacy } from "../../../protocols/ports/privacy.ts"

/** Settings whose reading may fail; the last ones then apply. Reading is cheap, because `Configurations` caches. */
export const remembered = (
  read: Effect.Effect<PrivacySettings, StoreUnavailable>,
): Effect.Effect<PrivacySettings, StoreUnavailable> => {
  let last: PrivacySettings | null = null
  const noted = Effect.tap(read, (settings) => Effect.sync(() => void (last = settings)))
  return Effect.catch(noted, (failure) => last === null ? Effect.fail(failure) : Effect.succeed(last))
}

export const layerPrivacy = (read: Effect.Effect<PrivacySettings, StoreUnavailable>): Layer.Layer<Privacy> =>
  Layer.sync(Privacy, () => ({ current: remembered(read) }))
