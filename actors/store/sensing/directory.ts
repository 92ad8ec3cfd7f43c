/**
 * Environments and routers in the database: the store's answer to the ports of the directory and of the enrolments.
 *
 * A row that is not as it should be is left out and logged: one bad row must not take the others with it.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { namedMax, UnknownEnvironment } from "../../../protocols/domain/failure.ts"
import { Environment, Origin, RouterEnrolment } from "../../../protocols/domain/site.ts"
import { Directory } from "../../../protocols/ports/directory.ts"
import { type Enrolled, Enrolments } from "../../../protocols/ports/enrolments.ts"
import { orStoreUnavailable } from "../database/database.ts"
import { activeHere } from "./active-environments.ts"
import { dropHistory } from "./environment-history.ts"

const decodeEnvironment = Schema.decodeUnknownEffect(Environment)
const decodeRouter = Schema.decodeUnknownEffect(RouterEnrolment)

/** Of an enrolment that does not say where it comes from. */
const unnamedOrigin: Origin = { source: "live", name: null }

/** A row of an environment: without zones it has none. */
const environmentOf = ({ zones, ...row }: { readonly zones: unknown }): unknown =>
  zones === null ? row : { ...row, zones }

/** The rows that decode. */
const decodeRows = Effect.fnUntraced(function* <A>(
  rows: ReadonlyArray<unknown>,
  decode: (row: unknown) => Effect.Effect<A, Schema.SchemaError>,
) {
  const decoded: Array<A> = []
  for (const row of rows) {
    yield* Effect.matchEffect(decode(row), {
      onSuccess: (value) => Effect.sync(() => void decoded.push(value)),
      onFailure: (error) => Effect.logWarning("a row of the directory is left out", row, error.message),
    })
  }
  return decoded
})

const columnsOf = (sql: SqlClient.SqlClient) =>
  sql.literal(`environments.environment_id AS "environmentId", name, geometry, zones`)

const environmentRows = (rows: ReadonlyArray<{ readonly zones: unknown }>) =>
  decodeRows(rows.map(environmentOf), decodeEnvironment)

/** Adds or replaces an environment. The row of the environment comes first: it makes enrolments of the same one take turns. */
const enrol = Effect.fnUntraced(function* (
  environment: Environment,
  routerIds: ReadonlyArray<string>,
  origin: Origin = unnamedOrigin,
) {
  const sql = yield* SqlClient.SqlClient
  const { environmentId, name } = environment
  const geometry = environment.geometry === null ? null : JSON.stringify(environment.geometry)
  const zones = environment.zones === undefined ? null : JSON.stringify(environment.zones)
  yield* sql.withTransaction(Effect.gen(function* () {
    yield* sql`
      INSERT INTO environments (environment_id, name, geometry, zones, origin_source, origin_name)
      VALUES (${environmentId}, ${name}, ${geometry}::text::jsonb, ${zones}::text::jsonb, ${origin.source}, ${origin.name})
      ON CONFLICT (environment_id) DO UPDATE SET name = excluded.name, geometry = excluded.geometry,
        zones = excluded.zones, origin_source = excluded.origin_source, origin_name = excluded.origin_name`
    yield* sql`
      DELETE FROM routers WHERE environment_id = ${environmentId} AND router_id <> ALL(${[...routerIds]}::text[])`
    yield* sql`
      INSERT INTO routers (router_id, environment_id)
      SELECT router_id, ${environmentId}::text FROM unnest(${[...routerIds]}::text[]) AS router_id
      ON CONFLICT (router_id) DO UPDATE SET environment_id = excluded.environment_id`
  }))
})

export const layerDirectory: Layer.Layer<Directory, never, SqlClient.SqlClient> = Layer.effect(
  Directory,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const active = yield* activeHere
    const columns = columnsOf(sql)
    return {
      environments: orStoreUnavailable(
        sql<{ zones: unknown }>`SELECT ${columns} FROM environments WHERE ${active} ORDER BY environment_id`,
      ).pipe(Effect.flatMap(environmentRows)),
      routers: orStoreUnavailable(
        sql`SELECT router_id AS "routerId", environment_id AS "environmentId"
          FROM routers JOIN environments USING (environment_id) WHERE ${active} ORDER BY router_id`,
      ).pipe(Effect.flatMap((rows) => decodeRows(rows, decodeRouter))),
      environment: Effect.fnUntraced(function* (environmentId) {
        const rows = yield* orStoreUnavailable(
          sql<{ zones: unknown }>`
            SELECT ${columns} FROM environments WHERE environment_id = ${environmentId} AND ${active}`,
        )
        const [environment] = yield* environmentRows(rows)
        if (environment !== undefined) return environment
        const known = yield* orStoreUnavailable(sql<{ id: string; total: number }>`
          SELECT environment_id AS id, (count(*) OVER ())::int4 AS total FROM environments
          ORDER BY environment_id LIMIT ${namedMax}::int4`)
        return yield* UnknownEnvironment.among(environmentId, known.map(({ id }) => id), known[0]?.total ?? 0)
      }),
      environmentOf: Effect.fnUntraced(function* (routerId) {
        const rows = yield* orStoreUnavailable(
          sql<{ environment_id: string }>`
            SELECT environment_id FROM routers JOIN environments USING (environment_id)
            WHERE router_id = ${routerId} AND ${active}`,
        )
        return rows[0]?.environment_id ?? null
      }),
      enrol: (environment, routerIds, origin) =>
        orStoreUnavailable(enrol(environment, routerIds, origin)).pipe(
          Effect.provideService(SqlClient.SqlClient, sql),
        ),
    }
  }),
)

/** What a row of an environment says beside the environment. */
interface EnrolledRow {
  readonly environmentId: string
  readonly zones: unknown
  readonly source: Origin["source"]
  readonly origin_name: string | null
  readonly active: boolean
  readonly enrolled_ms: number
  readonly router_ids: ReadonlyArray<string>
}

const enrolledOf = Effect.fnUntraced(function* (row: EnrolledRow) {
  const { active, enrolled_ms, origin_name, router_ids, source, ...environment } = row
  const decoded = yield* environmentRows([environment])
  return decoded.map((environment): Enrolled => ({
    environment,
    routerIds: router_ids,
    origin: { source, name: origin_name },
    active,
    enrolledAtMs: enrolled_ms,
  }))
})

export const layerEnrolments: Layer.Layer<Enrolments, never, SqlClient.SqlClient> = Layer.effect(
  Enrolments,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const active = yield* activeHere
    const all = sql<EnrolledRow>`
      SELECT ${columnsOf(sql)}, origin_source AS source, origin_name, ${active} AS active,
        (extract(epoch FROM created_at) * 1000)::float8 AS enrolled_ms,
        ARRAY(SELECT router_id FROM routers WHERE routers.environment_id = environments.environment_id ORDER BY 1)
          AS router_ids
      FROM environments ORDER BY environment_id`
    return {
      all: orStoreUnavailable(all).pipe(
        Effect.flatMap((rows) => Effect.forEach(rows, enrolledOf)),
        Effect.map((enrolled) => enrolled.flat()),
      ),
      remove: (environmentId) =>
        orStoreUnavailable(sql`DELETE FROM environments WHERE environment_id = ${environmentId} RETURNING 1`).pipe(
          Effect.map((rows) => rows.length > 0),
        ),
      dropHistory: (environmentId) =>
        orStoreUnavailable(dropHistory(environmentId)).pipe(Effect.provideService(SqlClient.SqlClient, sql)),
    }
  }),
)
