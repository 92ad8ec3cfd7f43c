/**
 * The registries of the home-automation runtime: properties of entities, devices, areas, floors and labels beside their states.
 */
import { Schema } from "effect"

const text = Schema.NullOr(Schema.String)
const texts = Schema.Array(Schema.String)

/** An entity that a plugin has registered. `uniqueId` is unique within its platform. */
export const EntityEntry = Schema.Struct({
  entityId: Schema.String,
  uniqueId: Schema.String,
  /** Its plugin. */
  platform: Schema.String,
  /** Null: the entity's own name, without that of its device. */
  name: text,
  originalName: text,
  hasEntityName: Schema.Boolean,
  icon: text,
  deviceId: text,
  areaId: text,
  labels: texts,
  /** Null: a primary entity. User interfaces show "diagnostic" and "config" apart. */
  entityCategory: Schema.NullOr(Schema.Literals(["config", "diagnostic"])),
  translationKey: text,
})
export type EntityEntry = typeof EntityEntry.Type

export const DeviceEntry = Schema.Struct({
  deviceId: Schema.String,
  /** Pairs of a domain and an id within it. */
  identifiers: Schema.Array(Schema.Tuple([Schema.String, Schema.String])),
  /** Pairs such as ["mac", "aa:bb:cc:dd:ee:ff"]. */
  connections: Schema.Array(Schema.Tuple([Schema.String, Schema.String])),
  name: text,
  nameByUser: text,
  manufacturer: text,
  model: text,
  swVersion: text,
  serialNumber: text,
  areaId: text,
  viaDeviceId: text,
  labels: texts,
})
export type DeviceEntry = typeof DeviceEntry.Type

const AreaEntry = Schema.Struct({
  areaId: Schema.String,
  name: Schema.String,
  floorId: text,
  icon: text,
  picture: text,
  aliases: texts,
  labels: texts,
})
type AreaEntry = typeof AreaEntry.Type

const FloorEntry = Schema.Struct({
  floorId: Schema.String,
  name: Schema.String,
  level: Schema.NullOr(Schema.Int),
  icon: text,
  aliases: texts,
})
type FloorEntry = typeof FloorEntry.Type

const LabelEntry = Schema.Struct({
  labelId: Schema.String,
  name: Schema.String,
  color: text,
  description: text,
  icon: text,
})
type LabelEntry = typeof LabelEntry.Type

/** The entries of each registry. */
export const registryEntries = {
  entity: EntityEntry,
  device: DeviceEntry,
  area: AreaEntry,
  floor: FloorEntry,
  label: LabelEntry,
} as const
export type RegistryName = keyof typeof registryEntries
export type RegistryEntry<Name extends RegistryName> = (typeof registryEntries)[Name]["Type"]

export const registryNames = Object.keys(registryEntries) as ReadonlyArray<RegistryName>

const ids: { readonly [Name in RegistryName]: (entry: RegistryEntry<Name>) => string } = {
  entity: ({ entityId }) => entityId,
  device: ({ deviceId }) => deviceId,
  area: ({ areaId }) => areaId,
  floor: ({ floorId }) => floorId,
  label: ({ labelId }) => labelId,
}

/** The key of an entry in its registry. */
export const entryId = <Name extends RegistryName>(name: Name, entry: RegistryEntry<Name>): string => ids[name](entry)
