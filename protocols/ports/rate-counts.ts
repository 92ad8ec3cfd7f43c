/**
 * Request counts of all nodes. The store implements this port.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"

/** Requests under one rule by one caller within the window that ends at `endsMs` (epoch milliseconds). */
export interface RateCount {
  readonly subject: string
  readonly endsMs: number
  readonly count: number
}

export class RateCounts extends Context.Service<RateCounts, {
  /** Adds the counts of a node. Returns the totals of all nodes, in any order. */
  readonly add: (counts: ReadonlyArray<RateCount>) => Effect.Effect<ReadonlyArray<RateCount>, StoreUnavailable>
  /** Deletes windows that ended before this time. */
  readonly forget: (beforeMs: number) => Effect.Effect<void, StoreUnavailable>
}>()("wavepose/protocols/RateCounts") {}
