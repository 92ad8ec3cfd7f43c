/**
 * States in the compressed form of `subscribe_entities`: in full in the first event, then only the differences.
 *
 * Keys: `s` state, `a` attributes, `c` context, `lc` last changed and `lu` last updated, both in seconds since the Unix epoch.
 */
import type { BusEntry, EntityState, HomeContext, StateChange } from "../domain/home.ts"
import { equalJson } from "../domain/json-equal.ts"
import { contextJson } from "./home-json.ts"

const seconds = (us: number): number => us / 1_000_000

/** A context; only its id if it has neither a parent nor a user. */
const compressedContext = (context: HomeContext) =>
  context.parentId === null && context.userId === null ? context.id : contextJson(context)

const addedTexts = new WeakMap<EntityState, string>()

/** A state in full. */
export const addedText = (state: EntityState): string => {
  const made = addedTexts.get(state)
  if (made !== undefined) return made
  const { attributes, context, lastChangedUs, lastUpdatedUs } = state
  const text = JSON.stringify({
    s: state.state,
    a: attributes,
    c: compressedContext(context),
    lc: seconds(lastChangedUs),
    ...(lastUpdatedUs === lastChangedUs ? {} : { lu: seconds(lastUpdatedUs) }),
  })
  addedTexts.set(state, text)
  return text
}

const contextDifference = (before: HomeContext, now: HomeContext) => {
  const parts = {
    ...(before.parentId === now.parentId ? {} : { parent_id: now.parentId }),
    ...(before.userId === now.userId ? {} : { user_id: now.userId }),
  }
  if (Object.keys(parts).length === 0) return before.id === now.id ? {} : { c: now.id }
  return { c: before.id === now.id ? parts : { ...parts, id: now.id } }
}

/** The difference between two states of an entity. */
export const difference = (before: EntityState, now: EntityState) => {
  const removed = Object.keys(before.attributes).filter((key) => !Object.hasOwn(now.attributes, key))
  const set = Object.entries(now.attributes).filter(([key, value]) =>
    !Object.hasOwn(before.attributes, key) || !equalJson(before.attributes[key]!, value)
  )
  const times = before.lastChangedUs !== now.lastChangedUs
    ? { lc: seconds(now.lastChangedUs) }
    : before.lastUpdatedUs !== now.lastUpdatedUs
    ? { lu: seconds(now.lastUpdatedUs) }
    : {}
  return {
    "+": {
      ...(before.state === now.state ? {} : { s: now.state }),
      ...times,
      ...contextDifference(before.context, now.context),
      ...(set.length === 0 ? {} : { a: Object.fromEntries(set) }),
    },
    ...(removed.length === 0 ? {} : { "-": { a: removed } }),
  }
}

const changeTexts = new WeakMap<StateChange, string>()

/** The difference as JSON text, encoded once per change. */
const changeText = (entry: StateChange): string => {
  const made = changeTexts.get(entry)
  if (made !== undefined) return made
  const text = JSON.stringify(difference(entry.oldState!, entry.newState!))
  changeTexts.set(entry, text)
  return text
}

/** The first event of a subscription: all its states. */
export const firstText = (states: ReadonlyArray<EntityState>): string =>
  `{"a":{${states.map((state) => `"${state.entityId}":${addedText(state)}`).join(",")}}}`

/** The events of entries. Entities that change together share an event, and each entity is at most once in an event. */
export const changesTexts = (entries: ReadonlyArray<BusEntry>): ReadonlyArray<string> => {
  const texts: Array<string> = []
  let included = new Set<string>()
  let added: Array<string> = []
  let changed: Array<string> = []
  let removed: Array<string> = []
  const finish = () => {
    const parts = [
      ...(added.length === 0 ? [] : [`"a":{${added.join(",")}}`]),
      ...(changed.length === 0 ? [] : [`"c":{${changed.join(",")}}`]),
      ...(removed.length === 0 ? [] : [`"r":[${removed.join(",")}]`]),
    ]
    if (parts.length > 0) texts.push(`{${parts.join(",")}}`)
    included = new Set()
    added = []
    changed = []
    removed = []
  }
  for (const entry of entries) {
    if (entry.kind !== "changed") continue
    const { entityId, newState, oldState } = entry
    if (included.has(entityId)) finish()
    included.add(entityId)
    if (newState === null) removed.push(`"${entityId}"`)
    else if (oldState === null) added.push(`"${entityId}":${addedText(newState)}`)
    else changed.push(`"${entityId}":${changeText(entry)}`)
  }
  finish()
  return texts
}
