/** The port through which edge nodes keep what they learned of their site's week. */
import { Context, type Effect } from "effect"
import type { LearnedWeek } from "../../core/semantics/learned-week.ts"
import type { StoreUnavailable } from "../domain/failure.ts"

export class LearnedWeeks extends Context.Service<LearnedWeeks, {
  /** Null when nothing was kept, or what was kept cannot be read. */
  readonly load: (nodeId: string) => Effect.Effect<LearnedWeek | null, StoreUnavailable>
  readonly save: (nodeId: string, week: LearnedWeek) => Effect.Effect<void, StoreUnavailable>
}>()("wavepose/protocols/LearnedWeeks") {}
