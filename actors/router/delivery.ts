/**
 * Delivery of a router's observations to its environment, which may be moving to another node.
 *
 * An environment of this node takes the observations themselves; for one of another node they are encoded.
 *
 * Invariants: observations arrive in order; observations that could not be delivered wait for the next batch, at most `heldMax` hops of
 * them, and the oldest are dropped first; an environment that does not answer is called again after `retryMs`, not by every batch;
 * observations that break their environment are not sent again.
 */
import { Duration, Effect, Fiber, type Scope, Semaphore } from "effect"
import type { Effort } from "../../core/pace/effort.ts"
import type { Observation } from "../../core/observation/observation.ts"
import { encodeObservation } from "../../protocols/grpc/observation.ts"
import type { RoomReading } from "../../protocols/messages/edge-node.ts"
import { Environment, LocalEnvironments, type ObserveCall } from "../../protocols/messages/environment.ts"
import { brokeItsActor } from "../../protocols/messages/unavailable-actors.ts"
import { monotonicMs } from "../runtime/monotonic.ts"

/** Observations that wait: 10 s of hops, the time in which an environment resumes on another node. */
const heldMax = 100
/** Longer than an environment takes with a store that hangs (`environment/publication.ts`), shorter than a gateway waits. */
const answerTimeout = Duration.seconds(5)
const retryMs = 500

/**
 * The outcome of a delivery. `inactive`: the system does not run, so the observations are of no use. `held`: they wait. `rejected`: the
 * environment broke on them, so they were dropped. `removed`: the environment is not enrolled or not active any more.
 */
export type Delivered = "taken" | "inactive" | "held" | "rejected" | "removed"

type EnvironmentClient = Effect.Success<typeof Environment.client>

/** Delivers the observations of one router. */
export class Delivery {
  /** Makes a delivery that lives as long as the scope in context. */
  static readonly make: Effect.Effect<
    Delivery,
    never,
    Effect.Services<typeof Environment.client> | LocalEnvironments | Scope.Scope
  > = Effect.gen(function* () {
    return new Delivery(yield* Environment.client, yield* LocalEnvironments, yield* Effect.scope)
  })

  readonly #client: EnvironmentClient
  readonly #local: LocalEnvironments["Service"]
  readonly #scope: Scope.Scope
  readonly #oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)
  #held: ReadonlyArray<Observation> = []
  #callAgainMs = -Infinity
  #droppedHops = 0
  #room: RoomReading | null = null
  #effort: Effort = "full"

  private constructor(client: EnvironmentClient, local: LocalEnvironments["Service"], scope: Scope.Scope) {
    this.#client = client
    this.#local = local
    this.#scope = scope
  }

  /** Hops of observations that were dropped since this delivery was made. */
  get droppedHops(): number {
    return this.#droppedHops
  }

  /** The reading of the room that the environment gave when it last took observations. */
  get room(): RoomReading | null {
    return this.#room
  }

  /** The effort that the environment asked for when it last took observations. */
  get effort(): Effort {
    return this.#effort
  }

  /** Takes observations in, to be sent by the next flush. */
  add(observations: ReadonlyArray<Observation>): void {
    // Older ones are dropped only after a flush has failed to send them: a batch of many hops is sent whole.
    this.#keepNewest()
    this.#held = [...this.#held, ...observations]
  }

  /** Gives the observations that were not delivered yet to an environment of this node that moves too. Nothing waits for the next flush. */
  handOver(environmentId: string): Effect.Effect<void> {
    const local = this.#local.to(environmentId)
    const observations = this.#held
    this.#held = []
    return local === null || observations.length === 0 ? Effect.void : Effect.ignore(local(observations))
  }

  /** Sends the observations that were taken in and not delivered yet. */
  flush(environmentId: string): Effect.Effect<Delivered> {
    return this.#oneAtATime(Effect.suspend(() => this.#flush(environmentId)))
  }

  readonly #flush = Effect.fnUntraced({ self: this }, function* (environmentId: string): Effect.fn.Return<Delivered> {
    if (this.#held.length === 0) return "taken"
    const nowMs = yield* monotonicMs
    if (nowMs < this.#callAgainMs) {
      this.#keepNewest()
      return "held"
    }
    const sent = new Set(this.#held)
    const delivered = yield* this.#send(environmentId, [...sent])
    if (delivered === "held") {
      this.#callAgainMs = (yield* monotonicMs) + retryMs
      this.#keepNewest()
      return delivered
    }
    if (delivered === "rejected" || delivered === "removed") this.#droppedHops += sent.size
    this.#held = this.#held.filter((observation) => !sent.has(observation))
    return delivered
  })

  #send(environmentId: string, observations: ReadonlyArray<Observation>): Effect.Effect<Delivered> {
    const local = this.#local.to(environmentId)
    const observe = local === null
      ? this.#client(environmentId).Observe({ observations: observations.map(encodeObservation) })
      : this.#callLocal(local, observations)
    return observe.pipe(
      Effect.timeout(answerTimeout),
      Effect.map(({ active, effort, room }): Delivered => {
        this.#room = room
        this.#effort = effort
        return active ? "taken" : "inactive"
      }),
      Effect.catchTag("UnknownEnvironment", () => Effect.succeed("removed" as const)),
      Effect.catchCause((cause) =>
        brokeItsActor(cause)
          ? Effect.as(
            Effect.logError(`environment broke, observations dropped id=${environmentId}`, cause),
            "rejected" as const,
          )
          : Effect.as(
            Effect.logDebug(`environment did not take observations, they wait id=${environmentId}`, cause),
            "held" as const,
          )
      ),
    )
  }

  /** An environment completes a hop that it has begun. As with a message, a router that stops waiting does not wait for that. */
  #callLocal(call: ObserveCall, observations: ReadonlyArray<Observation>): ReturnType<ObserveCall> {
    return Effect.flatMap(
      Effect.forkIn(call(observations), this.#scope, { startImmediately: true }),
      (fiber) => Effect.onInterrupt(Fiber.join(fiber), () => Effect.sync(() => fiber.interruptUnsafe())),
    )
  }

  #keepNewest(): void {
    this.#droppedHops += Math.max(0, this.#held.length - heldMax)
    this.#held = this.#held.slice(-heldMax)
  }
}
