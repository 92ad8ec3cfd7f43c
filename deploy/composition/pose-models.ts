/**
 * The pose networks that a node can load: weights files in the folder of `WAVEPOSE_MODEL` and in `deploy/models`.
 *
 * Owns the search of those folders and what is kept of them in memory. Boundary: what is in a file is checked by `core/pose`; without
 * weights the service places the mean skeleton and says so.
 *
 * Invariants:
 * 1. A version is compared with what files say of themselves and is never part of a path, so that it cannot name a file elsewhere.
 * 2. Folders are read again for every question: a file that was put there is found without a restart.
 */
import { Cause, Effect, FileSystem, Layer, Option, Path } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { PoseModels } from "../../actors/runtime/pose/pose-models.ts"
import { createPoseNetwork, type PoseNetwork } from "../../core/pose/network.ts"
import { BadWeights, readMetadata, readWeights, startBytesMax, weightsBytesMax } from "../../core/pose/weights.ts"
import { UnknownModel, UnusableModel } from "../../protocols/domain/failure.ts"

const ownFolder = fileURLToPath(new URL("../models", import.meta.url))
const extension = ".safetensors"
/** Weights files of a folder that are looked at, in the order of their names. */
const filesMax = 200
/** Networks that are kept to be used again; whoever uses one has it anyway. */
const keptMax = 4

/** Weights in the repository, where there are some. */
const ownFile = (name: string): string => `${ownFolder}/${name}${extension}`

/** The network of weights in the repository, by name; null where there are none. Throws `BadWeights`. */
export const readPoseNetwork = (name: string): PoseNetwork | null =>
  existsSync(ownFile(name)) ? createPoseNetwork(readWeights(readFileSync(ownFile(name)))) : null

/** A weights file of a folder: the version that it says it is, or why it says none. */
interface Listed {
  readonly path: string
  readonly version: string | null
  readonly why: string
}

const reasonOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)

/** The reading of weights files, and the networks that were made of them lately. */
const makeFolders = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const kept = new Map<string, PoseNetwork>()

  /** The network of a file, the same one while the file does not change. Fails with the reason. */
  const load = Effect.fnUntraced(function* (file: string) {
    const { mtime, size } = yield* files.stat(file)
    if (size > weightsBytesMax) return yield* Effect.fail(new BadWeights(`It is larger than ${weightsBytesMax} bytes.`))
    const key = `${file} ${size} ${Option.match(mtime, { onNone: () => 0, onSome: (date) => date.getTime() })}`
    const bytes = kept.has(key) ? null : yield* files.readFile(file)
    const network = kept.get(key) ?? (yield* Effect.try({
      try: () => createPoseNetwork(readWeights(bytes!)),
      catch: (cause) => cause instanceof BadWeights ? cause : new BadWeights(reasonOf(cause)),
    }))
    // The one that was asked for last is the last to go.
    kept.delete(key)
    kept.set(key, network)
    if (kept.size > keptMax) kept.delete(kept.keys().next().value!)
    return network
  })

  const look = (file: string): Effect.Effect<Listed> =>
    Effect.gen(function* () {
      const start = yield* (yield* files.open(file)).readAlloc(startBytesMax)
      const version = readMetadata(Option.getOrElse(start, () => new Uint8Array()))["model_version"]
      return { path: file, version: version ?? null, why: "it says no model_version" }
    }).pipe(
      Effect.scoped,
      Effect.catchCause((cause) => Effect.succeed({ path: file, version: null, why: reasonOf(Cause.squash(cause)) })),
    )

  /** The weights files of a folder; none of one that cannot be read. */
  const list = Effect.fnUntraced(function* (folder: string) {
    const names = yield* Effect.orElseSucceed(files.readDirectory(folder), () => [])
    const found = names.filter((name) => name.endsWith(extension)).sort().slice(0, filesMax)
    return yield* Effect.forEach(found, (name) => look(path.join(folder, name)))
  })

  return { load, list, nameOf: (file: string) => path.basename(file) }
})

/** What is said where no file is of the version: which there are. */
const unknown = (modelVersion: string, listed: ReadonlyArray<Listed>, nameOf: (file: string) => string) => {
  const versions = [...new Set(listed.flatMap(({ version }) => version === null ? [] : [version]))].sort()
  const without = listed.filter(({ version }) => version === null).map(({ path, why }) => `${nameOf(path)} (${why})`)
  return new UnknownModel({
    modelVersion,
    message:
      `No weights file says that it is model "${modelVersion}". There ${
        versions.length === 0 ? "is none" : `are: ${versions.join(", ")}`
      }.` +
      (without.length === 0 ? "" : ` These do not say: ${without.join(", ")}.`),
  })
}

/** The models of a node; fails when the weights that it is to start with cannot be used. */
const makePoseModels = Effect.fnUntraced(function* (file: string | null) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { list, load, nameOf } = yield* makeFolders
  const startedWith = path.resolve(file ?? ownFile("wavepose"))
  const folders = [...new Set([path.dirname(startedWith), path.resolve(ownFolder)])]

  const loadFirst = Effect.gen(function* () {
    if (file === null && !(yield* Effect.orElseSucceed(files.exists(startedWith), () => false))) {
      yield* Effect.logInfo("no pose network is installed: persons have the mean skeleton (see WAVEPOSE_MODEL)")
      return null
    }
    const network = yield* Effect.mapError(load(startedWith), (error) =>
      new UnusableModel({
        modelVersion: null,
        message: `The weights in ${startedWith} cannot be used: ${error.message}`,
      }))
    yield* Effect.logInfo(`poses are estimated by ${network.modelVersion}`, { weights: startedWith })
    return network
  })

  const find = Effect.fnUntraced(function* (modelVersion: string) {
    const unusable = (why: string) => new UnusableModel({ modelVersion, message: `Model "${modelVersion}" ${why}` })
    const listed = yield* Effect.forEach(folders, list)
    const of = listed.map((folder) => folder.filter(({ version }) => version === modelVersion))
    // The file that the node was started with goes first, then its folder, then those of the service.
    const first = of.find((folder) => folder.length > 0) ?? []
    const chosen = first.find((one) => one.path === startedWith) ?? first[0]
    if (chosen === undefined) return yield* unknown(modelVersion, listed.flat(), nameOf)
    if (chosen.path !== startedWith && first.length > 1) {
      const names = first.map((one) => nameOf(one.path)).join(" and ")
      return yield* unusable(`is what several files say they are: ${names}. Leave one of them there.`)
    }
    return yield* Effect.mapError(
      load(chosen.path),
      (error) => unusable(`in ${nameOf(chosen.path)} cannot be used: ${error.message}`),
    )
  })

  return PoseModels.of({ own: yield* loadFirst, find })
})

/** The models of a node that was started with this weights file; null: with the service's own. */
export const layerPoseModels = (
  file: string | null,
): Layer.Layer<PoseModels, UnusableModel, FileSystem.FileSystem | Path.Path> =>
  Layer.effect(PoseModels, makePoseModels(file))
