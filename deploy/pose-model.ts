/**
 * The pose network's weights: read once at start, from the file that a setting names or from those that come with the service.
 *
 * Boundary: what is in the file is checked by `core/pose`; without weights the service places the mean skeleton and says so.
 */
import { Effect, FileSystem, Schema } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { createPoseNetwork, type PoseNetwork } from "../core/pose/network.ts"
import { BadWeights, readWeights } from "../core/pose/weights.ts"

/** Weights in the repository, where there are some. */
const ownFile = (name: string): string => fileURLToPath(new URL(`./models/${name}.safetensors`, import.meta.url))

/** The network of weights in the repository, by name; null where there are none. Throws `BadWeights`. */
export const readPoseNetwork = (name: string): PoseNetwork | null =>
  existsSync(ownFile(name)) ? createPoseNetwork(readWeights(readFileSync(ownFile(name)))) : null

/** Weights that were asked for and cannot be used. */
export class UnusableModel extends Schema.TaggedError<UnusableModel>()("UnusableModel", { message: Schema.String }) {}

/** The network of a weights file; with null, of the service's own weights, or null where it has none. */
export const loadPoseNetwork = Effect.fnUntraced(function* (
  file: string | null,
): Effect.fn.Return<PoseNetwork | null, UnusableModel, FileSystem.FileSystem> {
  const files = yield* FileSystem.FileSystem
  const path = file ?? ownFile("wavepose")
  const unusable = (why: string) => new UnusableModel({ message: `The weights in ${path} cannot be used: ${why}` })
  if (file === null && !(yield* Effect.orElseSucceed(files.exists(path), () => false))) {
    yield* Effect.logInfo("no pose network is installed: persons have the mean skeleton (see WAVEPOSE_MODEL)")
    return null
  }
  const bytes = yield* Effect.mapError(files.readFile(path), (error) => unusable(error.message))
  const network = yield* Effect.try({
    try: () => createPoseNetwork(readWeights(bytes)),
    catch: (cause) => unusable(cause instanceof BadWeights ? cause.message : String(cause)),
  })
  yield* Effect.logInfo(`poses are estimated by ${network.modelVersion}`, { weights: path })
  return network
})
