/**
 * The privacy settings at hand: read from wherever they are kept, and remembered for a moment, because every frame asks.
 */
import { Clock, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../protocols/domain/failure.ts"
import type { PrivacySettings } from "../../protocols/domain/configuration.ts"
import { Privacy } from "../../protocols/messages/privacy.ts"

/** A change of the settings counts on every node after this. */
const rememberedMs = 5_000

/** Settings that are read again when they are older than `rememberedMs`; while that fails, the last ones stay. */
export const remembered = (
  read: Effect.Effect<PrivacySettings, StoreUnavailable>,
): Effect.Effect<PrivacySettings, StoreUnavailable> => {
  let last: { readonly settings: PrivacySettings; readonly atMs: number } | null = null
  return Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    if (last !== null && Math.abs(nowMs - last.atMs) < rememberedMs) return last.settings
    const known = last
    const settings = yield* known === null ? read : Effect.catch(read, () => Effect.succeed(known.settings))
    last = { settings, atMs: nowMs }
    return settings
  })
}

export const layerPrivacy = (read: Effect.Effect<PrivacySettings, StoreUnavailable>): Layer.Layer<Privacy> =>
  Layer.sync(Privacy, () => ({ current: remembered(read) }))
