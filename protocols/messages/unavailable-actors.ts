/**
 * Actors that cannot take messages: how they say so to a caller, and a port that lists those which were given up.
 *
 * Boundary: the policy is `actors/runtime/supervision.ts`; edges only tell "not now" from a defect of the far side.
 */
import { Cause, Context, type Effect } from "effect"

/** The answer of an actor that broke too often: a defect to the caller, who reports the actor as unavailable. */
export class ActorGaveUp extends Error {
  override readonly name = "ActorGaveUp"
}

/** The answer of an actor that could not be built yet, e.g. while the store is away; nothing of the message was done. */
export class ActorNotReady extends Error {
  override readonly name = "ActorNotReady"
}

/** Defects of the way to an actor, by name: its own refusals above, and a cluster that did not reach it. */
const defectsOfTheWay: ReadonlySet<unknown> = new Set([
  "ActorGaveUp",
  "ActorNotReady",
  "SocketError",
  "RpcClientError",
  "RunnerUnavailable",
  "RunnerNotRegistered",
  "EntityNotAssignedToRunner",
  "PersistenceError",
])

/** Whether a message met its actor and broke it, as against not being taken: to send it again would break it again. */
export const brokeItsActor = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) => {
    if (!Cause.isDieReason(reason)) return false
    const defect = reason.defect as { readonly name?: unknown; readonly _tag?: unknown } | null | undefined
    return !defectsOfTheWay.has(defect?.name) && !defectsOfTheWay.has(defect?._tag)
  })

/** An actor that was given up, until when (milliseconds since the Unix epoch), and what it broke on. */
export interface UnavailableActor {
  readonly actor: string
  readonly untilMs: number
  readonly cause: string
}

export class UnavailableActors extends Context.Service<UnavailableActors, {
  /** Those that are given up now on this node. */
  readonly current: Effect.Effect<ReadonlyArray<UnavailableActor>>
}>()("wavepose/protocols/UnavailableActors") {}
