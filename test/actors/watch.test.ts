/**
 * The real actors on the real embedded store watch a simulated walker in a forbidden zone: labels in the frames, events
 * in the store, and one alert that outlives its process.
 */
import { Effect, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { expect, it } from "vitest"
import { EventStore } from "../../actors/store/events/events.ts"
import { loadScenario } from "../../deploy/source/load-scenario.ts"
import { openSimulation, scenarioEnrolments } from "../../deploy/source/simulate.ts"
import { defaultStartOptions } from "../../protocols/domain/system.ts"
import { encodeCsiBatch } from "../../protocols/grpc/csi-batch.ts"
import { decodePoseFrame } from "../../protocols/grpc/pose-frame.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { Environment } from "../../protocols/messages/environment.ts"
import { Router } from "../../protocols/messages/router.ts"
import { Session, sessionEntityId } from "../../protocols/messages/session.ts"
import { runActors } from "../harness/actors.ts"
import { useDatabase } from "../harness/stores.ts"

const startMs = Date.UTC(2026, 0, 1)
const emptySeconds = 3
const zones = [{
  zoneId: "room",
  name: "The whole room",
  kind: "watched",
  polygon: [[0, 0], [6, 0], [6, 5], [0, 5]],
}] as const

const database = useDatabase()

/** A walker who comes after three seconds, and the actors of the room. */
const site = Effect.gen(function* () {
  const scenario = { ...yield* loadScenario("small-room"), emptySeconds }
  const { environment, routerIds } = scenarioEnrolments(scenario)[0]!
  const { environmentId } = environment
  const router = yield* Router.client
  const room = (yield* Environment.client)(environmentId)
  const session = (yield* Session.client)(sessionEntityId)
  const status = (wanted: string) => session.Status().pipe(Effect.repeat({ until: ({ status }) => status === wanted }))
  const source = openSimulation(scenario, { startMs, seed: 1, hops: null })
  const sendHop = Effect.flatMap(
    source.next,
    (hop) =>
      Effect.forEach(hop!.batches, (batch) => router(batch.routerId).Ingest({ batches: [encodeCsiBatch(batch)] })),
  )
  const frame = Effect.map(room.Latest(), decodePoseFrame)
  const firstAlert = Effect.map(
    Stream.runHead(Stream.filter(room.WatchAlerts(), (alert) => alert !== null)),
    (first) => first._tag === "Some" ? first.value : null,
  )
  const incidents = Effect.flatMap(EventStore, (events) => events.incidents(environmentId))
  return { environment, routerIds, router, room, session, status, sendHop, frame, firstAlert, incidents }
})

it("sees the walker, records the intrusion, alerts once, and goes on in another process", async () => {
  const alertId = await runActors(
    { location: database().location, startMs, seed: "one" },
    Effect.gen(function* () {
      const { environment, firstAlert, frame, incidents, router, routerIds, sendHop, session, status } = yield* site
      yield* (yield* Directory).enrol({ ...environment, zones }, routerIds)
      yield* session.Start({ ...defaultStartOptions, environmentId: environment.environmentId })
      yield* status("running")
      for (const id of routerIds) yield* router(id).Calibrate({ room: "empty", seconds: 2 })
      const labels = new Set<string>()
      for (let hop = 0; hop < 120; hop++) {
        yield* sendHop
        if (hop < 60) continue
        for (const { activity } of (yield* frame).persons) labels.add(activity)
      }
      expect(labels).toContain("walking")
      expect([...labels].filter((label) => label !== "walking" && label !== "unknown")).toEqual([])
      const alert = yield* firstAlert
      expect(alert).toMatchObject({
        type: "intrusion",
        status: "open",
        zone: { zoneId: "room", name: "The whole room" },
        provenance: { source: "simulated", calibrated: true },
      })
      expect(alert!.personId).not.toBeNull()
      expect(alert!.timestampMs).toBeGreaterThan(startMs + 1000 * emptySeconds)
      const stored = yield* incidents.pipe(Effect.repeat({ until: (events) => events.length > 0 }))
      expect(stored).toMatchObject([{ eventId: alert!.alertId, incident: { status: "open" } }])
      return alert!.alertId
    }),
  )
  await runActors(
    { location: database().location, startMs: startMs + 60_000, seed: "two" },
    Effect.gen(function* () {
      const { firstAlert, incidents, room, session, status } = yield* site
      expect(yield* firstAlert).toMatchObject({ alertId, status: "open" })
      expect(yield* room.Acknowledge({ alertId, by: "otto" })).toEqual({ acknowledged: true })
      expect(yield* room.Acknowledge({ alertId, by: "vera" })).toEqual({ acknowledged: false })
      yield* session.Stop({ force: false, saveState: false })
      yield* status("stopped")
      expect(yield* firstAlert).toMatchObject({ alertId, status: "cleared", resolution: "stopped" })
      const [event] = yield* incidents.pipe(Effect.repeat({ until: ([first]) => first?.incident?.endedMs !== null }))
      expect(event).toMatchObject({ incident: { status: "cleared", acknowledgedBy: "otto" } })
      const sql = yield* SqlClient.SqlClient
      // The first process handed the walker's visit over.
      const visits = yield* sql<{ entered: number; left: number }>`
        SELECT count(*) FILTER (WHERE type = 'zone_entered')::int4 AS entered,
          count(*) FILTER (WHERE type = 'zone_left')::int4 AS left
        FROM events WHERE zone_id = 'room' AND person_id IS NOT NULL GROUP BY person_id`
      expect(visits.map(({ entered, left }) => left - entered)).toEqual(visits.map(() => 0))
      expect(visits[0]!.entered).toBeGreaterThan(0)
      // The walker's track of the first process.
      const tracks = yield* sql<{ seconds: number; frames: number; source: string }>`
        SELECT extract(epoch FROM last_seen - first_seen)::float8 AS seconds, frames, source FROM tracks ORDER BY frames DESC`
      expect(tracks[0]).toMatchObject({ source: "simulated" })
      expect(tracks[0]!.frames).toBeGreaterThan(5)
    }),
  )
}, 90_000)
