/**
 * The entities of the sensing plugin: an entity with its state, its device, and the rules that all of them share.
 *
 * A measurement that the signal does not support is `unknown`, with its `reason` as an attribute. A source that sends nothing is `unavailable`.
 */
import type { Schema } from "effect"
import { homeTime, type JsonObject } from "../../../../../protocols/domain/home.ts"
import type { AreaOrder, DeviceOrder } from "../../registry-entries.ts"

export interface Sensed {
  readonly entityId: string
  readonly uniqueId: string
  readonly deviceId: string
  /** Without the name of its device. */
  readonly name: string
  readonly diagnostic: boolean
  /** A fact, such as presence or a count: each change is written at once. Measurements are throttled. */
  readonly fact: boolean
  readonly state: string
  readonly attributes: JsonObject
}

/** An entity before its state is known. */
export interface EntityShape {
  readonly platform: "sensor" | "binary_sensor" | "button" | "number"
  /** The end of its ids. */
  readonly key: string
  readonly name: string
  readonly diagnostic?: boolean
  readonly fact?: boolean
  readonly attributes: JsonObject
}

/** A device, with what the ids and names of its entities begin with. */
export interface SensedDevice {
  readonly order: DeviceOrder
  /** The beginning of its entities' ids. */
  readonly slug: string
  readonly name: string
  /** The area that it stands for; null: it is in one, or nowhere. */
  readonly area: AreaOrder | null
}

export const unknown = "unknown"
export const unavailable = "unavailable"

/** An id in the characters that entity ids allow. */
export const slugOf = (id: string): string => {
  const slug = id.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_").replaceAll(/^_+|_+$/g, "")
  return slug === "" ? "node" : slug
}

/** The id of an environment's area, by the environment's slug. */
export const areaOf = (slug: string): string => `wavepose_${slug}`

/** A time in milliseconds since the Unix epoch as the home API writes it. */
export const timeOf = (ms: number): string => homeTime(Math.round(1000 * ms))

export const rounded = (value: number, places: number): number => Math.round(value * 10 ** places) / 10 ** places

/** A number as a state, or `unknown`. */
export const numberState = (value: number | null, places: number): string =>
  value === null ? unknown : String(rounded(value, places))

/** `on`, `off` or `unknown`. */
export const flagState = (value: boolean | null): string => value === null ? unknown : value ? "on" : "off"

/** An entity of a device with its current state. */
export const sensed = (
  { name: deviceName, order: { deviceId }, slug }: SensedDevice,
  { attributes, diagnostic = false, fact = false, key, name, platform }: EntityShape,
  state: string,
  more: Readonly<Record<string, Schema.Json | undefined>>,
): Sensed => ({
  entityId: `${platform}.${slug}_${key}`,
  uniqueId: `${deviceId}-${key}`,
  deviceId,
  name,
  diagnostic,
  fact,
  state,
  attributes: {
    friendly_name: `${deviceName} ${name}`,
    ...attributes,
    ...Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined)) as JsonObject,
  },
})
