/**
 * The history of entity states in the database.
 *
 * Invariant: an answer has all states of its period, or there is none. They are counted first, so more than the bounds are never read.
 */
import { Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { EntityState } from "../../../protocols/domain/home.ts"
import { TooManyStates } from "../../../protocols/domain/home-failure.ts"
import { HomeHistory, type HomePeriod } from "../../../protocols/ports/home-history.ts"
import { texts } from "../sql/columns.ts"
import { orStoreUnavailable } from "../database/database.ts"
import { FrameBodies } from "../encryption/body-encryption.ts"
import { openState } from "./home-encryption.ts"

/** The rows of a period: the one before its start, and those in it. A row without a body is a removal. */
const rowsOf = (sql: SqlClient.SqlClient, { entityIds, fromUs, untilUs }: HomePeriod): Statement.Fragment =>
  sql`
    WITH asked AS (SELECT unnest(${texts(entityIds)}::text[]) AS entity_id)
    SELECT h.entity_id, h.at, h.sequence, h.body FROM asked JOIN home_history h USING (entity_id)
    WHERE h.at >= to_timestamp(${fromUs}::float8 / 1000000) AND h.at < to_timestamp(${untilUs}::float8 / 1000000)
    UNION ALL
    SELECT entity_id, before.at, before.sequence, before.body FROM asked, LATERAL (
      SELECT at, sequence, body FROM home_history h
      WHERE h.entity_id = asked.entity_id AND h.at < to_timestamp(${fromUs}::float8 / 1000000)
      ORDER BY at DESC, sequence DESC LIMIT 1
    ) AS before`

export const layerHomeHistory: Layer.Layer<HomeHistory, never, SqlClient.SqlClient | FrameBodies> = Layer.effect(
  HomeHistory,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const bodies = yield* FrameBodies
    return {
      period: Effect.fnUntraced(function* (period, bounds) {
        const { bytesMax, statesMax } = bounds
        const held = rowsOf(sql, period)
        const [size] = yield* orStoreUnavailable(sql<{ states: number; bytes: number }>`
          SELECT count(*)::int4 AS states, coalesce(sum(octet_length(body)), 0)::float8 AS bytes
          FROM (SELECT body FROM (${held}) AS held LIMIT ${statesMax + 1}) AS counted`)
        if (size!.states > statesMax || size!.bytes > bytesMax) return yield* TooManyStates.of(bounds)
        const rows = yield* orStoreUnavailable(sql<{ id: string; body: string | null }>`
          SELECT entity_id AS id, body FROM (${held}) AS held
          ORDER BY entity_id, at, sequence LIMIT ${statesMax + 1}`)
        // States may have come since they were counted.
        if (rows.length > statesMax) return yield* TooManyStates.of(bounds)
        const byEntity = new Map<string, Array<EntityState>>()
        for (const { body, id } of rows) {
          const state = body === null ? null : yield* openState(bodies, body)
          if (state === null) continue
          const states = byEntity.get(id)
          if (states === undefined) byEntity.set(id, [state])
          else states.push(state)
        }
        return period.entityIds.flatMap((id) => {
          const states = byEntity.get(id)
          return states === undefined ? [] : [states]
        })
      }),
    }
  }),
)
