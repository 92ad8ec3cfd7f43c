/**
 * Keeps programs of different versions from using one PostgreSQL at the same time. The version is that of the program and of its schema.
 *
 * A node holds a shared advisory lock of its version in a session of its own. The server releases it when the session ends, and closes the
 * session of a machine that has disappeared.
 *
 * Invariants:
 * 1. A node takes its lock before it migrates or writes, and only if none of another version is held. It looks again after it has taken its
 *    own: of two versions that start at the same time, at most one starts.
 * 2. A node that has lost its session opens it again as at the start. If a node of another version came meanwhile, it fails. Before a schema is
 *    upgraded, all nodes of the older version have had the time to find this.
 * 3. A node fails as well when the schema becomes newer than its own.
 */
import { PgClient } from "@effect/sql-pg"
import { Deferred, Effect, Fiber, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { orUnreachable } from "./connection-failure.ts"
import { knownSchema, noAnswer } from "./database.ts"
import { rejectNewer, schemaVersion } from "./schema-version.ts"

const checkEvery = "1 second"
const answerLimitS = 3
const openAgain = "500 millis"
/** Longer than the sum of the three. */
const upgradeAfter = "5 seconds"
/** The server closes the session of a machine that does not answer after `idle + count * interval` seconds. */
const keepAlive = { tcp_keepalives_idle: "5", tcp_keepalives_interval: "5", tcp_keepalives_count: "3" }
/** The class of these advisory locks. */
const lockClass = 0x77617665
const sessionKind = "wavepose version "

/** Nodes of another version use the database. The message has their versions and the remedy. */
class OtherVersionRuns extends Schema.TaggedError<OtherVersionRuns>()("OtherVersionRuns", {
  message: Schema.String,
}) {}

const textOf = (version: string): string => `${version} with schema ${knownSchema}`

/** Fails if a lock of another version is held. */
const rejectOthers = Effect.fnUntraced(function* (own: string) {
  const sql = yield* SqlClient.SqlClient
  const others = yield* sql<{ session: string; host: string }>`
    SELECT DISTINCT coalesce(application_name, '') AS session, coalesce(host(client_addr), 'this host') AS host
    FROM pg_locks LEFT JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND classid = ${lockClass} AND objsubid = 2 AND objid <> hashtext(${own})::oid
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
  if (others.length === 0) return
  const named = others.map(({ host, session }) => `${session.replace(sessionKind, "") || "unknown"} at ${host}`)
  yield* new OtherVersionRuns({
    message: `This is wavepose ${own}, and nodes of another version use the database: ${named.join(", ")}. ` +
      "Two versions must not run on one database: stop all nodes of the version that is to be replaced, then start this one.",
  })
})

/** Takes the lock of this version, and waits before an upgrade of the schema. */
const enter = Effect.fnUntraced(function* (own: string) {
  const sql = yield* SqlClient.SqlClient
  yield* rejectOthers(own)
  const settings = Object.entries(keepAlive).map(([name, value]) => sql`set_config(${name}, ${value}, false)`)
  yield* sql`SELECT pg_advisory_lock_shared(${lockClass}, hashtext(${own})), ${sql.csv(settings)}`
  yield* rejectOthers(own)
  yield* rejectNewer(knownSchema)
  return yield* schemaVersion
})

const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.timeoutOrElse(effect, { duration: `${answerLimitS} seconds`, orElse: () => noAnswer(answerLimitS) })

/**
 * Takes the lock of this version for the scope, before anything else is done with the database. The effect that it returns fails when this
 * node must not go on writing.
 */
export const guardVersion = Effect.fnUntraced(function* (url: string, version: string) {
  const own = textOf(version)
  const entered = yield* Deferred.make<void>()
  let hasEntered = false
  const isLost = ({ _tag }: { readonly _tag: string }) =>
    hasEntered && _tag !== "SchemaMismatch" && _tag !== "OtherVersionRuns"
  const session = PgClient.layerFrom(PgClient.makeClient({
    url: Redacted.make(url),
    applicationName: sessionKind + own,
    connectTimeout: `${answerLimitS} seconds`,
  }))
  const hold = Effect.gen(function* () {
    const found = yield* inTime(enter(own))
    if (found > 0 && found < knownSchema) {
      yield* Effect.logInfo(`the schema is upgraded from version ${found} to ${knownSchema} in ${upgradeAfter}`)
      yield* Effect.sleep(upgradeAfter)
    }
    hasEntered = true
    yield* Deferred.succeed(entered, undefined)
    return yield* Effect.forever(Effect.andThen(Effect.sleep(checkEvery), inTime(rejectNewer(knownSchema))))
  }).pipe(Effect.provide(session), Effect.mapError(orUnreachable({ url })))
  const guard = yield* hold.pipe(
    Effect.catchIf(isLost, () => Effect.sleep(openAgain)),
    Effect.forever,
    Effect.forkScoped,
  )
  yield* Effect.raceFirst(Deferred.await(entered), Fiber.join(guard))
  return Fiber.join(guard)
})
