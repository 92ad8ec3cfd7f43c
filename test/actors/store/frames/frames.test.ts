/** What is kept of frames, tracks and events, and for how long, on every database that is at hand. */
import { Clock, Effect, type Layer, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { EventStore } from "../../../../actors/store/events/events.ts"
import { FrameBodies } from "../../../../actors/store/encryption/body-encryption.ts"
import { makeActiveReader } from "../../../../actors/store/sensing/active-environments.ts"
import { FrameStore } from "../../../../actors/store/frames/frames.ts"
import { dayMs } from "../../../../core/analytics/calendar.ts"
import { dayOf, makePartition, partitionedDays, partitionName } from "../../../../actors/store/sql/partitions.ts"
import { countFrames } from "../../../../actors/store/history/frame-counts.ts"
import { makeSweep, sweep, uuidFrom } from "../../../../actors/store/frames/retention.ts"
import { TrackStore } from "../../../../actors/store/tracks/tracks.ts"
import { layerStores, type StoreOptions } from "../../../../deploy/composition/service.ts"
import { defaultPrivacy, type PrivacySettings } from "../../../../protocols/domain/configuration.ts"
import type { ArchivedTrack } from "../../../../protocols/messages/archive.ts"
import { embeddedDatabase, postgresDatabase, type TestDatabase } from "../../../harness/database.ts"
import { incidentEvent } from "../../../harness/events.ts"
import { archivedOf, testFrame, testPerson } from "../../../harness/frames.ts"
import { hasPostgres } from "../../../harness/postgres.ts"

/** Runs at this wall time, so much later by the monotonic clock. */
const at = <A, E, R>(effect: Effect.Effect<A, E, R>, wallMs: number, laterMs = 0) =>
  Effect.provideServiceEffect(
    effect,
    Clock.Clock,
    Effect.map(Clock.Clock, (clock) =>
      Object.assign(Object.create(clock) as Clock.Clock, {
        currentTimeMillis: Effect.succeed(wallMs),
        monotonicTimeNanos: Effect.map(clock.monotonicTimeNanos, (ns) => ns + BigInt(laterMs) * 1_000_000n),
      })),
  )

type Stores = Layer.Success<ReturnType<typeof layerStores>>

const rowsOf = (environmentId: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql<{ id: number; partition: string; keyId: number | null; body: Uint8Array }>`
      SELECT frame_id::int4 AS id, tableoid::regclass::text AS partition, key_id::int4 AS "keyId", body
      FROM pose_frames WHERE environment_id = ${environmentId} ORDER BY frame_id`,
  )

const track = (trackId: number, over: Partial<ArchivedTrack> = {}): ArchivedTrack => ({
  trackId,
  status: "active",
  firstSeenMs: 1_700_000_000_000.5,
  lastSeenMs: 1_700_000_010_000,
  frames: 100,
  confidence: 0.9,
  distanceM: 4,
  movingS: 5.5,
  stationaryS: 4.5,
  source: "live",
  ...over,
})

const suite = (name: string, start: () => Promise<TestDatabase | null>, skip: boolean) =>
  describe.skipIf(skip)(name, () => {
    let database: TestDatabase
    const folder = mkdtempSync(join(tmpdir(), "wavepose-keys-"))
    const file = join(folder, "encryption-keys")
    let privacy: PrivacySettings = defaultPrivacy
    const options: StoreOptions = {
      keys: { given: [], file, mayMake: true },
      // Not remembered from one test to the next.
      privacy: Effect.sync(() => privacy),
    }
    let runtime: ManagedRuntime.ManagedRuntime<Stores, unknown>
    const run = <A, E>(effect: Effect.Effect<A, E, Stores>) => runtime.runPromise(effect)
    /** Runs on another node: stores of their own on the same database. */
    const elsewhere = async <A, E>(effect: Effect.Effect<A, E, Stores>, other: Partial<StoreOptions> = {}) => {
      const node = ManagedRuntime.make(layerStores(database.location, { ...options, ...other }))
      try {
        return await node.runPromise(effect)
      } finally {
        await node.dispose()
      }
    }

    beforeAll(async () => {
      database = (await start())!
      runtime = ManagedRuntime.make(layerStores(database.location, options))
      await run(Effect.void)
    }, 60_000)
    afterAll(async () => {
      await runtime.dispose()
      await database.stop()
      rmSync(folder, { recursive: true, force: true })
    })

    it("adds a minute up while its frames are written, and counts none twice", () =>
      run(Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const frames = yield* FrameStore
        const atMs = Date.UTC(2026, 0, 5, 9, 30)
        const walking = testPerson(1, "walking")
        const lying = testPerson(2, "lying")
        const kept = [
          testFrame("sums", 1, atMs + 100, { persons: [walking], processingTimeMs: 2 }),
          testFrame("sums", 2, atMs + 200, { persons: [walking, lying] }),
          testFrame("sums", 3, atMs + 300, { provenance: { ...testFrame("", 1, 1).provenance, source: "replay" } }),
          testFrame("sums", 4, atMs + 60_000),
        ].map(archivedOf)
        const append = (list: typeof kept) =>
          Effect.forEach(list, (frame) => frames.append("sums", frame), { concurrency: "unbounded" })
        expect(yield* append(kept.slice(0, 2))).toEqual([true, true])
        expect(yield* append([...kept, kept[3]!])).toEqual([false, false, true, true, false])
        const minutes = yield* sql`
          SELECT extract(epoch FROM minute)::float8 * 1000 AS ms, frames, frames_live AS live, frames_replay AS replay,
            person_frames::int4 AS persons, person_max::int4 AS most, extract(epoch FROM person_max_at)::float8 * 1000 AS most_ms,
            confidence_sum AS confidence, walking::int4, lying::int4, frames_0 AS none, frames_1 AS one, frames_2 AS two,
            processing_ms_sum AS processing
          FROM pose_minutes WHERE environment_id = 'sums' ORDER BY minute`
        expect(minutes).toEqual([
          {
            ms: atMs,
            frames: 3,
            live: 2,
            replay: 1,
            persons: 3,
            most: 2,
            most_ms: atMs + 200,
            confidence: expect.closeTo(2 * walking.confidence + lying.confidence, 5),
            walking: 2,
            lying: 1,
            none: 1,
            one: 1,
            two: 1,
            processing: 7,
          },
          expect.objectContaining({ ms: atMs + 60_000, frames: 1, persons: 0, most: 0, confidence: 0, none: 1 }),
        ])
      })))

    it("writes no frame of an activation that another one has superseded", () =>
      run(Effect.gen(function* () {
        const frames = yield* FrameStore
        const atMs = Date.UTC(2026, 0, 5)
        const frameOf = (id: number, generation: number) => ({
          ...archivedOf(testFrame("moved", id, atMs + 100 * id)),
          generation,
        })
        const first = yield* frames.claim("moved")
        expect(yield* frames.append("moved", frameOf(1, first))).toBe(true)
        const second = yield* frames.claim("moved")
        expect(second).toBeGreaterThan(first)
        expect(yield* frames.append("moved", frameOf(2, first))).toBe(false)
        const both = Effect.forEach([first, second], (generation) => frames.append("moved", frameOf(2, generation)), {
          concurrency: "unbounded",
        })
        expect(yield* both).toEqual([false, true])
        const many = Array.from({ length: 40 }, (_, i) => frameOf(i + 3, first))
        const copied = Effect.forEach(many, (frame) => frames.append("moved", frame), { concurrency: "unbounded" })
        expect(new Set(yield* copied)).toEqual(new Set([false]))
        expect(yield* frames.newest("moved")).toMatchObject({ frameId: 2 })
      })))

    it("writes the frames of an append together, once", () =>
      run(Effect.gen(function* () {
        const frames = yield* FrameStore
        const atMs = Date.UTC(2026, 0, 5)
        const made = (room: string, from: number, to: number) =>
          Array.from(
            { length: to + 1 - from },
            (_, i) => archivedOf(testFrame(room, from + i, atMs + 100 * (from + i))),
          )
        const appends = Effect.all([
          frames.append("together", ...made("together", 1, 3)),
          frames.append("beside", ...made("beside", 1, 40)),
          frames.append("together", ...made("together", 4, 4)),
          frames.append("together", ...made("together", 1, 3)),
        ], { concurrency: "unbounded" })
        expect(yield* appends).toEqual([true, true, true, false])
        expect(yield* frames.append("together", ...made("together", 4, 4))).toBe(false)
        expect((yield* rowsOf("together")).map(({ id }) => id)).toEqual([1, 2, 3, 4])
        expect((yield* rowsOf("beside")).length).toBe(40)
      })))

    it("writes an id once, whichever of two nodes comes first", async () => {
      const nowMs = Date.UTC(2026, 0, 5)
      const race = (seed: number) =>
        Effect.gen(function* () {
          const frames = yield* FrameStore
          return yield* Effect.forEach(
            Array.from({ length: 40 }, (_, i) => i + 1),
            (id) => frames.append("raced", archivedOf(testFrame("raced", id, nowMs + 100 * id + seed))),
          )
        })
      const [one, two] = await Promise.all([run(race(0)), elsewhere(race(1))])
      const both = one.map((stored, i) => Number(stored) + Number(two[i]))
      // An id that one node was past when the other came to it is written once; none is written twice.
      expect(both.every((times) => times === 1)).toBe(true)
      const rows = await run(rowsOf("raced"))
      expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1))
      expect(await run(Effect.flatMap(FrameStore, ({ newest }) => newest("raced")))).toMatchObject({ frameId: 40 })
    })

    it("gives today and tomorrow a partition of their day, and leaves other days where all else is", () =>
      run(Effect.gen(function* () {
        const frames = yield* FrameStore
        const nowMs = yield* Clock.currentTimeMillis
        const times = [nowMs, nowMs + dayMs, nowMs - 400 * dayMs, nowMs + 5 * dayMs]
        for (const [i, ms] of times.entries()) yield* frames.append("days", archivedOf(testFrame("days", i + 1, ms)))
        expect((yield* rowsOf("days")).map(({ partition }) => partition)).toEqual([
          partitionName(dayOf(nowMs)),
          partitionName(dayOf(nowMs + dayMs)),
          "pose_frames_default",
          "pose_frames_default",
        ])
        // The day comes: what was early goes to its partition.
        yield* makePartition(dayOf(nowMs + 5 * dayMs))
        expect((yield* rowsOf("days")).map(({ partition }) => partition).at(-1)).toBe(
          partitionName(dayOf(nowMs + 5 * dayMs)),
        )
      })))

    it("deletes days, replays, events and tracks that are past the retention, and goes on counting ids", () =>
      run(Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const frames = yield* FrameStore
        const events = yield* EventStore
        const tracks = yield* TrackStore
        const nowMs = yield* Clock.currentTimeMillis
        const eventId = (ms: number) => `${uuidFrom(ms).slice(0, 13)}-7000-8000-000000000000`
        yield* frames.append("old", archivedOf(testFrame("old", 1, nowMs - 400 * dayMs)))
        yield* frames.append("old", archivedOf(testFrame("old", 2, nowMs - 3 * dayMs)))
        yield* events.append([
          incidentEvent(eventId(nowMs), "cleared", 2, { environmentId: "old" }),
          incidentEvent(eventId(nowMs + 1), "open", 2, { environmentId: "old" }),
        ])
        yield* tracks.append("old", [track(7)])
        const count = (table: string) =>
          Effect.map(
            sql.unsafe<{ n: number }>(`SELECT count(*)::int4 AS n FROM ${table} WHERE environment_id = 'old'`),
            (rows) => rows[0]!.n,
          )
        const counts = Effect.all([count("pose_frames"), count("events"), count("tracks"), count("pose_minutes")])
        const counted = countFrames(yield* makeActiveReader, { environmentId: "old", fromMs: null, toMs: null })
        yield* sweep(nowMs, 30)
        expect(yield* counts).toEqual([2, 2, 1, 2])
        expect(yield* counted).toMatchObject({ frames: 2 })
        // Three days on with a retention of five, the day of a frame that was three days old goes.
        yield* sweep(nowMs + 3 * dayMs, 5)
        expect(yield* counts).toEqual([1, 2, 1, 2])
        expect(yield* counted).toMatchObject({ frames: 1 })
        expect(yield* partitionedDays).not.toContain(dayOf(nowMs - 3 * dayMs))
        // The replay is as old as its storing; an incident that is open stays while its environment is active.
        yield* sql`INSERT INTO environments (environment_id, name, zones, origin_source) VALUES ('old', 'Old', '[]', 'live')`
        yield* sql`INSERT INTO node_sources (start_id, source, environment_ids, keeps_all)
          VALUES (gen_random_uuid(), 'live', '{}', false)`
        yield* sweep(nowMs + 31 * dayMs, 30)
        expect(yield* counts).toEqual([0, 1, 0, 2])
        expect(yield* frames.newest("old")).toEqual({ frameId: 2, timestampMs: nowMs - 3 * dayMs, body: null })
        expect(yield* frames.append("old", archivedOf(testFrame("old", 2, nowMs)))).toBe(false)
        expect(yield* frames.append("old", archivedOf(testFrame("old", 3, nowMs)))).toBe(true)
      })))

    it("deletes nothing of the retention by a clock that is a year ahead", () =>
      run(Effect.gen(function* () {
        const frames = yield* FrameStore
        const sql = yield* SqlClient.SqlClient
        const nowMs = yield* Clock.currentTimeMillis
        yield* frames.append("ahead", archivedOf(testFrame("ahead", 1, nowMs)))
        const stored = Effect.map(sql`SELECT 1 FROM pose_frames WHERE environment_id = 'ahead'`, (rows) => rows.length)
        const running = yield* makeSweep
        yield* at(running, nowMs)
        yield* at(running, nowMs + 365 * dayMs)
        expect(yield* stored).toBe(1)
        const started = yield* makeSweep
        yield* at(started, nowMs + 365 * dayMs)
        expect(yield* stored).toBe(1)
      })))

    it("keeps frames of another date for the retention, also if they came while the clock was doubted", () =>
      run(Effect.gen(function* () {
        const frames = yield* FrameStore
        // Longer than the retention after all that other tests have stored.
        const nowMs = (yield* Clock.currentTimeMillis) + 100 * dayMs
        const running = yield* makeSweep
        yield* frames.append("other", archivedOf(testFrame("other", 1, Date.UTC(2001, 0, 1))))
        yield* at(running, nowMs)
        yield* at(running, nowMs + 1.25 * dayMs, 1.25 * dayMs)
        expect(yield* rowsOf("other")).toHaveLength(1)
        yield* at(running, nowMs + 31 * dayMs, 31 * dayMs)
        expect(yield* rowsOf("other")).toHaveLength(0)
      })))

    it("keeps the newest state of a track, whatever the order", () =>
      run(Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const tracks = yield* TrackStore
        yield* tracks.append("tracked", [])
        yield* tracks.append("tracked", [track(1, { lastSeenMs: 1_700_000_020_000, frames: 200 }), track(2)])
        yield* tracks.append("tracked", [track(1), track(2, { status: "ended" }), track(1, { firstSeenMs: 1 })])
        yield* tracks.append("tracked", [track(2)])
        const rows = yield* sql`
          SELECT track_id, status, frames, (extract(epoch FROM last_seen) * 1000)::float8 AS last_ms, distance_m::float8
          FROM tracks WHERE environment_id = 'tracked' ORDER BY first_seen, track_id`
        expect(rows).toEqual([
          { track_id: 1, status: "active", frames: 100, last_ms: 1_700_000_010_000, distance_m: 4 },
          { track_id: 1, status: "active", frames: 200, last_ms: 1_700_000_020_000, distance_m: 4 },
          { track_id: 2, status: "ended", frames: 100, last_ms: 1_700_000_010_000, distance_m: 4 },
        ])
      })))

    it("encrypts what tells about persons under a key that is not in the database", async () => {
      privacy = { ...defaultPrivacy, enableEncryption: true }
      const frame = archivedOf(testFrame("sealed", 1, Date.UTC(2026, 0, 5), { persons: [testPerson(5, "sitting")] }))
      const event = incidentEvent("00000000-0000-7000-8000-0000000000aa", "open", 2, { environmentId: "sealed" })
      const write = Effect.gen(function* () {
        yield* (yield* FrameStore).append("sealed", frame)
        yield* (yield* EventStore).append([event])
      })
      const read = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* rowsOf("sealed")
        const events = yield* sql<{ body: unknown }>`SELECT body FROM events WHERE environment_id = 'sealed'`
        return {
          row: row!,
          json: events[0]!.body,
          newest: yield* (yield* FrameStore).newest("sealed"),
          incidents: yield* (yield* EventStore).incidents("sealed"),
          opened: yield* Effect.exit((yield* FrameBodies).open(row!.keyId, row!.body)),
          changed: yield* Effect.flip(
            (yield* FrameBodies).open(row!.keyId, row!.body.map((byte, i) => i === 40 ? byte ^ 1 : byte)),
          ),
        }
      })
      await elsewhere(write)
      expect(existsSync(file)).toBe(true)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      const { changed, incidents, json, newest, row } = await elsewhere(read)
      expect(row.keyId).not.toBeNull()
      expect(Buffer.from(row.body).includes("left_shoulder")).toBe(false)
      expect(newest!.body).toEqual(frame.body)
      expect(json).toMatchObject({ personId: null, location: null, detail: event.detail })
      expect(JSON.stringify(json)).not.toContain(JSON.stringify(event.location))
      expect(incidents).toEqual([event])
      expect(changed).toMatchObject({ _tag: "StoreUnavailable", message: expect.stringContaining("were changed") })
      // A node that has another key: rotated in front, the old one opens still; without it, it says which one is missing.
      const key = Redacted.make(Buffer.alloc(32, 7).toString("base64"))
      const rotated = await elsewhere(read, { keys: { given: [key], file, mayMake: false } })
      expect(rotated.newest!.body).toEqual(frame.body)
      const without = await elsewhere(read, { keys: { given: [key], file: `${file}.none`, mayMake: false } })
      expect(without.newest).toMatchObject({ frameId: 1, body: null })
      expect(JSON.stringify(without.opened)).toContain(`key ${row.keyId}`)
      expect(without.incidents).toEqual([
        expect.objectContaining({ eventId: event.eventId, personId: null, location: null }),
      ])
      // Encryption without a key stores nothing.
      const next = { ...frame, frameId: 2 }
      const refused = await elsewhere(
        Effect.flatMap(FrameStore, (frames) => Effect.flip(frames.append("sealed", next))),
        { keys: { given: [], file: `${file}.none`, mayMake: false } },
      )
      expect(refused.message).toContain("WAVEPOSE_ENCRYPTION_KEY")
      privacy = defaultPrivacy
    })

    it("names a key that cannot be one", async () => {
      const bad = { given: [Redacted.make("short")], file, mayMake: false }
      await expect(elsewhere(Effect.void, { keys: bad })).rejects.toThrow(/WAVEPOSE_ENCRYPTION_KEY.*openssl rand/)
    })
  })

suite("frames on the embedded database", embeddedDatabase, false)
suite("frames on PostgreSQL", postgresDatabase, !await hasPostgres())
