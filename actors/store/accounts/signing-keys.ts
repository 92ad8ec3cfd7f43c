/**
 * The signing keys of access tokens, in the database.
 *
 * Invariant: keys are created under one lock, so that nodes that start or rotate at the same time create keys one after the
 * other and agree on the newest.
 */
import { Clock, Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { type SigningKey, SigningKeys } from "../../../protocols/ports/signing-keys.ts"
import { orStoreUnavailable } from "../database/database.ts"

/** Key of the advisory lock for creating signing keys. The value has no other meaning. */
const makingLock = 0x7769_6b65

interface Row extends Omit<SigningKey, "secret"> {
  readonly secret: Uint8Array
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom

  const read = Effect.map(
    sql<Row>`SELECT key_id AS "keyId", secret,
      (extract(epoch FROM created_at) * 1000)::float8 AS "createdAtMs",
      (extract(epoch FROM retired_at) * 1000)::float8 AS "retiredAtMs"
    FROM signing_keys ORDER BY retired_at DESC NULLS FIRST, created_at DESC, key_id DESC`,
    (rows) => rows.map(({ secret, ...row }): SigningKey => ({ ...row, secret: Redacted.make(new Uint8Array(secret)) })),
  )

  const add = Effect.fnUntraced(function* (nowS: number) {
    const keyId = yield* random.uuidV7()
    const secret = yield* random.randomBytes(32)
    yield* sql`INSERT INTO signing_keys (key_id, secret, created_at)
      VALUES (${keyId}, ${secret}, to_timestamp(${nowS}::float8))`
  })

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

export const layerSigningKeys: Layer.Layer<SigningKeys, never, SqlClient.SqlClient | SecureRandom.SecureRandom> = Layer
  .effect(SigningKeys, make)
