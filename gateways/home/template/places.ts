/**
 * What templates ask of the registries: which entities and devices are where, and how places are called.
 */
import type { RegistryName } from "../../../protocols/domain/home-registry.ts"
import type { Registered } from "../../../protocols/ports/home-registries.ts"
import { slugOf } from "./slug.ts"
import { ofJson } from "./json-values.ts"
import type { Value } from "./values.ts"

/** The entries of the registries. */
export type RegistryLists = { readonly [Name in RegistryName]: ReadonlyArray<Registered<Name>> }

export const noRegistries: RegistryLists = { entity: [], device: [], area: [], floor: [], label: [] }

/** Ids and names of one kind of place. */
interface Named {
  readonly ids: () => ReadonlyArray<string>
  /** The id of a thing that has this id or name, or of the place of such a thing; null if there is none. */
  readonly idOf: (lookup: string) => string | null
  readonly nameOf: (id: string) => string | null
}

const named = (
  entries: ReadonlyArray<readonly [id: string, name: string | null]>,
  more: (lookup: string) => string | null,
): Named => ({
  ids: () => entries.map(([id]) => id),
  idOf: (lookup) =>
    more(lookup) ?? entries.find(([id, name]) => id === lookup || name?.toLowerCase() === lookup.toLowerCase())?.[0] ??
      entries.find(([, name]) => name !== null && slugOf(name) === slugOf(lookup))?.[0] ?? null,
  nameOf: (id) => entries.find(([each]) => each === id)?.[1] ?? null,
})

export interface Places {
  readonly area: Named
  readonly floor: Named
  readonly label: Named
  readonly device: Named
  readonly entitiesOfArea: (areaId: string) => ReadonlyArray<string>
  readonly devicesOfArea: (areaId: string) => ReadonlyArray<string>
  readonly areasOfFloor: (floorId: string) => ReadonlyArray<string>
  readonly labelsOf: (lookup: string) => ReadonlyArray<string>
  readonly entitiesOfLabel: (labelId: string) => ReadonlyArray<string>
  readonly entitiesOfDevice: (deviceId: string) => ReadonlyArray<string>
  readonly deviceAttribute: (deviceId: string, name: string) => Value
  readonly entitiesOfPlatform: (platform: string) => ReadonlyArray<string>
}

export const placesOf = (lists: RegistryLists): Places => {
  const entities = lists.entity.map(({ entry }) => entry)
  const devices = lists.device.map(({ entry }) => entry)
  const areas = lists.area.map(({ entry }) => entry)
  const floors = lists.floor.map(({ entry }) => entry)
  const labels = lists.label.map(({ entry }) => entry)
  const deviceOf = (lookup: string) => devices.find(({ deviceId }) => deviceId === lookup)
  const entityOf = (lookup: string) => entities.find(({ entityId }) => entityId === lookup)
  const areaOfDevice = (deviceId: string | null) => deviceId === null ? null : deviceOf(deviceId)?.areaId ?? null
  const idsWhere = (fits: (entry: (typeof entities)[number]) => boolean) =>
    entities.filter(fits).map(({ entityId }) => entityId)
  const areaOfThing = (lookup: string): string | null => {
    const entity = entityOf(lookup)
    return entity === undefined ? areaOfDevice(lookup) : entity.areaId ?? areaOfDevice(entity.deviceId)
  }
  const area = named(areas.map(({ areaId, name }) => [areaId, name]), areaOfThing)
  return {
    area,
    floor: named(floors.map(({ floorId, name }) => [floorId, name]), (lookup) => {
      const areaId = area.idOf(lookup)
      return areas.find((each) => each.areaId === areaId)?.floorId ?? null
    }),
    label: named(labels.map(({ labelId, name }) => [labelId, name]), () => null),
    device: named(
      devices.map(({ deviceId, name, nameByUser }) => [deviceId, nameByUser ?? name]),
      (lookup) => entityOf(lookup)?.deviceId ?? null,
    ),
    entitiesOfArea: (areaId) => idsWhere((entry) => (entry.areaId ?? areaOfDevice(entry.deviceId)) === areaId),
    devicesOfArea: (areaId) => devices.filter((entry) => entry.areaId === areaId).map(({ deviceId }) => deviceId),
    areasOfFloor: (floorId) => areas.filter((entry) => entry.floorId === floorId).map((entry) => entry.areaId),
    labelsOf: (lookup) => [
      ...entityOf(lookup)?.labels ?? deviceOf(lookup)?.labels ??
        areas.find(({ areaId, name }) => areaId === lookup || name === lookup)?.labels ?? [],
    ],
    entitiesOfLabel: (labelId) => idsWhere(({ labels }) => labels.includes(labelId)),
    entitiesOfDevice: (deviceId) => idsWhere((entry) => entry.deviceId === deviceId),
    deviceAttribute: (deviceId, name) => {
      const entry = deviceOf(deviceId)
      const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
      const value = entry !== undefined && Object.hasOwn(entry, camel) ? entry[camel as keyof typeof entry] : null
      return ofJson(JSON.parse(JSON.stringify(value)))
    },
    entitiesOfPlatform: (platform) => idsWhere((entry) => entry.platform === platform),
  }
}
