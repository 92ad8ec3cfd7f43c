/**
 * Alerts in the database: implements the port `Alerts`.
 *
 * The status of an alert is in the body of its event, which may be encrypted. A column says only whether the incident continues. So open and
 * acknowledged alerts are separated after they are read, and at most `continuingMax` continuing alerts are read.
 */
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { type Alert, alertOf } from "../../../protocols/domain/event.ts"
import { type AlertQuery, Alerts } from "../../../protocols/ports/alerts.ts"
import { orStoreUnavailable } from "../database/database.ts"
import { makeActiveReader } from "../sensing/active-environments.ts"
import { FrameBodies } from "../encryption/body-encryption.ts"
import { openEvents } from "./event-encryption.ts"

const continuingMax = 1_000

export const layerAlerts: Layer.Layer<Alerts, never, SqlClient.SqlClient | FrameBodies> = Layer.effect(
  Alerts,
  Effect.gen(function* () {
    const { covers, sql } = yield* makeActiveReader
    const bodies = yield* FrameBodies

    const list = Effect.fnUntraced(function* ({ before, environmentId, limit, status }: AlertQuery) {
      if (before !== null) {
        const found = yield* orStoreUnavailable(
          sql`SELECT 1 FROM events WHERE event_id::text = ${before} AND alerted`,
        )
        if (found.length === 0) return null
      }
      const conditions = [
        sql`alerted`,
        covers(environmentId),
        ...(status === null ? [] : [status === "cleared" ? sql`NOT open` : sql`open`]),
        ...(before === null
          ? []
          : [sql`(ts, event_id) < (SELECT ts, event_id FROM events WHERE event_id = ${before}::uuid)`]),
      ]
      const readMax = status === "open" || status === "acknowledged" ? continuingMax : limit
      const rows = yield* orStoreUnavailable(sql<{ body: unknown }>`
        SELECT body FROM events WHERE ${sql.and(conditions)} ORDER BY ts DESC, event_id DESC LIMIT ${readMax}`)
      return (yield* openEvents(bodies, rows)).flatMap((event): ReadonlyArray<Alert> => {
        const alert = alertOf(event)
        return alert === null || (status !== null && alert.status !== status) ? [] : [alert]
      }).slice(0, limit)
    })

    return { list }
  }),
)
