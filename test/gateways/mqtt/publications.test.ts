import { describe, expect, it } from "vitest"
import { gate, type Released } from "../../../core/privacy/gate.ts"
import { expireAfterS } from "../../../gateways/mqtt/discovery.ts"
import { Outbox, topicsMax } from "../../../gateways/mqtt/outbox.ts"
import { heartbeatMs, measurementsMs, nodesMax, Publications } from "../../../gateways/mqtt/publications.ts"
import type { MqttMessage } from "../../../protocols/ports/mqtt-link.ts"
import type { EdgeRecord, SensingRecord } from "../../../protocols/domain/sensing.ts"
import { staleAfterMs } from "../../../protocols/domain/sensing.ts"
import { type RecordParts, variedRecord } from "../../harness/edge-feed.ts"
import { nowMs } from "../../harness/edge-records.ts"

const names = { base: "wavepose", discoveryPrefix: "homeassistant" }
const discovery = "homeassistant/device/wavepose/n/config"

const released = (nodeId: string, parts: RecordParts = {}): Released<EdgeRecord, "mqtt"> => {
  const record = variedRecord(nodeId, parts)
  const verdict = gate(record, record.privacyClass, "mqtt")
  if (verdict.decision === "refuse") throw new Error(verdict.refusal.reason)
  return verdict.released
}

const topicsOf = (messages: ReadonlyArray<MqttMessage>) => messages.map(({ topic }) => topic)
const parsed = (messages: ReadonlyArray<MqttMessage>, topic: string) =>
  JSON.parse(messages.findLast((message) => message.topic === topic)!.payload)

/** Publications that know node n since time 0. */
const known = (parts: RecordParts = {}) => {
  const publications = new Publications(names, "1")
  const first = publications.take(released("n", parts), 0)
  return { publications, first }
}
/** What node n says at a time. */
const said = (atMs: number, parts: RecordParts = {}) => released("n", { seenMs: nowMs + atMs, ...parts })
const sensing = (over: Partial<SensingRecord>): RecordParts => ({ sensing: over })

describe("publications", () => {
  it("begin with the announcement, then availability, then state", () => {
    const { first } = known()
    expect(topicsOf(first)).toEqual([discovery, "wavepose/n/availability", "wavepose/n/state", "wavepose/n/events"])
    expect(first.map(({ retain }) => retain)).toEqual([true, true, false, false])
    expect(first[1]!.payload).toBe("online")
  })

  it("contain a change of presence at once, measurements once a second, and unchanged values after twenty seconds", () => {
    const { publications } = known()
    const state = "wavepose/n/state"
    expect(publications.take(said(10), 10)).toEqual([])
    expect(topicsOf(publications.take(said(20, sensing({ nPersons: 3 })), 20))).toEqual([state])
    for (let i = 1; i <= 9; i++) {
      const atMs = 20 + 100 * i
      expect(publications.take(said(atMs, sensing({ nPersons: 3, motion: i / 10 })), atMs)).toEqual([])
    }
    expect(publications.due(19 + measurementsMs)).toEqual([])
    expect(parsed(publications.due(20 + measurementsMs), state)).toMatchObject({ motion: 0.9, n_persons: 3 })
    expect(publications.take(said(19_000, sensing({ nPersons: 3, motion: 0.9 })), 19_000)).toEqual([])
    expect(publications.due(heartbeatMs)).toHaveLength(1)
    expect(topicsOf(publications.due(heartbeatMs + 20 + measurementsMs))).toEqual([state])
    expect(2 * heartbeatMs).toBeLessThan(1000 * expireAfterS)
  })

  it("contain events when they change, not with each figure of their provenance", () => {
    const { publications } = known()
    const { provenance } = variedRecord("n").sensing!
    const fewer = sensing({ provenance: { ...provenance, linksUsed: provenance.linksUsed - 1 } })
    expect(topicsOf(publications.take(released("n", fewer), 100))).toEqual([])
    const replayed = sensing({ provenance: { ...provenance, source: "replay" } })
    expect(topicsOf(publications.take(released("n", replayed), 200))).toContain("wavepose/n/events")
  })

  it("contain an event at once, and no separate message for a measurement", () => {
    const { publications } = known()
    const events = { unknownPresence: { active: false, source: "x", sinceMs: 7 } }
    expect(topicsOf(publications.take(released("n", { events }), 10))).toEqual(["wavepose/n/events"])
  })

  it("contain null for unknown values, and nothing before the first reading", () => {
    const { first, publications } = known({ sensing: null, events: null })
    expect(topicsOf(first)).toEqual([discovery, "wavepose/n/availability"])
    const unknown = sensing({
      presence: { present: null, confidence: 0, reason: "why" },
      nPersons: null,
      motion: null,
      vitals: {
        breathingRateBpm: null,
        breathingConfidence: 0,
        breathingReason: "a",
        heartRateBpm: null,
        heartReason: "b",
      },
      anomalyScore: null,
      anomalyReason: "c",
      envShiftScore: null,
      envShiftReason: "d",
      nodeCoherence: null,
      nodeCoherenceReason: "e",
    })
    expect(parsed(publications.take(released("n", unknown), 1), "wavepose/n/state")).toMatchObject({
      presence: null,
      presence_reason: "why",
      n_persons: null,
      motion: null,
      breathing_rate_bpm: null,
      breathing_reason: "a",
      heartrate_bpm: null,
      heart_reason: "b",
      anomaly_score: null,
      anomaly_reason: "c",
      env_shift_score: null,
      env_shift_reason: "d",
      node_coherence: null,
      coherence_reason: "e",
    })
    const events = {
      unexpectedOccupancy: { active: false, sinceMs: 7, reason: "f" },
      unrecognizedActivityPattern: {
        active: false,
        sinceMs: 7,
        anomalyThreshold: 0.7,
        anomalyScore: null,
        anomalyReason: "c",
      },
    }
    expect(parsed(publications.take(released("n", { events }), 2), "wavepose/n/events")).toMatchObject({
      unexpected_occupancy: { reason: "f" },
      unrecognized_activity_pattern: { anomaly_score: null, anomaly_reason: "c" },
    })
  })

  it("say where the state and the events came from", () => {
    const provenance = { source: "simulated", calibrated: true, modelVersion: "m", linksUsed: 5 } as const
    const { first } = known(sensing({ provenance }))
    for (const topic of ["wavepose/n/state", "wavepose/n/events"]) {
      expect(parsed(first, topic).provenance, topic).toEqual({
        source: "simulated",
        calibrated: true,
        model_version: "m",
        links_used: 5,
      })
    }
  })

  it("lack the values that class Restricted removes, including their names", () => {
    const { first } = known({ privacyClass: 3 })
    const { redacted_fields, ...state } = parsed(first, "wavepose/n/state")
    expect(redacted_fields).toEqual(
      expect.arrayContaining([
        "anomaly_score",
        "env_shift_score",
        "node_coherence",
        "breathing_rate_bpm",
        "heartrate_bpm",
      ]),
    )
    const whole = JSON.stringify([state, parsed(first, "wavepose/n/events"), parsed(first, discovery)])
    for (const name of [...redacted_fields, "identity_risk_score", "soul_match_probability", "rf_signature_hash"]) {
      expect(whole, name).not.toContain(name)
    }
    expect(parsed(first, "wavepose/n/events").unrecognized_activity_pattern).toMatchObject({ active: true })
  })

  it("mark a silent or offline node once, do not repeat its values, and begin again when it reports", () => {
    const { publications } = known()
    // It was 40 ms old when the service received it.
    expect(publications.due(staleAfterMs - 40)).toEqual([])
    expect(publications.due(staleAfterMs - 39).map(({ payload }) => payload)).toEqual(["offline"])
    expect(publications.due(10 * heartbeatMs)).toEqual([])
    const again = publications.take(said(11 * heartbeatMs), 11 * heartbeatMs)
    expect(topicsOf(again)).toEqual(["wavepose/n/availability", "wavepose/n/state", "wavepose/n/events"])
    const offline = publications.take(released("n", { entry: { online: false } }), 11 * heartbeatMs + 1)
    expect(offline.map(({ payload }) => payload)).toEqual(["offline"])
  })

  it("mark a node with a stale record offline although the record has just arrived, and online when it is on time again", () => {
    const { publications } = known()
    const availability = (atMs: number, behindMs: number, clockOffsetMs = 0) => {
      const provenance = { ...released("n").record.sensing!.provenance, clockOffsetMs }
      const parts = sensing({ timestampMs: nowMs + atMs - behindMs, provenance })
      return publications.take(said(atMs, parts), atMs).filter(({ topic }) => topic === "wavepose/n/availability")
        .map(({ payload }) => payload)
    }
    expect(availability(1_000, 9_000)).toEqual([])
    expect(availability(2_000, 95_000)).toEqual(["offline"])
    expect(availability(3_000, 95_000)).toEqual([])
    expect(publications.due(3_100)).toEqual([])
    expect(availability(4_000, 100)).toEqual(["online"])
    expect(availability(5_000, 95_000, 94_000)).toEqual([])
  })

  it("announce changes again, and everything on request", () => {
    const { publications } = known()
    const changed = publications.take(released("n", { entry: { firmware: "2.0" } }), 1)
    expect(parsed(changed, discovery).device.sw_version).toBe("2.0")
    const all = publications.all(2)
    expect(topicsOf(all)).toEqual([discovery, "wavepose/n/availability", "wavepose/n/state", "wavepose/n/events"])
  })

  it("remove the entities that a class lacks, before they are forgotten", () => {
    const { publications } = known()
    const restricted = publications.take(released("n", { privacyClass: 3 }), 1).filter(({ topic }) =>
      topic === discovery
    )
    expect(restricted.map(({ prelude }) => prelude)).toEqual([true, false])
    expect(JSON.parse(restricted[0]!.payload).components.heart).toEqual({ platform: "sensor" })
    expect(JSON.parse(restricted[1]!.payload).components).not.toHaveProperty("heart")
  })

  it("withdraw nodes that are revoked or missing, including nodes of retained announcements", () => {
    const { publications } = known()
    publications.former("old", "{}")
    publications.take(released("m"), 0)
    expect(publications.withdrawGone(["n"], 0, 100)).toEqual([])
    // One that is there again begins to be missing anew.
    expect(publications.withdrawGone(["n", "m"], 50, 100)).toEqual([])
    expect(publications.withdrawGone(["n"], 99, 100)).toEqual([])
    const old = publications.withdrawGone(["n"], 100, 100)
    expect(topicsOf(old)).toEqual(["homeassistant/device/wavepose/old/config", "wavepose/old/availability"])
    const gone = [...old, ...publications.withdrawGone(["n"], 199, 100)]
    expect(topicsOf(gone).slice(2)).toEqual(["homeassistant/device/wavepose/m/config", "wavepose/m/availability"])
    expect(gone.every(({ payload, retain }) => payload === "" && retain)).toBe(true)
    expect(publications.withdrawGone(["n"], 900, 100)).toEqual([])
    expect(topicsOf(publications.take(released("n", { entry: { standing: "revoked" } }), 1))).toContain(discovery)
    expect(publications.take(released("n", { entry: { standing: "revoked" } }), 2)).toEqual([])
    expect(publications.all(3)).toEqual([])
  })

  it("hold at most the maximum number of nodes", () => {
    const publications = new Publications(names, "1")
    for (let i = 0; i < nodesMax; i++) publications.former(`n${i}`, "{}")
    publications.former("one-more", "{}")
    publications.withdrawGone([], 0, 100)
    expect(publications.withdrawGone([], 100, 100)).toHaveLength(2 * nodesMax)
  })
})

const message = (topic: string, payload: string, prelude = false): MqttMessage => ({
  topic,
  payload,
  retain: false,
  expiryS: null,
  prelude,
})
const drained = (outbox: Outbox): ReadonlyArray<string> => {
  const payloads: Array<string> = []
  for (let next = outbox.next(); next !== null; next = outbox.next()) payloads.push(next.payload)
  return payloads
}

describe("the outbox", () => {
  it("sends only the newest message of a topic, in the order in which topics began to wait, a prelude before its message", () => {
    const outbox = new Outbox()
    for (
      const one of [message("a", "1"), message("b", "2"), message("c", "0", true), message("c", "3"), message("a", "4")]
    ) {
      outbox.put(one)
    }
    expect(drained(outbox)).toEqual(["4", "2", "0", "3"])
  })

  it("loses only superseded messages when its connection is lost", () => {
    const outbox = new Outbox()
    for (const topic of ["a", "b", "c"]) outbox.put(message(topic, `${topic}1`))
    const first = outbox.next()!
    outbox.next()
    outbox.next()
    outbox.acknowledged(first)
    outbox.put(message("b", "b2"))
    outbox.lost()
    expect(drained(outbox)).toEqual(["c1", "b2"])
    expect(outbox.size).toBe(2)
  })

  it("is bounded, and counts dropped messages", () => {
    const outbox = new Outbox()
    for (let i = 0; i < topicsMax + 5; i++) outbox.put(message(`t${i}`, "x"))
    outbox.put(message("t0", "y"))
    expect([outbox.size, outbox.dropped, outbox.next()!.payload]).toEqual([topicsMax, 5, "y"])
  })
})
