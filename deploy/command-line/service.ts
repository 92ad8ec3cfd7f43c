/**
 * The command line of `service`: runs, examines and copies the service on this machine.
 */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { chooseSource, demoNames } from "../settings/source-options.ts"
import { untilStopped } from "./exit-status.ts"
import {
  existingFile,
  existingFileArgument,
  json,
  loaded,
  loop,
  seed,
  serviceUrl,
  sites,
  speed,
  toggle,
} from "./flags.ts"

const startCommand = Command.make(
  "start",
  {
    source: Flag.Literals("source", ["simulated", "none"]).pipe(
      Flag.withDescription("simulated: one room with two persons (default); none: wait for routers"),
      Flag.optional,
    ),
    scenario: Flag.String("scenario").pipe(
      Flag.withDescription("Scenario to simulate: a file, or a name in sim/scenarios; default living-room"),
      Flag.optional,
    ),
    demo: Flag.Literals("demo", demoNames).pipe(
      Flag.withDescription("Simulate something worth seeing: falls, a party of four, or a sleeper"),
      Flag.optional,
    ),
    site: sites("its environments are enrolled"),
    keepEnvironments: toggle(
      "keep-environments",
      "Keep environments of other sources active beside those of this start; without it they become inactive",
    ),
    replay: existingFile("replay").pipe(
      Flag.withDescription("Replay recordings instead of a simulation; repeatable, and more files may follow"),
      Flag.atLeast(0),
    ),
    files: existingFileArgument("files").pipe(Argument.variadic()),
    speed,
    loop,
    seed,
    open: toggle("open", "Open the console in the browser, signed in"),
    // Read by `main.ts`, because the log begins before the command line is parsed.
    log: toggle("log", "On a terminal: show the log. Without it, it goes to wavepose.log in the data folder"),
    json,
  },
  Effect.fn(
    function* ({ demo, files, json, keepEnvironments, loop, open, replay, scenario, seed, site, source, speed }) {
      const chosen = yield* chooseSource({
        replay,
        files,
        loop,
        speed,
        scenario: Option.getOrNull(scenario),
        demo: Option.getOrNull(demo),
        seed: Option.getOrNull(seed),
        source: Option.getOrNull(source),
      })
      const { start } = yield* loaded(() => import("../commands/start.ts"))
      const options = { siteFiles: site, keepsEnvironments: keepEnvironments, opensBrowser: open, json }
      yield* untilStopped(start({ source: chosen, ...options }))
    },
  ),
).pipe(Command.withDescription("Run the whole service"))

const doctorCommand = Command.make(
  "doctor",
  {
    url: serviceUrl,
    json,
  },
  Effect.fn(function* (options) {
    const { doctor } = yield* loaded(() => import("../commands/doctor-command.ts"))
    yield* doctor(options)
  }),
).pipe(Command.withDescription("Report why a running service makes no frames"))

const clusterCommand = Command.make(
  "cluster",
  { url: serviceUrl, json },
  Effect.fn(function* (options) {
    const { showCluster } = yield* loaded(() => import("../commands/cluster-command.ts"))
    yield* showCluster(options)
  }),
).pipe(Command.withDescription("List the nodes of a running service and the rooms of each"))

const folder = Argument.Directory("folder").pipe(Argument.withDescription("Folder of the backup"))

const backupCommand = Command.make(
  "backup",
  { folder, json },
  Effect.fn(function* (options) {
    const { backUpDatabase } = yield* loaded(() => import("../commands/backup-command.ts"))
    yield* backUpDatabase(options)
  }),
).pipe(Command.withDescription("Copy the embedded database to a new folder; stop the service first"))

const restoreCommand = Command.make(
  "restore",
  { folder, json },
  Effect.fn(function* (options) {
    const { restoreDatabase } = yield* loaded(() => import("../commands/backup-command.ts"))
    yield* restoreDatabase(options)
  }),
).pipe(Command.withDescription("Copy a backup into a data folder that has no database"))

export const serviceCommand = Command.make("service").pipe(
  Command.withDescription("Run, examine and back up a service"),
  Command.withSubcommands([startCommand, doctorCommand, clusterCommand, backupCommand, restoreCommand]),
)
