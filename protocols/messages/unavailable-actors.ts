/**
 * Actors that cannot handle messages: the defects that a caller gets, and a port that lists the actors that were given up.
 *
 * Boundary: the policy is `actors/runtime/supervision.ts`. Callers only distinguish an unavailable actor from a defect of its work.
 */
import { Cause, Context, type Effect } from "effect"

/** The answer of an actor that failed too often: a defect, for which the caller reports the actor as unavailable. */
export class ActorGaveUp extends Error {
  override readonly name = "ActorGaveUp"
}

/** The answer of an actor that could not be built, for example while the store is unavailable. The message had no effect. */
export class ActorNotReady extends Error {
  override readonly name = "ActorNotReady"
}

/** Defects that prevent delivery, by name: the two above, and those of a cluster that did not reach the actor. */
const deliveryDefects: ReadonlySet<unknown> = new Set([
  "ActorGaveUp",
  "ActorNotReady",
  "SocketError",
  "RpcClientError",
  "RunnerUnavailable",
  "RunnerNotRegistered",
  "EntityNotAssignedToRunner",
  "PersistenceError",
])

/** Whether a message was delivered and caused a defect in its actor. Sending it again would cause the defect again. */
export const brokeItsActor = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) => {
    if (!Cause.isDieReason(reason)) return false
    const defect = reason.defect as { readonly name?: unknown; readonly _tag?: unknown } | null | undefined
    return !deliveryDefects.has(defect?.name) && !deliveryDefects.has(defect?._tag)
  })

/** An actor that was given up until a time (milliseconds since the Unix epoch), and the cause of its last failure. */
export interface UnavailableActor {
  readonly actor: string
  readonly untilMs: number
  readonly cause: string
}

export class UnavailableActors extends Context.Service<UnavailableActors, {
  /** The actors of this node that are given up now. */
  readonly current: Effect.Effect<ReadonlyArray<UnavailableActor>>
}>()("wavepose/protocols/UnavailableActors") {}
