/**
 * `wavepose key`: creates, lists and revokes the API keys of a running service, over REST like any client.
 */
import { Clock, Console, Effect, Schema } from "effect"
import { dayMs } from "../../core/analytics/calendar.ts"
import type { Role, Scope } from "../../protocols/domain/identity.ts"
import { ApiKeysBody, NewApiKeyBody } from "../../protocols/pose-api/auth.ts"
import { printResult } from "./output.ts"
import { askAsUser, type ServiceRequest } from "./service-client.ts"
import { tableOf } from "./text-table.ts"

const path = "/auth/api-keys"

const ask = <A>(url: string, path: string, schema: Schema.ConstraintDecoder<A>, request?: ServiceRequest) =>
  askAsUser(url, "managing keys needs the role admin.", path, schema, request)

interface CreateOptions {
  readonly name: string
  readonly role: Role
  /** Empty: all scopes of the role. */
  readonly scopes: ReadonlyArray<Scope>
  /** Null: the key does not expire. */
  readonly expiresInDays: number | null
  readonly url: string
  readonly json: boolean
}

/** Creates a key and prints it: alone on stdout, so that a script can take it. */
export const createKey = Effect.fnUntraced(function* ({ expiresInDays, json, name, role, scopes, url }: CreateOptions) {
  const nowMs = yield* Clock.currentTimeMillis
  const body = {
    name,
    role,
    ...(scopes.length === 0 ? {} : { scopes: [...new Set(scopes)] }),
    ...(expiresInDays === null ? {} : { expires_at: new Date(nowMs + expiresInDays * dayMs).toISOString() }),
  }
  const made = yield* ask(url, path, NewApiKeyBody, {
    method: "POST",
    body: JSON.stringify(body),
  })
  if (!json) {
    yield* Console.error(`Key ${made.key_id} of ${name} has the scopes ${made.scopes.join(", ")}. It is shown once:`)
  }
  yield* printResult(json, made, made.key)
})

/** Prints the keys, without the keys themselves. */
export const listKeys = Effect.fnUntraced(function* ({ json, url }: { readonly url: string; readonly json: boolean }) {
  const body = yield* ask(url, path, ApiKeysBody)
  const rows = body.api_keys.map((key) => [
    key.key_id,
    key.name,
    key.role,
    key.scopes.join(" "),
    key.expires_at ?? "never",
    key.last_used_at ?? "never",
  ])
  const text = rows.length === 0
    ? "There are no API keys."
    : tableOf([["ID", "NAME", "ROLE", "SCOPES", "EXPIRES", "LAST USE"], ...rows])
  yield* printResult(json, body, text)
})

/** Revokes a key. */
export const revokeKey = Effect.fnUntraced(
  function* ({ json, keyId, url }: { readonly keyId: string; readonly url: string; readonly json: boolean }) {
    yield* ask(url, `${path}/${encodeURIComponent(keyId)}`, Schema.Null, { method: "DELETE" })
    const text = `Key ${keyId} is revoked.`
    yield* json ? printResult(true, { key_id: keyId, revoked: true }, text) : Console.error(text)
  },
)
