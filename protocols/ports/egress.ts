/**
 * The states of the egresses of edge records, which health reports.
 *
 * An egress that the privacy gate has closed stays closed until an operator changes the class and restarts the service.
 */
import { Context, type Effect } from "effect"
import type { Destination } from "../../core/privacy/privacy-class.ts"

/** `refused`: the gate closed it; `unavailable`: it fails repeatedly or cannot connect; `disabled`: it is switched off. */
export type EgressStatus = "starting" | "active" | "refused" | "unavailable" | "disabled"

export interface EgressState {
  readonly destination: Destination
  readonly status: EgressStatus
  /** Why it is not active, or which nodes it leaves out; null without a failure. */
  readonly reason: string | null
}

export class EgressStates extends Context.Service<EgressStates, {
  readonly report: (state: EgressState) => Effect.Effect<void>
  /** The states that the egresses of this node last reported. */
  readonly current: Effect.Effect<ReadonlyArray<EgressState>>
}>()("wavepose/protocols/EgressStates") {}
