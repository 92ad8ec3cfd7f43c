/**
 * Delivery of a router's observations to its environment, which may be moving to another node.
 *
 * Invariants: observations arrive in order; what could not be delivered waits for the next batch, at most `heldMax` hops
 * of it, the oldest given up first; an environment that does not answer is asked again after `retryMs`, not by every batch;
 * observations that break their environment are not sent again.
 */
import { Clock, Effect, Semaphore } from "effect"
import type { Observation } from "../../core/observation/observation.ts"
import { encodeObservation } from "../../protocols/grpc/observation.ts"
import type { RoomReading } from "../../protocols/messages/edge-node.ts"
import { Environment } from "../../protocols/messages/environment.ts"
import { brokeItsActor } from "../../protocols/messages/unavailable-actors.ts"

/** Observations that wait: 10 s of hops, the time in which an environment resumes on another node. */
const heldMax = 100
/** Longer than an environment takes with a store that hangs (`environment/publication.ts`), shorter than a gateway waits. */
const answerTimeout = "5 seconds"
const retryMs = 500

/**
 * What became of a delivery: `inactive` when nobody runs the system, so that the observations are of no use; `held` when
 * they wait; `refused` when the environment broke on them, so that they were given up; `removed` when the environment is not enrolled or
 * not active any more.
 */
export type Delivered = "taken" | "inactive" | "held" | "refused" | "removed"

export interface Delivery {
  /** Takes observations in, to be sent by the next flush. */
  readonly add: (observations: ReadonlyArray<Observation>) => void
  /** Sends what was taken in and not delivered yet. */
  readonly flush: (environmentId: string) => Effect.Effect<Delivered>
  /** Hops of observations that were given up since this delivery was made. */
  readonly givenUpHops: () => number
  /** What the environment said of the room when it last took observations. */
  readonly room: () => RoomReading | null
}

export const makeDelivery: Effect.Effect<Delivery, never, Effect.Services<typeof Environment.client>> = Effect.gen(
  function* () {
    const environmentClient = yield* Environment.client
    const oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)
    let held: ReadonlyArray<Uint8Array> = []
    let askAgainMs = -Infinity
    let givenUpHops = 0
    let room: RoomReading | null = null

    const keepNewest = () => {
      givenUpHops += Math.max(0, held.length - heldMax)
      held = held.slice(-heldMax)
    }

    const ask = (environmentId: string, observations: ReadonlyArray<Uint8Array>): Effect.Effect<Delivered> =>
      environmentClient(environmentId).Observe({ observations }).pipe(
        Effect.timeout(answerTimeout),
        Effect.map(({ active, room: said }): Delivered => {
          room = said
          return active ? "taken" : "inactive"
        }),
        Effect.catchTag("UnknownEnvironment", () => Effect.succeed("removed" as const)),
        Effect.catchCause((cause) =>
          brokeItsActor(cause)
            ? Effect.as(
              Effect.logError(`environment ${environmentId} broke on observations; they are given up`, cause),
              "refused" as const,
            )
            : Effect.as(
              Effect.logDebug(`environment ${environmentId} did not take observations; they wait`, cause),
              "held" as const,
            )
        ),
      )

    const flush = Effect.fnUntraced(function* (environmentId: string): Effect.fn.Return<Delivered> {
      if (held.length === 0) return "taken"
      const nowMs = yield* Clock.currentTimeMillis
      if (nowMs < askAgainMs) {
        keepNewest()
        return "held"
      }
      const sent = new Set(held)
      const delivered = yield* ask(environmentId, [...sent])
      if (delivered === "held") {
        askAgainMs = (yield* Clock.currentTimeMillis) + retryMs
        keepNewest()
        return delivered
      }
      if (delivered === "refused" || delivered === "removed") givenUpHops += sent.size
      held = held.filter((bytes) => !sent.has(bytes))
      return delivered
    })

    return {
      add: (observations) => {
        // Older ones give way only when a flush has not rid them: a batch of many hops is sent whole.
        keepNewest()
        held = [...held, ...observations.map(encodeObservation)]
      },
      flush: (environmentId) => oneAtATime(flush(environmentId)),
      givenUpHops: () => givenUpHops,
      room: () => room,
    }
  },
)
