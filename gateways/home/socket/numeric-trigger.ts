/**
 * Triggers of the platform "numeric_state": an entity's number enters a range.
 *
 * Invariant: the trigger fires again only after the number has left the range.
 */
import { Schema } from "effect"
import { inexactNumber } from "../../../protocols/domain/exact-json.ts"
import { type EntityState, isEntityId, type StateChange } from "../../../protocols/domain/home.ts"
import type { Replica } from "../../../protocols/ports/home-runtime.ts"
import type { After } from "../server/after.ts"
import { listOf } from "./entity-filter.ts"
import { periodMs } from "./time-period.ts"
import { firedText, Period, shownPeriod, triggerFields, TriggerIds } from "./trigger-common.ts"

/** A limit: a number, or the entity that has it. */
const Limit = Schema.Union([
  Schema.Finite,
  Schema.String.check(
    Schema.makeFilter((text) => numberIn(text) !== null || isEntityId(text) || "a number or an entity id"),
  ),
])

const fields = {
  entity_id: TriggerIds,
  above: Schema.optionalKey(Limit),
  below: Schema.optionalKey(Limit),
  attribute: Schema.optionalKey(Schema.String),
  for: Schema.optionalKey(Period),
  ...triggerFields,
}

const numberIn = (given: unknown): number | null => {
  const value = inexactNumber(given)
  const number = typeof value === "number"
    ? value
    : typeof value === "string" && value.trim() !== ""
    ? Number(value)
    : NaN
  return Number.isFinite(number) ? number : null
}

export const NumericTrigger = Schema.Struct({ platform: Schema.Literal("numeric_state"), ...fields }).check(
  Schema.makeFilter(({ above, below }) => {
    if (above === undefined && below === undefined) return "at least one of below, above"
    const [low, high] = [numberIn(above), numberIn(below)]
    return low === null || high === null || low <= high ||
      `a value is never above ${low} and below ${high} at the same time`
  }),
)
export type NumericTrigger = typeof NumericTrigger.Type

interface Holding {
  readonly stop: () => void
}

/** Watches changes. `one` returns the present states, which arm the trigger and hold its limits. */
export const watchNumber = (
  trigger: NumericTrigger,
  index: number,
  { after, one, send }: { readonly after: After; readonly one: Replica["one"]; readonly send: (text: string) => void },
) => {
  const ids = new Set(listOf(trigger.entity_id).map((id) => id.trim().toLowerCase()))
  const ms = periodMs(trigger.for ?? 0)!
  const limit = (given: string | number | undefined): number | null =>
    given === undefined ? null : numberIn(given) ?? numberIn(one(String(given))?.state)
  const isWithin = (state: EntityState | null): boolean => {
    const value = numberIn(trigger.attribute === undefined ? state?.state : state?.attributes[trigger.attribute])
    if (value === null) return false
    const [low, high] = [limit(trigger.above), limit(trigger.below)]
    if (trigger.above !== undefined && (low === null || value <= low)) return false
    return trigger.below === undefined || (high !== null && value < high)
  }
  const armed = new Set([...ids].filter((id) => !isWithin(one(id))))
  const holding = new Map<string, Holding>()

  const fire = ({ context, entityId, newState, oldState }: StateChange) =>
    send(firedText(
      trigger,
      index,
      {
        platform: "numeric_state",
        entity_id: entityId,
        below: trigger.below ?? null,
        above: trigger.above ?? null,
        for: shownPeriod(ms),
        description: `numeric state of ${entityId}`,
      },
      { oldState, newState },
      context,
    ))
  const release = (entityId: string) => {
    holding.get(entityId)?.stop()
    holding.delete(entityId)
  }
  return {
    take: (change: StateChange): void => {
      const { entityId, newState } = change
      if (!ids.has(entityId)) return
      if (!isWithin(newState)) {
        release(entityId)
        armed.add(entityId)
        return
      }
      if (!armed.delete(entityId)) return
      if (ms === 0) return fire(change)
      const stop = after(ms, () => {
        holding.delete(entityId)
        fire(change)
      })
      holding.set(entityId, { stop })
    },
    end: () => [...holding.keys()].forEach(release),
  }
}
