/**
 * The pose networks of this node, by the version that their weights say they are.
 *
 * Boundary: where weights come from is the port's other side (`deploy/composition/pose-models.ts`); who uses which is the environments' own matter.
 *
 * Invariant: the same version is the same network as long as its weights do not change, so that environments share a pass.
 */
import { Context, Effect } from "effect"
import type { PoseNetwork } from "../../../core/pose/network.ts"
import type { NeuralNetworkSettings } from "../../../protocols/domain/configuration.ts"
import type { UnknownModel, UnusableModel } from "../../../protocols/domain/failure.ts"

export class PoseModels extends Context.Service<PoseModels, {
  /** The one that this node was started with; null where there are no weights. */
  readonly own: PoseNetwork | null
  /** The network of a version. */
  readonly find: (modelVersion: string) => Effect.Effect<PoseNetwork, UnknownModel | UnusableModel>
}>()("wavepose/actors/PoseModels") {}

/** The network that the settings name; null where they name none and the node has none. */
export const networkOf = (
  { modelVersion }: NeuralNetworkSettings,
): Effect.Effect<PoseNetwork | null, UnknownModel | UnusableModel, PoseModels> =>
  Effect.flatMap(PoseModels, ({ find, own }) => modelVersion === null ? Effect.succeed(own) : find(modelVersion))

/** The same for what must go on whatever has become of the weights: then the node's own, and frames say which. */
export const networkOrOwn = (settings: NeuralNetworkSettings): Effect.Effect<PoseNetwork | null, never, PoseModels> =>
  Effect.catch(
    networkOf(settings),
    (error) => Effect.andThen(Effect.logError(error.message), Effect.map(PoseModels, ({ own }) => own)),
  )
