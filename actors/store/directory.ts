/**
 * Environments and routers in the database: the store's answer to the directory port.
 *
 * A row that is not as it should be is left out and logged: one bad row must not take the others with it.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { namedMax, UnknownEnvironment } from "../../protocols/domain/failure.ts"
import { Environment, RouterEnrolment } from "../../protocols/domain/site.ts"
import { Directory } from "../../protocols/messages/directory.ts"
import { orStoreUnavailable } from "./database.ts"

const decodeEnvironment = Schema.decodeUnknownEffect(Environment)
const decodeRouter = Schema.decodeUnknownEffect(RouterEnrolment)

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

export const layerDirectory: Layer.Layer<Directory, never, SqlClient.SqlClient> = Layer.effect(
  Directory,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(`environment_id AS "environmentId", name, geometry, zones`)
    const environmentRows = (rows: ReadonlyArray<{ readonly zones: unknown }>) =>
      decodeRows(rows.map(environmentOf), decodeEnvironment)
    return {
      environments: orStoreUnavailable(
        sql<{ zones: unknown }>`SELECT ${columns} FROM environments ORDER BY environment_id`,
      ).pipe(Effect.flatMap(environmentRows)),
      routers: orStoreUnavailable(
        sql`SELECT router_id AS "routerId", environment_id AS "environmentId" FROM routers ORDER BY router_id`,
      ).pipe(Effect.flatMap((rows) => decodeRows(rows, decodeRouter))),
      environment: Effect.fnUntraced(function* (environmentId) {
        const rows = yield* orStoreUnavailable(
          sql<{ zones: unknown }>`SELECT ${columns} FROM environments WHERE environment_id = ${environmentId}`,
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
          sql<{ environment_id: string }>`SELECT environment_id FROM routers WHERE router_id = ${routerId}`,
        )
        return rows[0]?.environment_id ?? null
      }),
      enrol: (environment, routerIds) =>
        orStoreUnavailable(sql.withTransaction(Effect.gen(function* () {
          const geometry = environment.geometry === null ? null : JSON.stringify(environment.geometry)
          const zones = environment.zones === undefined ? null : JSON.stringify(environment.zones)
          yield* sql`
            INSERT INTO environments (environment_id, name, geometry, zones)
            VALUES (${environment.environmentId}, ${environment.name}, ${geometry}::text::jsonb, ${zones}::text::jsonb)
            ON CONFLICT (environment_id) DO UPDATE
              SET name = excluded.name, geometry = excluded.geometry, zones = excluded.zones`
          yield* sql`
            INSERT INTO routers (router_id, environment_id)
            SELECT router_id, ${environment.environmentId}::text FROM unnest(${[...routerIds]}::text[]) AS router_id
            ON CONFLICT (router_id) DO UPDATE SET environment_id = excluded.environment_id`
        }))),
    }
  }),
)
