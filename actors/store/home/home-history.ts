/**
 * The history of entity states in the database.
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { EntityState } from "../../../protocols/domain/home.ts"
import { HomeHistory } from "../../../protocols/ports/home-history.ts"
import { texts } from "../sql/columns.ts"
import { orStoreUnavailable } from "../database/database.ts"
import { FrameBodies } from "../encryption/body-encryption.ts"
import { openState } from "./home-encryption.ts"

export const layerHomeHistory: Layer.Layer<HomeHistory, never, SqlClient.SqlClient | FrameBodies> = Layer.effect(
  HomeHistory,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const bodies = yield* FrameBodies
    return {
      period: Effect.fnUntraced(function* ({ entityIds, fromUs, untilUs }, statesMax) {
        const rows = yield* orStoreUnavailable(sql<{ id: string; body: string | null }>`
          WITH asked AS (SELECT unnest(${texts(entityIds)}::text[]) AS entity_id)
          SELECT entity_id AS id, body FROM (
            SELECT h.entity_id, h.at, h.sequence, h.body FROM asked JOIN home_history h USING (entity_id)
            WHERE h.at >= to_timestamp(${fromUs}::float8 / 1000000) AND h.at < to_timestamp(${untilUs}::float8 / 1000000)
            UNION ALL
            SELECT entity_id, before.at, before.sequence, before.body FROM asked, LATERAL (
              SELECT at, sequence, body FROM home_history h
              WHERE h.entity_id = asked.entity_id AND h.at < to_timestamp(${fromUs}::float8 / 1000000)
              ORDER BY at DESC, sequence DESC LIMIT 1
            ) AS before
          ) AS held ORDER BY entity_id, at, sequence LIMIT ${statesMax}`)
        const byEntity = new Map<string, Array<EntityState>>()
        for (const { body, id } of rows) {
          const state = body === null ? null : yield* openState(bodies, body)
          if (state === null) continue
          const states = byEntity.get(id)
          if (states === undefined) byEntity.set(id, [state])
          else states.push(state)
        }
        return entityIds.flatMap((id) => {
          const states = byEntity.get(id)
          return states === undefined ? [] : [states]
        })
      }),
    }
  }),
)
