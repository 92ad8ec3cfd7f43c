/**
 * Registry entries in the form of the home API, including keys that clients expect but this runtime has no values for.
 */
import type { RegistryName } from "../domain/home-registry.ts"
import type { Registered } from "../ports/home-registries.ts"

const times = ({ createdAtUs, modifiedAtUs }: { readonly createdAtUs: number; readonly modifiedAtUs: number }) => ({
  created_at: createdAtUs / 1_000_000,
  modified_at: modifiedAtUs / 1_000_000,
})

/** The encoder of each registry's entries. */
export const registryJson: { readonly [Name in RegistryName]: (registered: Registered<Name>) => object } = {
  entity: ({ entry, ...at }) => ({
    area_id: entry.areaId,
    categories: {},
    config_entry_id: null,
    config_subentry_id: null,
    device_id: entry.deviceId,
    disabled_by: null,
    entity_category: entry.entityCategory,
    entity_id: entry.entityId,
    has_entity_name: entry.hasEntityName,
    hidden_by: null,
    icon: entry.icon,
    id: `${entry.platform}.${entry.uniqueId}`,
    labels: entry.labels,
    name: entry.name,
    options: {},
    original_name: entry.originalName,
    platform: entry.platform,
    translation_key: entry.translationKey,
    unique_id: entry.uniqueId,
    ...times(at),
  }),
  device: ({ entry, ...at }) => ({
    area_id: entry.areaId,
    configuration_url: null,
    config_entries: [],
    config_entries_subentries: {},
    config_entry_id: null,
    config_subentry_id: null,
    connections: entry.connections,
    disabled_by: null,
    entry_type: null,
    hw_version: null,
    id: entry.deviceId,
    identifiers: entry.identifiers,
    labels: entry.labels,
    manufacturer: entry.manufacturer,
    model: entry.model,
    model_id: null,
    name: entry.name,
    name_by_user: entry.nameByUser,
    primary_config_entry: null,
    serial_number: entry.serialNumber,
    sw_version: entry.swVersion,
    via_device_id: entry.viaDeviceId,
    ...times(at),
  }),
  area: ({ entry, ...at }) => ({
    aliases: entry.aliases,
    area_id: entry.areaId,
    floor_id: entry.floorId,
    humidity_entity_id: null,
    icon: entry.icon,
    labels: entry.labels,
    name: entry.name,
    picture: entry.picture,
    temperature_entity_id: null,
    ...times(at),
  }),
  floor: ({ entry, ...at }) => ({
    aliases: entry.aliases,
    floor_id: entry.floorId,
    icon: entry.icon,
    level: entry.level,
    name: entry.name,
    ...times(at),
  }),
  label: ({ entry, ...at }) => ({
    color: entry.color,
    description: entry.description,
    icon: entry.icon,
    label_id: entry.labelId,
    name: entry.name,
    ...times(at),
  }),
}

/** Entity categories; the short form refers to them by index. */
const categories = ["config", "diagnostic"] as const

/** The entities in the short form of user interfaces. Null values are omitted. */
export const entitiesForDisplay = (entities: ReadonlyArray<Registered<"entity">>) => ({
  entity_categories: Object.fromEntries(categories.map((name, i) => [i, name])),
  entities: entities.map(({ entry }) => {
    const name = entry.name ?? entry.originalName
    return {
      ei: entry.entityId,
      pl: entry.platform,
      lb: entry.labels,
      ...(entry.areaId === null ? {} : { ai: entry.areaId }),
      ...(entry.deviceId === null ? {} : { di: entry.deviceId }),
      ...(entry.icon === null ? {} : { ic: entry.icon }),
      ...(entry.translationKey === null ? {} : { tk: entry.translationKey }),
      ...(entry.entityCategory === null ? {} : { ec: categories.indexOf(entry.entityCategory) }),
      ...(entry.hasEntityName ? { hn: true } : {}),
      ...(name === null ? {} : { en: name }),
    }
  }),
})
