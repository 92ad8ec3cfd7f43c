/**
 * Announcements about the nodes of the cluster: a node that joins, leaves or is found dead is announced, so that the others act at once.
 *
 * Boundary: an announcement may be late or lost; nodes also read the list of nodes periodically (`membership.ts`).
 */
import { Context, Effect, Layer, Queue } from "effect"

export class MemberNews extends Context.Service<MemberNews, {
  /** Has an element when something has changed since the last was taken. */
  readonly changes: Queue.Dequeue<void>
  /** Tells all nodes that the list of nodes has changed. Never fails. */
  readonly announce: Effect.Effect<void>
}>()("wavepose/actors/MemberNews") {
  /** Without announcements: nodes only read the list periodically. */
  static readonly layerNone: Layer.Layer<MemberNews> = Layer.effect(
    MemberNews,
    Effect.map(Queue.sliding<void>(1), (changes) => ({ changes, announce: Effect.void })),
  )
}
