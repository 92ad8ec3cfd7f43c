/**
 * Home Assistant's functions on states, devices, areas, floors and labels.
 */
import { type AllStates, expanded, nameOf } from "./home-states.ts"
import { ofJson } from "./json-values.ts"
import type { HomeFunction } from "./numbers.ts"
import type { Places } from "./places.ts"
import { isEqual, isList, textOf, Tuple, type Value } from "./values.ts"

const listOf = (value: Value): ReadonlyArray<Value> =>
  isList(value) ? value : value instanceof Tuple ? value.values : [value]

const stateFunctions = (states: AllStates): ReadonlyArray<readonly [string, HomeFunction]> => {
  const attributeOf = (entityId: Value, name: Value): Value => {
    const value = states.one(textOf(entityId))?.attributes[textOf(name)]
    return value === undefined ? null : ofJson(value)
  }
  return [
    ["is_state", ([entityId = "", wanted = null]) => {
      const state = states.one(textOf(entityId))
      return state !== null && listOf(wanted).some((each) => each === state.state)
    }],
    ["state_attr", ([entityId = "", name = ""]) => attributeOf(entityId, name)],
    ["is_state_attr", ([entityId = "", name = "", wanted = null]) => {
      const value = attributeOf(entityId, name)
      return states.one(textOf(entityId)) !== null && isEqual(value, wanted)
    }],
    ["has_value", ([entityId = ""]) => {
      const state = states.one(textOf(entityId))
      return state !== null && state.state !== "unknown" && state.state !== "unavailable"
    }],
    ["state_translated", ([entityId = ""]) => states.one(textOf(entityId))?.state ?? "unknown"],
    ["state_attr_translated", ([entityId = "", name = ""]) => attributeOf(entityId, name)],
    ["expand", (args) => expanded(args, states)],
    ["entity_name", ([entityId = ""]) => {
      const state = states.one(textOf(entityId))
      return state === null ? null : nameOf(state)
    }],
  ]
}

const placeFunctions = (places: Places): ReadonlyArray<readonly [string, HomeFunction]> => {
  const text = (value: Value | undefined) => textOf(value ?? "")
  const { area, device, floor, label } = places
  return [
    ["areas", () => area.ids()],
    ["area_id", ([value]) => area.idOf(text(value))],
    ["area_name", ([value]) => area.nameOf(area.idOf(text(value)) ?? text(value))],
    ["area_entities", ([value]) => places.entitiesOfArea(area.idOf(text(value)) ?? text(value))],
    ["area_devices", ([value]) => places.devicesOfArea(area.idOf(text(value)) ?? text(value))],
    ["floors", () => floor.ids()],
    ["floor_id", ([value]) => floor.idOf(text(value))],
    ["floor_name", ([value]) => floor.nameOf(floor.idOf(text(value)) ?? text(value))],
    ["floor_areas", ([value]) => places.areasOfFloor(floor.idOf(text(value)) ?? text(value))],
    [
      "floor_entities",
      ([value]) => places.areasOfFloor(floor.idOf(text(value)) ?? text(value)).flatMap(places.entitiesOfArea),
    ],
    ["labels", ([value]) => value === undefined ? label.ids() : places.labelsOf(text(value))],
    ["label_id", ([value]) => label.idOf(text(value))],
    ["label_name", ([value]) => label.nameOf(label.idOf(text(value)) ?? text(value))],
    ["label_entities", ([value]) => places.entitiesOfLabel(label.idOf(text(value)) ?? text(value))],
    ["device_id", ([value]) => device.idOf(text(value))],
    ["device_name", ([value]) => device.nameOf(device.idOf(text(value)) ?? text(value))],
    ["device_entities", ([value]) => places.entitiesOfDevice(text(value))],
    [
      "device_attr",
      ([value, name = ""]) => places.deviceAttribute(device.idOf(text(value)) ?? text(value), textOf(name)),
    ],
    [
      "is_device_attr",
      ([value, name = "", wanted = null]) =>
        isEqual(places.deviceAttribute(device.idOf(text(value)) ?? text(value), textOf(name)), wanted),
    ],
    ["integration_entities", ([value]) => places.entitiesOfPlatform(text(value))],
    ["is_hidden_entity", () => false],
  ]
}

/** The functions; all are filters too, and those on states are tests. */
export const homeFunctions = (states: AllStates, places: Places) => ({
  states: stateFunctions(states),
  places: placeFunctions(places),
})
