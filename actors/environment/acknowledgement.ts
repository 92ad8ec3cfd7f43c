/** Acknowledgements of alerts, which are answered when they are stored. */
import { Effect } from "effect"
import type { StoreUnavailable } from "../../protocols/domain/failure.ts"
import type { EventLog } from "./event-log.ts"
import type { Site } from "./site.ts"

/** Acknowledges an alert; the effect that it returns waits until that is stored. False when there is no open alert of this id. */
export const acknowledge = (
  watch: Pick<Site["watch"], "acknowledge">,
  log: Pick<EventLog, "keep">,
  alertId: string,
  by: string,
): Effect.Effect<Effect.Effect<boolean, StoreUnavailable>> => {
  const event = watch.acknowledge(alertId, by)
  return event === null
    ? Effect.succeed(Effect.succeed(false))
    : Effect.map(log.keep(event), (stored) => Effect.as(stored, true))
}
