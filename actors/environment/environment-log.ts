/** Log lines of an environment. */
import { Effect } from "effect"
import type { EnvironmentStatus } from "../../protocols/domain/system.ts"

/** Reports that the lateness of the frames has changed. */
export const logLateness = (
  environmentId: string,
  lateness: "stale" | "on_time",
  { frameAgeMs, observationAgeMs }: Pick<EnvironmentStatus, "frameAgeMs" | "observationAgeMs">,
): Effect.Effect<void> => {
  if (lateness === "on_time") return Effect.logInfo(`frames are on time again environment=${environmentId}`)
  const ages = `frameAgeMs=${frameAgeMs} observationAgeMs=${observationAgeMs}`
  return Effect.logWarning(`frames are stale environment=${environmentId} ${ages}`)
}

/** Reports the events that the rate limit dropped, if there are any. */
export const logDroppedEvents = (environmentId: string, dropped: number): Effect.Effect<void> =>
  dropped === 0
    ? Effect.void
    : Effect.logWarning(`events dropped by the rate limit environment=${environmentId} events=${dropped}`)
