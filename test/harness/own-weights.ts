/** The weights files of the repository, with their metadata. */
import { readFileSync } from "node:fs"
import { readMetadata } from "../../core/pose/weights.ts"

/** The bytes of a file of `deploy/models`, by its name. */
export const ownWeights = (name: string): Buffer =>
  readFileSync(new URL(`../../deploy/models/${name}.safetensors`, import.meta.url))

/** Its model_version. */
export const ownVersion = (name: string): string => readMetadata(ownWeights(name))["model_version"]!
