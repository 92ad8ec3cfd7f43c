/** Pose models of a node in memory. */
import { Effect, Layer } from "effect"
import { PoseModels } from "../../actors/runtime/pose/pose-models.ts"
import type { PoseNetwork } from "../../core/pose/network.ts"
import { UnknownModel } from "../../protocols/domain/failure.ts"

/** A node with these networks, the first of which is its default. Every other version is unknown. */
export const modelsOf = (networks: ReadonlyArray<PoseNetwork>): Layer.Layer<PoseModels> =>
  Layer.succeed(PoseModels, {
    own: networks[0] ?? null,
    find: (modelVersion) => {
      const network = networks.find((one) => one.modelVersion === modelVersion)
      return network === undefined
        ? Effect.fail(new UnknownModel({ modelVersion, message: `There is no model "${modelVersion}".` }))
        : Effect.succeed(network)
    },
  })
