/**
 * States of entities in templates: `states`, its domains, and single states. What a template reads is recorded, so that it can be rendered
 * again when that changes.
 */
import { domainOf, type EntityState, isEntityId } from "../../../protocols/domain/home.ts"
import { spend, visit } from "./budget.ts"
import { ofJson } from "./json-values.ts"
import { DateTime } from "./times.ts"
import { type Named, PyFunction, PyObject, reprOf, Tuple, type Value } from "./values.ts"

/** What a rendering has read. */
export class Listeners {
  /** The set of all entities. */
  all = false
  /** The time. */
  time = false
  readonly entities = new Set<string>()
  readonly domains = new Set<string>()
}

/** The states that a rendering reads. */
export interface StateSource {
  readonly one: (entityId: string) => EntityState | null
  readonly all: () => ReadonlyArray<EntityState>
}

/** The name of an entity: its friendly name, or its object id in words. */
export const nameOf = ({ attributes, entityId }: EntityState): string => {
  const name = attributes["friendly_name"]
  return typeof name === "string" ? name : entityId.slice(entityId.indexOf(".") + 1).replaceAll("_", " ")
}

const withUnit = ({ attributes, state }: EntityState): string => {
  const unit = attributes["unit_of_measurement"]
  return typeof unit === "string" ? `${state} ${unit}` : state
}

const contextValue = ({ context }: EntityState): Value =>
  new Map<Value, Value>([["id", context.id], ["parent_id", context.parentId], ["user_id", context.userId]])

const readers: Readonly<Record<string, (state: EntityState) => Value>> = {
  entity_id: ({ entityId }) => entityId,
  state: ({ state }) => state,
  attributes: ({ attributes }) => ofJson(attributes),
  domain: ({ entityId }) => domainOf(entityId),
  object_id: ({ entityId }) => entityId.slice(entityId.indexOf(".") + 1),
  name: nameOf,
  state_with_unit: withUnit,
  last_changed: ({ lastChangedUs }) => new DateTime(lastChangedUs, true),
  last_updated: ({ lastUpdatedUs }) => new DateTime(lastUpdatedUs, true),
  last_reported: ({ lastReportedUs }) => new DateTime(lastReportedUs, true),
  context: contextValue,
}

/** The state of an entity. */
class StateValue extends PyObject {
  readonly typeName = "TemplateState"
  readonly state: EntityState
  readonly #listeners: Listeners
  constructor(state: EntityState, listeners: Listeners) {
    super()
    this.state = state
    this.#listeners = listeners
  }
  text() {
    const { entityId, state } = this.state
    return `<template TemplateState(<state ${entityId}=${state}>)>`
  }
  override attribute(name: string): Value | undefined {
    const read = Object.hasOwn(readers, name) ? readers[name]! : undefined
    if (read !== undefined && !this.#listeners.domains.has(domainOf(this.state.entityId)) && !this.#listeners.all) {
      this.#listeners.entities.add(this.state.entityId)
    }
    return read?.(this.state)
  }
}

/** The states of a domain. */
class DomainStates extends PyObject {
  readonly typeName = "DomainStates"
  readonly #domain: string
  readonly #states: AllStates
  constructor(domain: string, states: AllStates) {
    super()
    this.#domain = domain
    this.#states = states
  }
  text() {
    return `<template DomainStates(${reprOf(this.#domain)})>`
  }
  override attribute(name: string): Value | undefined {
    return this.#states.find(`${this.#domain}.${name}`)
  }
  override items(): ReadonlyArray<Value> {
    return this.#states.list(this.#domain)
  }
  override isTrue() {
    return this.items().length > 0
  }
}

/** `states`: a function of an entity id, and the states by domain and name. */
export class AllStates extends PyFunction {
  readonly #source: StateSource
  readonly #listeners: Listeners
  constructor(source: StateSource, listeners: Listeners) {
    super("states", (args, named) => this.#text(args, named))
    this.#source = source
    this.#listeners = listeners
  }
  /** The state of an entity, which is recorded as read; null if it does not exist. */
  one(entityId: string): EntityState | null {
    const id = entityId.toLowerCase()
    if (!this.#listeners.all && isEntityId(id)) this.#listeners.entities.add(id)
    return this.#source.one(id)
  }
  /** The state as a value; null if the entity does not exist, undefined if it cannot. */
  find(entityId: string): Value | undefined {
    if (!isEntityId(entityId.toLowerCase())) return undefined
    const state = this.one(entityId)
    return state === null ? null : new StateValue(state, this.#listeners)
  }
  /** The states of a domain; null: all. Sorted by entity id. */
  list(domain: string | null): ReadonlyArray<Value> {
    if (domain === null) this.#listeners.all = true
    else this.#listeners.domains.add(domain)
    const all = this.#source.all()
    visit(all.length)
    return all.filter(({ entityId }) => domain === null || domainOf(entityId) === domain)
      .toSorted((a, b) => a.entityId < b.entityId ? -1 : 1).map((state) => new StateValue(state, this.#listeners))
  }
  override attribute(name: string): Value | undefined {
    return /^[a-z0-9_]+$/.test(name) ? new DomainStates(name, this) : undefined
  }
  override item(key: Value): Value | undefined {
    return typeof key === "string" && key.includes(".") ? this.find(key) : undefined
  }
  override items(): ReadonlyArray<Value> {
    return this.list(null)
  }
  #text([entityId = ""]: ReadonlyArray<Value>, named: Named): Value {
    const state = this.one(String(entityId))
    return state === null ? "unknown" : named.get("with_unit") === true ? withUnit(state) : state.state
  }
}

/** The states that values name: ids, states, lists of both, and groups by their attribute `entity_id`. */
export const expanded = (values: ReadonlyArray<Value>, states: AllStates): ReadonlyArray<Value> => {
  const found = new Map<string, Value>()
  const open = [...values]
  for (let i = 0; i < open.length && i < 10_000; i++) {
    const value = open[i]!
    spend(1)
    if (typeof value === "string") {
      open.push(...(value.includes(",") ? value.split(",").map((id) => id.trim()) : [states.find(value) ?? null]))
    } else if (value instanceof StateValue) {
      const { attributes, entityId } = value.state
      const members = attributes["entity_id"]
      if (domainOf(entityId) === "group" && Array.isArray(members)) open.push(...members.map(String))
      else if (!found.has(entityId)) found.set(entityId, value)
    } else if (Array.isArray(value)) open.push(...value)
    else if (value instanceof Tuple) open.push(...value.values)
    else if (value instanceof PyObject) open.push(...value.items() ?? [])
  }
  return [...found].sort(([a], [b]) => a < b ? -1 : 1).map(([, value]) => value)
}
