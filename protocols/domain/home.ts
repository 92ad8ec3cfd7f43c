/**
 * The data of the home-automation runtime, as in Home Assistant: entities and their states, contexts and events.
 *
 * Owns the rules of entity ids and of times. Times are microseconds since the Unix epoch, whole numbers; clients see them as ISO 8601 in
 * UTC with six decimals and `+00:00` (`homeTime`). Boundary: `actors/home/entity/machine.ts` defines the
 * transitions of a state, `protocols/home-api/home-json.ts` its JSON.
 */
import { Schema } from "effect"
import { fromExactJsonString } from "./exact-json.ts"

/** A JSON object, whose numbers keep their notation; between nodes it travels as its text. */
export const JsonObject = fromExactJsonString(Schema.Record(Schema.String, Schema.Json))
export type JsonObject = { readonly [key: string]: Schema.Json }

/** The cause of a change: the call or write, and its user. */
export const HomeContext = Schema.Struct({
  /** A ULID. */
  id: Schema.String,
  parentId: Schema.NullOr(Schema.String),
  userId: Schema.NullOr(Schema.String),
})
export type HomeContext = typeof HomeContext.Type

/** The state of an entity as it is at one time. */
export const EntityState = Schema.Struct({
  entityId: Schema.String,
  state: Schema.String,
  attributes: JsonObject,
  /** When `state` last changed, or was forced. */
  lastChangedUs: Schema.Int,
  /** When `state` or `attributes` last changed, or were forced. */
  lastUpdatedUs: Schema.Int,
  /** When it was last written, changed or not. */
  lastReportedUs: Schema.Int,
  context: HomeContext,
})
export type EntityState = typeof EntityState.Type

/** An event other than a change of a state: fired by a domain or a client. */
export const HomeEvent = Schema.Struct({
  eventType: Schema.String,
  data: JsonObject,
  /** REMOTE: a client fired it over REST. */
  origin: Schema.Literals(["LOCAL", "REMOTE"]),
  timeFiredUs: Schema.Int,
  context: HomeContext,
})
export type HomeEvent = typeof HomeEvent.Type

/** An entry of the bus, in one order for all subscribers. */
export const BusEntry = Schema.Union([
  /** An entity was created (`oldState` null), changed, or removed (`newState` null): the event `state_changed`. */
  Schema.Struct({
    kind: Schema.Literal("changed"),
    entityId: Schema.String,
    oldState: Schema.NullOr(EntityState),
    newState: Schema.NullOr(EntityState),
    timeFiredUs: Schema.Int,
    context: HomeContext,
  }),
  /** An entity was written without a change: the event `state_reported`, sent only to subscribers of this type. */
  Schema.Struct({
    kind: Schema.Literal("reported"),
    entityId: Schema.String,
    newState: EntityState,
    oldReportedUs: Schema.Int,
  }),
  Schema.Struct({ kind: Schema.Literal("fired"), event: HomeEvent }),
])
export type BusEntry = typeof BusEntry.Type
export type StateChange = Extract<BusEntry, { readonly kind: "changed" }>

export const stateChanged = "state_changed"
export const stateReported = "state_reported"

/** Longest state, and longest type of an event, in characters. */
export const stateLengthMax = 255
export const eventTypeLengthMax = 64

const part = "(?!_)[0-9a-z_]+(?<!_)"
const entityIdPattern = new RegExp(`^(?!.*__)${part}\\.${part}$`)
const slugPattern = new RegExp(`^(?!.*__)${part}$`)
/** Longest entity id in characters. */
const entityIdLengthMax = 255

/** Whether this can be an entity's id: `domain.object_id`, in lower case. */
export const isEntityId = (text: string): boolean => text.length <= entityIdLengthMax && entityIdPattern.test(text)

/** Whether this can be a domain or the name of a service. */
export const isSlug = (text: string): boolean => text.length <= entityIdLengthMax && slugPattern.test(text)

/** The domain of an entity id. */
export const domainOf = (entityId: string): string => entityId.slice(0, entityId.indexOf("."))

/** A time as clients read it, e.g. `2026-11-20T22:10:09.123456+00:00`; without decimals where they are zero. */
export const homeTime = (us: number): string => {
  const micros = us % 1_000_000
  const seconds = new Date((us - micros) / 1000).toISOString().slice(0, 19)
  return micros === 0 ? `${seconds}+00:00` : `${seconds}.${String(micros).padStart(6, "0")}+00:00`
}
