/**
 * Actors that cannot handle messages: the errors that their callers receive, and a port that lists the unavailable actors.
 *
 * Boundary: the policy is in `actors/runtime/supervision.ts`; edges only distinguish an unavailable actor from a defect of the remote side.
 */
import { Cause, Context, type Effect } from "effect"

/** The answer of an actor that failed too often. It is a defect to the caller, which reports the actor as unavailable. */
export class ActorGaveUp extends Error {
  override readonly name = "ActorGaveUp"
}

/** The answer of an actor that could not be built yet, e.g. while the store is unavailable. The message had no effect. */
export class ActorNotReady extends Error {
  override readonly name = "ActorNotReady"
}

/** Names of defects that occur before a message reaches its actor: the errors above, and failures of the cluster. */
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

/** Whether the message itself made its actor fail, as opposed to not being delivered: sending it again would fail again. */
export const brokeItsActor = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) => {
    if (!Cause.isDieReason(reason)) return false
    const defect = reason.defect as { readonly name?: unknown; readonly _tag?: unknown } | null | undefined
    return !deliveryDefects.has(defect?.name) && !deliveryDefects.has(defect?._tag)
  })

/** An unavailable actor, until when (milliseconds since the Unix epoch), and the cause of its last failure. */
export interface UnavailableActor {
  readonly actor: string
  readonly untilMs: number
  readonly cause: string
}

export class UnavailableActors extends Context.Service<UnavailableActors, {
  /** The unavailable actors of this node. */
  readonly current: Effect.Effect<ReadonlyArray<UnavailableActor>>
}>()("wavepose/protocols/UnavailableActors") {}
