/**
 * Alerts as the store lists them.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect, it } from "vitest"
import { sweep } from "../../../../actors/store/frames/retention.ts"
import { EventStore } from "../../../../actors/store/events/events.ts"
import { dayMs } from "../../../../core/analytics/calendar.ts"
import { layerStores } from "../../../../deploy/composition/service.ts"
import type { IncidentStatus } from "../../../../protocols/domain/event.ts"
import { type AlertQuery, Alerts } from "../../../../protocols/ports/alerts.ts"
import { Directory } from "../../../../protocols/ports/directory.ts"
import { nodeStores } from "../../../harness/node-stores.ts"
import { useDatabase } from "../../../harness/stores.ts"
import { incidentEvent, zoneEvent } from "../../../harness/events.ts"

const idOf = (n: number) => `00000000-0000-7000-8000-00000000000${n}`
const startMs = Date.UTC(2026, 0, 5)
/** The incidents in the store, each a minute after the one before. */
const incidents: ReadonlyArray<readonly [IncidentStatus, string]> = [
  ["cleared", "flat"],
  ["acknowledged", "hall"],
  ["open", "flat"],
  ["waiting", "flat"],
  ["withdrawn", "flat"],
  ["open", "hall"],
]

const database = useDatabase()

it("lists the alerts that were raised, by environment and status, page by page", () =>
  Effect.gen(function* () {
    yield* (yield* EventStore).append([
      zoneEvent(idOf(9)),
      ...incidents.map(([status, environmentId], i) =>
        incidentEvent(idOf(i), status, 1, { environmentId, timestampMs: startMs + 60_000 * i })
      ),
    ])
    const { list } = yield* Alerts
    const ask = (query: Partial<AlertQuery>) =>
      Effect.map(
        list({ environmentId: null, status: null, before: null, limit: 10, ...query }),
        (alerts) => alerts?.map(({ alertId }) => incidents.findIndex((_, i) => idOf(i) === alertId)) ?? null,
      )
    expect(yield* ask({})).toEqual([5, 2, 1, 0])
    expect(yield* ask({ environmentId: "flat" })).toEqual([2, 0])
    expect(yield* ask({ status: "open" })).toEqual([5, 2])
    expect(yield* ask({ status: "acknowledged" })).toEqual([1])
    expect(yield* ask({ status: "cleared" })).toEqual([0])
    expect(yield* ask({ limit: 2 })).toEqual([5, 2])
    expect(yield* ask({ limit: 2, before: idOf(2) })).toEqual([1, 0])
    expect(yield* ask({ status: "open", limit: 1, before: idOf(5) })).toEqual([2])
    expect(yield* ask({ before: idOf(3) })).toBe(null)
    expect(yield* ask({ before: "no id" })).toBe(null)
  }).pipe(Effect.provide(layerStores(database().location)), Effect.runPromise))

it("lists no alert of an environment that is not active, whose open event is deleted after the retention", async () => {
  const listed = Effect.flatMap(
    Alerts,
    ({ list }) => list({ environmentId: null, status: "open", before: null, limit: 10 }),
  )
    .pipe(Effect.map((alerts) => alerts?.map(({ environmentId }) => environmentId)))
  const afterRetention = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sweep(startMs + 31 * dayMs, 30)
    return yield* sql<{ id: string }>`SELECT DISTINCT environment_id AS id FROM events WHERE open ORDER BY 1`
  }).pipe(Effect.map((rows) => rows.map(({ id }) => id)))
  const demo = nodeStores(database(), { source: "simulated", environmentIds: ["demo"], alone: true })
  await demo.runPromise(Effect.gen(function* () {
    yield* (yield* SqlClient.SqlClient)`DELETE FROM events`
    yield* (yield* Directory).enrol({ environmentId: "demo", name: "Demo", geometry: null }, [], {
      source: "simulated",
      name: "fall",
    })
    yield* (yield* Directory).enrol({ environmentId: "flat", name: "Flat", geometry: null }, [], {
      source: "live",
      name: null,
    })
    const flat = incidentEvent(idOf(1), "open", 1, { environmentId: "flat" })
    yield* (yield* EventStore).append([incidentEvent(idOf(0), "open", 1, { environmentId: "demo" }), flat])
  }))
  expect(await demo.runPromise(listed)).toEqual(["demo"])
  await demo.dispose()
  const live = nodeStores(database(), { source: "live", alone: true })
  expect(await live.runPromise(listed)).toEqual(["flat"])
  expect(await live.runPromise(afterRetention)).toEqual(["flat"])
  await live.dispose()
})
