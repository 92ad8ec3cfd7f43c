/**
 * The home entities of an edge node: one device, with presence, the number of persons, motion, breathing, heart rate and the semantic events.
 *
 * Pure. Accepts only records that the privacy gate has released to the home.
 */
import type { Released } from "../../../../../core/privacy/gate.ts"
import { nameOfClass } from "../../../../../core/privacy/privacy-class.ts"
import type { JsonObject } from "../../../../../protocols/domain/home.ts"
import { latenessOf } from "../../../../../protocols/domain/lateness.ts"
import { provenanceJson } from "../../../../../protocols/domain/provenance.ts"
import {
  type EdgeRecord,
  type SemanticEvents,
  type SensingRecord,
  staleAfterMs,
} from "../../../../../protocols/domain/sensing.ts"
import {
  areaOf,
  type EntityShape,
  flagState,
  numberState,
  rounded,
  type Sensed,
  sensed,
  type SensedDevice,
  timeOf,
  unavailable,
  unknown,
} from "./sensor-entities.ts"
import { nodeKey, type Slugs } from "./slugs.ts"

export type ReleasedToHome = Released<EdgeRecord, "home">

const measurementClass: JsonObject = { state_class: "measurement" }
const perMinute: JsonObject = { ...measurementClass, unit_of_measurement: "bpm" }

/** A measurement of the sensing record as an entity: its state, and attributes such as the reason for a missing value. */
interface Measurement {
  readonly shape: EntityShape
  readonly state: (record: SensingRecord) => string
  readonly more: (record: SensingRecord) => JsonObject
}

const measurements: ReadonlyArray<Measurement> = [
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
      attributes: { ...measurementClass, icon: "mdi:account-multiple" },
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
      attributes: { ...measurementClass, icon: "mdi:motion-sensor" },
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

interface EventSensor {
  readonly shape: EntityShape
  readonly read: (events: SemanticEvents) => { readonly active: boolean; readonly sinceMs: number | null }
}

const eventSensor = (key: string, name: string, read: EventSensor["read"]): EventSensor => ({
  shape: { platform: "binary_sensor", key, name, fact: true, attributes: {} },
  read,
})

/** The names are shown to operators. */
const eventSensors: ReadonlyArray<EventSensor> = [
  eventSensor("unknown_presence", "Unknown Presence", ({ unknownPresence }) => unknownPresence),
  eventSensor("unexpected_occupancy", "Unexpected Occupancy", ({ unexpectedOccupancy }) => unexpectedOccupancy),
  eventSensor(
    "unrecognized_activity_pattern",
    "Unrecognized Activity Pattern",
    ({ unrecognizedActivityPattern }) => unrecognizedActivityPattern,
  ),
]

/**
 * The device of a node. Its slug begins the ids of its entities; that of its environment is in the id of its area, and comes first, so that a
 * room keeps its plain name.
 */
export const nodeDevice = ({ record: { entry, nodeId } }: ReleasedToHome, slugs: Slugs): SensedDevice => {
  const areaId = entry.environmentId === null ? null : areaOf(slugs("environment", entry.environmentId))
  const slug = slugs("node", nodeId)
  return {
    slug,
    name: `Sensing node ${nodeId}`,
    area: null,
    order: {
      deviceId: `wavepose-node-${slug}`,
      identifiers: [["wavepose", nodeKey(nodeId)]],
      name: `Sensing node ${nodeId}`,
      manufacturer: "wavepose",
      model: entry.kind,
      swVersion: entry.firmware,
      serialNumber: nodeId,
      areaId,
    },
  }
}

/** All entities of a node with their current states. */
export const nodeEntities = (released: ReleasedToHome, device: SensedDevice, nowMs: number): ReadonlyArray<Sensed> => {
  const { privacyClass, record: { entry, events, nodeId, seenMs, sensing }, redactedFields } = released
  const about: JsonObject = {
    node_id: nodeId,
    environment_id: entry.environmentId,
    privacy_class: nameOfClass(privacyClass),
    ...(redactedFields.length === 0 ? {} : { redacted_fields: [...redactedFields] }),
  }
  const silent = !entry.online || nowMs - (entry.lastSeenMs ?? seenMs) > staleAfterMs
    ? `The node has sent nothing for ${staleAfterMs / 1000} s.`
    : sensing !== null && latenessOf(sensing, nowMs) === "stale"
    ? `The node's newest reading is more than ${staleAfterMs / 1000} s old: its source is behind.`
    : null
  const provenance = sensing === null ? {} : { provenance: provenanceJson(sensing.provenance) }
  const missing = (shape: EntityShape) =>
    sensed(
      device,
      shape,
      silent === null ? unknown : unavailable,
      { ...about, reason: silent ?? "The node has sent no reading yet." },
    )
  return [
    ...measurements.map(({ more, shape, state }) =>
      sensing === null || silent !== null
        ? missing(shape)
        : sensed(device, shape, state(sensing), { ...more(sensing), ...about, ...provenance })
    ),
    ...eventSensors.map(({ read, shape }) => {
      if (events === null || silent !== null) return missing(shape)
      const { active, sinceMs } = read(events)
      return sensed(device, shape, flagState(active), {
        since: sinceMs === null ? null : timeOf(sinceMs),
        ...about,
        ...provenance,
      })
    }),
  ]
}
