/**
 * The signing keys of access tokens, in the database, sealed by a key outside it.
 *
 * A key that this node cannot open is left out: its tokens are rejected, and their users sign in again.
 *
 * Invariant: keys are created under one lock, so that nodes that start or rotate at the same time create keys one after the other and agree
 * on the newest.
 */
import { Clock, Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { type SigningKey, SigningKeys } from "../../../protocols/ports/signing-keys.ts"
import { orStoreUnavailable } from "../database/database.ts"
import type { EncryptionKeys } from "../encryption/encryption-keys.ts"
import { makeLeaveOut } from "../encryption/left-out.ts"
import { isSealed, openSecret, sealSecret, sealSecretAnew } from "../encryption/sealed-secrets.ts"

/** Key of the advisory lock for creating signing keys. The value has no other meaning. */
const makingLock = 0x7769_6b65

interface Row extends Omit<SigningKey, "secret"> {
  readonly secret: Uint8Array
}

const contextOf = (keyId: string): string => `signing key ${keyId}`
/** A secret that is not sealed is 32 bytes; a sealed one is a text. */
const secretBytes = 32

const sealedOf = (keyId: string, secret: Uint8Array) =>
  Effect.map(
    sealSecret(Buffer.from(secret).toString("base64"), contextOf(keyId)),
    (text) => isSealed(text) ? new TextEncoder().encode(text) : secret,
  )

const openedOf = (keyId: string, stored: Uint8Array) =>
  stored.length === secretBytes ? Effect.succeed(new Uint8Array(stored)) : openSecret(
    new TextDecoder().decode(stored),
    contextOf(keyId),
  ).pipe(Effect.map((text) => new Uint8Array(Buffer.from(text, "base64"))))

/** What is stored from now on: a secret of the time before there was a key, or of one that is not the first any more, is sealed anew. */
const sealedAnewOf = (keyId: string, stored: Uint8Array) =>
  stored.length === secretBytes ? sealedOf(keyId, new Uint8Array(stored)) : Effect.map(
    sealSecretAnew(new TextDecoder().decode(stored), contextOf(keyId)),
    (text) => new TextEncoder().encode(text),
  )

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const keys = yield* Effect.context<EncryptionKeys | SecureRandom.SecureRandom>()
  const leaveOut = makeLeaveOut()

  const opened = ({ secret, ...row }: Row): Effect.Effect<ReadonlyArray<SigningKey>> =>
    leaveOut(
      row.keyId,
      "a signing key is left out, its users sign in again",
      Effect.map(openedOf(row.keyId, secret), (bytes) => ({ ...row, secret: Redacted.make(bytes) })),
    ).pipe(Effect.provide(keys))
  const random = yield* SecureRandom.SecureRandom

  const read = Effect.flatMap(
    sql<Row>`SELECT key_id AS "keyId", secret,
      (extract(epoch FROM created_at) * 1000)::float8 AS "createdAtMs",
      (extract(epoch FROM retired_at) * 1000)::float8 AS "retiredAtMs"
    FROM signing_keys ORDER BY retired_at DESC NULLS FIRST, created_at DESC, key_id DESC`,
    (rows) => Effect.map(Effect.forEach(rows, opened), (found) => found.flat()),
  )

  const add = Effect.fnUntraced(function* (nowS: number) {
    const keyId = yield* random.uuidV7()
    const secret = yield* Effect.provide(sealedOf(keyId, yield* random.randomBytes(secretBytes)), keys)
    yield* sql`INSERT INTO signing_keys (key_id, secret, created_at)
      VALUES (${keyId}, ${secret}, to_timestamp(${nowS}::float8))`
  })

  const stored = yield* sql<Pick<Row, "keyId" | "secret">>`SELECT key_id AS "keyId", secret FROM signing_keys`
  for (const { keyId, secret } of stored) {
    const anew = yield* Effect.provide(sealedAnewOf(keyId, secret), keys)
    if (Buffer.compare(anew, secret) === 0) continue
    yield* sql`UPDATE signing_keys SET secret = ${anew} WHERE key_id = ${keyId} AND secret = ${secret}`
  }

  const lock = sql`SELECT pg_advisory_xact_lock(${makingLock})`

  return SigningKeys.of({
    all: Effect.gen(function* () {
      const found = yield* orStoreUnavailable(read)
      if (found.some(({ retiredAtMs }) => retiredAtMs === null)) return found
      const nowS = (yield* Clock.currentTimeMillis) / 1000
      return yield* orStoreUnavailable(sql.withTransaction(Effect.gen(function* () {
        yield* lock
        const again = yield* read
        if (again.some(({ retiredAtMs }) => retiredAtMs === null)) return again
        yield* add(nowS)
        return yield* read
      })))
    }),
    rotate: Effect.fnUntraced(function* (forgottenBeforeMs) {
      const nowS = (yield* Clock.currentTimeMillis) / 1000
      return yield* orStoreUnavailable(sql.withTransaction(Effect.gen(function* () {
        yield* lock
        yield* sql`UPDATE signing_keys SET retired_at = to_timestamp(${nowS}::float8) WHERE retired_at IS NULL`
        yield* sql`DELETE FROM signing_keys WHERE retired_at < to_timestamp(${forgottenBeforeMs / 1000}::float8)`
        yield* add(nowS)
        return yield* read
      })))
    }),
  })
})

export const layerSigningKeys: Layer.Layer<
  SigningKeys,
  never,
  EncryptionKeys | SqlClient.SqlClient | SecureRandom.SecureRandom
> = Layer.effect(SigningKeys, Effect.orDie(make))
