/**
 * `wavepose plugin new` writes a working plugin; `wavepose plugin check` validates manifests and prints their permissions.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { Effect, Result } from "effect"
import { findPlugins } from "../../actors/home/plugins/manifest-files.ts"
import { permissionsOf } from "../../protocols/domain/plugin.ts"
import { pluginFolder } from "../settings/home-settings.ts"
import { InvalidCommand } from "../settings/invalid-command.ts"
import { printResult } from "./output.ts"
import { pluginTemplate } from "./plugin-template.ts"
import { readSettings } from "../settings/settings.ts"

const apiFile = new URL("../../actors/home/plugins/api.ts", import.meta.url)

const chosenFolder = Effect.fnUntraced(function* (given: string | null) {
  const settings = yield* readSettings(process.env)
  return given === null ? pluginFolder(settings) : resolve(given)
})

const invalid = (what: string) => (cause: unknown) =>
  new InvalidCommand({ message: `${what}: ${cause instanceof Error ? cause.message : cause}` })

/** Writes the files of a new plugin into a folder of its own, which must not exist. Returns its path. */
export const writePlugin = Effect.fnUntraced(function* (folder: string, domain: string) {
  const path = join(folder, domain)
  return yield* Effect.tryPromise({
    try: async () => {
      const files = pluginTemplate(domain, await readFile(apiFile, "utf8"))
      await mkdir(folder, { recursive: true })
      await mkdir(path)
      for (const { file, text } of files) await writeFile(join(path, file), text, { flag: "wx" })
      return path
    },
    catch: invalid(`The plugin cannot be written to ${path}`),
  })
})

interface PluginOptions {
  /** Null: the folder of the settings. */
  readonly folder: string | null
  readonly json: boolean
}

/** Writes a plugin of this name and prints its path. */
export const newPlugin = Effect.fnUntraced(
  function* ({ folder, json, name }: PluginOptions & { readonly name: string }) {
    const path = yield* writePlugin(yield* chosenFolder(folder), name)
    yield* printResult(
      json,
      { path },
      `A working plugin was written to ${path}. Its README.md describes the next steps.`,
    )
  },
)

const lists = (permissions: Readonly<Record<string, ReadonlyArray<string>>>): string =>
  Object.entries(permissions).filter(([, names]) => names.length > 0).map(([what, names]) =>
    `${what} ${names.join(", ")}`
  )
    .join("; ") || "nothing"

/** Validates the manifests of a folder. Fails if one cannot be loaded. */
export const checkPlugins = Effect.fnUntraced(function* ({ folder, json }: PluginOptions) {
  const path = yield* chosenFolder(folder)
  const settings = yield* readSettings(process.env)
  const found = yield* findPlugins({ path, builtIn: false }, [resolve(settings.dataDirectory)])
  const plugins = [...found].map(([domain, read]) => {
    if (Result.isFailure(read)) {
      const { _tag: code, message } = read.failure
      return { valid: false, value: { domain, valid: false, code, message }, text: `${domain}: ${code}: ${message}` }
    }
    const { manifest } = read.success
    const { version } = manifest
    const { events, machine, services, states } = permissionsOf(manifest)
    const home = { ...states, "call": services, "subscribe": events.subscribe, "fire": events.fire }
    const allowed = `Permissions on the machine: ${lists(machine)}; in the home: ${lists(home)}.`
    return {
      valid: true,
      value: { domain, valid: true, version, permissions: { machine, home } },
      text: `${domain} ${version} is valid. ${allowed}`,
    }
  })
  const text = plugins.length === 0 ? `There is no plugin in ${path}.` : plugins.map(({ text }) => text).join("\n")
  yield* printResult(json, { folder: path, plugins: plugins.map(({ value }) => value) }, text)
  const wrong = plugins.filter(({ valid }) => !valid).length
  if (wrong > 0) return yield* new InvalidCommand({ message: `${wrong} of ${found.size} plugins cannot be loaded.` })
})
