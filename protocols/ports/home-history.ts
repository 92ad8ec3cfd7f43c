/**
 * The history of states: the port to the store of their changes.
 */
import { Context, type Effect } from "effect"
import type { EntityState } from "../domain/home.ts"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { PastBounds, TooManyStates } from "../domain/home-failure.ts"

export interface HomePeriod {
  readonly fromUs: number
  readonly untilUs: number
  readonly entityIds: ReadonlyArray<string>
}

export class HomeHistory extends Context.Service<HomeHistory, {
  /**
   * The states of each entity in a period, the oldest first: the state at its start, then every change. Entities without a state are
   * omitted. Fails if the bounds are exceeded: an answer is complete.
   */
  readonly period: (
    period: HomePeriod,
    bounds: PastBounds,
  ) => Effect.Effect<ReadonlyArray<ReadonlyArray<EntityState>>, StoreUnavailable | TooManyStates>
}>()("wavepose/protocols/HomeHistory") {}
