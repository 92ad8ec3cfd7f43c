/**
 * Targets: which entities a call is about.
 *
 * A call names entities, devices, areas, floors and labels, each one id or a list; the registries say which entities those are of. Boundary:
 * an unknown id is passed on to the service of the entity.
 */
import { Effect, Schema } from "effect"
import type { DeviceEntry, EntityEntry } from "../../../protocols/domain/home-registry.ts"
import { domainOf, isEntityId, type JsonObject } from "../../../protocols/domain/home.ts"
import { HomeRegistries } from "../../../protocols/ports/home-registries.ts"

export const targetFields = ["entity_id", "device_id", "area_id", "floor_id", "label_id"] as const
type TargetField = (typeof targetFields)[number]

/** What a call names: lists, each id once, in the order in which they were given. Null: every entity of the service. */
export interface Target {
  readonly entityIds: ReadonlyArray<string> | null
  readonly others: Readonly<Record<Exclude<TargetField, "entity_id">, ReadonlyArray<string>>>
}

const Ids = Schema.NullOr(Schema.Union([Schema.String, Schema.Array(Schema.String)]))

const words: ReadonlySet<string> = new Set(["all", "none"])
const cleaned = (id: string): string => id.trim().toLowerCase()

/** Entity ids. An id of invalid syntax is an error of the caller; one of an unknown entity is not. */
const EntityIds = Ids.check(Schema.makeFilter((given) => {
  if (given === null || (typeof given === "string" && words.has(cleaned(given)))) return true
  const ids = typeof given === "string" ? given.split(",") : given
  const wrong = ids.find((id) => !isEntityId(cleaned(id)))
  return wrong === undefined || `an entity id such as light.kitchen, "all" or "none"; "${wrong}" is none of them`
}))
const TargetData = Schema.Struct({
  entity_id: Schema.optionalKey(EntityIds),
  device_id: Schema.optionalKey(Ids),
  area_id: Schema.optionalKey(Ids),
  floor_id: Schema.optionalKey(Ids),
  label_id: Schema.optionalKey(Ids),
})
export const decodeTarget = Schema.decodeUnknownEffect(TargetData)

const listOf = (ids: typeof Ids.Type | undefined): ReadonlyArray<string> => {
  const list = ids === undefined || ids === null ? [] : typeof ids === "string" ? ids.split(",") : ids
  return [...new Set(list.map((id) => id.trim()).filter((id) => id !== ""))]
}

/** The target in a call's data; `all` names every entity, `none` names nothing. */
export const targetOf = (data: typeof TargetData.Type): Target => {
  const named = listOf(data.entity_id).map((id) => id.toLowerCase())
  return {
    entityIds: named.includes("all") ? null : named.filter((id) => id !== "none"),
    others: {
      device_id: listOf(data.device_id),
      area_id: listOf(data.area_id),
      floor_id: listOf(data.floor_id),
      label_id: listOf(data.label_id),
    },
  }
}

/** Whether a call's data name a target at all. */
export const hasTarget = (data: JsonObject): boolean => targetFields.some((field) => Object.hasOwn(data, field))

/** The places of the entities, from the registries. */
interface Places {
  readonly entities: ReadonlyArray<EntityEntry>
  readonly devices: ReadonlyMap<string, DeviceEntry>
  /** Areas of a floor, by the floor's id. */
  readonly areasOf: (floorId: string) => ReadonlyArray<string>
}

const readPlaces = Effect.gen(function* () {
  const registries = yield* HomeRegistries
  const [entities, devices, areas] = yield* Effect.all([
    registries.list("entity"),
    registries.list("device"),
    registries.list("area"),
  ])
  return {
    entities: entities.map(({ entry }) => entry),
    devices: new Map(devices.map(({ entry }) => [entry.deviceId, entry])),
    areasOf: (floorId) => areas.filter(({ entry }) => entry.floorId === floorId).map(({ entry }) => entry.areaId),
  } satisfies Places
})

/** Whether an entity, or its device, belongs to a device, area, floor or label of the target. */
const isNamed = ({ areasOf, devices }: Places, { others }: Target) => {
  const areas = new Set([...others.area_id, ...others.floor_id.flatMap(areasOf)])
  return ({ areaId, deviceId, labels }: EntityEntry): boolean => {
    const device = deviceId === null ? undefined : devices.get(deviceId)
    const area = areaId ?? device?.areaId ?? null
    return (deviceId !== null && others.device_id.includes(deviceId)) ||
      (area !== null && areas.has(area)) ||
      [...labels, ...device?.labels ?? []].some((label) => others.label_id.includes(label))
  }
}

/**
 * The ids of the entities that a target names.
 *
 * @param all what `all` means to the service
 * @param domains of these alone, among the entities that were not named one by one; null: of any
 */
export const resolveTarget = Effect.fnUntraced(function* (
  target: Target,
  all: ReadonlyArray<string>,
  domains: ReadonlyArray<string> | null,
) {
  const named = target.entityIds ?? all
  if (Object.values(target.others).every((ids) => ids.length === 0)) return named
  const places = yield* readPlaces
  const found = places.entities.filter(isNamed(places, target)).map(({ entityId }) => entityId)
    .filter((entityId) => domains === null || domains.includes(domainOf(entityId)))
  return [...new Set([...named, ...found])]
})
