/**
 * The cards of pose networks: `README.md` beside the weights, for the version that its first heading names. The folders are those of
 * `pose-models.ts`.
 */
import { Effect, FileSystem, Layer, Path } from "effect"
import { fileURLToPath } from "node:url"
import { ModelCards } from "../../protocols/ports/model-cards.ts"

const ownFolder = fileURLToPath(new URL("../models", import.meta.url))
const bytesMax = 200_000

/** @param weightsFile the weights that the node starts with; null: the service's own */
export const layerModelCards = (
  weightsFile: string | null,
): Layer.Layer<ModelCards, never, FileSystem.FileSystem | Path.Path> =>
  Layer.effect(
    ModelCards,
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const folders = [...(weightsFile === null ? [] : [path.dirname(path.resolve(weightsFile))]), ownFolder]
      const read = Effect.fnUntraced(function* (folder: string) {
        const file = path.join(folder, "README.md")
        const { size } = yield* files.stat(file)
        return size > bytesMax ? null : yield* files.readFileString(file)
      }, Effect.orElseSucceed(() => null))
      const find = Effect.fnUntraced(function* (modelVersion: string) {
        for (const folder of folders) {
          const card = yield* read(folder)
          if (card?.split("\n", 1).at(0)?.trim() === `# ${modelVersion}`) return card
        }
        return null
      })
      return { find }
    }),
  )
