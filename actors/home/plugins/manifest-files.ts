/**
 * Finds plugins: one folder each, with a `manifest.json`.
 *
 * Boundary: `plugin-host.ts` checks the dependencies between manifests. A folder without a manifest is not a plugin and is skipped.
 */
import { readdir, readFile, realpath, stat } from "node:fs/promises"
import { basename, join, relative, resolve } from "node:path"
import { Effect, Result, Schema } from "effect"
import {
  coreDomains,
  InvalidManifest,
  Io,
  Manifest,
  permissionsOf,
  PluginPermissions,
} from "../../../protocols/domain/plugin.ts"
import type { FoundPlugin } from "./launched-plugin.ts"
import { forbidden } from "./machine-permissions.ts"
import { strayLink } from "./plugin-links.ts"

const manifestFile = "manifest.json"
const manifestLengthMax = 65_536
/** The most plugins of a folder; further ones are ignored. */
const pluginsMax = 256

export type ManifestFailure = InvalidManifest | Io
type Found = Result.Result<FoundPlugin, ManifestFailure>

interface PluginFolder {
  readonly path: string
  readonly builtIn: boolean
}

const decode = Schema.decodeUnknownResult(Manifest, { errors: "all" })
/** Rejects unknown permissions: a misspelt permission must not look granted. */
const closedPermissions = Schema.decodeUnknownResult(PluginPermissions, { onExcessProperty: "error", errors: "all" })

const isMissing = (cause: unknown): boolean => cause instanceof Error && "code" in cause && cause.code === "ENOENT"

const io = (domain: string, what: string) => (cause: unknown) =>
  new Io({ domain, message: `${what} cannot be read: ${cause instanceof Error ? cause.message : cause}` })

/** Parses a manifest. Its domain must be the name of its folder. */
export const readManifest = (text: string, folder: string): Result.Result<Manifest, InvalidManifest> => {
  const name = basename(folder)
  const invalid = (message: string) =>
    Result.fail(new InvalidManifest({ domain: name, message: `The manifest of ${name} is not valid: ${message}` }))
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    return invalid(`it is not JSON (${cause instanceof Error ? cause.message : cause}).`)
  }
  const read = decode(json)
  if (Result.isFailure(read)) return invalid(read.failure.message)
  const permissions = closedPermissions((json as { readonly permissions?: unknown }).permissions ?? {})
  if (Result.isFailure(permissions)) return invalid(`permissions: ${permissions.failure.message}`)
  const { domain } = read.success
  return domain === name ? Result.succeed(read.success) : invalid(`its domain is ${domain}, its folder ${name}.`)
}

/** What a plugin asks for, or brings with it, that is never given; null: nothing. */
const neverGiven = Effect.fnUntraced(function* (
  { folder, manifest }: Pick<FoundPlugin, "folder" | "manifest">,
  secret: ReadonlyArray<string>,
) {
  const { machine } = permissionsOf(manifest)
  const never = forbidden(folder, machine, secret)
  if (never !== null) return never
  const writable = machine.write.map((path) => resolve(folder, path))
  const link = yield* Effect.promise(() => strayLink(folder, writable))
  return link === null
    ? null
    : `its folder may not have the link ${
      relative(folder, link)
    }, which its permissions do not cover. Copy the files instead`
})

/** The plugin in a folder; null if the folder has no manifest. */
const readPlugin = Effect.fnUntraced(function* (
  given: string,
  builtIn: boolean,
  secret: ReadonlyArray<string>,
): Effect.fn.Return<FoundPlugin | null, ManifestFailure> {
  const domain = basename(given)
  const folder = yield* Effect.tryPromise({ try: () => realpath(given), catch: io(domain, given) })
  const path = join(folder, manifestFile)
  const text = yield* Effect.tryPromise({
    try: async () => {
      if ((await stat(path)).size > manifestLengthMax) throw new Error(`it has more than ${manifestLengthMax} bytes`)
      return await readFile(path, "utf8")
    },
    catch: (cause) => isMissing(cause) ? null : io(domain, path)(cause),
  }).pipe(Effect.catch((failure) => failure === null ? Effect.succeed(null) : Effect.fail(failure)))
  if (text === null) return null
  const manifest = yield* Effect.fromResult(readManifest(text, given))
  if (!builtIn && coreDomains.includes(domain)) {
    const message = `${domain} is a domain of the service itself: give your plugin another one.`
    return yield* new InvalidManifest({ domain, message })
  }
  const never = builtIn ? null : yield* neverGiven({ manifest, folder }, secret)
  if (never !== null) return yield* new InvalidManifest({ domain, message: `The manifest of ${domain}: ${never}.` })
  return { manifest, folder, builtIn }
})

/** All plugins of a folder by domain; empty if the folder does not exist. */
export const findPlugins = Effect.fnUntraced(function* (
  { builtIn, path }: PluginFolder,
  secret: ReadonlyArray<string>,
): Effect.fn.Return<ReadonlyMap<string, Found>, Io> {
  const names = yield* Effect.tryPromise({
    try: () => readdir(path, { withFileTypes: true }),
    catch: (cause) => isMissing(cause) ? null : io("plugins", path)(cause),
  }).pipe(Effect.catch((failure) => failure === null ? Effect.succeed([]) : Effect.fail(failure)))
  const folders = names.filter((entry) =>
    (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith(".")
  )
    .map(({ name }) => name).sort().slice(0, pluginsMax)
  const found = yield* Effect.forEach(folders, (name) =>
    Effect.map(
      Effect.result(readPlugin(join(path, name), builtIn, secret)),
      (read): ReadonlyArray<readonly [string, Found]> => {
        if (Result.isFailure(read)) return [[name, Result.fail(read.failure)]]
        return read.success === null ? [] : [[name, Result.succeed(read.success)]]
      },
    ))
  return new Map(found.flat())
})
