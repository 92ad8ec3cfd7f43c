/**
 * Entries of a plugin in the registries: the values that it gives, and the defaults of those that it omits.
 */
import type { DeviceEntry, EntityEntry, RegistryEntry } from "../../../protocols/domain/home-registry.ts"

/** An entity to register; `platform` is the plugin's domain. */
export type EntityOrder = Pick<EntityEntry, "entityId" | "uniqueId"> & Partial<Omit<EntityEntry, "platform">>
export type DeviceOrder = Pick<DeviceEntry, "deviceId" | "identifiers"> & Partial<DeviceEntry>
/** An area to register. */
export type AreaOrder = Pick<RegistryEntry<"area">, "areaId" | "name">

/** The values of an entity of which only the ids are given. */
export const entityDefaults: Omit<EntityEntry, "entityId" | "uniqueId" | "platform"> = {
  name: null,
  originalName: null,
  hasEntityName: true,
  icon: null,
  deviceId: null,
  areaId: null,
  labels: [],
  entityCategory: null,
  translationKey: null,
}
/** The values of a device of which only the ids are given. */
export const deviceDefaults: Omit<DeviceEntry, "deviceId" | "identifiers"> = {
  connections: [],
  name: null,
  nameByUser: null,
  manufacturer: null,
  model: null,
  swVersion: null,
  serialNumber: null,
  areaId: null,
  viaDeviceId: null,
  labels: [],
}
/** The values of an area of which only id and name are given. */
export const areaDefaults: Omit<RegistryEntry<"area">, "areaId" | "name"> = {
  floorId: null,
  icon: null,
  picture: null,
  aliases: [],
  labels: [],
}
