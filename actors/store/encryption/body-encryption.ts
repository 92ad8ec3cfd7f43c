/**
 * Encryption at rest: encrypts data before they are stored and decrypts them when they are read.
 *
 * With `enableEncryption` the following is encrypted: the bodies of frames (poses, locations, velocities, vital signs, ids) and the persons and
 * locations of events (`event-encryption.ts`). Times, counts, activities, confidences and durations stay readable, because the database sums
 * them for reports. So do track rows, which have no location. Data that were stored earlier keep their form until their retention ends.
 * `sealing.ts` has the algorithm.
 */
import { Context, Effect, Layer } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { Privacy } from "../../../protocols/ports/privacy.ts"
import type { EncryptionKeys } from "./encryption-keys.ts"
import { openSealed, sealAll, sealAnew, type Sealed } from "./sealing.ts"

interface SealedBody {
  /** Null: the body is not encrypted. */
  readonly keyId: number | null
  readonly body: Uint8Array
}

export class FrameBodies extends Context.Service<FrameBodies, {
  /** Decrypts a body. Fails if this node does not have the key or the bytes were changed. */
  readonly open: (keyId: number | null, body: Uint8Array) => Effect.Effect<Uint8Array, StoreUnavailable>
  /** An encrypted body under the first key; null if it is, or if it cannot be decrypted here. */
  readonly sealAnew: (keyId: number, body: Uint8Array) => Effect.Effect<Sealed | null>
  /** Encodes a body under the current settings. Fails if it must be encrypted and there is no key. */
  readonly seal: (body: Uint8Array) => Effect.Effect<SealedBody, StoreUnavailable>
  /** The bodies of a batch, in their order. */
  readonly sealAll: (
    bodies: ReadonlyArray<Uint8Array>,
  ) => Effect.Effect<ReadonlyArray<SealedBody>, StoreUnavailable>
}>()("wavepose/actors/FrameBodies") {
  static readonly layer: Layer.Layer<FrameBodies, never, EncryptionKeys | Privacy | SecureRandom.SecureRandom> = Layer
    .effect(FrameBodies, Effect.suspend(() => make))
}

/** Frames are not bound to a row: an environment can be renamed and a table copied without the key. */
export const bodyContext = ""

const make = Effect.gen(function* () {
  const privacy = yield* Privacy
  const services = yield* Effect.context<EncryptionKeys | SecureRandom.SecureRandom>()

  const sealBodies = Effect.fnUntraced(function* (bodies: ReadonlyArray<Uint8Array>) {
    if (!(yield* privacy.current).enableEncryption) return bodies.map((body): SealedBody => ({ keyId: null, body }))
    return yield* Effect.provide(sealAll(bodies, bodyContext), services)
  })

  return FrameBodies.of({
    seal: (body) => Effect.map(sealBodies([body]), ([sealed]) => sealed!),
    sealAll: sealBodies,
    sealAnew: (keyId, body) => Effect.provide(sealAnew({ keyId, body }, bodyContext), services),
    open: (keyId, body) =>
      keyId === null ? Effect.succeed(body) : Effect.provide(openSealed({ keyId, body }, bodyContext), services),
  })
})
