/**
 * The database: one driver and one schema for PostgreSQL and the embedded PGlite.
 *
 * Owns the connection pool and the migrations. Boundary: SQL is written only in `actors/store`, one file per group of
 * tables.
 */
import { PgClient } from "@effect/sql-pg"
import { Clock, Duration, Effect, Layer, Redacted } from "effect"
import { Migrator, SqlClient, SqlError } from "effect/sql"
import { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { DatabaseHealth } from "../../../protocols/ports/database-health.ts"
import { orUnreachable } from "./connection-failure.ts"
import type { DatabaseLocation } from "./database-location.ts"
import { logAnswer, logFailure } from "./outage-log.ts"
import { migrationTable, rejectNewer, requireVersion } from "./schema-version.ts"
import initial from "../migrations/0001-initial.ts"
import events from "../migrations/0002-events.ts"
import frames from "../migrations/0003-frames.ts"
import accounts from "../migrations/0004-accounts.ts"
import configuration from "../migrations/0005-configuration.ts"
import analytics from "../migrations/0006-analytics.ts"
import learnedWeeks from "../migrations/0007-learned-weeks.ts"
import nodeIdentities from "../migrations/0008-node-identities.ts"
import home from "../migrations/0009-home.ts"
import origins from "../migrations/0010-origins.ts"
import presenceHistory from "../migrations/0011-presence-history.ts"
import environmentMemories from "../migrations/0012-environment-memories.ts"
import frameGenerations from "../migrations/0013-frame-generations.ts"
import keyScopes from "../migrations/0014-key-scopes.ts"
import placements from "../migrations/0015-placements.ts"
import uncountedPersons from "../migrations/0016-uncounted-persons.ts"

/** Connections of one node: enough for a commit and the concurrent queries of the gateways. */
const connectionsMax = 8

/**
 * All connections to the embedded database share one session. It keeps the statements that a closed connection has prepared: 30 kB
 * each, and 270 kB for those of frames. Therefore connections are never closed, and each keeps few statements.
 */
const embeddedOptions = { idleTimeout: Duration.infinity, preparedStatementCacheSize: 16 } as const

/** All migrations, in their order. */
export const migrations = {
  "0001_initial": initial,
  "0002_events": events,
  "0003_frames": frames,
  "0004_accounts": accounts,
  "0005_configuration": configuration,
  "0006_analytics": analytics,
  "0007_learned_weeks": learnedWeeks,
  "0008_node_identities": nodeIdentities,
  "0009_home": home,
  "0010_origins": origins,
  "0011_presence_history": presenceHistory,
  "0012_environment_memories": environmentMemories,
  "0013_frame_generations": frameGenerations,
  "0014_key_scopes": keyScopes,
  "0015_placements": placements,
  "0016_uncounted_persons": uncountedPersons,
} as const

/** Migrates a database of any released version to the current schema. */
export const migrateTo = (record: Partial<typeof migrations>) =>
  Migrator.make({})({ loader: Migrator.fromRecord(record), table: migrationTable })

/** The longest that an operation waits. On a link that has gone silent, TCP gives up after a quarter of an hour. */
const answerLimitS = 30

export const noAnswer = (limitS: number): Effect.Effect<never, SqlError.SqlError> =>
  Effect.fail(
    new SqlError.SqlError({
      reason: new SqlError.ConnectionError({ cause: new Error(`no answer within ${limitS} s`) }),
    }),
  )

/** The schema version of this program. */
export const knownSchema = Object.keys(migrations).length

/** For a connection: seven round trips with TLS, each of up to a second. */
export const connectLimit = "10 seconds"

/** The connection pool, without migrations. */
export const layerConnections = (location: DatabaseLocation) =>
  PgClient.layer({
    ...("url" in location
      ? { url: Redacted.make(location.url) }
      : { stream: location.connect, username: "postgres", database: "postgres", ...embeddedOptions }),
    applicationName: "wavepose",
    maxConnections: connectionsMax,
    connectTimeout: connectLimit,
  })

/** Runs `prepare` before the pool is available. A connection failure is reported with address and cause. */
const layerPrepared = <A, E>(location: DatabaseLocation, prepare: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Layer.effectDiscard(prepare).pipe(
    Layer.provideMerge(layerConnections(location)),
    Layer.catch((failure) => Layer.effectContext(Effect.fail(orUnreachable(location)(failure)))),
  )

/** The pool, migrated to this version's schema. A newer schema is rejected before any migration runs. */
export const layerDatabase = (location: DatabaseLocation) =>
  layerPrepared(location, Effect.andThen(migrateTo(migrations), rejectNewer(knownSchema)))

/** The pool of a database that already has this version's schema, for commands that run beside nodes. */
export const layerCurrentDatabase = (location: DatabaseLocation) => layerPrepared(location, requireVersion(knownSchema))

/** Converts a failed statement, or one without an answer, to the failure of the domain. The cause is logged and not sent to clients. */
export const orStoreUnavailable = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, Exclude<E, SqlError.SqlError> | StoreUnavailable, R> =>
  Effect.catch(
    Effect.tap(
      Effect.timeoutOrElse(effect, { duration: Duration.seconds(answerLimitS), orElse: () => noAnswer(answerLimitS) }),
      () => logAnswer,
    ),
    (error): Effect.Effect<never, Exclude<E, SqlError.SqlError> | StoreUnavailable> =>
      SqlError.isSqlError(error)
        ? logFailure(error).pipe(
          Effect.andThen(
            Effect.fail(new StoreUnavailable({ message: "The database did not answer. Try again shortly." })),
          ),
        )
        : Effect.fail(error as Exclude<E, SqlError.SqlError>),
  )

/** Checks the health of the database with one round trip. */
export const layerDatabaseHealth: Layer.Layer<DatabaseHealth, never, SqlClient.SqlClient> = Layer.effect(
  DatabaseHealth,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      check: Effect.gen(function* () {
        const startMs = yield* Clock.currentTimeMillis
        yield* orStoreUnavailable(sql`SELECT 1`)
        return { latencyMs: (yield* Clock.currentTimeMillis) - startMs, used: null, capacity: connectionsMax }
      }),
    }
  }),
)
