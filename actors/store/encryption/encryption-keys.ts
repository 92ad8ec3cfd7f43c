/**
 * The keys of encryption at rest. They are never in the database: its files or a back-up of it cannot be decrypted alone.
 *
 * A key is 256 random bits in base64. Its id is derived from its SHA-256, so nodes with different keys notice the difference
 * and keys need no numbering. The first key encrypts, and every key decrypts. To rotate, add a new key in front, and keep the old ones until
 * the retention of their data has ended. Values without retention are sealed under the first key at the next start (`rotation.ts`).
 *
 * Keys come from the setting `WAVEPOSE_ENCRYPTION_KEY` (separated by commas), then from the file `encryption-keys` of the data folder (one
 * per line). If a key is needed and there is none, a node with an embedded database creates the file. Nodes with a shared database
 * do not, because the other nodes would not have the key: the operator must set it.
 */
import { Context, Effect, Layer, Redacted, Schema, Semaphore } from "effect"
import { SecureRandom } from "effect/crypto"
import type { webcrypto } from "node:crypto"
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { StoreUnavailable } from "../../../protocols/domain/failure.ts"

interface EncryptionKey {
  /** 0..32767. */
  readonly id: number
  readonly key: webcrypto.CryptoKey
}

export interface KeySources {
  /** Keys of the settings. The first one encrypts. */
  readonly given: ReadonlyArray<Redacted.Redacted>
  /** Keys of the data folder. */
  readonly file: string
  /** Whether a missing key may be created and written to the file. */
  readonly mayMake: boolean
}

/** A key is invalid. The message names its source. */
class InvalidEncryptionKey extends Schema.TaggedError<InvalidEncryptionKey>()("InvalidEncryptionKey", {
  message: Schema.String,
}) {}

export class EncryptionKeys extends Context.Service<EncryptionKeys, {
  /** The key that encrypts. Fails if there is none and none may be created. */
  readonly sealing: Effect.Effect<EncryptionKey, StoreUnavailable>
  readonly byId: (id: number) => webcrypto.CryptoKey | undefined
}>()("wavepose/actors/EncryptionKeys") {
  static readonly layer = (
    sources: KeySources,
  ): Layer.Layer<EncryptionKeys, InvalidEncryptionKey, SecureRandom.SecureRandom> =>
    Layer.effect(EncryptionKeys, make(sources))
}

const keyBytes = 32

/** Parses a key. `source` is for the message. */
const readKey = (text: string, source: string): Effect.Effect<EncryptionKey, InvalidEncryptionKey> =>
  Effect.tryPromise({
    try: async () => {
      const bytes = new Uint8Array(Buffer.from(text, "base64"))
      if (bytes.length !== keyBytes) throw new Error(`it has ${bytes.length} bytes`)
      const digest = new DataView(await crypto.subtle.digest("SHA-256", bytes))
      const key = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"])
      return { id: digest.getUint16(0) & 0x7fff, key }
    },
    catch: (cause) =>
      new InvalidEncryptionKey({
        message: `An encryption key in ${source} cannot be used: ${
          cause instanceof Error ? cause.message : cause
        }. A key is ${keyBytes} random bytes in base64: openssl rand -base64 ${keyBytes}`,
      }),
  })

const readFileKeys = (file: string): Effect.Effect<ReadonlyArray<EncryptionKey>, InvalidEncryptionKey> =>
  Effect.gen(function* () {
    const text = yield* Effect.tryPromise({
      try: () =>
        readFile(file, "utf8").catch((cause) => {
          if ((cause as { readonly code?: string }).code === "ENOENT") return ""
          throw cause
        }),
      catch: (cause) => new InvalidEncryptionKey({ message: `${file} cannot be read: ${cause}` }),
    })
    const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "")
    return yield* Effect.forEach(lines, (line) => readKey(line, file))
  })

const make = Effect.fnUntraced(function* ({ file, given, mayMake }: KeySources) {
  const random = yield* SecureRandom.SecureRandom
  const oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)
  const keys: Array<EncryptionKey> = [
    ...yield* Effect.forEach(given, (key) => readKey(Redacted.value(key), "WAVEPOSE_ENCRYPTION_KEY")),
    ...yield* readFileKeys(file),
  ]

  /** Writes a new key with access for the owner only, before it is first used. */
  const makeKey = Effect.gen(function* () {
    const text = Buffer.from(yield* random.randomBytes(keyBytes)).toString("base64")
    yield* Effect.tryPromise(async () => {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, `${text}\n`, { mode: 0o600, flag: "wx" })
      await chmod(file, 0o600)
    })
    yield* Effect.logInfo(`a key for encryption at rest was made: keep a copy of ${file} apart from back-ups`)
    return yield* readKey(text, file)
  }).pipe(
    Effect.mapError((error) => new StoreUnavailable({ message: `No encryption key can be made in ${file}: ${error}` })),
  )

  return EncryptionKeys.of({
    sealing: oneAtATime(Effect.gen(function* () {
      const [first] = keys
      if (first !== undefined) return first
      if (!mayMake) {
        return yield* new StoreUnavailable({
          message: "Encryption is on and there is no key: set WAVEPOSE_ENCRYPTION_KEY, the same on every node " +
            `(openssl rand -base64 ${keyBytes}).`,
        })
      }
      const made = yield* makeKey
      keys.push(made)
      return made
    })),
    byId: (wanted) => keys.find(({ id }) => id === wanted)?.key,
  })
})
