/** The bridge's routes on what it knows: every body, every refusal, and the exact digits of nanoseconds. */
import { describe, expect, it } from "vitest"
import { gate } from "../../../core/privacy/gate.ts"
import { bridgeAccess } from "../../../gateways/bridge/access.ts"
import { makeMemory } from "../../../gateways/bridge/memory.ts"
import { bridgeRoutes } from "../../../gateways/bridge/routes.ts"
import type { EdgeRecord } from "../../../protocols/domain/sensing.ts"
import { edgeRecord, nowMs } from "../../harness/edge-records.ts"

const released = (record: EdgeRecord) => {
  const verdict = gate(record, record.privacyClass, "bridge")
  if (verdict.decision === "refuse") throw new Error(verdict.refusal.reason)
  return verdict.released
}

/** A bridge that got these records at `nowMs`. */
const bridgeOf = (...records: ReadonlyArray<EdgeRecord>) => {
  const memory = makeMemory()
  for (const record of records) memory.put(released(record), nowMs)
  const respond = bridgeRoutes(memory, "1.2.3")
  const ask = (target: string, { method = "GET", atMs = nowMs } = {}) => {
    const { body, headers, status } = respond({ method, target, nowMs: atMs, uuid: () => "an-id" })
    const text = String(body)
    // deno-lint-ignore no-explicit-any
    return { status, headers, text, body: JSON.parse(text) as any }
  }
  return { memory, ask }
}

const never = ["identity_risk_score", "soul_match_probability", "rf_signature_hash"]
const removed = ["breathing_rate_bpm", "heartrate_bpm", "anomaly_score", "env_shift_score", "node_coherence"]

describe("a node of class anonymous", () => {
  const { ask } = bridgeOf(edgeRecord("kitchen"))

  it("answers its vitals", () => {
    expect(ask("/api/v1/vitals/kitchen/latest")).toMatchObject({
      status: 200,
      body: {
        node_id: "kitchen",
        timestamp_ms: nowMs - 40,
        presence: true,
        n_persons: 2,
        confidence: 0.93,
        breathing_rate_bpm: 14.25,
        heartrate_bpm: 61.5,
        motion: 0.25,
        privacy_class: 2,
        provenance: { source: "live", calibrated: true, age_ms: 40, lateness: "on_time", links_used: 5 },
        redacted_fields: never,
        reasons: {},
      },
    })
  })

  it("answers the sensing record, schema version 2, by its id or as the newest", () => {
    const { body } = ask("/api/v1/sensing/latest")
    expect(body).toMatchObject({
      schema_version: 2,
      node_id: "kitchen",
      breathing_rate_bpm: 14.25,
      anomaly_score: 0.8125,
      env_shift_score: 0.4375,
      node_coherence: 0.9375,
    })
    expect(ask("/api/v1/sensing/latest?node_id=kitchen").body).toEqual(body)
    expect(ask("/api/v1/sensing/latest?node_id=attic").status).toBe(503)
  })

  it("answers its last scan with the exact digits of its nanoseconds", () => {
    const { body, text } = ask("/api/v1/bfld/kitchen/last_scan")
    expect(text).toContain(`"timestamp_ns":1700000000123456789,`)
    expect(body).toMatchObject({
      node_id: "kitchen",
      identity_risk_score: null,
      privacy_class: 2,
      person_count: 2,
      confidence: 0.93,
      presence: true,
      stations: 3,
    })
  })

  it("answers its semantic events", () => {
    expect(ask("/api/v1/semantic-events/kitchen/latest").body).toMatchObject({
      node_id: "kitchen",
      privacy_class: 2,
      events: {
        unknown_presence: { active: true, source: "Wi-Fi", ts: nowMs - 60_000 },
        unexpected_occupancy: { active: true, schedule_aware: false, ts: nowMs - 30_000 },
        unrecognized_activity_pattern: { active: true, anomaly_threshold: 0.7, anomaly_score: 0.8125 },
      },
      redacted_fields: never,
    })
  })

  it.each(["vitals/N/latest", "sensing/latest?node_id=N", "bfld/N/last_scan", "semantic-events/N/latest"])(
    "says where %s came from",
    (path) => {
      const { sensing, ...record } = edgeRecord("kitchen")
      const provenance = { ...sensing!.provenance, source: "simulated" as const }
      const { ask } = bridgeOf({ ...record, sensing: { ...sensing!, provenance } })
      expect(ask(`/api/v1/${path.replace("N", "kitchen")}`).body.provenance).toMatchObject({
        source: "simulated",
        calibrated: true,
        age_ms: expect.any(Number) as number,
        lateness: "on_time",
        model_version: "motion-statistic",
        links_used: 5,
      })
    },
  )

  it("stands in the registry", () => {
    expect(ask("/api/v1/edge/registry").body).toEqual({
      nodes: [{
        node_id: "kitchen",
        environment_id: "home",
        kind: "esp32-csi-tool",
        online: true,
        last_seen_ms: nowMs,
        privacy_class: 2,
        firmware: "1.2.3",
        rssi_dbm: -51.5,
        packet_rate_hz: 99.5,
        packet_loss: 0.01,
        standing: "enrolled",
        signed: true,
      }],
      unsigned_nodes: [],
    })
  })

  it("says how old the newest features are", () => {
    expect(ask("/health", { atMs: nowMs + 250 }).body).toEqual({
      ok: true,
      status: "healthy",
      feature_age_s: 0.29,
      source: "live",
      version: "1.2.3",
    })
  })

  it("is degraded in health while the newest features are late", () => {
    expect(ask("/health", { atMs: nowMs + 3_000 })).toMatchObject({
      status: 200,
      body: { ok: true, status: "degraded" },
    })
  })

  it("returns a subscription with polling instructions", () => {
    const subscribe = (query: string) => ask(`/api/v1/bfld/kitchen/subscribe${query}`, { method: "POST" })
    expect(subscribe("").body).toMatchObject({ subscription_id: "an-id", node_id: "kitchen", duration_s: 10 })
    expect(subscribe("?duration_s=1").status).toBe(200)
    const longest = subscribe("?duration_s=3600")
    expect(longest.body.endpoint_hint).toMatch(/\/api\/v1\/bfld\/kitchen\/last_scan every 1 s for 3600 s/)
    for (const wrong of ["0", "3601", "-1", "x", ""]) {
      expect(subscribe(`?duration_s=${wrong}`), wrong).toMatchObject({
        status: 422,
        body: { error: expect.any(String) as string, hint: expect.stringMatching(/1 to 3600/) as string },
      })
    }
    expect(ask("/api/v1/bfld/attic/subscribe", { method: "POST" }).status).toBe(503)
  })
})

describe("a node of class restricted", () => {
  const { ask } = bridgeOf(edgeRecord("bedroom", { privacyClass: 3 }))

  it("has none of the removed figures in any answer, and names them", () => {
    for (
      const path of [
        "/api/v1/sensing/latest",
        "/api/v1/vitals/bedroom/latest",
        "/api/v1/semantic-events/bedroom/latest",
        "/api/v1/bfld/bedroom/last_scan",
      ]
    ) {
      const { body, status, text } = ask(path)
      expect(status, path).toBe(200)
      expect(body.privacy_class, path).toBe(3)
      expect(body.redacted_fields, path).toEqual([...never, ...removed])
      for (const figure of ["14.25", "61.5", "0.8125", "0.4375", "0.9375"]) expect(text, path).not.toContain(figure)
    }
    expect(ask("/api/v1/sensing/latest").body).toMatchObject({
      breathing_rate_bpm: null,
      heartrate_bpm: null,
      anomaly_score: null,
      env_shift_score: null,
      node_coherence: null,
      presence: true,
      n_persons: 2,
      reasons: { anomaly_score: expect.stringMatching(/Restricted/) as string },
    })
  })

  it("keeps the decision that was made before its score was removed", () => {
    expect(ask("/api/v1/semantic-events/bedroom/latest").body.events.unrecognized_activity_pattern).toMatchObject({
      active: true,
      anomaly_score: null,
    })
  })
})

describe("unavailable data", () => {
  const silent = edgeRecord("cellar")
  const { ask } = bridgeOf(
    edgeRecord("kitchen", { scan: null }),
    edgeRecord("new", { sensing: null, events: null, scan: null }),
    { ...silent, entry: { ...silent.entry, online: false } },
  )
  const ofNode = ["vitals/N/latest", "bfld/N/last_scan", "semantic-events/N/latest"]

  it.each(ofNode)("is 503 with a hint on an unknown, a stale, a silent and a new node: %s", (path) => {
    const of = (node: string, atMs = nowMs) => ask(`/api/v1/${path.replace("N", node)}`, { atMs })
    for (const answer of [of("attic"), of("kitchen", nowMs + 10_001), of("cellar"), of("new"), of("%zz")]) {
      expect(answer.status).toBe(503)
      expect(Object.keys(answer.body)).toEqual(["error", "hint"])
      expect(answer.body.hint).not.toBe("")
    }
    // It was 40 ms old when the service received it.
    if (!path.startsWith("bfld")) expect(of("kitchen", nowMs + 9_960).status).toBe(200)
    expect(of("kitchen", nowMs + 9_961).status).toBe(503)
  })

  it("is 503 for a node without beamforming reports", () => {
    expect(ask("/api/v1/bfld/kitchen/last_scan").body.hint).toMatch(/beamforming/)
  })

  it("is 503 on the newest record once all are stale, and not ok in health", () => {
    expect(ask("/api/v1/sensing/latest", { atMs: nowMs + 10_001 }).status).toBe(503)
    expect(ask("/health", { atMs: nowMs + 10_001 })).toMatchObject({
      status: 200,
      body: { ok: false, status: "unavailable", source: null },
    })
  })

  it.each(ofNode)("is 503 with a hint where what a node senses is stale, though it arrives now: %s", (path) => {
    const { sensing, ...behind } = edgeRecord("hall")
    const provenance = { ...sensing!.provenance, clockOffsetMs: 95_000 }
    const { ask } = bridgeOf(
      { ...behind, sensing: { ...sensing!, timestampMs: nowMs - 95_000 } },
      { ...edgeRecord("yard"), sensing: { ...sensing!, timestampMs: nowMs - 95_000, provenance } },
    )
    const { body, status } = ask(`/api/v1/${path.replace("N", "hall")}`)
    expect({ status, body }).toEqual({
      status: 503,
      body: { error: expect.stringContaining("95.0 s old"), hint: expect.stringContaining("doctor") },
    })
    // The clock of this one is wrong: it is not late.
    expect(ask(`/api/v1/${path.replace("N", "yard")}`).status).toBe(200)
    expect(ask("/api/v1/vitals/yard/latest").body.provenance).toMatchObject({ age_ms: 95_000, lateness: "on_time" })
    expect(ask("/api/v1/sensing/latest").body.node_id).toBe("yard")
  })

  it("is judged on by the bridge's clock, however often a record is repeated", () => {
    const record = edgeRecord("hall")
    const { ask, memory } = bridgeOf(record)
    for (let ms = 0; ms <= 12_000; ms += 1_000) memory.put(released(record), nowMs + ms)
    const late = (atMs: number) => ask("/api/v1/vitals/hall/latest", { atMs })
    expect(late(nowMs + 1_000).body.provenance.lateness).toBe("on_time")
    expect(late(nowMs + 3_000).body.provenance.lateness).toBe("late")
    expect(late(nowMs + 12_000).status).toBe(503)
    expect(ask("/health", { atMs: nowMs + 12_000 }).body).toMatchObject({ ok: false, feature_age_s: null })
  })

  it("is 404 with the path where there is no such path", () => {
    for (const path of ["/", "/api/v1/vitals/kitchen", "/api/v1/vitals//latest", "/api/v1/pose/latest"]) {
      expect(ask(`${path}?a=b`), path).toMatchObject({
        status: 404,
        body: { error: expect.any(String) as string, path },
      })
    }
  })

  it("is 405 with what is allowed", () => {
    expect(ask("/health", { method: "DELETE" })).toMatchObject({ status: 405, headers: { Allow: "GET, HEAD" } })
    expect(ask("/api/v1/bfld/kitchen/subscribe")).toMatchObject({ status: 405, headers: { Allow: "POST" } })
  })

  it("is shown in the registry as offline", () => {
    const online = ask("/api/v1/edge/registry").body.nodes.map((node: Record<string, unknown>) => [
      node["node_id"],
      node["online"],
    ])
    expect(online).toEqual([["cellar", false], ["kitchen", true], ["new", true]])
    expect(ask("/api/v1/edge/registry", { atMs: nowMs + 10_001 }).body.nodes[1].online).toBe(false)
  })
})

it("lists the nodes with unsigned datagrams, which can be forged", () => {
  const record = edgeRecord("porch")
  const { ask } = bridgeOf({ ...record, entry: { ...record.entry, signed: false } }, edgeRecord("kitchen"))
  expect(ask("/api/v1/edge/registry").body.unsigned_nodes).toEqual(["porch"])
})

it("gives null with a reason for what the signal does not support", () => {
  const { sensing } = edgeRecord("kitchen")
  const { ask } = bridgeOf(edgeRecord("kitchen", {
    sensing: {
      ...sensing!,
      presence: { present: null, confidence: 0, reason: "too few packets" },
      nPersons: null,
      nPersonsReason: "one link cannot count",
      motion: null,
      vitals: {
        breathingRateBpm: null,
        breathingConfidence: 0,
        breathingReason: "a person moves",
        heartRateBpm: null,
        heartReason: "no breath",
      },
    },
  }))
  expect(ask("/api/v1/vitals/kitchen/latest").body).toMatchObject({
    presence: null,
    n_persons: null,
    motion: null,
    breathing_rate_bpm: null,
    reasons: {
      presence: "too few packets",
      n_persons: "one link cannot count",
      motion: "too few packets",
      breathing_rate_bpm: "a person moves",
      heartrate_bpm: "no breath",
    },
  })
})

describe("access", () => {
  it("is any client that names a loopback host, if the bridge is bound to loopback", () => {
    const refuse = bridgeAccess(null)
    const of = (host: string | undefined) => refuse("/health", { host, authorization: undefined })?.status ?? null
    expect(["127.0.0.1:8100", "localhost", "LOCALHOST:1", "[::1]:8100", "127.1.2.3"].map(of)).toEqual(
      [null, null, null, null, null],
    )
    expect(["example.com", "127.0.0.1.example.com", "10.0.0.1:8100", undefined, ""].map(of)).toEqual(
      [403, 403, 403, 403, 403],
    )
  })

  it("needs the token on other addresses; health is open", () => {
    const refuse = bridgeAccess("a-long-token")
    const of = (path: string, authorization?: string) =>
      refuse(path, { host: "home.lan", authorization })?.status ?? null
    expect(of("/health")).toBeNull()
    expect(of("/api/v1/edge/registry", "Bearer a-long-token")).toBeNull()
    expect([undefined, "Bearer a-long-toke", "Basic a-long-token", "Bearer"].map((given) => of("/api", given))).toEqual(
      [401, 401, 401, 401],
    )
  })
})
