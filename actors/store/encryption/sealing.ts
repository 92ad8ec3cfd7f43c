/**
 * Authenticated encryption with a key of `encryption-keys.ts`.
 *
 * AES-256-GCM by Web Crypto: a nonce of 12 random bytes, then the ciphertext with its tag of 16 bytes. A context (the owner of the data) is
 * authenticated: in another context decryption fails. With random nonces a key is safe for 2^32 values: thirty frames a second for four years.
 */
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { EncryptionKeys } from "./encryption-keys.ts"

export interface Sealed {
  readonly keyId: number
  readonly body: Uint8Array
}

const nonceBytes = 12
const tagBytes = 16

/** Web Crypto does not accept memory that may be shared between threads. Rows never are. */
const own = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => bytes as Uint8Array<ArrayBuffer>

const parameters = (nonce: Uint8Array, context: string) => ({
  name: "AES-GCM",
  iv: own(nonce),
  additionalData: new TextEncoder().encode(context),
})

/** Encrypts values for a context, in their order. Fails if there is no key and none may be created. */
export const sealAll = Effect.fnUntraced(function* (plain: ReadonlyArray<Uint8Array>, context: string) {
  const { id, key } = yield* (yield* EncryptionKeys).sealing
  const nonces = yield* (yield* SecureRandom.SecureRandom).randomBytes(nonceBytes * plain.length)
  const seal = async (bytes: Uint8Array, at: number): Promise<Sealed> => {
    const nonce = nonces.subarray(nonceBytes * at, nonceBytes * (at + 1))
    const sealed = await crypto.subtle.encrypt(parameters(nonce, context), key, own(bytes))
    const body = new Uint8Array(nonceBytes + sealed.byteLength)
    body.set(nonce)
    body.set(new Uint8Array(sealed), nonceBytes)
    return { keyId: id, body }
  }
  return yield* Effect.promise(() => Promise.all(plain.map(seal)))
})

/** Decrypts a value of this context. Fails if this node does not have the key or the bytes were changed. */
export const openSealed = Effect.fnUntraced(function* ({ body, keyId }: Sealed, context: string) {
  const key = (yield* EncryptionKeys).byId(keyId)
  if (key === undefined) {
    return yield* new StoreUnavailable({
      message: `Stored data are encrypted under key ${keyId}, which this node does not have: add it to ` +
        "WAVEPOSE_ENCRYPTION_KEY, or bring the file encryption-keys back.",
    })
  }
  const broken = () =>
    new StoreUnavailable({ message: `Stored data are not what was encrypted under key ${keyId}: they were changed.` })
  if (body.length < nonceBytes + tagBytes) return yield* broken()
  const opened = yield* Effect.tryPromise({
    try: () =>
      crypto.subtle.decrypt(parameters(body.subarray(0, nonceBytes), context), key, own(body.subarray(nonceBytes))),
    catch: broken,
  })
  return new Uint8Array(opened)
})

/** The value sealed under the first key; null if it is, or if it cannot be opened here. */
export const sealAnew = Effect.fnUntraced(function* (sealed: Sealed, context: string) {
  const keys = yield* EncryptionKeys
  if (keys.byId(sealed.keyId) === undefined || (yield* keys.sealing).id === sealed.keyId) return null
  const [anew] = yield* sealAll([yield* openSealed(sealed, context)], context)
  return anew!
}, Effect.orElseSucceed(() => null))
