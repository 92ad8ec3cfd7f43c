/**
 * The sites of all enrolled routers, in memory: the store's answer to the port `Sites`.
 *
 * Invariant: a change of the enrolments is followed within `pollMs`. While the store does not answer, the last known sites stay.
 */
import { Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { Sites } from "../../../protocols/ports/sites.ts"

const pollMs = 1_000

export const layerSiteTable: Layer.Layer<Sites, never, SqlClient.SqlClient> = Layer.effect(
  Sites,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    let siteOf: ReadonlyMap<string, string> = new Map()
    let readVersion = ""

    const read = Effect.gen(function* () {
      // The sum of the rows' transaction ids changes with every change of the table, so an unchanged table is not read.
      const [row] = yield* sql<{ version: string }>`
        SELECT count(*) || ':' || coalesce(sum(xmin::text::bigint), 0) AS version FROM routers`
      if (row!.version === readVersion) return
      const rows = yield* sql<{ router: string; environment: string }>`
        SELECT router_id AS router, environment_id AS environment FROM routers`
      siteOf = new Map(rows.map(({ environment, router }) => [router, environment]))
      readVersion = row!.version
    })
    const readOrKeep = Effect.catch(
      read,
      ({ message }) => Effect.logDebug("the sites of routers cannot be read, the last known ones stay", message),
    )
    yield* readOrKeep
    yield* Effect.forkScoped(Effect.repeat(readOrKeep, Schedule.spaced(pollMs)))
    return { siteOf: (actorId) => siteOf.get(actorId) ?? null }
  }),
)
