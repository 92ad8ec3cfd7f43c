/**
 * Environments and routers in the database: implements the port `Directory`. `enrolments.ts` implements `Enrolments`.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { namedMax, UnknownEnvironment } from "../../../protocols/domain/failure.ts"
import { type Environment, type Origin, RouterEnrolment } from "../../../protocols/domain/site.ts"
import { Directory } from "../../../protocols/ports/directory.ts"
import { orStoreUnavailable } from "../database/database.ts"
import { activeHere } from "./active-environments.ts"
import { columnsOf, decodeRows, environmentRows, jsonOf } from "./environment-rows.ts"

const decodeRouter = Schema.decodeUnknownEffect(RouterEnrolment)

/** The origin of an enrolment that names none. */
const unnamedOrigin: Origin = { source: "live", name: null }

/** Adds or replaces an environment. Its row is locked first, which serialises enrolments of the same environment. */
const enrol = Effect.fnUntraced(function* (
  environment: Environment,
  routerIds: ReadonlyArray<string>,
  origin: Origin = unnamedOrigin,
) {
  const sql = yield* SqlClient.SqlClient
  const { environmentId, name } = environment
  const geometry = jsonOf(environment.geometry)
  const zones = jsonOf(environment.zones)
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
