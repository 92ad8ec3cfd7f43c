/**
 * The enrolments in the database: implements their port.
 *
 * Invariants: a creation or a change is one transaction that locks the row of the environment. It never takes a router from another
 * environment. A revision is a digest of the content of an environment, so equal content has an equal revision.
 */
import { Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { EnrolmentConflict, EnvironmentMoved, UnknownEnvironment } from "../../../protocols/domain/failure.ts"
import type { Environment, Origin } from "../../../protocols/domain/site.ts"
import { type Enrolled, Enrolments, type EnvironmentChanges } from "../../../protocols/ports/enrolments.ts"
import { orStoreUnavailable } from "../database/database.ts"
import { dropHistory } from "./environment-history.ts"
import { activeHere } from "./active-environments.ts"
import { columnsOf, environmentRows, jsonOf } from "./environment-rows.ts"

/** The columns of an environment's row beside the environment. */
interface EnrolledRow {
  readonly environmentId: string
  readonly zones: unknown
  readonly source: Origin["source"]
  readonly origin_name: string | null
  readonly active: boolean
  readonly enrolled_ms: number
  readonly router_ids: ReadonlyArray<string>
  readonly revision: string
}

const enrolledOf = Effect.fnUntraced(function* (row: EnrolledRow) {
  const { active, enrolled_ms, origin_name, revision, router_ids, source, ...environment } = row
  const decoded = yield* environmentRows([environment])
  return decoded.map((environment): Enrolled => ({
    environment,
    routerIds: router_ids,
    origin: { source, name: origin_name },
    active,
    enrolledAtMs: enrolled_ms,
    revision,
  }))
})

/** Gives an environment whose row is locked exactly these routers. Fails if one belongs to another environment. */
const setRouters = Effect.fnUntraced(function* (environmentId: string, routerIds: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const ids = sql`${[...routerIds]}::text[]`
  yield* sql`DELETE FROM routers WHERE environment_id = ${environmentId} AND router_id <> ALL(${ids})`
  yield* sql`
    INSERT INTO routers (router_id, environment_id) SELECT router_id, ${environmentId}::text FROM unnest(${ids}) AS router_id
    ON CONFLICT (router_id) DO NOTHING`
  const [taken] = yield* sql<{ router_id: string; environment_id: string }>`
    SELECT router_id, environment_id FROM routers
    WHERE router_id = ANY(${ids}) AND environment_id <> ${environmentId} ORDER BY router_id LIMIT 1`
  if (taken !== undefined) return yield* EnrolmentConflict.ofRouter(taken.router_id, taken.environment_id)
})

const insert = Effect.fnUntraced(function* (
  { environmentId, geometry, name, zones }: Environment,
  routerIds: ReadonlyArray<string>,
  activate: boolean,
) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    INSERT INTO environments (environment_id, name, geometry, zones, origin_source)
    VALUES (${environmentId}, ${name}, ${jsonOf(geometry)}::text::jsonb, ${jsonOf(zones)}::text::jsonb, 'live')
    ON CONFLICT (environment_id) DO NOTHING RETURNING 1`
  if (rows.length === 0) return yield* EnrolmentConflict.ofEnvironment(environmentId)
  yield* setRouters(environmentId, routerIds)
  if (activate) {
    yield* sql`
      UPDATE node_sources SET environment_ids = array_append(environment_ids, ${environmentId}::text)
      WHERE ${environmentId}::text <> ALL(environment_ids)`
  }
})

const update = Effect.fnUntraced(function* (environmentId: string, changes: EnvironmentChanges) {
  const sql = yield* SqlClient.SqlClient
  const { geometry, name, routerIds, zones } = changes
  if (name !== undefined) yield* sql`UPDATE environments SET name = ${name} WHERE environment_id = ${environmentId}`
  if (geometry !== undefined) {
    yield* sql`
      UPDATE environments SET geometry = ${jsonOf(geometry)}::text::jsonb WHERE environment_id = ${environmentId}`
  }
  if (zones !== undefined) {
    yield* sql`UPDATE environments SET zones = ${jsonOf(zones)}::text::jsonb WHERE environment_id = ${environmentId}`
  }
  if (routerIds !== undefined) yield* setRouters(environmentId, routerIds)
})

/** The statements of the enrolments, on a connection or in a transaction. */
const makeStatements = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const active = yield* activeHere
  const routerIds = sql`ARRAY(
    SELECT router_id FROM routers WHERE routers.environment_id = environments.environment_id ORDER BY 1)`
  const select = sql`SELECT ${columnsOf(sql)}, origin_source AS source, origin_name, ${active} AS active,
    (extract(epoch FROM created_at) * 1000)::float8 AS enrolled_ms, ${routerIds} AS router_ids,
    md5(jsonb_build_array(name, geometry, zones, ${routerIds})::text) AS revision FROM environments`
  const read = (rows: Effect.Effect<ReadonlyArray<EnrolledRow>, SqlError.SqlError>) =>
    Effect.map(
      Effect.flatMap(orStoreUnavailable(rows), (found) => Effect.forEach(found, enrolledOf)),
      (enrolled) => enrolled.flat(),
    )
  const all = read(sql<EnrolledRow>`${select} ORDER BY environment_id`)
  const one = Effect.fnUntraced(function* (environmentId: string) {
    const [found] = yield* read(sql<EnrolledRow>`${select} WHERE environment_id = ${environmentId}`)
    if (found !== undefined) return found
    const known = (yield* all).map(({ environment }) => environment.environmentId)
    return yield* UnknownEnvironment.among(environmentId, known)
  })
  return { all, one }
})

export const layerEnrolments: Layer.Layer<Enrolments, never, SqlClient.SqlClient> = Layer.effect(
  Enrolments,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { all, one } = yield* makeStatements
    const changed = Effect.fnUntraced(
      function* (environmentId: string, changes: EnvironmentChanges, ifRevision: string | null) {
        yield* sql`SELECT 1 FROM environments WHERE environment_id = ${environmentId} FOR UPDATE`
        const { revision } = yield* one(environmentId)
        if (ifRevision !== null && ifRevision !== revision) {
          return yield* EnvironmentMoved.of(environmentId, revision)
        }
        yield* update(environmentId, changes)
        return yield* one(environmentId)
      },
    )
    return {
      all,
      one,
      create: (environment, { activate, routerIds }) =>
        orStoreUnavailable(
          sql.withTransaction(Effect.andThen(insert(environment, routerIds, activate), one(environment.environmentId))),
        ).pipe(
          Effect.catchTag("UnknownEnvironment", Effect.die),
          Effect.provideService(SqlClient.SqlClient, sql),
        ),
      change: (environmentId, changes, ifRevision) =>
        orStoreUnavailable(sql.withTransaction(changed(environmentId, changes, ifRevision))).pipe(
          Effect.provideService(SqlClient.SqlClient, sql),
        ),
      remove: (environmentId) =>
        orStoreUnavailable(sql`DELETE FROM environments WHERE environment_id = ${environmentId} RETURNING 1`).pipe(
          Effect.map((rows) => rows.length > 0),
        ),
      dropHistory: (environmentId) => Effect.provideService(dropHistory(environmentId), SqlClient.SqlClient, sql),
    }
  }),
)
