/**
 * The command line of `plugin`: plugins of the home-automation runtime.
 */
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { isSlug } from "../../protocols/domain/home.ts"
import { json, loaded } from "./flags.ts"

const folder = Flag.Directory("folder").pipe(
  Flag.withDescription("Folder of plugins; default WAVEPOSE_PLUGINS, or plugins in the data folder"),
  Flag.optional,
)

const newCommand = Command.make(
  "new",
  {
    name: Argument.String("name").pipe(
      Argument.withSchema(
        Schema.String.check(Schema.makeFilter(isSlug, { expected: "a name of a-z, 0-9 and single _ between them" })),
      ),
      Argument.withDescription("Domain of the plugin, for example arrivals"),
    ),
    folder,
    json,
  },
  Effect.fn(function* ({ folder, json, name }) {
    const { newPlugin } = yield* loaded(() => import("../commands/plugin-command.ts"))
    yield* newPlugin({ folder: Option.getOrNull(folder), json, name })
  }),
).pipe(Command.withDescription("Write a working plugin as a starting point"))

const checkCommand = Command.make(
  "check",
  { folder, json },
  Effect.fn(function* ({ folder, json }) {
    const { checkPlugins } = yield* loaded(() => import("../commands/plugin-command.ts"))
    yield* checkPlugins({ folder: Option.getOrNull(folder), json })
  }),
).pipe(Command.withDescription("Validate the manifests of plugins and print their permissions"))

export const pluginCommand = Command.make("plugin").pipe(
  Command.withDescription("Write and check plugins of the home"),
  Command.withSubcommands([newCommand, checkCommand]),
)
