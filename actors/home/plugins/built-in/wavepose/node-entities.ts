/**
 * Edge nodes in the home: a device each, with presence, the number of persons, motion, breathing, heart rate and the semantic events.
 *
 * Pure. It takes what the privacy gate has released to the home and nothing else.
 */
import type { Released } from "../../../../../core/privacy/gate.ts"
import { nameOfClass } from "../../../../../core/privacy/privacy-class.ts"
import type { JsonObject } from "../../../../../protocols/domain/home.ts"
import { latenessOf } from "../../../../../protocols/domain/lateness.ts"
import {
  type EdgeRecord,
  type SemanticEvents,
  type SensingRecord,
  staleAfterMs,
} from "../../../../../protocols/domain/sensing.ts"
import {
  type EntityShape,
  flagState,
  numberState,
  provenanceOf,
  rounded,
  type Sensed,
  sensed,
  type SensedDevice,
  unavailable,
  unknown,
} from "./sensor-entities.ts"

export type ReleasedToHome = Released<EdgeRecord, "home">

const measurement: JsonObject = { state_class: "measurement" }
const perMinute: JsonObject = { ...measurement, unit_of_measurement: "bpm" }

/** A figure of the sensing record: its entity, its state, and why there is none. */
interface Figure {
  readonly shape: EntityShape
  readonly state: (record: SensingRecord) => string
  readonly more: (record: SensingRecord) => JsonObject
}

const figures: ReadonlyArray<Figure> = [
  {
    shape: {
      platform: "binary_sensor",
      key: "presence",
      name: "Presence",
      fact: true,
      attributes: { device_class: "occupancy" },
    },
    state: ({ presence }) => flagState(presence.present),
    more: ({ presence }) => ({ confidence: rounded(presence.confidence, 1), reason: presence.reason }),
  },
  {
    shape: {
      platform: "sensor",
      key: "persons",
      name: "Persons",
      fact: true,
      attributes: { ...measurement, icon: "mdi:account-multiple" },
    },
    state: ({ nPersons }) => numberState(nPersons, 0),
    more: ({ nPersonsReason }) => ({ reason: nPersonsReason }),
  },
  {
    shape: {
      platform: "sensor",
      key: "motion",
      name: "Motion",
      diagnostic: true,
      attributes: { ...measurement, icon: "mdi:motion-sensor" },
    },
    state: ({ motion }) => numberState(motion, 2),
    more: ({ motion, presence }) => ({ reason: motion === null ? presence.reason : null }),
  },
  {
    shape: {
      platform: "sensor",
      key: "breathing_rate",
      name: "Breathing rate",
      attributes: { ...perMinute, icon: "mdi:lungs" },
    },
    state: ({ vitals }) => numberState(vitals.breathingRateBpm, 1),
    more: ({ vitals }) => ({ confidence: rounded(vitals.breathingConfidence, 1), reason: vitals.breathingReason }),
  },
  {
    shape: {
      platform: "sensor",
      key: "heart_rate",
      name: "Heart rate",
      attributes: { ...perMinute, icon: "mdi:heart-pulse" },
    },
    state: ({ vitals }) => numberState(vitals.heartRateBpm, 0),
    more: ({ vitals }) => ({ reason: vitals.heartReason }),
  },
]

interface Happening {
  readonly shape: EntityShape
  readonly read: (events: SemanticEvents) => { readonly active: boolean; readonly sinceMs: number | null }
}

const happening = (key: string, name: string, read: Happening["read"]): Happening => ({
  shape: { platform: "binary_sensor", key, name, fact: true, attributes: {} },
  read,
})

/** Named as operators see them. */
const happenings: ReadonlyArray<Happening> = [
  happening("unknown_presence", "Unknown Presence", ({ unknownPresence }) => unknownPresence),
  happening("unexpected_occupancy", "Unexpected Occupancy", ({ unexpectedOccupancy }) => unexpectedOccupancy),
  happening(
    "unrecognized_activity_pattern",
    "Unrecognized Activity Pattern",
    ({ unrecognizedActivityPattern }) => unrecognizedActivityPattern,
  ),
]

/** The device of a node, under the beginning of ids that it has. */
export const nodeDevice = ({ record: { entry, nodeId } }: ReleasedToHome, slug: string): SensedDevice => ({
  slug,
  name: `Sensing node ${nodeId}`,
  order: {
    deviceId: `wavepose-node-${slug}`,
    identifiers: [["wavepose", `node:${nodeId}`]],
    name: `Sensing node ${nodeId}`,
    manufacturer: "wavepose",
    model: entry.kind,
    swVersion: entry.firmware,
    serialNumber: nodeId,
  },
})

const isoOf = (ms: number | null): string | null => ms === null ? null : new Date(ms).toISOString()

/** All entities of a node, as they are at this time. */
export const nodeEntities = (released: ReleasedToHome, device: SensedDevice, nowMs: number): ReadonlyArray<Sensed> => {
  const { privacyClass, record: { entry, events, nodeId, seenMs, sensing }, redactedFields } = released
  const about: JsonObject = {
    node_id: nodeId,
    environment_id: entry.environmentId,
    privacy_class: nameOfClass(privacyClass),
    ...(redactedFields.length === 0 ? {} : { redacted_fields: [...redactedFields] }),
  }
  const silent = !entry.online || nowMs - (entry.lastSeenMs ?? seenMs) > staleAfterMs
    ? `Nothing was heard of the node for ${staleAfterMs / 1000} s.`
    : sensing !== null && latenessOf(sensing, nowMs) === "stale"
    ? `What the node senses is more than ${staleAfterMs / 1000} s old: its source is behind.`
    : null
  const provenance = sensing === null ? {} : { provenance: provenanceOf(sensing.provenance) }
  const missing = (shape: EntityShape) =>
    sensed(
      device,
      shape,
      silent === null ? unknown : unavailable,
      { ...about, reason: silent ?? "The node has said nothing yet." },
    )
  return [
    ...figures.map(({ more, shape, state }) =>
      sensing === null || silent !== null
        ? missing(shape)
        : sensed(device, shape, state(sensing), { ...more(sensing), ...about, ...provenance })
    ),
    ...happenings.map(({ read, shape }) => {
      if (events === null || silent !== null) return missing(shape)
      const { active, sinceMs } = read(events)
      return sensed(device, shape, flagState(active), { since: isoOf(sinceMs), ...about, ...provenance })
    }),
  ]
}
