/**
 * The enrolments: every environment that is known, active or not, with what enrolled it; and their removal. The store answers.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { Environment, Origin } from "../domain/site.ts"

/** An environment, its routers, and what enrolled it. */
export interface Enrolled {
  readonly environment: Environment
  readonly routerIds: ReadonlyArray<string>
  readonly origin: Origin
  /** Whether a node runs that was started with its source. */
  readonly active: boolean
  readonly enrolledAtMs: number
}

/** Rows that were deleted with the history of an environment. */
export interface DroppedHistory {
  readonly frames: number
  readonly events: number
  readonly tracks: number
}

export class Enrolments extends Context.Service<Enrolments, {
  /** In the order of their ids. */
  readonly all: Effect.Effect<ReadonlyArray<Enrolled>, StoreUnavailable>
  /** Removes an environment with its routers and what they learned; answers false when it is not enrolled. History is kept. */
  readonly remove: (environmentId: string) => Effect.Effect<boolean, StoreUnavailable>
  /** Deletes the frames, events, tracks and sums of an environment, enrolled or not. Frame ids are not used again. */
  readonly dropHistory: (environmentId: string) => Effect.Effect<DroppedHistory, StoreUnavailable>
}>()("wavepose/protocols/Enrolments") {}
