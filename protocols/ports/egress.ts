/**
 * How the ways out of the edge do: for health, and for whoever wonders why nothing comes.
 *
 * A way out that the privacy gate has closed stays closed until somebody changes the class and starts the service anew.
 */
import { Context, type Effect } from "effect"
import type { Destination } from "../../core/privacy/privacy-class.ts"

/** `refused`: the gate closed it; `unavailable`: it ends again and again, or reaches nobody; `disabled`: nobody wants it. */
export type EgressStatus = "starting" | "active" | "refused" | "unavailable" | "disabled"

export interface EgressState {
  readonly destination: Destination
  readonly status: EgressStatus
  /** Null while it is well. */
  readonly reason: string | null
}

export class EgressStates extends Context.Service<EgressStates, {
  readonly report: (state: EgressState) => Effect.Effect<void>
  /** Of this node, as they last told. */
  readonly current: Effect.Effect<ReadonlyArray<EgressState>>
}>()("wavepose/protocols/EgressStates") {}
