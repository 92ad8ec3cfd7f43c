/**
 * `wavepose plugin new` writes a working plugin; `wavepose plugin check` validates manifests and prints their permissions.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { Console, Effect, Option, Result, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { findPlugins } from "../../actors/home/plugins/manifest-files.ts"
import { isSlug } from "../../protocols/domain/home.ts"
import { permissionsOf } from "../../protocols/domain/plugin.ts"
import { pluginFolder } from "../settings/home-settings.ts"
import { InvalidCommand } from "../settings/invalid-command.ts"
import { pluginTemplate } from "./plugin-template.ts"
import { readSettings } from "../settings/settings.ts"

const apiFile = new URL("../../actors/home/plugins/api.ts", import.meta.url)

const folder = Flag.String("folder").pipe(
  Flag.withDescription("Folder of plugins; default WAVEPOSE_PLUGINS, or plugins in the data folder"),
  Flag.optional,
)

const chosenFolder = Effect.fnUntraced(function* (given: Option.Option<string>) {
  const settings = yield* readSettings(process.env)
  return Option.match(given, { onNone: () => pluginFolder(settings), onSome: (path) => resolve(path) })
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

const newPlugin = Command.make(
  "new",
  {
    name: Argument.String("name").pipe(
      Argument.withSchema(
        Schema.String.check(Schema.makeFilter(isSlug, { expected: "a name of a-z, 0-9 and single _ between them" })),
      ),
      Argument.withDescription("Domain of the plugin, for example arrivals"),
    ),
    folder,
  },
  Effect.fn(function* ({ folder, name }) {
    const path = yield* writePlugin(yield* chosenFolder(folder), name)
    yield* Console.log(`A working plugin was written to ${path}. Its README.md describes the next steps.`)
  }),
).pipe(Command.withDescription("Write a working plugin as a starting point"))

const lists = (permissions: Readonly<Record<string, ReadonlyArray<string>>>): string =>
  Object.entries(permissions).filter(([, names]) => names.length > 0).map(([what, names]) =>
    `${what} ${names.join(", ")}`
  )
    .join("; ") || "nothing"

const checkPlugins = Command.make(
  "check",
  { folder },
  Effect.fn(function* ({ folder }) {
    const path = yield* chosenFolder(folder)
    const settings = yield* readSettings(process.env)
    const found = yield* findPlugins({ path, builtIn: false }, [resolve(settings.dataDirectory)])
    if (found.size === 0) yield* Console.log(`There is no plugin in ${path}.`)
    let wrong = 0
    for (const [domain, read] of found) {
      if (Result.isFailure(read)) {
        wrong += 1
        yield* Console.log(`${domain}: ${read.failure._tag}: ${read.failure.message}`)
        continue
      }
      const { manifest } = read.success
      const { events, machine, services, states } = permissionsOf(manifest)
      yield* Console.log(
        `${domain} ${manifest.version} is valid. Permissions on the machine: ${lists(machine)}; in the home: ${
          lists({ ...states, "call": services, "subscribe": events.subscribe, "fire": events.fire })
        }.`,
      )
    }
    if (wrong > 0) return yield* new InvalidCommand({ message: `${wrong} of ${found.size} plugins cannot be loaded.` })
  }),
).pipe(Command.withDescription("Validate the manifests of plugins and print their permissions"))

/** The commands about plugins. */
export const pluginCommand = Command.make("plugin").pipe(
  Command.withDescription("Write and check plugins of the home-automation runtime"),
  Command.withSubcommands([newPlugin, checkPlugins]),
)
