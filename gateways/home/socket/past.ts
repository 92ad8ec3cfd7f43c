/**
 * Periods of the past that clients ask for: their times and entities, checked in the order that clients depend on, and their states.
 */
import { Clock, Effect } from "effect"
import { isEntityId } from "../../../protocols/domain/home.ts"
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
