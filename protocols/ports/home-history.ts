/**
 * The history of states: the port to the store of their changes.
 */
import { Context, type Effect } from "effect"
import type { EntityState } from "../domain/home.ts"
import type { StoreUnavailable } from "../domain/failure.ts"

interface HomePeriod {
  readonly fromUs: number
  readonly untilUs: number
  readonly entityIds: ReadonlyArray<string>
}

export class HomeHistory extends Context.Service<HomeHistory, {
  /**
   * The states of each entity in a period, the oldest first: the state at its start, then every change; at most `statesMax` in total.
   * Entities without a state are omitted.
   */
  readonly period: (
    period: HomePeriod,
    statesMax: number,
  ) => Effect.Effect<ReadonlyArray<ReadonlyArray<EntityState>>, StoreUnavailable>
}>()("wavepose/protocols/HomeHistory") {}
