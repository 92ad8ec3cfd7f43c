/**
 * Encryption at rest: what is sealed before it is stored, and opened when it is read.
 *
 * With `enableEncryption` are sealed: the bodies of frames (bodies, places, velocities, vital signs, ids) and of events what tells who and
 * where (`event-encryption.ts`). In plain stay times, counts, activities, confidences and durations, which reports add up in the database, and
 * the rows of tracks, which hold no place. What was stored before stays as it is, until its retention is over.
 * How is `sealing.ts`.
 */
import { Context, Effect, Layer } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { Privacy } from "../../../protocols/ports/privacy.ts"
import type { EncryptionKeys } from "./encryption-keys.ts"
import { openSealed, sealAll } from "./sealing.ts"

interface SealedBody {
  /** Null: the body is plain. */
  readonly keyId: number | null
  readonly body: Uint8Array
}

export class FrameBodies extends Context.Service<FrameBodies, {
  /** The body as it was sealed. Fails when this node does not have the key, or the bytes are not what was sealed under it. */
  readonly open: (keyId: number | null, body: Uint8Array) => Effect.Effect<Uint8Array, StoreUnavailable>
  /** The body as it is to be stored by the settings of now. Fails when it is to be encrypted and there is no key. */
  readonly seal: (body: Uint8Array) => Effect.Effect<SealedBody, StoreUnavailable>
  /** Bodies of a batch, in their order. */
  readonly sealAll: (
    bodies: ReadonlyArray<Uint8Array>,
  ) => Effect.Effect<ReadonlyArray<SealedBody>, StoreUnavailable>
}>()("wavepose/actors/FrameBodies") {
  static readonly layer: Layer.Layer<FrameBodies, never, EncryptionKeys | Privacy | SecureRandom.SecureRandom> = Layer
    .effect(FrameBodies, Effect.suspend(() => make))
}

/** Frames are bound to no row: an environment is renamed, and a table copied, without a key. */
const context = ""

const make = Effect.gen(function* () {
  const privacy = yield* Privacy
  const services = yield* Effect.context<EncryptionKeys | SecureRandom.SecureRandom>()

  const sealBodies = Effect.fnUntraced(function* (bodies: ReadonlyArray<Uint8Array>) {
    if (!(yield* privacy.current).enableEncryption) return bodies.map((body): SealedBody => ({ keyId: null, body }))
    return yield* Effect.provide(sealAll(bodies, context), services)
  })

  return FrameBodies.of({
    seal: (body) => Effect.map(sealBodies([body]), ([sealed]) => sealed!),
    sealAll: sealBodies,
    open: (keyId, body) =>
      keyId === null ? Effect.succeed(body) : Effect.provide(openSealed({ keyId, body }, context), services),
  })
})
