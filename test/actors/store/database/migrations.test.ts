/** Databases of every released version, with rows in every table, brought to the present one. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  layerConnections,
  migrateTo,
  migrations,
  type migrations as migrationsType,
} from "../../../../actors/store/database/database.ts"
import { EncryptionKeys } from "../../../../actors/store/encryption/encryption-keys.ts"
import { EventStore } from "../../../../actors/store/events/events.ts"
import { FrameStore } from "../../../../actors/store/frames/frames.ts"
import { HomeRegistryStore } from "../../../../actors/store/home/home-registry.ts"
import { HomeStateStore } from "../../../../actors/store/home/home-states.ts"
import { dayMs } from "../../../../core/analytics/calendar.ts"
import { dayOf, makePartition, partitionName } from "../../../../actors/store/sql/partitions.ts"
import { openSealed } from "../../../../actors/store/encryption/sealing.ts"
import { WebhookQueue } from "../../../../actors/store/events/webhook-queue.ts"
import { secretContext } from "../../../../actors/store/events/webhooks.ts"
import { layerStores } from "../../../../deploy/composition/service.ts"
import { Accounts } from "../../../../protocols/ports/accounts.ts"
import { Analytics } from "../../../../protocols/ports/analytics.ts"
import { ConfigurationHistory, Configurations } from "../../../../protocols/ports/configuration.ts"
import { Directory } from "../../../../protocols/ports/directory.ts"
import { HomeHistory } from "../../../../protocols/ports/home-history.ts"
import { LearnedWeeks } from "../../../../protocols/ports/learned-weeks.ts"
import { NodeAllowlists, NodeIdentities } from "../../../../protocols/ports/node-identities.ts"
import { SigningKeys } from "../../../../protocols/ports/signing-keys.ts"
import { TrackHistory } from "../../../../protocols/ports/track-history.ts"
import { type TestDatabase, unmigratedDatabase } from "../../../harness/database.ts"
import { archivedOf, testFrame } from "../../../harness/frames.ts"
import * as released from "../released-rows.ts"

const names = Object.keys(migrations) as ReadonlyArray<released.Migration>
const { frames, idOf, nowMs } = released
const keys = { given: [Redacted.make(released.encryptionKey)], file: "no such file", mayMake: false }

/** The migrations that a released version had. */
const upTo = (version: number): Partial<typeof migrationsType> =>
  Object.fromEntries(names.slice(0, version).map((name) => [name, migrations[name]]))

const insert = Effect.fnUntraced(function* (table: string, rows: ReadonlyArray<released.Row>) {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(Object.keys(rows[0]!).join(", "))
  yield* sql`INSERT INTO ${sql(table)} (${columns})
    SELECT ${columns} FROM jsonb_populate_recordset(NULL::${sql(table)}, ${JSON.stringify(rows)}::text::jsonb)`
})

/** Makes the database one of this version and writes what a service of that time wrote. */
const fill = Effect.fnUntraced(function* (version: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP SCHEMA public CASCADE`
  yield* sql`CREATE SCHEMA public`
  yield* migrateTo(upTo(version))
  if (version >= 3) yield* makePartition(dayOf(frames[0]!.timestampMs))
  if (version >= 3) yield* makePartition(dayOf(frames.at(-3)!.timestampMs))
  for (const name of names.slice(0, version)) {
    const rows = yield* released.rowsByMigration[name]
    for (const [table, written] of Object.entries(rows)) {
      // Migration 4 takes the key of tokens without a sign-in away; no later version has one.
      const kept = version < 4 || table !== "secrets"
        ? written
        : written.filter(({ name }) => name !== "jwt-signing-key")
      yield* insert(table, kept)
    }
  }
  if (version < 3) yield* insert("pose_frames", released.oldFrames["pose_frames"]!)
})

type Snapshot = ReadonlyMap<string, { readonly columns: string; readonly rows: ReadonlyArray<string> }>

/** All rows of all tables, or of these tables their columns of then. */
const snapshot = Effect.fnUntraced(function* (of: Snapshot | null) {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ name: string; columns: string }>`
    SELECT relname AS name, (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
      WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped) AS columns
    FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
      AND relname <> 'wavepose_migrations'`
  const asked = of === null ? tables : [...of].map(([name, { columns }]) => ({ name, columns }))
  const found = new Map<string, { columns: string; rows: ReadonlyArray<string> }>()
  for (const { columns, name } of asked) {
    const rows = yield* sql<{ row: string }>`
      SELECT to_jsonb(kept)::text AS row FROM (SELECT ${sql.literal(columns)} FROM ${sql(name)}) AS kept ORDER BY 1`
    found.set(name, { columns, rows: rows.map(({ row }) => row) })
  }
  return found as Snapshot
})

/** The rows that the upgrade is to leave as they are. */
const untouched = (before: Snapshot, version: number): Snapshot =>
  new Map([...before].flatMap(([table, { columns, rows }]) => {
    // Its columns are others from migration 3 on: the test of frames looks at them.
    if (table === "pose_frames" && version < 3) return []
    return [[table, { columns, rows: rows.filter((row) => !row.includes("jwt-signing-key")) }]]
  }))

const checkFrames = Effect.gen(function* () {
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
  const store = yield* FrameStore
  // The id of what could not be read is not given again.
  expect(yield* store.newest("home")).toMatchObject({ frameId: 9000, body: null })
  expect(yield* store.newest("replayed")).toMatchObject({ frameId: 2, body: archivedOf(frames.at(-1)!).body })
  expect(yield* store.append("replayed", archivedOf(testFrame("replayed", 2, nowMs)))).toBe(false)
  expect(yield* store.append("replayed", archivedOf(testFrame("replayed", 3, nowMs)))).toBe(true)
  expect(yield* sql`SELECT to_regclass('pose_frames_old') AS old`).toEqual([{ old: null }])
})

/** What reports say of them: the sums that migrations 3 and 6 made, or the database while such a version wrote. */
const checkReports = Effect.fnUntraced(function* (version: number) {
  const analytics = yield* Analytics
  const ofDay = { fromMs: nowMs - dayMs - 3_600_000, toMs: nowMs - 3_600_000, environmentId: "home" }
  const [sums] = yield* analytics.sums(ofDay)
  expect(sums).toMatchObject({
    environmentId: "home",
    frames: 700,
    framesLive: 700,
    personFrames: 699,
    personMax: 2,
    walking: 466,
    sitting: 233,
    frames0: 234,
    frames1: 233,
    frames2: 233,
    processingMsSum: 1750,
  })
  // By five minutes, and so from `pose_spans`.
  const buckets = yield* analytics.buckets({ ...ofDay, fromMs: 300_000 * Math.floor(ofDay.fromMs / 300_000) }, 300_000)
  expect(buckets.reduce((sum, { personFrames }) => sum + personFrames, 0)).toBe(699)
  const [fall, left] = released.events
  const ofEvents = { fromMs: fall.timestampMs - dayMs, toMs: fall.timestampMs + dayMs, environmentId: null }
  const none = version < 2 ? 0 : 1
  expect(yield* analytics.eventCounts(ofEvents)).toEqual({ movements: none, falls: none, alerts: none })
  expect(yield* analytics.zoneVisits(ofEvents, [])).toEqual(
    version < 2
      ? []
      : [expect.objectContaining({ zoneId: left.zone!.zoneId, name: left.zone!.name, left: 1, dwellS: 42.5 })],
  )
  expect(yield* (yield* EventStore).incidents("home")).toHaveLength(none)
})

const checkAccounts = Effect.fnUntraced(function* (version: number) {
  const accounts = yield* Accounts
  expect((yield* (yield* Directory).environments).map(({ environmentId }) => environmentId)).toEqual(["home"])
  expect((yield* accounts.apiKeys).map(({ name }) => name)).toEqual(["router"])
  expect(yield* accounts.signIn("vera", released.password)).toMatchObject({ id: idOf(10), role: "admin" })
  const signingKeys = yield* (yield* SigningKeys).all
  // Tokens without a sign-in are refused: before migration 4 there is no key, and the first who asks makes one.
  if (version < 4) expect(signingKeys).toHaveLength(1)
  else {expect(signingKeys.map(({ keyId, retiredAtMs }) => [keyId, retiredAtMs !== null])).toEqual([["new", false], [
      "old",
      true,
    ]])}
})

const checkConfiguration = Effect.fnUntraced(function* (version: number) {
  const { detection, domain, privacy } = yield* (yield* Configurations).current
  expect({ domain, ...detection, days: privacy.dataRetentionDays }).toMatchObject({
    // Before there were configurations, the session was started with one.
    ...(version < 5
      ? { domain: "healthcare", confidenceThreshold: 0.45 }
      : { domain: "retail", confidenceThreshold: 0.6 }),
    maxPersons: 3,
    days: 30,
  })
  const changes = yield* (yield* ConfigurationHistory).changes(null, 10)
  expect(changes.map(({ by, revision }) => [revision, by.name])).toEqual(version < 5 ? [] : [[3, "vera"]])
  if (version < 5) return
  const queue = yield* WebhookQueue
  const [due] = yield* queue.endpoints(nowMs + dayMs)
  expect(due).toMatchObject({ webhookId: idOf(30), url: "https://example.org/hook", failures: 1 })
  const secret = yield* openSealed({ keyId: due!.secretKeyId, body: due!.secret }, secretContext(idOf(30)))
  expect(new TextDecoder().decode(secret)).toBe(released.webhookSecret)
  expect(yield* queue.deliveries(idOf(30), nowMs, 10)).toMatchObject([{
    eventId: idOf(2),
    attempts: 1,
    event: { revision: 2 },
  }])
})

const checkTracksAndNodes = Effect.fnUntraced(function* (version: number) {
  const track = yield* (yield* TrackHistory).track(1, "home")
  if (version < 3) expect(track).toBe(null)
  else expect(track!.record).toMatchObject({ trackId: 1, status: "ended", averageConfidence: 0.75 })
  const week = yield* (yield* LearnedWeeks).load("router-1")
  expect(week).toEqual(version < 7 ? null : released.week)
  const nodes = yield* (yield* NodeIdentities).all
  expect(nodes.map(({ nodeId, standing }) => [nodeId, standing])).toEqual(
    version < 8 ? [] : [["router-1", "enrolled"], ["stranger", "quarantined"]],
  )
  const roll = yield* (yield* NodeAllowlists).current
  expect(roll.keys).toMatchObject(
    version < 8
      ? []
      : [{ nodeId: "router-1", key: released.nodeKey, position: { epoch: 4, sequence: 70_000_000_001 } }],
  )
})

const checkHome = Effect.fnUntraced(function* (version: number) {
  const { generation, states } = yield* (yield* HomeStateStore).open
  expect(generation).toBe(1)
  const areas = yield* (yield* HomeRegistryStore).list("area")
  const past = yield* (yield* HomeHistory).period(
    { fromUs: 0, untilUs: 1_500_000, entityIds: ["light.lamp"] },
    { statesMax: 10, bytesMax: 10_000 },
  )
  if (version < 9) return expect([states, areas, past]).toEqual([[], [], []])
  expect(states).toEqual([{ state: released.lamp, sequence: 8, createdSequence: 3 }])
  expect(areas.map(({ entry }) => entry)).toEqual([released.hall])
  expect(past).toEqual([[released.oldLamp]])
})

describe("a database of a released version", () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await unmigratedDatabase()
  }, 60_000)
  afterAll(() => database.stop())

  it.each(names.map((name, i) => [name.slice(0, 4), i + 1] as const))(
    "%s is brought to the present one with all its rows, and goes on",
    async (_, version) => {
      const then = ManagedRuntime.make(
        Layer.mergeAll(layerConnections(database.location), EncryptionKeys.layer(keys)).pipe(
          Layer.provideMerge(NodeCrypto.layerSecureRandom),
        ),
      )
      await then.runPromise(Effect.gen(function* () {
        yield* fill(version)
        const before = yield* snapshot(null)
        // Every table of that version has rows, so that none is forgotten.
        for (const [table, { rows }] of before) expect(rows, table).not.toEqual([])
        yield* migrateTo(migrations)
        const kept = untouched(before, version)
        for (const [table, { rows }] of yield* snapshot(kept)) expect(rows, table).toEqual(kept.get(table)!.rows)
      }))
      await then.dispose()
      const now = ManagedRuntime.make(layerStores(database.location, { keys, privacy: null }))
      await now.runPromise(Effect.gen(function* () {
        yield* checkFrames
        yield* checkReports(version)
        yield* checkAccounts(version)
        yield* checkConfiguration(version)
        yield* checkTracksAndNodes(version)
        yield* checkHome(version)
      }))
      await now.dispose()
    },
    30_000,
  )

  it("takes environments without live frames for what was simulated or replayed, and every other one for live", async () => {
    const then = ManagedRuntime.make(layerConnections(database.location))
    await then.runPromise(Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`DROP SCHEMA public CASCADE`
      yield* sql`CREATE SCHEMA public`
      yield* migrateTo(upTo(9))
      const sites = [
        // Its name, and minutes with live, replayed and simulated frames.
        ["demo", "Simulation of Bedroom", [0, 0, 1]],
        ["flat", "Flat", [1, 0, 0]],
        ["fed", "Fed by a simulator from outside, then measured", [1, 0, 1]],
        ["idle", "Flat that was never measured", null],
        ["idle-demo", "Simulation of Hall", null],
        ["replay", "Replay of recordings", [0, 1, 0]],
        ["replay-room", "Replay of Simulation of Room", [0, 0, 1]],
      ] as const
      for (const [id, name, frames] of sites) {
        yield* insert("environments", [{ environment_id: id, name, geometry: null, created_at: new Date(nowMs) }])
        if (frames === null) continue
        const [live, replay, simulated] = frames
        yield* sql`INSERT INTO pose_minutes VALUES (${id}, now(), 1, ${live}, ${replay}, ${simulated}, 0, 0, now(), 0,
          0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)`
      }
      yield* migrateTo(migrations)
      const rows = yield* sql<{ id: string; source: string }>`
        SELECT environment_id AS id, origin_source AS source FROM environments ORDER BY 1`
      expect(rows.map(({ id, source }) => [id, source])).toEqual([
        ["demo", "simulated"],
        ["fed", "live"],
        ["flat", "live"],
        ["idle", "live"],
        ["idle-demo", "simulated"],
        ["replay", "replay"],
        ["replay-room", "replay"],
      ])
    }))
    await then.dispose()
  })
})
