/**
 * The keys that stored data are encrypted under. They are never in the database: who has its files or a back-up of it reads nothing.
 *
 * A key is 256 random bits, written as base64, and its id is taken from its SHA-256, so that two nodes whose keys differ notice it
 * and nobody numbers keys. The first key seals, every key opens: to rotate, put a new one in front of the old ones, and leave those until
 * what they sealed is past its retention.
 *
 * Keys come from the setting `WAVEPOSE_ENCRYPTION_KEY` (separated by commas) and from the file `encryption-keys` of the data folder (one
 * a line), the setting's first. A node on its own database makes the file when there is no key and one is wanted; on a shared database
 * other nodes would not have it, so there the operator has to give them.
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
  /** Of the settings, the first one seals. */
  readonly given: ReadonlyArray<Redacted.Redacted>
  /** Of the data folder. */
  readonly file: string
  /** Whether a key may be made, and written to the file, when there is none. */
  readonly mayMake: boolean
}

/** A key that cannot be read; the message says where it is from. */
class InvalidEncryptionKey extends Schema.TaggedError<InvalidEncryptionKey>()("InvalidEncryptionKey", {
  message: Schema.String,
}) {}

export class EncryptionKeys extends Context.Service<EncryptionKeys, {
  /** The key that seals; fails when there is none and none may be made. */
  readonly sealing: Effect.Effect<EncryptionKey, StoreUnavailable>
  readonly byId: (id: number) => webcrypto.CryptoKey | undefined
}>()("wavepose/actors/EncryptionKeys") {
  static readonly layer = (
    sources: KeySources,
  ): Layer.Layer<EncryptionKeys, InvalidEncryptionKey, SecureRandom.SecureRandom> =>
    Layer.effect(EncryptionKeys, make(sources))
}

const keyBytes = 32

/** The key of a text; `source` is for the message. */
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

  /** Writes a new key where only the owner reads it, before anything is sealed under it. */
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
