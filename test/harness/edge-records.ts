/** Edge records for tests: a node with all values. */
import type { EdgeRecord } from "../../protocols/domain/sensing.ts"

export const nowMs = 1_700_000_000_000

/** A record with a value in every field; `changes` replace fields of the whole. */
export const edgeRecord = (nodeId: string, changes: Partial<EdgeRecord> = {}): EdgeRecord => ({
  nodeId,
  privacyClass: 2,
  seenMs: nowMs,
  entry: {
    nodeId,
    environmentId: "home",
    kind: "esp32-csi-tool",
    online: true,
    lastSeenMs: nowMs,
    privacyClass: changes.privacyClass ?? 2,
    firmware: "1.2.3",
    rssiDbm: -51.5,
    packetRateHz: 99.5,
    packetLoss: 0.01,
    standing: "enrolled",
    signed: true,
  },
  sensing: {
    timestampMs: nowMs - 40,
    presence: { present: true, confidence: 0.93, reason: null },
    nPersons: 2,
    nPersonsReason: null,
    motion: 0.25,
    vitals: {
      breathingRateBpm: 14.25,
      breathingConfidence: 0.75,
      breathingReason: null,
      heartRateBpm: 61.5,
      heartReason: null,
    },
    anomalyScore: 0.8125,
    anomalyReason: null,
    envShiftScore: 0.4375,
    envShiftReason: null,
    nodeCoherence: 0.9375,
    nodeCoherenceReason: null,
    provenance: { source: "live", calibrated: true, modelVersion: "motion-statistic", linksUsed: 5 },
  },
  events: {
    timestampMs: nowMs - 40,
    unknownPresence: { active: true, sinceMs: nowMs - 60_000, source: "Wi-Fi" },
    unexpectedOccupancy: { active: true, sinceMs: nowMs - 30_000, reason: null },
    unrecognizedActivityPattern: {
      active: true,
      sinceMs: nowMs - 10_000,
      anomalyThreshold: 0.7,
      anomalyScore: 0.8125,
      anomalyReason: null,
    },
  },
  scan: {
    timestampNs: 1_700_000_000_123_456_789n,
    presence: { present: true, confidence: 0.93, reason: null },
    personCount: 2,
    personCountReason: null,
    stations: 3,
  },
  ...changes,
})
