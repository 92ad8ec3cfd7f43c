/**
 * Sign-in and API keys in the database: implements the port `Accounts`.
 *
 * Invariants: passwords are stored as argon2id hashes, API keys as SHA-256 of 256 random bits. Neither leaves the store.
 */
import { Clock, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { type ApiKey, NotAuthenticated, type Principal, type Role } from "../../../protocols/domain/identity.ts"
import { Accounts } from "../../../protocols/ports/accounts.ts"
import { lastUsedPrecisionMs } from "./credentials.ts"
import { orStoreUnavailable } from "../database/database.ts"
import { isPassword } from "./passwords.ts"

const refused = () => new NotAuthenticated({ message: "The credentials are missing, wrong or expired." })
const digest = (key: string) => new Uint8Array(createHash("sha256").update(key).digest())
/** API keys start with this prefix, so that secret scanners find a published key. */
const keyPrefix = "wp_"
const keyPattern = /^wp_[A-Za-z0-9_-]{43}$/

const principalOfKey = ({ keyId, name, role, scopes }: ApiKey): Principal => ({
  kind: "apiKey",
  id: keyId,
  name,
  role,
  ...(scopes === null ? {} : { scopes }),
})

export const layerAccounts: Layer.Layer<Accounts, never, SqlClient.SqlClient | SecureRandom.SecureRandom> = Layer
  .effect(
    Accounts,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom
      const keyColumns = sql.literal(`key_id::text AS "keyId", name, role, scopes,
      (extract(epoch FROM created_at) * 1000)::float8 AS "createdAtMs",
      (extract(epoch FROM expires_at) * 1000)::float8 AS "expiresAtMs",
      (extract(epoch FROM last_used_at) * 1000)::float8 AS "lastUsedAtMs"`)

      return {
        signIn: Effect.fnUntraced(function* (username, password) {
          const [user] = yield* orStoreUnavailable(sql<{ user_id: string; password_hash: string; role: Role }>`
          SELECT user_id, password_hash, role FROM users WHERE username = ${username}`)
          // An unknown user costs the same as a known one, so that the response time reveals nothing.
          const right = yield* isPassword(user?.password_hash, password)
          if (user === undefined || !right) return yield* refused()
          return { kind: "user", id: user.user_id, name: username, role: user.role } satisfies Principal
        }),
        byApiKey: Effect.fnUntraced(function* (key) {
          if (!keyPattern.test(key)) return yield* refused()
          const nowMs = yield* Clock.currentTimeMillis
          const keyHash = digest(key)
          const [found] = yield* orStoreUnavailable(
            sql<ApiKey>`SELECT ${keyColumns} FROM api_keys WHERE key_hash = ${keyHash}`,
          )
          if (found === undefined || (found.expiresAtMs !== null && found.expiresAtMs <= nowMs)) return yield* refused()
          if (nowMs - (found.lastUsedAtMs ?? 0) > lastUsedPrecisionMs) {
            yield* orStoreUnavailable(
              sql`UPDATE api_keys SET last_used_at = to_timestamp(${
                nowMs / 1000
              }::float8) WHERE key_id = ${found.keyId}`,
            )
          }
          return principalOfKey(found)
        }),
        createApiKey: Effect.fnUntraced(function* ({ expiresAtMs, name, role, scopes }) {
          const nowMs = yield* Clock.currentTimeMillis
          const key = keyPrefix + Buffer.from(yield* random.randomBytes(32)).toString("base64url")
          const keyId = yield* random.uuidV7()
          const expires = expiresAtMs === null ? null : expiresAtMs / 1000
          yield* orStoreUnavailable(sql`
          INSERT INTO api_keys (key_id, key_hash, name, role, scopes, created_at, expires_at)
          VALUES (${keyId}, ${digest(key)}, ${name}, ${role}, ${scopes}::text[], to_timestamp(${nowMs / 1000}::float8),
            to_timestamp(${expires}::float8))`)
          return { key, apiKey: { keyId, name, role, scopes, createdAtMs: nowMs, expiresAtMs, lastUsedAtMs: null } }
        }),
        apiKeys: orStoreUnavailable(sql<ApiKey>`SELECT ${keyColumns} FROM api_keys ORDER BY created_at, key_id`),
        revokeApiKey: (keyId) =>
          orStoreUnavailable(sql`DELETE FROM api_keys WHERE key_id::text = ${keyId} RETURNING 1`).pipe(
            Effect.map((rows) => rows.length > 0),
          ),
      }
    }),
  )
