/**
 * The health of the database: a port that the store implements.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"

export class DatabaseHealth extends Context.Service<DatabaseHealth, {
  /** Takes one round trip. `used` connections are null if the driver does not report them. */
  readonly check: Effect.Effect<
    { readonly latencyMs: number; readonly used: number | null; readonly capacity: number },
    StoreUnavailable
  >
}>()("wavepose/protocols/DatabaseHealth") {}
