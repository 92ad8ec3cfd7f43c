/**
 * Periods of the past that clients ask for: their times and entities, checked in the order that clients depend on, and their states.
 */
import { Clock, Effect } from "effect"
import { type BusEntry, type EntityState, isEntityId } from "../../../protocols/domain/home.ts"
import { HomeRuntime } from "../../../protocols/ports/home-runtime.ts"
import { entitiesMax, pastStates } from "../server/past-states.ts"
import { readTime } from "../server/read-time.ts"
import { refusal } from "./command.ts"

interface AskedPeriod {
  readonly start_time: string
  readonly end_time?: string
  readonly entity_ids?: ReadonlyArray<string>
}

export interface Period {
  readonly fromUs: number
  /** Null: it goes on. */
  readonly untilUs: number | null
  readonly nowUs: number
}

/** The period of a request; `future`: whether it may begin later than now. */
export const checkedPeriod = Effect.fnUntraced(function* (
  { end_time, entity_ids = [], start_time }: AskedPeriod,
  future: boolean,
) {
  const nowUs = (yield* Clock.currentTimeMillis) * 1_000
  const fromUs = readTime(start_time)
  if (fromUs === null || (!future && fromUs > nowUs)) {
    return yield* Effect.fail(refusal("invalid_start_time", "Invalid start_time"))
  }
  const untilUs = end_time === undefined ? null : readTime(end_time)
  if ((end_time !== undefined && untilUs === null) || (!future && untilUs !== null && untilUs < fromUs)) {
    return yield* Effect.fail(refusal("invalid_end_time", "Invalid end_time"))
  }
  if (entity_ids.length > entitiesMax || !entity_ids.every((id) => isEntityId(id.toLowerCase()))) {
    return yield* Effect.fail(refusal("invalid_entity_ids", "Invalid entity_ids"))
  }
  return { fromUs, untilUs, nowUs } satisfies Period
})

/** The states of entities in a period up to now, by entity. */
export const statesIn = Effect.fnUntraced(
  function* ({ fromUs, nowUs, untilUs }: Period, entityIds: ReadonlyArray<string>) {
    if (fromUs > nowUs) return []
    return yield* pastStates({ fromUs, untilUs: untilUs ?? nowUs }, entityIds.map((id) => id.toLowerCase()))
  },
  Effect.catchTag("TooManyStates", ({ message }) => Effect.fail(refusal("not_allowed", message))),
)

interface StateChange {
  readonly oldState: EntityState | null
  readonly newState: EntityState
}

const changesIn = (entries: ReadonlyArray<BusEntry>): ReadonlyArray<StateChange> =>
  entries.flatMap((entry) =>
    entry.kind === "changed" && entry.newState !== null ? [{ oldState: entry.oldState, newState: entry.newState }] : []
  )

/**
 * Runs a query of the past of entities, and gives the changes after it: none is missing, and none is in both. `follow` delivers those that
 * came meanwhile, and then each batch as it comes, until `stop`.
 */
export const pastAndChanges = Effect.fnUntraced(function* <
  A extends { readonly states: ReadonlyArray<ReadonlyArray<EntityState>> },
  E,
  R,
>(query: Effect.Effect<A, E, R>) {
  const replica = yield* (yield* HomeRuntime).replica
  const waiting: Array<StateChange> = []
  let take = (changes: ReadonlyArray<StateChange>): unknown => waiting.push(...changes)
  const stop = replica.listen((entries) => void take(changesIn(entries)))
  const past = yield* Effect.onError(query, () => Effect.sync(stop))
  const known = new Map(past.states.map((states) => [states[0]!.entityId, states.at(-1)!.lastUpdatedUs]))
  const isNew = ({ newState }: StateChange) => newState.lastUpdatedUs > (known.get(newState.entityId) ?? -1)
  return {
    past,
    stop,
    follow: (deliver: (changes: ReadonlyArray<StateChange>) => void): void => {
      take = (changes) => deliver(changes.filter(isNew))
      take(waiting.splice(0))
    },
  }
})
