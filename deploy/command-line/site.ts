/**
 * The command line of `site`: the environments of a running service.
 */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { Identifier } from "../../protocols/domain/site.ts"
import { existingFileArgument, json, loaded, serviceUrl, toggle } from "./flags.ts"

const siteFile = existingFileArgument("file").pipe(
  Argument.withDescription("A JSON file with an environment, its geometry and its routers, or a list of them"),
)

export const siteCommand = Command.make("site").pipe(
  Command.withDescription("Manage the environments that are enrolled in a running service"),
  Command.withSubcommands([
    Command.make(
      "list",
      { url: serviceUrl, json },
      Effect.fn(function* (options) {
        const { listSites } = yield* loaded(() => import("../commands/site-command.ts"))
        yield* listSites(options)
      }),
    ).pipe(Command.withDescription("List the environments, what enrolled each, and which are active")),
    Command.make(
      "show",
      { environmentId: Argument.String("environment").pipe(Argument.withSchema(Identifier)), url: serviceUrl, json },
      Effect.fn(function* (options) {
        const { showSite } = yield* loaded(() => import("../commands/site-command.ts"))
        yield* showSite(options)
      }),
    ).pipe(Command.withDescription("Print one with its geometry and zones")),
    Command.make(
      "add",
      { file: siteFile, url: serviceUrl, json },
      Effect.fn(function* (options) {
        const { addSites } = yield* loaded(() => import("../commands/site-command.ts"))
        yield* addSites(options)
      }),
    ).pipe(Command.withDescription("Create the environments of a site file, without a restart of the service")),
    Command.make(
      "change",
      { file: siteFile, url: serviceUrl, json },
      Effect.fn(function* (options) {
        const { changeSites } = yield* loaded(() => import("../commands/site-command.ts"))
        yield* changeSites(options)
      }),
    ).pipe(
      Command.withDescription("Replace the name, geometry, zones and routers of environments by those of a site file"),
    ),
    Command.make(
      "remove",
      {
        environmentId: Argument.String("environment").pipe(Argument.withSchema(Identifier)),
        url: serviceUrl,
        json,
        dropHistory: toggle("drop-history", "Also delete its frames, events, tracks and reports"),
        yes: toggle("yes", "Do not ask for confirmation"),
      },
      Effect.fn(function* (options) {
        const { removeSite } = yield* loaded(() => import("../commands/site-command.ts"))
        yield* removeSite(options)
      }),
    ).pipe(Command.withDescription("Remove an environment with its routers")),
  ]),
)
