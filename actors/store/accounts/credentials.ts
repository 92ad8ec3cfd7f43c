/**
 * Checks which credentials are valid: sign-ins that have not ended, and API keys that are neither revoked nor expired. One round
 * trip checks any number of them.
 */
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Role, Scope } from "../../../protocols/domain/identity.ts"
import { Credentials, type StandingCredential } from "../../../protocols/ports/credentials.ts"
import { orStoreUnavailable } from "../database/database.ts"

/** Resolution of `last_used_at`: one minute, so that a busy key does not write a row per second. */
export const lastUsedPrecisionMs = 60_000

interface Row {
  readonly kind: "session" | "apiKey"
  readonly id: string
  readonly principal_id: string
  readonly name: string
  readonly role: Role
  readonly scopes: ReadonlyArray<Scope> | null
  readonly stale: boolean
}

const standingOf = ({ id, kind, name, principal_id, role, scopes }: Row): StandingCredential => ({
  kind,
  id,
  principal: {
    kind: kind === "session" ? "user" : "apiKey",
    id: principal_id,
    name,
    role,
    ...(scopes === null ? {} : { scopes }),
  },
})

export const layerCredentials: Layer.Layer<Credentials, never, SqlClient.SqlClient> = Layer.effect(
  Credentials,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      standing: Effect.fnUntraced(function* (refs) {
        const nowMs = yield* Clock.currentTimeMillis
        const idsOf = (kind: Row["kind"]) => refs.filter((ref) => ref.kind === kind).map(({ id }) => id)
        const [sessions, keys] = [idsOf("session"), idsOf("apiKey")]
        const now = sql`to_timestamp(${nowMs / 1000}::float8)`
        const rows = yield* orStoreUnavailable(sql<Row>`
          SELECT 'session' AS kind, session_id::text AS id, user_id::text AS principal_id, username AS name, role,
            NULL::text[] AS scopes, false AS stale
          FROM user_sessions JOIN users USING (user_id)
          WHERE session_id = ANY(${sessions}::uuid[]) AND expires_at > ${now}
          UNION ALL
          SELECT 'apiKey', key_id::text, key_id::text, name, role, scopes,
            last_used_at IS NULL OR last_used_at < to_timestamp(${(nowMs - lastUsedPrecisionMs) / 1000}::float8)
          FROM api_keys
          WHERE key_id = ANY(${keys}::uuid[]) AND (expires_at IS NULL OR expires_at > ${now})`)
        const stale = rows.filter((row) => row.stale).map(({ id }) => id)
        if (stale.length > 0) {
          yield* orStoreUnavailable(
            sql`UPDATE api_keys SET last_used_at = ${now} WHERE key_id = ANY(${stale}::uuid[])`,
          )
        }
        return rows.map(standingOf)
      }),
    }
  }),
)
