/**
 * What the sensing plugin says: an entity with its state, and the device that it is of. Words and rules that all of its entities share.
 *
 * A figure that the signal does not support is `unknown`, with the `reason` beside it; what nobody hears is `unavailable`.
 */
import type { Schema } from "effect"
import type { JsonObject } from "../../../../../protocols/domain/home.ts"
import type { Provenance } from "../../../../../protocols/domain/provenance.ts"
import type { DeviceOrder } from "../../registry-entries.ts"

export interface Sensed {
  readonly entityId: string
  readonly uniqueId: string
  readonly deviceId: string
  /** Without the name of its device. */
  readonly name: string
  readonly diagnostic: boolean
  /** A change of it is told at once: whether something is so, or how many there are. Of measurements the newest is told now and then. */
  readonly fact: boolean
  readonly state: string
  readonly attributes: JsonObject
}

/** An entity before its state is known. */
export interface EntityShape {
  readonly platform: "sensor" | "binary_sensor"
  /** The end of its ids. */
  readonly key: string
  readonly name: string
  readonly diagnostic?: boolean
  readonly fact?: boolean
  readonly attributes: JsonObject
}

/** What a device is for its entities. */
export interface SensedDevice {
  readonly order: DeviceOrder
  /** The beginning of its entities' ids. */
  readonly slug: string
  readonly name: string
}

export const unknown = "unknown"
export const unavailable = "unavailable"

/** An id as a part of entity ids. */
export const slugOf = (id: string): string => {
  const slug = id.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_").replaceAll(/^_+|_+$/g, "")
  return slug === "" ? "node" : slug
}

export const provenanceOf = ({ calibrated, linksUsed, modelVersion, source }: Provenance): JsonObject => ({
  source,
  calibrated,
  model_version: modelVersion,
  links_used: linksUsed,
})

export const rounded = (value: number, places: number): number => Math.round(value * 10 ** places) / 10 ** places

/** A number as a state, or `unknown`. */
export const numberState = (value: number | null, places: number): string =>
  value === null ? unknown : String(rounded(value, places))

/** Yes, no or `unknown`, as a state. */
export const flagState = (value: boolean | null): string => value === null ? unknown : value ? "on" : "off"

/** An entity of a device, as it is. */
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
