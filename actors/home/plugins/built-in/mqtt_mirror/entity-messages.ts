/**
 * The MQTT messages of a home entity: its discovery configuration for Home Assistant, availability, state and attributes; and the service call
 * of a command topic.
 *
 * Pure. Edge nodes are not mirrored, because the MQTT publisher announces them itself. Other sensing entities pass the privacy gate for MQTT
 * under their own class.
 */
import { Option, Schema } from "effect"
import { gate } from "../../../../../core/privacy/gate.ts"
import { privacyClasses, type PrivacyClassName, privacyClassNames } from "../../../../../core/privacy/privacy-class.ts"
import { domainOf, type EntityState, type JsonObject } from "../../../../../protocols/domain/home.ts"
import type { DeviceEntry, EntityEntry } from "../../../../../protocols/domain/home-registry.ts"
import type { MqttMessage } from "../../../../../protocols/ports/mqtt-link.ts"

const pressPayload = "PRESS"

/**
 * The attribute `command` of a button or a number: the service that it calls, and the field of the data that has the number. The mirror may
 * call every service, so it calls only one of the plugin that registered the entity, which may call that service itself.
 */
const ControlCommand = Schema.Struct({
  service: Schema.String.check(Schema.isPattern(/^[a-z0-9_]+\.[a-z0-9_]+$/)),
  data: Schema.Record(Schema.String, Schema.Json),
  value: Schema.optionalKey(Schema.String),
})
const decodeControl = Schema.decodeUnknownOption(ControlCommand)

/** The topics of a mirror. */
export interface MirrorNames {
  readonly base: string
  readonly discoveryPrefix: string
}

/** The registry entries of an entity and its device. */
export interface Registration {
  readonly entity: EntityEntry | null
  readonly device: DeviceEntry | null
}

/** The service call of a command. */
interface Command {
  readonly domain: string
  readonly service: string
  readonly data: JsonObject
}

interface Kind {
  /** The Home Assistant integration that represents it. */
  readonly component: "binary_sensor" | "sensor" | "switch" | "number" | "select" | "button"
  readonly commanded: boolean
}

const kinds: Readonly<Record<string, Kind>> = {
  binary_sensor: { component: "binary_sensor", commanded: false },
  sensor: { component: "sensor", commanded: false },
  input_boolean: { component: "switch", commanded: true },
  input_number: { component: "number", commanded: true },
  input_select: { component: "select", commanded: true },
  button: { component: "button", commanded: true },
  number: { component: "number", commanded: true },
}
const unknownStates = ["unknown", "unavailable"]

/** Whether a domain has the services `turn_on` and `turn_off`. */
type Switchable = (domain: string) => boolean

const kindOf = ({ entityId }: EntityState, switchable: Switchable): Kind => {
  const domain = domainOf(entityId)
  return kinds[domain] ?? { component: switchable(domain) ? "switch" : "sensor", commanded: switchable(domain) }
}

const serviceTopic = ({ base }: MirrorNames): string => `${base}/home/availability`
const pathOf = (entityId: string): string => entityId.replace(".", "/")
const objectIdOf = (entityId: string): string => entityId.replace(".", "_")
const topicOf = ({ base }: MirrorNames, entityId: string, what: string): string =>
  `${base}/home/${pathOf(entityId)}/${what}`
const configTopic = ({ base, discoveryPrefix }: MirrorNames, component: string, entityId: string): string =>
  `${discoveryPrefix}/${component}/${base}_home/${objectIdOf(entityId)}/config`

export const retained = (topic: string, payload: string): MqttMessage => ({
  topic,
  payload,
  retain: true,
  expiryS: null,
  prelude: false,
})

/** The availability of the mirror itself. */
export const availability = (names: MirrorNames, payload: "online" | "offline"): MqttMessage =>
  retained(serviceTopic(names), payload)

/** The topics to subscribe to: commands, Home Assistant's birth message, and the discovery configurations of an earlier run. */
export const subscriptions = (names: MirrorNames): ReadonlyArray<string> => [
  `${names.base}/home/+/+/set`,
  `${names.discoveryPrefix}/status`,
  configTopic(names, "+", "+"),
]

/** The state as released to MQTT. Null if the privacy gate rejects it, or if it belongs to an edge node. */
const released = (state: EntityState): EntityState | null => {
  const { node_id, privacy_class } = state.attributes
  if (node_id !== undefined) return null
  const named = privacyClassNames.find((name) => name === privacy_class) as PrivacyClassName | undefined
  if (named === undefined) return privacy_class === undefined ? state : null
  const verdict = gate(state, privacyClasses[named], "mqtt")
  return verdict.decision === "refuse" ? null : verdict.released.record
}

const text = (value: unknown): string | undefined => typeof value === "string" && value !== "" ? value : undefined

const deviceOf = ({ base }: MirrorNames, device: DeviceEntry | null, version: string): JsonObject =>
  device === null
    ? { identifiers: [`${base}_home`], name: "wavepose home", manufacturer: "wavepose", sw_version: version }
    : {
      identifiers: [`${base}_home_${device.deviceId}`],
      name: device.nameByUser ?? device.name ?? device.deviceId,
      ...(device.manufacturer === null ? {} : { manufacturer: device.manufacturer }),
      ...(device.model === null ? {} : { model: device.model }),
      via_device: `${base}_home`,
    }

/** The discovery options of one kind of component. */
const optionsOf = ({ component }: Kind, { attributes }: EntityState): JsonObject => {
  const unit = text(attributes["unit_of_measurement"])
  switch (component) {
    case "binary_sensor":
    case "switch":
      return {
        payload_on: "on",
        payload_off: "off",
        ...(component === "switch" ? { state_on: "on", state_off: "off" } : {}),
      }
    case "number": {
      const { max, min, mode, step } = attributes
      return {
        ...(min === undefined ? {} : { min }),
        ...(max === undefined ? {} : { max }),
        step: step ?? 1,
        mode: mode ?? "auto",
      }
    }
    case "button":
      return { payload_press: pressPayload }
    case "select":
      return { options: attributes["options"] ?? [] }
    case "sensor": {
      const stateClass = text(attributes["state_class"]) ?? (unit === undefined ? undefined : "measurement")
      return stateClass === undefined ? {} : { state_class: stateClass }
    }
  }
}

const announcement = (
  names: MirrorNames,
  kind: Kind,
  state: EntityState,
  { device, entity }: Registration,
  version: string,
): string => {
  const { attributes, entityId } = state
  const deviceClass = kind.component === "binary_sensor" || kind.component === "sensor"
    ? text(attributes["device_class"])
    : undefined
  const unit = text(attributes["unit_of_measurement"])
  const icon = entity?.icon ?? text(attributes["icon"])
  return JSON.stringify({
    name: entity?.name ?? text(attributes["friendly_name"]) ?? entityId,
    unique_id: `${names.base}_home_${objectIdOf(entityId)}`,
    default_entity_id: `${kind.component}.${entityId.slice(entityId.indexOf(".") + 1)}`,
    ...(kind.component === "button" ? {} : { state_topic: topicOf(names, entityId, "state") }),
    json_attributes_topic: topicOf(names, entityId, "attributes"),
    availability: [{ topic: serviceTopic(names) }, { topic: topicOf(names, entityId, "availability") }],
    availability_mode: "all",
    qos: 1,
    ...(kind.commanded ? { command_topic: topicOf(names, entityId, "set") } : {}),
    ...(deviceClass === undefined ? {} : { device_class: deviceClass }),
    ...(unit === undefined || kind.component === "binary_sensor" ? {} : { unit_of_measurement: unit }),
    ...(icon === undefined || icon === null ? {} : { icon }),
    ...(entity?.entityCategory == null ? {} : { entity_category: entity.entityCategory }),
    ...optionsOf(kind, state),
    device: deviceOf(names, device, version),
    origin: { name: "wavepose", sw_version: version },
  })
}

/** The messages of an entity, its discovery configuration first. Empty if it is not mirrored. */
export const entityMessages = (
  names: MirrorNames,
  given: EntityState,
  registration: Registration,
  switchable: Switchable,
  version: string,
): ReadonlyArray<MqttMessage> => {
  const state = released(given)
  if (state === null) return []
  const { attributes, entityId } = state
  const kind = kindOf(state, switchable)
  return [
    retained(configTopic(names, kind.component, entityId), announcement(names, kind, state, registration, version)),
    retained(topicOf(names, entityId, "availability"), state.state === "unavailable" ? "offline" : "online"),
    retained(topicOf(names, entityId, "state"), unknownStates.includes(state.state) ? "None" : state.state),
    retained(topicOf(names, entityId, "attributes"), JSON.stringify(attributes)),
  ]
}

/** The messages of a registered entity that has no state: it stays announced, because Home Assistant deletes what its user set of others. */
export const absence = (names: MirrorNames, entityId: string): ReadonlyArray<MqttMessage> => [
  retained(topicOf(names, entityId, "availability"), "offline"),
  ...["state", "attributes"].map((what) => retained(topicOf(names, entityId, what), "")),
]

/** The entities that config topics announce; null for one that is not among those given. */
export const announcedAmong = (entityIds: ReadonlyArray<string>): (topic: string) => string | null => {
  const byObjectId = new Map(entityIds.map((entityId) => [objectIdOf(entityId), entityId]))
  return (topic) => byObjectId.get(topic.split("/").at(-2) ?? "") ?? null
}

/** Empty retained messages on the same topics: the broker then deletes what it retained. */
export const withdrawals = (messages: ReadonlyArray<MqttMessage>): ReadonlyArray<MqttMessage> =>
  messages.map(({ topic }) => retained(topic, ""))

/** The call of a button or a number, which its attributes name. Null if the payload is none of its own; a text says why it is not called. */
const controlCall = (
  component: string,
  { attributes, entityId }: EntityState,
  payload: string,
  platform: string | null,
): Command | string | null => {
  const control = Option.getOrNull(decodeControl(attributes["command"]))
  if (control === null) return null
  const [domain, service] = control.service.split(".") as [string, string]
  if (domain !== platform) {
    const owner = platform === null ? "it is not registered by a plugin" : `its plugin is ${platform}`
    return `${entityId} may not call ${control.service}: ${owner}, and a command names a service of the entity's plugin.`
  }
  if (component === "button") return payload === pressPayload ? { domain, service, data: control.data } : null
  const number = payload.trim() === "" ? Number.NaN : Number(payload)
  if (control.value === undefined || !Number.isFinite(number)) return null
  return { domain, service, data: { ...control.data, [control.value]: number } }
}

/** The entity of a command topic; null for another topic. */
export const commandedEntity = ({ base }: MirrorNames, topic: string): string | null => {
  const match = topic.startsWith(`${base}/home/`)
    ? /^([a-z0-9_]+)\/([a-z0-9_]+)\/set$/.exec(topic.slice(base.length + 6))
    : null
  return match === null ? null : `${match[1]}.${match[2]}`
}

/**
 * The service call of a command from the broker. Null if it is not a valid command; a text says why it is not performed.
 *
 * @param state the present state of the entity; null: there is none
 * @param platform the plugin that registered the entity; null: none
 */
export const commandOf = (
  entityId: string,
  payload: string,
  switchable: Switchable,
  { platform, state }: { readonly state: EntityState | null; readonly platform: string | null },
): Command | string | null => {
  if (payload.length > 255) return null
  const domain = domainOf(entityId)
  const call = (service: string, data: JsonObject = {}): Command => ({
    domain,
    service,
    data: { ...data, entity_id: entityId },
  })
  if (domain === "button" || domain === "number") {
    return state === null ? null : controlCall(domain, state, payload, platform)
  }
  if (domain === "input_number") return call("set_value", { value: payload })
  if (domain === "input_select") return call("select_option", { option: payload })
  if (domain !== "input_boolean" && !switchable(domain)) return null
  return payload === "on" ? call("turn_on") : payload === "off" ? call("turn_off") : null
}
