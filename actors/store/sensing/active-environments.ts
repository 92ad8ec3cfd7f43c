/**
 * The environments of a query: the named one, active or not, or all active ones.
 *
 * An environment is active while a node runs that was started with its source (`node-sources.ts`). All queries of the store use this
 * condition, so that a list, a report and the history without an environment cover the same ones.
 */
import { Effect, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { expiryS, NodeSource } from "./node-sources.ts"

/** The condition under which a row of `environments` has a node, among those of a condition, that was started with its source. */
const isNamed = (sql: SqlClient.SqlClient, among: Statement.Fragment): Statement.Fragment =>
  sql`EXISTS (
    SELECT FROM node_sources AS node WHERE ${among}
      AND (node.keeps_all OR environments.environment_id = ANY(node.environment_ids)
        OR (node.source = 'live' AND environments.origin_source = 'live')))`

/** The condition under which a row of `environments` is active. For a store without a node all are active. */
const isActive = (sql: SqlClient.SqlClient, startId: string | null): Statement.Fragment =>
  startId === null ? sql`TRUE` : isNamed(
    sql,
    sql`(node.start_id = ${startId}::uuid OR node.seen_at > now() - make_interval(secs => ${expiryS}::int4))`,
  )

/** The ids of environments that are active or were within the last day, as an array. */
export const recentlyActive = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`ARRAY(SELECT environment_id FROM environments WHERE ${isNamed(sql, sql`TRUE`)})`

const startIdHere = Effect.map(
  Effect.serviceOption(NodeSource),
  Option.match({ onNone: () => null, onSome: ({ startId }) => startId }),
)

/** The same condition, from the view of this node. */
export const activeHere = Effect.gen(function* () {
  return isActive(yield* SqlClient.SqlClient, yield* startIdHere)
})

/** The database with the condition that selects the environments of a query. */
export interface ActiveReader {
  readonly sql: SqlClient.SqlClient
  /** The condition on a column of environment ids: equal to this one, or, with null, to an active one. */
  readonly covers: (environmentId: string | null, column?: string) => Statement.Fragment
}

export const makeActiveReader: Effect.Effect<ActiveReader, never, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const startId = yield* startIdHere
  // The array is built once per statement and used for lookups in primary keys.
  const active = sql`ANY(ARRAY(SELECT environment_id FROM environments WHERE ${isActive(sql, startId)}))`
  return {
    sql,
    covers: (environmentId, column = "environment_id") => {
      const id = sql.literal(column)
      if (environmentId !== null) return sql`${id} = ${environmentId}`
      return startId === null ? sql`TRUE` : sql`${id} = ${active}`
    },
  }
})
