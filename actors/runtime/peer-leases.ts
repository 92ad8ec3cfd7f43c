/**
 * Whether a peer renews its locks: what tells a node that is busy from one that is frozen or has ended.
 *
 * Each node renews from a thread of its own (`actors/store/database/lock-worker.ts`), so a node whose event loop is blocked does not answer, and still
 * renews.
 */
import { Context, Effect, Layer } from "effect"
import type { RunnerAddress } from "effect/cluster"

export class PeerLeases extends Context.Service<PeerLeases, {
  /** Whether the node has renewed lately; false when this is not known. Never fails. */
  readonly isRenewed: (address: RunnerAddress.RunnerAddress) => Effect.Effect<boolean>
}>()("wavepose/actors/PeerLeases") {
  /** Renewals are not known: a node that does not answer has failed. */
  static readonly layerNone: Layer.Layer<PeerLeases> = Layer.succeed(PeerLeases, {
    isRenewed: () => Effect.succeed(false),
  })
}
