/**
 * Stored alerts: the port through which edges list them. The store implements it. The actor of the environment acknowledges an alert.
 */
import { Context, type Effect } from "effect"
import type { Alert, AlertStatus } from "../domain/event.ts"
import type { StoreUnavailable } from "../domain/failure.ts"

export interface AlertQuery {
  /** Null: all environments. */
  readonly environmentId: string | null
  /** Null: every status. */
  readonly status: AlertStatus | null
  /** Only alerts older than this one: the end of the previous page. */
  readonly before: string | null
  readonly limit: number
}

export class Alerts extends Context.Service<Alerts, {
  /** Newest first, by the start of what they report; null if no alert has the id `before`. */
  readonly list: (query: AlertQuery) => Effect.Effect<ReadonlyArray<Alert> | null, StoreUnavailable>
}>()("wavepose/protocols/Alerts") {}
