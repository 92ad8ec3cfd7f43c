/**
 * The MQTT discovery document of a node, from which Home Assistant creates a device with its entities.
 *
 * Owns the document in the form of Home Assistant >= 2024.11 (one message per device). Boundary: the document names the values and where to
 * find them; the values are in `state.ts`. Invariants: the root has only keys that Home Assistant accepts; every entity has a
 * `unique_id`; no entity exists for a value that class Restricted removes.
 */
import { type PrivacyClass, privacyClasses } from "../../core/privacy/privacy-class.ts"
import { removedByRestricted } from "../../core/privacy/fields.ts"
import type { Released } from "../../core/privacy/gate.ts"
import type { EdgeRecord } from "../../protocols/domain/sensing.ts"
import { serviceAvailability, type TopicNames, topicsOf, wordOf } from "./topics.ts"

/** Seconds without a message after which Home Assistant marks an entity unavailable. */
export const expireAfterS = 60

interface Component {
  readonly platform: "sensor" | "binary_sensor"
  readonly unique_id: string
  readonly value_template: string
  readonly [option: string]: unknown
}

export interface Discovery {
  readonly device: Readonly<Record<string, unknown>>
  readonly origin: Readonly<Record<string, string>>
  readonly availability: ReadonlyArray<{ readonly topic: string }>
  readonly availability_mode: "all"
  readonly state_topic: string
  readonly qos: 1
  readonly components: Readonly<Record<string, Component>>
}

type Options = Omit<Component, "unique_id" | "value_template">

const measurement = { platform: "sensor", state_class: "measurement" } as const
const diagnostic = { ...measurement, entity_category: "diagnostic", suggested_display_precision: 2 } as const

/** A value of the state. Home Assistant shows null as unknown. */
const value = (field: string, options: Options) => ({ field, value: `{{ value_json.${field} }}`, options })

/** On, off or unknown. */
const flag = (field: string, options: Omit<Options, "platform">) => ({
  field,
  value: `{{ 'None' if value_json.${field} is none else 'ON' if value_json.${field} else 'OFF' }}`,
  options: { platform: "binary_sensor", ...options } as const,
})

/** A semantic event. */
const event = (field: string, name: string) => ({
  field,
  value: `{{ 'ON' if value_json.${field}.active else 'OFF' }}`,
  options: { platform: "binary_sensor", name } as const,
})

const entities = {
  presence: flag("presence", { device_class: "occupancy" }),
  n_persons: value("n_persons", { ...measurement, name: "Persons", icon: "mdi:account-multiple" }),
  motion: value("motion", { ...diagnostic, name: "Motion level" }),
  breathing: value("breathing_rate_bpm", {
    ...measurement,
    name: "Breathing rate",
    unit_of_measurement: "bpm",
    suggested_display_precision: 1,
  }),
  heart: value("heartrate_bpm", { ...measurement, name: "Heart rate", unit_of_measurement: "bpm" }),
  anomaly: value("anomaly_score", { ...diagnostic, name: "Anomaly score" }),
  env_shift: value("env_shift_score", { ...diagnostic, name: "Environment shift" }),
  coherence: value("node_coherence", { ...diagnostic, name: "Node coherence" }),
  source: {
    field: "source",
    value: "{{ value_json.provenance.source }}",
    options: {
      platform: "sensor",
      name: "Source",
      device_class: "enum",
      options: ["live", "replay", "simulated"],
      entity_category: "diagnostic",
    },
  },
} as const

const events = {
  unknown_presence: event("unknown_presence", "Unknown Presence"),
  unexpected_occupancy: event("unexpected_occupancy", "Unexpected Occupancy"),
  unrecognized_activity_pattern: event("unrecognized_activity_pattern", "Unrecognized Activity Pattern"),
} as const

const removed: ReadonlySet<string> = new Set(Object.values(removedByRestricted).map(({ wireName }) => wireName))

/** Whether a node of this class has the entity for a field. */
const has = (privacyClass: PrivacyClass, field: string): boolean =>
  privacyClass === privacyClasses.restricted ? !removed.has(field) : field !== "unrecognized_activity_pattern"

const componentsOf = (id: string, eventsTopic: string, privacyClass: PrivacyClass): Discovery["components"] => {
  const made = (
    all: Readonly<Record<string, { field: string; value: string; options: Options }>>,
    more: Readonly<Record<string, unknown>>,
  ) =>
    Object.entries(all).filter(([, { field }]) => has(privacyClass, field)).map(([name, { options, value }]) => [
      name,
      { ...options, unique_id: `${id}_${name}`, value_template: value, expire_after: expireAfterS, ...more },
    ])
  return Object.fromEntries([...made(entities, {}), ...made(events, { state_topic: eventsTopic })])
}

/**
 * The discovery document of a node.
 *
 * @param version the version of this service
 */
export const discoveryOf = (
  released: Released<EdgeRecord, "mqtt">,
  names: TopicNames,
  version: string,
): Discovery => {
  const { entry, nodeId } = released.record
  const word = wordOf(nodeId)
  const id = `${names.base}_${word}`
  const topics = topicsOf(names, word)
  return {
    device: {
      identifiers: [id],
      name: `Sensing node ${nodeId}`,
      manufacturer: "wavepose",
      model: entry.kind ?? "edge node",
      serial_number: nodeId,
      ...(entry.firmware === null ? {} : { sw_version: entry.firmware }),
      ...(entry.environmentId === null ? {} : { suggested_area: entry.environmentId }),
    },
    origin: { name: "wavepose", sw_version: version },
    availability: [{ topic: serviceAvailability(names) }, { topic: topics.availability }],
    availability_mode: "all",
    state_topic: topics.state,
    qos: 1,
    components: componentsOf(id, topics.events, released.privacyClass),
  }
}

/**
 * The document with which Home Assistant removes entities that were announced before and no longer exist: they have only their platform.
 * Null if there are none.
 */
export const withoutFormer = (discovery: Discovery, former: unknown): unknown => {
  if (typeof former !== "object" || former === null) return null
  const components = "components" in former ? former.components : null
  if (typeof components !== "object" || components === null) return null
  const gone = Object.entries(components).flatMap(([name, component]) =>
    Object.hasOwn(discovery.components, name) || typeof component !== "object" || component === null ||
      !("platform" in component)
      ? []
      : [[name, { platform: component.platform }] as const]
  )
  return gone.length === 0
    ? null
    : { ...discovery, components: { ...discovery.components, ...Object.fromEntries(gone) } }
}
