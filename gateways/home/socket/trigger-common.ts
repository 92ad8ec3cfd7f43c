/**
 * What the triggers of all platforms share: keys, entity ids, and the event of a fired trigger.
 */
import { Schema } from "effect"
import { type EntityState, type HomeContext, isEntityId } from "../../../protocols/domain/home.ts"
import { contextJson, stateText } from "../../../protocols/home-api/home-json.ts"
import { listOf } from "./entity-filter.ts"
import { periodMs } from "./time-period.ts"

/** Entity ids of a trigger. */
export const TriggerIds = Schema.Union([Schema.String, Schema.Array(Schema.String)]).check(
  Schema.makeFilter((given) => {
    const ids = listOf(given)
    const wrong = ids.find((id) => !isEntityId(id.trim().toLowerCase()))
    return wrong === undefined ? ids.length > 0 || "at least one entity id" : `Entity ${wrong} is no valid entity id`
  }),
)

export const Period = Schema.Unknown.check(Schema.makeFilter((given) =>
  periodMs(given) !== null ||
  'a time period: "HH:MM:SS", seconds, or days, hours, minutes, seconds and milliseconds; templates are not supported'
))

/** Keys of every trigger. */
export const triggerFields = { id: Schema.optionalKey(Schema.String), alias: Schema.optionalKey(Schema.String) }

interface AnyTrigger {
  readonly id?: string
  readonly alias?: string
}

/** A duration in the form of events; null: none. */
export const shownPeriod = (ms: number) =>
  ms === 0 ? null : { __type: "<class 'datetime.timedelta'>", total_seconds: ms / 1_000 }

const shownState = (state: EntityState | null): string => state === null ? "null" : stateText(state)

/**
 * The event of a fired trigger, as JSON text.
 *
 * @param about its other variables
 * @param states the states before and after the change that caused it; null: no change of a state did
 * @param context of the cause; null: the time
 */
export const firedText = (
  { alias, id }: AnyTrigger,
  index: number,
  about: Readonly<Record<string, unknown>> & { readonly platform: string },
  states: { readonly oldState: EntityState | null; readonly newState: EntityState | null } | null,
  context: HomeContext | null,
): string => {
  const head = JSON.stringify({ id: id ?? String(index), idx: String(index), alias: alias ?? null, ...about })
  const shown = states === null
    ? head
    : `${head.slice(0, -1)},"from_state":${shownState(states.oldState)},"to_state":${shownState(states.newState)}}`
  return `{"variables":{"trigger":${shown}},"context":${
    JSON.stringify(context === null ? null : contextJson(context))
  }}`
}
