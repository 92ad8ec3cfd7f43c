/** The port through which edge nodes store the learned week of their site. */
import { Context, type Effect } from "effect"
import type { LearnedWeek } from "../../core/semantics/learned-week.ts"
import type { StoreUnavailable } from "../domain/failure.ts"

export class LearnedWeeks extends Context.Service<LearnedWeeks, {
  /** Null if nothing was stored or it is unreadable. */
  readonly load: (nodeId: string) => Effect.Effect<LearnedWeek | null, StoreUnavailable>
  readonly save: (nodeId: string, week: LearnedWeek) => Effect.Effect<void, StoreUnavailable>
}>()("wavepose/protocols/LearnedWeeks") {}
