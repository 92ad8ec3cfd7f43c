/**
 * Triggers of the platform "event": an event of a type is fired, with this data and by this user.
 */
import { Schema } from "effect"
import type { BusEntry, HomeContext } from "../../../protocols/domain/home.ts"
import { equalJson } from "../../../protocols/domain/json-equal.ts"
import { eventText, eventTypeOf } from "../../../protocols/home-api/home-json.ts"
import { listOf } from "./entity-filter.ts"
import { triggerFields } from "./trigger-common.ts"

const Texts = Schema.Union([Schema.String, Schema.Array(Schema.String)])
const Data = Schema.Record(Schema.String, Schema.Json)

export const EventTrigger = Schema.Struct({
  platform: Schema.Literal("event"),
  event_type: Texts,
  event_data: Schema.optionalKey(Data),
  context: Schema.optionalKey(Schema.Struct({
    id: Schema.optionalKey(Texts),
    parent_id: Schema.optionalKey(Texts),
    user_id: Schema.optionalKey(Texts),
  })),
  ...triggerFields,
})
export type EventTrigger = typeof EventTrigger.Type

const hasData = (wanted: typeof Data.Type, given: typeof Data.Type): boolean =>
  Object.entries(wanted).every(([key, value]) => Object.hasOwn(given, key) && equalJson(value, given[key]!))

const fits = (wanted: string | ReadonlyArray<string> | undefined, given: string | null): boolean =>
  wanted === undefined || (given !== null && listOf(wanted).includes(given))

/** The event that fires a trigger, with its context; null if the entry is none. */
export const eventThatFires = (
  { context: wanted = {}, event_data: data = {}, event_type: types }: EventTrigger,
  entry: BusEntry,
): { readonly text: string; readonly eventType: string; readonly context: HomeContext } | null => {
  const eventType = eventTypeOf(entry)
  if (!listOf(types).includes(eventType)) return null
  const context = entry.kind === "fired"
    ? entry.event.context
    : entry.kind === "changed"
    ? entry.context
    : entry.newState.context
  if (
    !fits(wanted.id, context.id) || !fits(wanted.parent_id, context.parentId) || !fits(wanted.user_id, context.userId)
  ) {
    return null
  }
  const given = entry.kind === "fired" ? entry.event.data : { entity_id: entry.entityId }
  return hasData(data, given) ? { text: eventText(entry), eventType, context } : null
}

/** The event of the fired trigger, as JSON text. */
export const eventTriggerText = (
  { alias, id }: EventTrigger,
  index: number,
  { context, eventType, text }: NonNullable<ReturnType<typeof eventThatFires>>,
): string => {
  const head = { id: id ?? String(index), idx: String(index), alias: alias ?? null, platform: "event" }
  const about = JSON.stringify({ ...head, description: `event '${eventType}'` })
  const shownContext = JSON.stringify({ id: context.id, parent_id: context.parentId, user_id: context.userId })
  return `{"variables":{"trigger":${about.slice(0, -1)},"event":${text}}},"context":${shownContext}}`
}
