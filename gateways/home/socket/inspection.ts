/**
 * Commands that tell a client what it could do: entities of a target, sources of entities, single entries of the registry, and whether triggers,
 * conditions and actions are valid.
 */
import { Effect, Schema } from "effect"
import { isEntityId } from "../../../protocols/domain/home.ts"
import { registryJson } from "../../../protocols/home-api/home-registry-json.ts"
import { HomeRegistries, type Registered } from "../../../protocols/ports/home-registries.ts"
import { placesOf } from "../template/places.ts"
import { allRegistries } from "../template/rendering.ts"
import { actionsProblem, conditionsProblem } from "./automation-parts.ts"
import { command, jsonReply, refusal } from "./command.ts"
import { readTriggers } from "./triggers.ts"
import { listOf } from "./entity-filter.ts"

const Ids = Schema.optionalKey(Schema.NullOr(Schema.Union([Schema.String, Schema.Array(Schema.String)])))
const Target = Schema.Struct({ entity_id: Ids, device_id: Ids, area_id: Ids, floor_id: Ids, label_id: Ids })
type Target = typeof Target.Type

const idsOf = (given: Target[keyof Target]): ReadonlyArray<string> => [...new Set(listOf(given ?? undefined))]

/** What a target names, directly and through its places, and which of it does not exist. */
const extracted = Effect.fnUntraced(function* (target: Target) {
  const places = placesOf(yield* allRegistries)
  const [entities, devices, areas, floors, labels] =
    (["entity_id", "device_id", "area_id", "floor_id", "label_id"] as const)
      .map((field) => idsOf(target[field])) as [
        ReadonlyArray<string>,
        ReadonlyArray<string>,
        ReadonlyArray<string>,
        ReadonlyArray<string>,
        ReadonlyArray<string>,
      ]
  const missing = (ids: ReadonlyArray<string>, known: ReadonlyArray<string>) => ids.filter((id) => !known.includes(id))
  const allAreas = [...new Set([...areas, ...floors.flatMap(places.areasOfFloor)])]
  const allDevices = [...new Set([...devices, ...allAreas.flatMap(places.devicesOfArea)])]
  const found = [
    ...entities.map((id) => id.toLowerCase()),
    ...allDevices.flatMap(places.entitiesOfDevice),
    ...allAreas.flatMap(places.entitiesOfArea),
    ...labels.flatMap(places.entitiesOfLabel),
  ]
  return {
    referenced_entities: [...new Set(found)],
    referenced_devices: allDevices,
    referenced_areas: allAreas,
    missing_devices: missing(devices, places.device.ids()),
    missing_areas: missing(areas, places.area.ids()),
    missing_floors: missing(floors, places.floor.ids()),
    missing_labels: missing(labels, places.label.ids()),
  }
})

/** An entry with the keys that only single entries have. */
const extendedEntity = (registered: Registered<"entity">) => ({
  ...registryJson.entity(registered),
  aliases: [],
  capabilities: null,
  device_class: null,
  original_device_class: null,
  original_icon: null,
})

const entityEntries = Effect.gen(function* () {
  const entries = yield* (yield* HomeRegistries).list("entity")
  return new Map(entries.map((registered) => [registered.entry.entityId, registered]))
})

const checked = (problem: string | null) => ({ valid: problem === null, error: problem })

export const inspectionCommands = [
  command(
    "config/entity_registry/get",
    { entity_id: Schema.String },
    ({ message: { entity_id } }) =>
      Effect.gen(function* () {
        const found = (yield* entityEntries).get(entity_id)
        return found === undefined
          ? yield* Effect.fail(refusal("not_found", "Entity not found"))
          : jsonReply(extendedEntity(found))
      }),
  ),

  command(
    "config/entity_registry/get_entries",
    { entity_ids: Schema.Array(Schema.String) },
    ({ message: { entity_ids } }) =>
      Effect.map(entityEntries, (entries) =>
        jsonReply(Object.fromEntries(entity_ids.map((entityId) => {
          const found = entries.get(entityId)
          return [entityId, found === undefined ? null : extendedEntity(found)]
        })))),
  ),

  command(
    "entity/source",
    {},
    () =>
      Effect.map(entityEntries, (entries) =>
        jsonReply(
          Object.fromEntries([...entries].map(([entityId, { entry }]) => [entityId, { domain: entry.platform }])),
        )),
  ),

  command(
    "extract_from_target",
    { target: Target, expand_group: Schema.optionalKey(Schema.Boolean) },
    ({ message: { target } }) =>
      idsOf(target.entity_id).every((id) => isEntityId(id.toLowerCase()))
        ? Effect.map(extracted(target), jsonReply)
        : Effect.fail(refusal("invalid_format", "The target has an entity id that is not valid.")),
  ),

  command(
    "validate_config",
    {
      triggers: Schema.optionalKey(Schema.Unknown),
      conditions: Schema.optionalKey(Schema.Unknown),
      actions: Schema.optionalKey(Schema.Unknown),
    },
    ({ message }) =>
      Effect.sync(() => {
        const triggers = "triggers" in message ? readTriggers(message.triggers) : []
        return jsonReply({
          ...("triggers" in message ? { triggers: checked(typeof triggers === "string" ? triggers : null) } : {}),
          ...("conditions" in message ? { conditions: checked(conditionsProblem(message.conditions)) } : {}),
          ...("actions" in message ? { actions: checked(actionsProblem(message.actions)) } : {}),
        })
      }),
  ),
]
