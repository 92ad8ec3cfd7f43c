/**
 * The pose networks of this node, by the version in their weights.
 *
 * Boundary: `deploy/composition/pose-models.ts` loads the weights; each environment selects its network.
 *
 * Invariant: a version is the same network object while its weights do not change, so that environments share a pass.
 */
import { Context, Effect } from "effect"
import type { PoseNetwork } from "../../../core/pose/network.ts"
import type { NeuralNetworkSettings } from "../../../protocols/domain/configuration.ts"
import type { UnknownModel, UnusableModel } from "../../../protocols/domain/failure.ts"

export class PoseModels extends Context.Service<PoseModels, {
  /** The network that this node was started with; null without weights. */
  readonly own: PoseNetwork | null
  /** The network of a version. */
  readonly find: (modelVersion: string) => Effect.Effect<PoseNetwork, UnknownModel | UnusableModel>
}>()("wavepose/actors/PoseModels") {}

/** The network that the settings name, else the node's own; null when there is neither. */
export const networkOf = (
  { modelVersion }: NeuralNetworkSettings,
): Effect.Effect<PoseNetwork | null, UnknownModel | UnusableModel, PoseModels> =>
  Effect.flatMap(PoseModels, ({ find, own }) => modelVersion === null ? Effect.succeed(own) : find(modelVersion))

/** As `networkOf`, but with the node's own network in place of one that cannot be loaded. Frames contain the version in use. */
export const networkOrOwn = (settings: NeuralNetworkSettings): Effect.Effect<PoseNetwork | null, never, PoseModels> =>
  Effect.catch(
    networkOf(settings),
    (error) => Effect.andThen(Effect.logError(error.message), Effect.map(PoseModels, ({ own }) => own)),
  )
