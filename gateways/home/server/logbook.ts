/**
 * The logbook: changes of states in words that people read. Only changes from a known state count, not creations, attributes and numbers that
 * change all the time.
 */
import { domainOf, type EntityState, homeTime } from "../../../protocols/domain/home.ts"
import type { Replica } from "../../../protocols/ports/home-runtime.ts"

interface LogbookEntry {
  readonly state: EntityState
  readonly atUs: number
}

/** Sensors whose values are numbers. */
const isContinuous = ({ attributes, entityId }: EntityState): boolean =>
  domainOf(entityId) === "sensor" &&
  (attributes["unit_of_measurement"] !== undefined || attributes["state_class"] !== undefined)

/** Whether an entity's past is read for the logbook. Its present state says whether it is a number that changes all the time. */
export const mayBeLogged = (replica: Replica) => (entityId: string): boolean => {
  const present = replica.one(entityId)
  return present === null || !isContinuous(present)
}

/** Whether the change from one state to another is in the logbook. */
export const isLogged = (before: EntityState | null, now: EntityState): boolean =>
  before !== null && before.state !== now.state && !isContinuous(now)

/** The entries of the states of entities, in the order of time. */
export const logbookOf = (
  found: ReadonlyArray<ReadonlyArray<EntityState>>,
  fromUs: number,
): ReadonlyArray<LogbookEntry> =>
  found.flatMap((states) =>
    states.flatMap((state, i) =>
      isLogged(states[i - 1] ?? null, state) && state.lastChangedUs >= fromUs
        ? [{ state, atUs: state.lastChangedUs }]
        : []
    )
  ).sort((a, b) => a.atUs - b.atUs)

/** An entry; over REST with a name and a text of the time. */
export const logbookJson = (
  { atUs, state: { attributes, context, entityId, state } }: LogbookEntry,
  form: "rest" | "socket",
) => ({
  state,
  entity_id: entityId,
  ...(form === "rest"
    ? { name: attributes["friendly_name"] ?? entityId.slice(entityId.indexOf(".") + 1).replaceAll("_", " ") }
    : {}),
  when: form === "rest" ? homeTime(atUs) : atUs / 1_000_000,
  ...(typeof attributes["icon"] === "string" ? { icon: attributes["icon"] } : {}),
  ...(context.userId === null ? {} : { context_user_id: context.userId }),
})
