/**
 * Secrets that all nodes share and that need no configuration: the first node creates them in the database.
 *
 * A node that may read the database, and has the key that seals its secrets, belongs to the cluster.
 */
import { Clock, Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { createAuthority, issueNodeCertificate, type RunnerCredentials } from "../../runtime/credentials.ts"
import { orStoreUnavailable } from "../database/database.ts"
import { openSecret, sealSecret, sealSecretAnew } from "./sealed-secrets.ts"

/** The value of this name. The result of the first caller's `make` holds for all nodes. */
const shared = Effect.fnUntraced(function* <R>(name: string, make: Effect.Effect<string, never, R>) {
  const sql = yield* SqlClient.SqlClient
  const read = orStoreUnavailable(sql<{ value: string }>`SELECT value FROM secrets WHERE name = ${name}`)
  const [found] = yield* read
  if (found !== undefined) return found.value
  const value = yield* make
  yield* orStoreUnavailable(
    sql`INSERT INTO secrets (name, value) VALUES (${name}, ${value}) ON CONFLICT DO NOTHING`,
  )
  return (yield* read)[0]!.value
})

const randomText = Effect.flatMap(SecureRandom.SecureRandom, (random) => random.randomBytes(32)).pipe(
  Effect.map((bytes) => Buffer.from(bytes).toString("base64url")),
)

/** As `shared`, for a value that is sealed by a key outside the database. */
const sharedSealed = Effect.fnUntraced(function* <R>(name: string, make: Effect.Effect<string, never, R>) {
  const context = `secret ${name}`
  const stored = yield* shared(name, Effect.flatMap(make, (plain) => sealSecret(plain, context)))
  const plain = yield* openSecret(stored, context)
  const sealed = yield* sealSecretAnew(stored, context)
  if (sealed === stored) return plain
  const sql = yield* SqlClient.SqlClient
  yield* orStoreUnavailable(sql`UPDATE secrets SET value = ${sealed} WHERE name = ${name} AND value = ${stored}`)
  return plain
})

/** Keys the hash that maps sign-in attempts to slots, so that an attacker cannot choose a victim's slot. */
export const signInSlotKey = shared("sign-in-slot-key", randomText)

/** The identifier of this service for clients: 32 hexadecimal digits. */
export const homeInstanceId = shared(
  "home-instance-id",
  Effect.map(
    Effect.flatMap(SecureRandom.SecureRandom, (random) => random.randomBytes(16)),
    (bytes) => Buffer.from(bytes).toString("hex"),
  ),
)

/** The credentials of this node towards its peers: a fresh certificate of the cluster's authority and the shared credential. */
export const runnerCredentials = Effect.gen(function* () {
  const nowMs = yield* Clock.currentTimeMillis
  const authority = yield* sharedSealed("cluster-authority", Effect.map(createAuthority(nowMs), JSON.stringify))
  const credential = yield* sharedSealed("cluster-credential", randomText)
  const certificate = yield* issueNodeCertificate(JSON.parse(authority), nowMs)
  return { ...certificate, credential } satisfies RunnerCredentials
})
