/**
 * Rows as the services of released versions wrote them, by the migration whose tables they are in: what an upgrade must keep.
 *
 * Written as those versions' columns have them, not by today's stores, which no longer know the old ones. A migration without rows here does
 * not compile. Sealed values are sealed under `encryptionKey`.
 */
import { Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { migrations } from "../../../actors/store/database/database.ts"
import type { EncryptionKeys } from "../../../actors/store/encryption/encryption-keys.ts"
import { hashPassword } from "../../../actors/store/accounts/passwords.ts"
import { dayMs } from "../../../core/analytics/calendar.ts"
import { sealAll } from "../../../actors/store/encryption/sealing.ts"
import { secretContext } from "../../../actors/store/events/webhooks.ts"
import { weekCounts } from "../../../core/semantics/learned-week.ts"
import { activities } from "../../../protocols/domain/frame-summary.ts"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { incidentEvent, zoneEvent } from "../../harness/events.ts"
import { archivedOf, testFrame, testPerson } from "../../harness/frames.ts"
import { homeState } from "../../harness/home-states.ts"

export type Migration = keyof typeof migrations
export type Row = Readonly<Record<string, unknown>>
/** Rows by table, in the order in which they are written. */
export type Rows = Readonly<Record<string, ReadonlyArray<Row>>>

export const encryptionKey = Buffer.alloc(32, 7).toString("base64")
export const password = "correct horse battery"
export const webhookSecret = "whsec_of_a_released_version"
export const nodeKey = new Uint8Array(32).fill(9)
export const idOf = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`

export const nowMs = Date.now()
const oldMs = Date.UTC(2024, 1, 29, 12)
const at = (ms: number): string => new Date(ms).toISOString()
export const bytea = (bytes: Uint8Array): string => `\\x${Buffer.from(bytes).toString("hex")}`

/** Frames of two environments, of today and of long ago, more than one step of the migration carries. */
export const frames = [
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

/** A fall that was reported, and a person who left a zone after a while. */
export const events = [
  incidentEvent(idOf(2), "open", 2, { environmentId: "home" }),
  { ...zoneEvent(idOf(3)), environmentId: "home", detail: { type: "zone_left", dwellS: 42.5 } },
] as const

/** The frames' table before migration 3; one row of it no version could have written. */
export const oldFrames: Rows = {
  pose_frames: [
    ...frames.map((frame) => ({
      environment_id: frame.environmentId,
      frame_id: frame.frameId,
      ts: at(frame.timestampMs),
      person_count: frame.persons.length,
      body: bytea(archivedOf(frame).body),
    })),
    { environment_id: "home", frame_id: 9000, ts: at(nowMs), person_count: 0, body: "\\x01" },
  ],
}

const frameRow = (frame: typeof frames[number]): Row => {
  const { body, frameId, summary, timestampMs } = archivedOf(frame)
  return {
    environment_id: frame.environmentId,
    ts: at(timestampMs),
    frame_id: frameId,
    person_count: frame.persons.length,
    confidence: summary.confidence,
    ...summary.activities,
    processing_ms: summary.processingMs,
    source: summary.source,
    body: bytea(body),
  }
}

/** The sums of the minutes that the frames are in. */
const minuteRows = (): ReadonlyArray<Row> => {
  const groups = Map.groupBy(
    frames,
    ({ environmentId, timestampMs }) => `${environmentId} ${Math.floor(timestampMs / 60_000)}`,
  )
  return [...groups.values()].map((group) => {
    const summaries = group.map((frame) => archivedOf(frame).summary)
    const count = (isOne: (frame: typeof frames[number]) => boolean) => group.filter(isOne).length
    const sum = (of: (summary: typeof summaries[number]) => number) => summaries.reduce((all, one) => all + of(one), 0)
    const most = group.toSorted((a, b) => b.persons.length - a.persons.length || a.timestampMs - b.timestampMs)[0]!
    return {
      environment_id: group[0]!.environmentId,
      minute: at(60_000 * Math.floor(group[0]!.timestampMs / 60_000)),
      frames: group.length,
      frames_live: count(({ provenance }) => provenance.source === "live"),
      frames_replay: count(({ provenance }) => provenance.source === "replay"),
      frames_simulated: count(({ provenance }) => provenance.source === "simulated"),
      person_frames: group.reduce((all, { persons }) => all + persons.length, 0),
      person_max: most.persons.length,
      person_max_at: at(most.timestampMs),
      confidence_sum: sum(({ confidence, personCount }) => (confidence ?? 0) * (personCount ?? 0)),
      ...Object.fromEntries(activities.map((name) => [name, sum((summary) => summary.activities[name])])),
      ...Object.fromEntries([0, 1, 2, 3].map((n) => [`frames_${n}`, count(({ persons }) => persons.length === n)])),
      frames_4_plus: 0,
      processing_ms_sum: sum(({ processingMs }) => processingMs),
    }
  })
}

const options = {
  domain: "healthcare",
  environmentId: "home",
  calibrationRequired: true,
  detection: { confidenceThreshold: 0.45, maxPersons: 3, enableTracking: true },
  hardware: { csiSamplingRate: null, bufferSize: null },
}

export const week = {
  source: "live",
  firstMinute: 29_000_000,
  lastMinute: 29_020_000,
  minutes: 20_001,
  counts: Array.from({ length: weekCounts }, (_, i) => i % 11),
} as const

export const [oldLamp, lamp] = [
  homeState("light.lamp", "off"),
  homeState("light.lamp", "on", { lastUpdatedUs: 2_000_000 }),
]

export const hall = {
  areaId: "hall",
  name: "The hall",
  floorId: null,
  icon: null,
  picture: null,
  aliases: [],
  labels: [],
}

/** What each version wrote into the tables that came with it. */
export const rowsByMigration: Readonly<
  Record<Migration, Effect.Effect<Rows, StoreUnavailable, EncryptionKeys | SecureRandom.SecureRandom>>
> = {
  "0001_initial": Effect.gen(function* () {
    return {
      environments: [{ environment_id: "home", name: "A home", geometry: null, created_at: at(oldMs) }],
      routers: [{ router_id: "router-1", environment_id: "home" }],
      users: [{
        user_id: idOf(10),
        username: "vera",
        password_hash: yield* hashPassword(password),
        role: "admin",
        created_at: at(oldMs),
      }],
      api_keys: [{ key_id: idOf(1), key_hash: "\\x00", name: "router", role: "operator", created_at: at(oldMs) }],
      system_sessions: [{
        entity_id: "system",
        session: {
          status: "running",
          sessionId: idOf(4),
          startedAtMs: oldMs,
          estimatedReadyMs: null,
          steps: [],
          options,
          failure: null,
        },
        updated_at: at(oldMs),
      }],
      router_references: [{ router_id: "router-1", taken_at: at(oldMs), body: "\\x010203" }],
      secrets: [
        { name: "cluster-credential", value: "of all nodes" },
        { name: "jwt-signing-key", value: "of tokens without a sign-in" },
      ],
    }
  }),
  "0002_events": Effect.succeed({
    events: events.map((event) => ({
      event_id: event.eventId,
      environment_id: event.environmentId,
      ts: at(event.timestampMs),
      type: event.detail.type,
      severity: event.severity,
      revision: event.revision,
      open: event.incident !== null,
      alerted: event.incident !== null,
      body: event,
    })),
  }),
  "0003_frames": Effect.sync(() => ({
    pose_frames: frames.map(frameRow),
    stray_days: [{ day: at(dayMs * Math.floor(oldMs / dayMs)), found_at: at(nowMs - dayMs) }],
    frame_heads: [
      { environment_id: "home", frame_id: 9000, ts: at(nowMs), previous_id: 700 },
      { environment_id: "replayed", frame_id: 2, ts: at(oldMs + 200), previous_id: 1 },
    ],
    pose_minutes: minuteRows(),
    tracks: [{
      environment_id: "home",
      track_id: 1,
      first_seen: at(nowMs - dayMs),
      last_seen: at(nowMs - dayMs + 60_000),
      status: "ended",
      frames: 400,
      confidence: 0.75,
      distance_m: 12.5,
      moving_s: 40,
      stationary_s: 20,
      source: "live",
      stored_at: at(nowMs),
    }],
  })),
  "0004_accounts": Effect.succeed({
    user_sessions: [{
      session_id: idOf(20),
      user_id: idOf(10),
      created_at: at(nowMs - dayMs),
      expires_at: at(nowMs + dayMs),
    }],
    refresh_tokens: [
      {
        token_hash: "\\x01",
        session_id: idOf(20),
        issued_at: at(oldMs),
        expires_at: at(nowMs + dayMs),
        used_at: at(oldMs),
      },
      { token_hash: "\\x02", session_id: idOf(20), issued_at: at(nowMs), expires_at: at(nowMs + dayMs), used_at: null },
    ],
    signing_keys: [
      { key_id: "old", secret: "\\x0a", created_at: at(oldMs), retired_at: at(nowMs - dayMs) },
      { key_id: "new", secret: "\\x0b", created_at: at(nowMs - dayMs), retired_at: null },
    ],
    sign_in_failures: [{ slot: 5, failures: 2.5, at: at(nowMs) }],
    sign_in_addresses: [{ user_id: idOf(10), address: "192.0.2.0/24", last_at: at(nowMs) }],
    rate_counts: [{ subject: "rest user x", ends_at: at(nowMs + 60_000), count: 17 }],
  }),
  "0005_configuration": Effect.gen(function* () {
    const [sealed] = yield* sealAll([new TextEncoder().encode(webhookSecret)], secretContext(idOf(30)))
    return {
      configuration: [{
        entity_id: "system",
        revision: 3,
        value: { domain: "retail", environmentId: null, detection: { ...options.detection, confidenceThreshold: 0.6 } },
      }],
      configuration_changes: [{
        revision: 3,
        changed_at: at(nowMs),
        by_kind: "user",
        by_id: idOf(10),
        by_name: "vera",
        fields: ["domain", "detection.confidenceThreshold"],
        before: { domain: "healthcare", "detection.confidenceThreshold": 0.45 },
        after: { domain: "retail", "detection.confidenceThreshold": 0.6 },
        taken_back: null,
      }],
      webhooks: [{
        webhook_id: idOf(30),
        url: "https://example.org/hook",
        description: "of falls",
        event_types: ["fall_detection"],
        secret_key_id: sealed!.keyId,
        secret: bytea(sealed!.body),
        created_at: at(oldMs),
        created_by: "vera",
        failures: 1,
        last_error: "503",
        delivered: 12,
        given_up: 2,
        hour_began_at: at(oldMs),
        hour_count: 0,
      }],
      webhook_deliveries: [{
        webhook_id: idOf(30),
        event_id: idOf(2),
        revision: 2,
        queued_at: at(nowMs),
        due_at: at(nowMs),
        attempts: 1,
      }],
    }
  }),
  // The database writes these tables itself, from minutes and events.
  "0006_analytics": Effect.succeed({}),
  "0007_learned_weeks": Effect.succeed({
    learned_weeks: [{
      node_id: "router-1",
      saved_at: at(nowMs),
      key_id: null,
      body: bytea(new TextEncoder().encode(JSON.stringify(week))),
    }],
  }),
  "0008_node_identities": Effect.gen(function* () {
    const [sealed] = yield* sealAll([nodeKey], "node key router-1")
    return {
      sensing_nodes: [
        { node_id: "router-1", standing: "enrolled", reason: null, decided_at: at(oldMs), decided_by: "vera" },
        { node_id: "stranger", standing: "quarantined", reason: "unknown", decided_at: at(oldMs), decided_by: "vera" },
      ],
      node_keys: [{
        node_id: "router-1",
        sealing_key_id: sealed!.keyId,
        sealed: bytea(sealed!.body),
        created_at: at(oldMs),
        created_by: "vera",
        epoch: 4,
        sequence: 70_000_000_001,
      }],
    }
  }),
  "0009_home": Effect.succeed({
    home_states: [{ entity_id: "light.lamp", sequence: 8, created_sequence: 3, body: JSON.stringify(lamp) }],
    home_history: [oldLamp, lamp].map((state, i) => ({
      entity_id: "light.lamp",
      sequence: 7 + i,
      at: at(state.lastUpdatedUs / 1000),
      body: JSON.stringify(state),
    })),
    home_registry: [{
      registry: "area",
      entry_id: "hall",
      created_at: at(oldMs),
      modified_at: at(oldMs),
      body: JSON.stringify(hall),
    }],
    home_tokens: [{ token_id: "t1", name: "panel", hash: "\\x0c", created_at: at(oldMs), created_by: "vera" }],
  }),
  "0010_origins": Effect.succeed({
    node_sources: [{ start_id: idOf(60), source: "live", environment_ids: [], keeps_all: false, seen_at: at(oldMs) }],
  }),
  "0011_presence_history": Effect.succeed({
    labels: [{
      label_id: idOf(70),
      environment_id: "home",
      begins_at: at(nowMs - dayMs),
      ends_at: at(nowMs - dayMs + 60_000),
      state: "empty",
      note: "on holiday",
      created_at: at(nowMs),
      created_by: "vera",
    }],
  }),
  "0012_environment_memories": Effect.succeed({
    environment_memories: [{
      environment_id: "home",
      left_at: at(nowMs),
      key_id: null,
      body: bytea(new Uint8Array([1])),
    }],
  }),
  "0013_frame_generations": Effect.succeed({}),
  "0014_key_scopes": Effect.succeed({}),
  "0015_placements": Effect.succeed({
    cluster_loads: [{ address: "a:1", reported_at: at(nowMs), cores: 0.5, groups: { "sensing-1": 0.1 } }],
    cluster_pins: [{ shard_group: "sensing-1", address: "a:1", pinned_at: at(nowMs) }],
  }),
  "0016_uncounted_persons": Effect.succeed({}),
}
