/**
 * Triggers of the platform "state": which changes of entities a client wants to be told of.
 *
 * Invariants: without `from`, `to` and their kind every change of an entity fires, of its attributes too; with them, or with an attribute,
 * only a change of the value that they are about.
 */
import { Schema } from "effect"
import type { EntityState, StateChange } from "../../../protocols/domain/home.ts"
import { equalJson } from "../../../protocols/domain/json-equal.ts"
import { contextJson, stateText } from "../../../protocols/http/home-json.ts"
import { listOf } from "./entity-filter.ts"

const Texts = Schema.Union([Schema.String, Schema.Array(Schema.String)])
const Values = Schema.NullOr(Texts)

const fields = {
  entity_id: Texts,
  from: Schema.optionalKey(Values),
  to: Schema.optionalKey(Values),
  not_from: Schema.optionalKey(Values),
  not_to: Schema.optionalKey(Values),
  attribute: Schema.optionalKey(Schema.String),
  id: Schema.optionalKey(Schema.String),
  alias: Schema.optionalKey(Schema.String),
}

/** A trigger; newer clients say `trigger` where older ones say `platform`. */
export const StateTrigger = Schema.Union([
  Schema.Struct({ platform: Schema.Literal("state"), ...fields }),
  Schema.Struct({ trigger: Schema.Literal("state"), ...fields }),
])
export type StateTrigger = typeof StateTrigger.Type

type Value = Schema.Json | undefined

const textOf = (value: Value): string | undefined => value === undefined ? undefined : String(value)

/** Whether a value fits `from` or `to`, and not `not_from` or `not_to`. */
const fits = (
  value: Value,
  wanted: typeof Values.Type | undefined,
  unwanted: typeof Values.Type | undefined,
): boolean => {
  const text = textOf(value)
  if (wanted !== undefined && wanted !== null) return text !== undefined && listOf(wanted).includes(text)
  if (unwanted !== undefined && unwanted !== null) return text !== undefined && !listOf(unwanted).includes(text)
  return true
}

/** Whether a change fires a trigger. */
export const fires = (trigger: StateTrigger, { entityId, newState, oldState }: StateChange): boolean => {
  if (!listOf(trigger.entity_id).some((id) => id.toLowerCase() === entityId)) return false
  const { attribute, from, not_from: notFrom, not_to: notTo, to } = trigger
  const valueOf = (state: EntityState | null): Value =>
    attribute === undefined ? state?.state : state?.attributes[attribute]
  const [before, now] = [valueOf(oldState), valueOf(newState)]
  const same = before === undefined || now === undefined ? before === now : equalJson(before, now)
  const anyChange = [from, to, notFrom, notTo].every((given) => given === undefined)
  if (same && (attribute !== undefined || !anyChange)) return false
  return fits(before, from, notFrom) && fits(now, to, notTo)
}

/** The event of a trigger that has fired. */
export const triggerText = (trigger: StateTrigger, index: number, change: StateChange): string => {
  const shown = (state: EntityState | null) => state === null ? "null" : stateText(state)
  const head = JSON.stringify({
    id: trigger.id ?? String(index),
    idx: String(index),
    alias: trigger.alias ?? null,
    platform: "state",
    entity_id: change.entityId,
    for: null,
    attribute: trigger.attribute ?? null,
    description: `state of ${change.entityId}`,
  })
  return `{"variables":{"trigger":${head.slice(0, -1)},"from_state":${shown(change.oldState)},"to_state":${
    shown(change.newState)
  }}},"context":${JSON.stringify(contextJson(change.context))}}`
}
