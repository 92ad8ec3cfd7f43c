/**
 * Keeps programs of different versions from using one PostgreSQL for long. The version is that of the program and of its schema.
 *
 * A node holds a shared advisory lock of its version in a session of its own. The server releases it when the session ends, and closes the
 * session of a machine that has disappeared. A node is new until it has held its lock for `newForS`; then it is settled.
 *
 * Invariants:
 * 1. A new node takes its lock before it migrates or writes, and only if none of another version is held. It looks again after it has taken
 *    its own: of two versions that start at the same time, at most one starts.
 * 2. A new node that sees the lock of another version fails. It upgrades the schema only when it is settled: by then a settled node of the older
 *    version that has lost its session, with all others at a restart of the server, has taken its lock again, if it reaches the server.
 * 3. A settled node takes its lock again even if another version has one, and fails only if that version is still there after `patienceS`: a
 *    new node that runs has given way by then.
 * 4. A node that reaches the server fails when the schema becomes newer than its own.
 * Boundary: while a node has lost its session it goes on, so that an outage of the database does not end it. Until it has looked again it
 * can run beside a new node of another version, and no upgrade is kept from a node that does not reach the server for longer than `newForS`.
 */
import { PgClient } from "@effect/sql-pg"
import { Deferred, Effect, Fiber, Redacted, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { orUnreachable, whyOf } from "./connection-failure.ts"
import { connectLimit, knownSchema, noAnswer } from "./database.ts"
import { rejectNewer, schemaVersion } from "./schema-version.ts"

const checkEvery = "1 second"
const openAgain = "500 millis"
/** For the check: three statements, on links with a round trip of a second. */
const answerLimitS = 10
/** For all statements of the start. */
const enterLimitS = 30
/**
 * Longer than a settled node takes to notice that its session has gone silent, and to open it again on a link with a round trip of a second:
 * one for `checkEvery`, ten for the answer, five until the driver has given the statement up, nine for the connection and the lock.
 */
const newForS = 30
/** Longer than a new node takes to look, and longer than the server keeps the session of one that has disappeared. */
const patienceS = 30
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

const takeLock = Effect.fnUntraced(function* (own: string) {
  const sql = yield* SqlClient.SqlClient
  const settings = Object.entries(keepAlive).map(([name, value]) => sql`set_config(${name}, ${value}, false)`)
  yield* sql`SELECT pg_advisory_lock_shared(${lockClass}, hashtext(${own})), ${sql.csv(settings)}`
})

const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>, limitS = answerLimitS) =>
  Effect.timeoutOrElse(effect, { duration: `${limitS} seconds`, orElse: () => noAnswer(limitS) })

const look = (own: string) => inTime(Effect.andThen(rejectNewer(knownSchema), rejectOthers(own)))

/** Takes the lock of a new node, and returns whether it will upgrade the schema. */
const enter = Effect.fnUntraced(function* (own: string) {
  yield* rejectOthers(own)
  yield* takeLock(own)
  yield* rejectOthers(own)
  yield* rejectNewer(knownSchema)
  const found = yield* schemaVersion
  const upgrades = found > 0 && found < knownSchema
  if (upgrades) yield* Effect.logInfo(`the schema is upgraded from version ${found} to ${knownSchema} in ${newForS} s`)
  return upgrades
}, (entering) => inTime(entering, enterLimitS))

/** Takes the lock of a settled node again. */
const returnTo = Effect.fnUntraced(function* (own: string) {
  yield* inTime(takeLock(own))
  yield* Effect.retry(look(own), {
    while: ({ _tag }) => _tag === "OtherVersionRuns",
    schedule: Schedule.spaced("1 second"),
    times: patienceS,
  })
})

/**
 * Takes the lock of this version for the scope, before anything else is done with the database. The effect that it returns fails when this
 * node must not go on writing.
 */
export const guardVersion = Effect.fnUntraced(function* (url: string, version: string) {
  const own = textOf(version)
  const entered = yield* Deferred.make<void>()
  let [hasEntered, isSettled, isLost] = [false, false, false]
  const session = PgClient.layerFrom(PgClient.makeClient({
    url: Redacted.make(url),
    applicationName: sessionKind + own,
    connectTimeout: connectLimit,
  }))
  const start = Effect.suspend(() => {
    hasEntered = true
    return Deferred.succeed(entered, undefined)
  })
  const hold = Effect.gen(function* () {
    const upgrades = isSettled ? yield* Effect.as(returnTo(own), false) : yield* enter(own)
    if (isLost) yield* Effect.logInfo("the lock of this version is held again")
    isLost = false
    if (!upgrades) yield* start
    for (let s = 0; s < newForS && !isSettled; s++) yield* Effect.andThen(Effect.sleep(checkEvery), look(own))
    isSettled = true
    yield* start
    return yield* Effect.forever(Effect.andThen(Effect.sleep(checkEvery), inTime(rejectNewer(knownSchema))))
  }).pipe(Effect.provide(session), Effect.mapError(orUnreachable({ url })))
  const noteLoss = Effect.fnUntraced(function* (failure: unknown) {
    if (isLost) return
    isLost = true
    yield* Effect.logWarning(`the lock of this version is lost, until PostgreSQL answers: ${whyOf(failure)}`)
  })
  const guard = yield* hold.pipe(
    Effect.catchIf(
      ({ _tag }) => hasEntered && _tag !== "SchemaMismatch" && _tag !== "OtherVersionRuns",
      (failure) => Effect.andThen(noteLoss(failure), Effect.sleep(openAgain)),
    ),
    Effect.forever,
    Effect.forkScoped,
  )
  yield* Effect.raceFirst(Deferred.await(entered), Fiber.join(guard))
  return Fiber.join(guard)
})
