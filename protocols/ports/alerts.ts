/**
 * The alerts that are stored: the port through which edges list them. The store answers; an alert is acknowledged by its environment's actor.
 */
import { Context, type Effect } from "effect"
import type { Alert, AlertStatus } from "../domain/event.ts"
import type { StoreUnavailable } from "../domain/failure.ts"

export interface AlertQuery {
  /** Null: all environments. */
  readonly environmentId: string | null
  /** Null: of every status. */
  readonly status: AlertStatus | null
  /** Only alerts older than this one: where the page before ended. */
  readonly before: string | null
  readonly limit: number
}

export class Alerts extends Context.Service<Alerts, {
  /** The newest first, by when what they report began; null when there is no alert of the id `before`. */
  readonly list: (query: AlertQuery) => Effect.Effect<ReadonlyArray<Alert> | null, StoreUnavailable>
}>()("wavepose/protocols/Alerts") {}
