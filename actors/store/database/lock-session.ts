/**
 * The SQL client of the runner storage, whose reserved connection is pipelined: a statement does not wait for the answers to those before it.
 *
 * The storage keeps the locks of a node's shards on one reserved connection. The driver sends the statements of its own reserved connections
 * one after the other, so that on a link of 400 ms the release of 50 shards would take 40 s, and a renewal behind it would be too late.
 *
 * Invariants:
 * 1. A reserved connection is a session of its own, outside of the pool: nobody else uses it, and it ends when its scope closes, with its locks.
 * 2. The server executes the statements in the order in which they were sent, and the failure of one does not concern the others.
 */
import { PgClient, PgConnection } from "@effect/sql-pg"
import { Effect, type Layer, Stream } from "effect"
import type { SqlClient, SqlConnection, SqlError } from "effect/sql"

type Rows = SqlConnection.Connection["execute"]

const connectionOn = (session: PgConnection.PgConnection): SqlConnection.Connection => {
  const rowsOf = (prepared: boolean): Rows => (sql, params, transform) =>
    Effect.map(session.query(sql, params, prepared), ({ rows }) => transform === undefined ? rows : transform(rows))
  return {
    execute: rowsOf(true),
    executeUnprepared: rowsOf(false),
    executeRaw: (sql, params) => session.query(sql, params),
    executeValues: (sql, params) => session.queryValues(sql, params),
    executeValuesUnprepared: (sql, params) => session.queryValues(sql, params, false),
    executeStream: (sql, params, transform) =>
      Stream.mapArray(
        session.stream(sql, params),
        (rows) => (transform === undefined ? rows : transform(rows)) as typeof rows,
      ),
  }
}

/** The pool of this configuration, with pipelined reserved connections. */
export const layerLockSession = (
  config: PgClient.PgPoolConfig,
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, SqlError.SqlError> =>
  PgClient.layerFrom(
    Effect.map(PgClient.make(config), (pool) =>
      Object.assign(pool, {
        reserve: Effect.map(PgConnection.make({ ...config, multiplex: true }), connectionOn),
      })),
  )
