/** Databases of every released version, with rows, brought to the present one. */
import { Effect, ManagedRuntime } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { layerConnections } from "../../../actors/store/database.ts"
import { EventStore } from "../../../actors/store/events.ts"
import { FrameStore } from "../../../actors/store/frames.ts"
import initial from "../../../actors/store/migrations/0001-initial.ts"
import events from "../../../actors/store/migrations/0002-events.ts"
import { dayMs, dayOf, partitionName } from "../../../actors/store/partitions.ts"
import { layerStores } from "../../../deploy/service.ts"
import { Accounts } from "../../../protocols/messages/accounts.ts"
import { Directory } from "../../../protocols/messages/directory.ts"
import { embeddedDatabase, type TestDatabase } from "../../harness/database.ts"
import { incidentEvent } from "../../harness/events.ts"
import { archivedOf, testFrame, testPerson } from "../../harness/frames.ts"

/** What each released version's schema was made of. */
const released = {
  "0001": { "0001_initial": initial },
  "0002": { "0001_initial": initial, "0002_events": events },
} as const

const nowMs = Date.now()
const oldMs = Date.UTC(2024, 1, 29, 12)

/** Frames of two environments, of today and of long ago, more than one step of the migration carries. */
const frames = [
  ...Array.from({ length: 700 }, (_, i) =>
    testFrame("home", i + 1, nowMs - dayMs + 100 * i, {
      persons: Array.from({ length: i % 3 }, (_, k) => testPerson(k + 1, k === 0 ? "walking" : "sitting")),
    })),
  ...[1, 2].map((id) =>
    testFrame("replayed", id, oldMs + 100 * id, {
      processingTimeMs: 7,
      provenance: { source: "replay", calibrated: false, modelVersion: "test", linksUsed: 1 },
    })
  ),
]

/** The rows that a service of that time wrote. */
const fill = (version: keyof typeof released) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* Migrator.make({})({ loader: Migrator.fromRecord(released[version]), table: "wavepose_migrations" })
    yield* sql`INSERT INTO environments (environment_id, name) VALUES ('home', 'A home')`
    yield* sql`INSERT INTO api_keys (key_id, key_hash, name, role, created_at)
      VALUES ('00000000-0000-7000-8000-000000000001', '\\x00', 'router', 'operator', now())`
    yield* sql`INSERT INTO pose_frames (environment_id, frame_id, ts, person_count, body)
      SELECT environment_id, id, to_timestamp(ms / 1000), persons, body FROM unnest(
        ${frames.map(({ environmentId }) => environmentId)}::text[],
        ${frames.map(({ frameId }) => frameId)}::int4[],
        ${frames.map(({ timestampMs }) => timestampMs)}::float8[],
        ${frames.map(({ persons }) => persons.length)}::int4[],
        ${frames.map((frame) => archivedOf(frame).body) as never}::bytea[]
      ) AS frame (environment_id, id, ms, persons, body)`
    // One that no version could have written.
    yield* sql`INSERT INTO pose_frames VALUES ('home', 9000, now(), 0, '\\x01')`
    if (version === "0001") return
    yield* sql`INSERT INTO events (event_id, environment_id, ts, type, severity, revision, open, alerted, body)
      VALUES ('00000000-0000-7000-8000-000000000002', 'home', now(), 'fall_detection', 'high', 2, true, true,
        ${
      JSON.stringify(incidentEvent("00000000-0000-7000-8000-000000000002", "open", 2, { environmentId: "home" }))
    }::text::jsonb)`
  })

describe.each(["0001", "0002"] as const)("a database of version %s", (version) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await embeddedDatabase()
    const before = ManagedRuntime.make(layerConnections(database.location))
    await before.runPromise(fill(version))
    await before.dispose()
  }, 60_000)
  afterAll(() => database.stop())

  it("is brought to the present one with all its rows, and goes on", async () => {
    const now = ManagedRuntime.make(layerStores(database.location))
    await now.runPromise(Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ id: number; partition: string; body: Uint8Array }>`
        SELECT environment_id AS environment, frame_id::int4 AS id, (extract(epoch FROM ts) * 1000)::float8 AS ms,
          person_count::int4 AS persons, confidence::float8, walking::int4, sitting::int4, unknown::int4, source,
          processing_ms::float8 AS processing, key_id, body, tableoid::regclass::text AS partition
        FROM pose_frames ORDER BY environment_id, frame_id`
      expect(rows).toHaveLength(frames.length)
      for (const [i, frame] of frames.entries()) {
        const { body, summary } = archivedOf(frame)
        const live = frame.environmentId === "home"
        expect(rows[i]).toEqual({
          environment: frame.environmentId,
          id: frame.frameId,
          ms: expect.closeTo(frame.timestampMs, 2),
          persons: frame.persons.length,
          confidence: summary.confidence === null ? null : expect.closeTo(summary.confidence, 5),
          walking: summary.activities.walking,
          sitting: summary.activities.sitting,
          unknown: 0,
          source: live ? "live" : "replay",
          processing: live ? 2.5 : 7,
          key_id: null,
          body,
          partition: live ? partitionName(dayOf(frame.timestampMs)) : "pose_frames_default",
        })
      }
      const sums = yield* sql`
        SELECT environment_id, sum(frames)::int4 AS frames, sum(person_frames)::int4 AS persons, max(person_max)::int4 AS most
        FROM pose_minutes GROUP BY 1 ORDER BY 1`
      expect(sums).toEqual([
        { environment_id: "home", frames: 700, persons: 699, most: 2 },
        { environment_id: "replayed", frames: 2, persons: 0, most: 0 },
      ])
      const store = yield* FrameStore
      // The id of what could not be read is not given again.
      expect(yield* store.newest("home")).toMatchObject({ frameId: 9000, body: null })
      expect(yield* store.newest("replayed")).toMatchObject({ frameId: 2, body: archivedOf(frames.at(-1)!).body })
      expect(yield* store.append("replayed", archivedOf(testFrame("replayed", 2, nowMs)))).toBe(false)
      expect(yield* store.append("replayed", archivedOf(testFrame("replayed", 3, nowMs)))).toBe(true)
      expect(yield* sql`SELECT to_regclass('pose_frames_old') AS old`).toEqual([{ old: null }])
      expect((yield* (yield* Directory).environments).map(({ environmentId }) => environmentId)).toEqual(["home"])
      expect((yield* (yield* Accounts).apiKeys).map(({ name }) => name)).toEqual(["router"])
      expect(yield* (yield* EventStore).incidents("home")).toHaveLength(version === "0001" ? 0 : 1)
    }))
    await now.dispose()
  })
})
