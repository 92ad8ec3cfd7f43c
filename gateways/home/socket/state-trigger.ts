/**
 * Triggers of the platform "state": the changes of entities that notify a client.
 *
 * Invariants: without `from`, `to`, `not_from` and `not_to`, every change of an entity fires, also of its attributes. With one of them, or with
 * `attribute`, only a change of that value fires. Boundary: `trigger-watch.ts` measures how long a value holds.
 */
import { Schema } from "effect"
import type { EntityState, StateChange } from "../../../protocols/domain/home.ts"
import { equalJson } from "../../../protocols/domain/json-equal.ts"
import { listOf } from "./entity-filter.ts"
import { periodMs } from "./time-period.ts"
import { firedText, Period, shownPeriod, triggerFields, TriggerIds } from "./trigger-common.ts"

/** One value or a list of values. Null: any. */
const Values = Schema.Json
const fields = {
  entity_id: TriggerIds,
  from: Schema.optionalKey(Values),
  to: Schema.optionalKey(Values),
  not_from: Schema.optionalKey(Values),
  not_to: Schema.optionalKey(Values),
  attribute: Schema.optionalKey(Schema.String),
  for: Schema.optionalKey(Period),
  ...triggerFields,
}

const isTextual = (given: Schema.Json | undefined): boolean =>
  given === undefined || given === null || listOf(given).every((each) => typeof each === "string")

export const StateTrigger = Schema.Struct({ platform: Schema.Literal("state"), ...fields }).check(
  Schema.makeFilter(({ attribute, from, not_from: notFrom, not_to: notTo, to }) =>
    attribute !== undefined || [from, to, notFrom, notTo].every(isTextual) ||
    "texts, because a state is one: put the number or boolean in quotes"
  ),
)
export type StateTrigger = typeof StateTrigger.Type

type Value = Schema.Json | undefined

const isOneOf = (value: Schema.Json, given: Schema.Json): boolean =>
  listOf(given).some((each) => equalJson(each, value))

/** Whether a value matches `from` or `to`, and does not match `not_from` or `not_to`. */
const fits = (
  value: Value,
  wanted: Value,
  unwanted: Value,
): boolean => {
  if (wanted !== undefined && wanted !== null) return value !== undefined && isOneOf(value, wanted)
  if (unwanted !== undefined && unwanted !== null) return value !== undefined && !isOneOf(value, unwanted)
  return true
}

const valueIn = ({ attribute }: StateTrigger, state: EntityState | null): Value =>
  attribute === undefined ? state?.state : state?.attributes[attribute]

const isSame = (one: Value, other: Value): boolean =>
  one === undefined || other === undefined ? one === other : equalJson(one, other)

/** How long a value must hold before the trigger fires, in milliseconds. */
export const holdMs = (trigger: StateTrigger): number => periodMs(trigger.for ?? 0)!

/**
 * Whether the value since a change still holds. With `from` alone: it is not the old value again. Otherwise: it is still the new value.
 * @param now the entity's state; null if it was removed
 */
export const holds = (trigger: StateTrigger, { newState, oldState }: StateChange, now: EntityState | null): boolean => {
  if (now === null) return false
  const left = trigger.from !== undefined && trigger.to === undefined
  return left !== isSame(valueIn(trigger, now), valueIn(trigger, left ? oldState : newState))
}

/** Whether a change fires a trigger. */
export const fires = (trigger: StateTrigger, { entityId, newState, oldState }: StateChange): boolean => {
  if (!listOf(trigger.entity_id).some((id) => id.toLowerCase() === entityId)) return false
  const { attribute, from, not_from: notFrom, not_to: notTo, to } = trigger
  const [before, now] = [valueIn(trigger, oldState), valueIn(trigger, newState)]
  const anyChange = [from, to, notFrom, notTo].every((given) => given === undefined)
  if (isSame(before, now) && (attribute !== undefined || !anyChange)) return false
  return fits(before, from, notFrom) && fits(now, to, notTo)
}

/** The event of a fired trigger, as JSON text. */
export const triggerText = (trigger: StateTrigger, index: number, change: StateChange): string =>
  firedText(
    trigger,
    index,
    {
      platform: "state",
      entity_id: change.entityId,
      for: shownPeriod(holdMs(trigger)),
      attribute: trigger.attribute ?? null,
      description: `state of ${change.entityId}`,
    },
    change,
    change.context,
  )
