/**
 * The health of the database: a port that gateways ask and the store answers.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"

export class DatabaseHealth extends Context.Service<DatabaseHealth, {
  /** One round trip; `used` connections are null where the driver does not say. */
  readonly check: Effect.Effect<
    { readonly latencyMs: number; readonly used: number | null; readonly capacity: number },
    StoreUnavailable
  >
}>()("wavepose/protocols/DatabaseHealth") {}
