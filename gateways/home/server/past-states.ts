/**
 * The states of entities in a period of the past, and the bounds of a request for them.
 */
import { Effect } from "effect"
import { HomeHistory } from "../../../protocols/ports/home-history.ts"

/** The most entities that a request names. */
export const entitiesMax = 1_000
const bounds = { statesMax: 100_000, bytesMax: 64 * 1024 * 1024 }

/** The states of each entity, the oldest first. Fails if there are more than the bounds, because clients take an answer as complete. */
export const pastStates = Effect.fnUntraced(
  function* (period: { readonly fromUs: number; readonly untilUs: number }, entityIds: ReadonlyArray<string>) {
    const distinct = [...new Set(entityIds)]
    return distinct.length === 0 ? [] : yield* (yield* HomeHistory).period({ ...period, entityIds: distinct }, bounds)
  },
)
