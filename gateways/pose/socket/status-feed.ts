/**
 * The system's summary once a second for all subscribers: gathered once whatever their number, and only while there are
 * subscribers.
 */
import { Clock, Effect, Fiber } from "effect"
import { isoTime } from "../../../protocols/pose-api/forms.ts"
import { systemSummary, type SystemSummarySchema } from "../../../protocols/pose-api/system-summary.ts"
import { SystemReporter } from "../telemetry/system-report.ts"

interface StatusUpdate {
  readonly timestamp: string
  readonly status: typeof SystemSummarySchema.Type
}

export interface StatusFeed {
  /** Subscribes to the summaries. The returned function unsubscribes. */
  readonly subscribe: (subscriber: (update: StatusUpdate) => void) => () => void
}

const intervalMs = 1_000

/** A feed whose fiber lives in the scope in context. */
export const makeStatusFeed = Effect.gen(function* () {
  const { report } = yield* SystemReporter
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const subscribers = new Set<(update: StatusUpdate) => void>()
  let fiber: Fiber.Fiber<void> | null = null

  const tick = Effect.gen(function* () {
    const status = systemSummary(yield* report)
    const update = { timestamp: isoTime(yield* Clock.currentTimeMillis), status }
    for (const subscriber of subscribers) subscriber(update)
  }).pipe(
    Effect.catchCause((cause) => Effect.logWarning("cannot gather the system status, trying again in a second", cause)),
  )

  const follow = Effect.sleep(intervalMs).pipe(Effect.andThen(tick), Effect.forever)

  const subscribe: StatusFeed["subscribe"] = (subscriber) => {
    subscribers.add(subscriber)
    fiber ??= Fiber.runIn(run(follow), scope)
    return () => {
      subscribers.delete(subscriber)
      if (subscribers.size > 0) return
      fiber?.interruptUnsafe()
      fiber = null
    }
  }

  return { subscribe } satisfies StatusFeed
})
