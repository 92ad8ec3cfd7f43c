/**
 * The pose networks that a node can load: weights files in the folder of `WAVEPOSE_MODEL` and in `deploy/models`.
 *
 * Owns the search of those folders and the networks in memory. Boundary: `core/pose` checks the content of a file. Without
 * weights the service places the mean skeleton and reports it.
 *
 * Invariants:
 * 1. A version is compared with the metadata of files and is never part of a path, so it cannot name a file elsewhere.
 * 2. Each request reads the folders again, so a new file is found without a restart.
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
/** Weights files that are read of a folder, in the order of their names. */
const filesMax = 200
/** Networks kept for the next request. A network in use stays in memory anyway. */
const keptMax = 4

/** Folder of the weights in the repository. */
const ownFile = (name: string): string => `${ownFolder}/${name}${extension}`

/** The network of weights in the repository, by file name; null if there are none. Throws `BadWeights`. */
export const readPoseNetwork = (name: string): PoseNetwork | null =>
  existsSync(ownFile(name)) ? createPoseNetwork(readWeights(readFileSync(ownFile(name)))) : null

/** A weights file of a folder: the version in its metadata, or why it has none. */
interface Listed {
  readonly path: string
  readonly version: string | null
  readonly why: string
}

const reasonOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)

/** Reads weights files and keeps the networks used last. */
const makeFolders = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const kept = new Map<string, PoseNetwork>()

  /** The network of a file; the same object while the file does not change. Fails with the reason. */
  const load = Effect.fnUntraced(function* (file: string) {
    const { mtime, size } = yield* files.stat(file)
    if (size > weightsBytesMax) return yield* Effect.fail(new BadWeights(`It is larger than ${weightsBytesMax} bytes.`))
    const key = `${file} ${size} ${Option.match(mtime, { onNone: () => 0, onSome: (date) => date.getTime() })}`
    const bytes = kept.has(key) ? null : yield* files.readFile(file)
    const network = kept.get(key) ?? (yield* Effect.try({
      try: () => createPoseNetwork(readWeights(bytes!)),
      catch: (cause) => cause instanceof BadWeights ? cause : new BadWeights(reasonOf(cause)),
    }))
    // Moves the network to the end: the least recently used one is evicted first.
    kept.delete(key)
    kept.set(key, network)
    if (kept.size > keptMax) kept.delete(kept.keys().next().value!)
    return network
  })

  const look = (file: string): Effect.Effect<Listed> =>
    Effect.gen(function* () {
      const start = yield* (yield* files.open(file)).readAlloc(startBytesMax)
      const version = readMetadata(Option.getOrElse(start, () => new Uint8Array()))["model_version"]
      return { path: file, version: version ?? null, why: "its metadata have no model_version" }
    }).pipe(
      Effect.scoped,
      Effect.catchCause((cause) => Effect.succeed({ path: file, version: null, why: reasonOf(Cause.squash(cause)) })),
    )

  /** The weights files of a folder; none if it cannot be read. */
  const list = Effect.fnUntraced(function* (folder: string) {
    const names = yield* Effect.orElseSucceed(files.readDirectory(folder), () => [])
    const found = names.filter((name) => name.endsWith(extension)).sort().slice(0, filesMax)
    return yield* Effect.forEach(found, (name) => look(path.join(folder, name)))
  })

  return { load, list, nameOf: (file: string) => path.basename(file) }
})

/** The message if no file has the version: lists the versions that exist. */
const unknown = (modelVersion: string, listed: ReadonlyArray<Listed>, nameOf: (file: string) => string) => {
  const versions = [...new Set(listed.flatMap(({ version }) => version === null ? [] : [version]))].sort()
  const without = listed.filter(({ version }) => version === null).map(({ path, why }) => `${nameOf(path)} (${why})`)
  return new UnknownModel({
    modelVersion,
    message:
      `No weights file has the model_version "${modelVersion}". There ${
        versions.length === 0 ? "is none" : `are: ${versions.join(", ")}`
      }.` +
      (without.length === 0 ? "" : ` Files without a version: ${without.join(", ")}.`),
  })
}

/** The models of a node. Fails if the weights that it starts with cannot be used. */
const makePoseModels = Effect.fnUntraced(function* (file: string | null) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { list, load, nameOf } = yield* makeFolders
  const startedWith = path.resolve(file ?? ownFile("wavepose"))
  const folders = [...new Set([path.dirname(startedWith), path.resolve(ownFolder)])]

  const loadFirst = Effect.gen(function* () {
    if (file === null && !(yield* Effect.orElseSucceed(files.exists(startedWith), () => false))) {
      yield* Effect.logInfo("no pose network installed: persons have the mean skeleton (see WAVEPOSE_MODEL)")
      return null
    }
    const network = yield* Effect.mapError(load(startedWith), (error) =>
      new UnusableModel({
        modelVersion: null,
        message: `The weights in ${startedWith} cannot be used: ${error.message}`,
      }))
    yield* Effect.logInfo("pose network loaded", { model_version: network.modelVersion, weights: startedWith })
    return network
  })

  const find = Effect.fnUntraced(function* (modelVersion: string) {
    const unusable = (why: string) => new UnusableModel({ modelVersion, message: `Model "${modelVersion}" ${why}` })
    const listed = yield* Effect.forEach(folders, list)
    const of = listed.map((folder) => folder.filter(({ version }) => version === modelVersion))
    // The file of the start has precedence, then its folder, then those of the service.
    const first = of.find((folder) => folder.length > 0) ?? []
    const chosen = first.find((one) => one.path === startedWith) ?? first[0]
    if (chosen === undefined) return yield* unknown(modelVersion, listed.flat(), nameOf)
    if (chosen.path !== startedWith && first.length > 1) {
      const names = first.map((one) => nameOf(one.path)).join(" and ")
      return yield* unusable(`is the model_version of several files: ${names}. Keep one of them.`)
    }
    return yield* Effect.mapError(
      load(chosen.path),
      (error) => unusable(`in ${nameOf(chosen.path)} cannot be used: ${error.message}`),
    )
  })

  return PoseModels.of({ own: yield* loadFirst, find })
})

/** The models of a node that starts with this weights file; null: with the service's own. */
export const layerPoseModels = (
  file: string | null,
): Layer.Layer<PoseModels, UnusableModel, FileSystem.FileSystem | Path.Path> =>
  Layer.effect(PoseModels, makePoseModels(file))
