/**
 * The entry point: `wavepose start`, `sim run`, `sim site`, `replay`, `serial`, `inspect`, `doctor`, `bridge`, `mqtt`, `nodes`,
 * `sign`, `site`, `plugin`, `export`, `backup`, `restore`, `users`.
 *
 * Boundary: this file parses the command line. Each command is in a file of its name under `commands/`, which is loaded when the command
 * runs, so that help and small commands do not load the service.
 */
import "./composition/deno-fibers.ts"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect, Layer, Logger, Option, References, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Identifier } from "../protocols/domain/site.ts"
import { backupCommand, restoreCommand } from "./commands/backup-command.ts"
import { pluginCommand } from "./commands/plugin-command.ts"
import { bridgeCommand, mqttCommand, nodesCommand, signCommand, siteCommand } from "./commands/edge-commands.ts"
import { exportCommand } from "./commands/data-commands.ts"
import { ca, json, loaded, serviceUrl, untilEnd, whileStdin } from "./commands/flags.ts"
import { report, teardown } from "./commands/exit-status.ts"
import { componentOf, lineLogger } from "./settings/log.ts"
import { readSettings } from "./settings/settings.ts"
import { chooseSource } from "./settings/source-options.ts"
import { usersCommand } from "./commands/users-command.ts"
import { version } from "./composition/version.ts"

const Speed = Schema.Finite.check(Schema.isGreaterThan(0))
const Seed = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const speed = Flag.Finite("speed").pipe(
  Flag.withSchema(Speed),
  Flag.withDescription("Event seconds per second; 1 is the source's own pace"),
  Flag.withDefault(1),
)
const loop = Flag.Boolean("loop").pipe(Flag.withDescription("Restart the replay at its end"), Flag.withDefault(false))
const seed = Flag.Int("seed").pipe(
  Flag.withSchema(Seed),
  Flag.withDescription("Replaces the scenario's own seed"),
  Flag.optional,
)
const to = Flag.String("to").pipe(
  Flag.withDescription("gRPC edge of a node, grpc://host:port; the API key is read from WAVEPOSE_API_KEY"),
  Flag.withDefault("grpc://127.0.0.1:50051"),
)

const sites = (use: string) =>
  Flag.File("site", { mustExist: true }).pipe(
    Flag.withDescription(
      `JSON file with an environment, its geometry and its routers, or a list of them; ${use}; repeatable`,
    ),
    Flag.atLeast(0),
  )

const startCommand = Command.make(
  "start",
  {
    source: Flag.Literals("source", ["simulated", "none"]).pipe(
      Flag.withDescription("simulated: a home with two rooms (default); none: wait for routers"),
      Flag.optional,
    ),
    scenario: Flag.String("scenario").pipe(
      Flag.withDescription("Scenario to simulate: a file, or a name in sim/scenarios; default home"),
      Flag.optional,
    ),
    site: sites("its environments are enrolled"),
    keepEnvironments: Flag.Boolean("keep-environments").pipe(
      Flag.withDescription(
        "Keep environments of other sources active beside those of this start; without it they become inactive",
      ),
      Flag.withDefault(false),
    ),
    replay: Flag.File("replay", { mustExist: true }).pipe(
      Flag.withDescription("Replay recordings instead of a simulation; repeatable, and more files may follow"),
      Flag.atLeast(0),
    ),
    files: Argument.File("files", { mustExist: true }).pipe(Argument.variadic()),
    speed,
    loop,
    seed,
    open: Flag.Boolean("open").pipe(
      Flag.withDescription("Open the console in the browser, signed in"),
      Flag.withDefault(false),
    ),
  },
  Effect.fn(function* ({ files, keepEnvironments, loop, open, replay, scenario, seed, site, source, speed }) {
    const chosen = yield* chooseSource({
      replay,
      files,
      loop,
      speed,
      scenario: Option.getOrNull(scenario),
      seed: Option.getOrNull(seed),
      source: Option.getOrNull(source),
    })
    const { start } = yield* loaded(() => import("./commands/start.ts"))
    yield* start({ source: chosen, siteFiles: site, keepsEnvironments: keepEnvironments, opensBrowser: open })
  }),
).pipe(Command.withDescription("Run the whole service"))

const scenario = Argument.String("scenario").pipe(
  Argument.withDescription("A scenario file, or a name in sim/scenarios"),
)

const simRun = Command.make(
  "run",
  {
    scenario,
    seed,
    speed: Flag.String("speed").pipe(
      Flag.withSchema(
        Schema.Union([Schema.Literal("max"), Schema.FiniteFromString.pipe(Schema.check(Schema.isGreaterThan(0)))]),
      ),
      Flag.withDescription("Event seconds per second, or max; default 1 into a service and max into a file"),
      Flag.optional,
    ),
    seconds: Flag.Finite("seconds").pipe(
      Flag.withSchema(Speed),
      Flag.withDescription("Length of the simulation; default no end, into a service only"),
      Flag.optional,
    ),
    to: Flag.String("to").pipe(
      Flag.withDescription(
        "gRPC edge of a node, grpc://host:port, with the API key in WAVEPOSE_API_KEY; or a file for replay, with its ground truth beside it",
      ),
      Flag.withDefault("grpc://127.0.0.1:50051"),
    ),
    ca,
    whileStdin,
  },
  Effect.fn(function* ({ ca, scenario, seconds, seed, speed, to, whileStdin }) {
    const options = {
      scenario,
      seed: Option.getOrNull(seed),
      speed: Option.getOrNull(speed),
      seconds: Option.getOrNull(seconds),
      to,
      caFile: Option.getOrNull(ca),
    }
    const { runSimulation } = yield* loaded(() => import("./commands/sim-command.ts"))
    yield* untilEnd(whileStdin, runSimulation(options))
  }),
).pipe(Command.withDescription("Simulate a scenario and send its CSI to a running service, or write it to a file"))

const simSite = Command.make(
  "site",
  { scenario, seed },
  Effect.fn(function* ({ scenario, seed }) {
    const { printSites } = yield* loaded(() => import("./commands/sim-command.ts"))
    yield* printSites(scenario, Option.getOrNull(seed))
  }),
).pipe(
  Command.withDescription(
    "Print the sites of a scenario; a service started with them as --site accepts what sim run sends",
  ),
)

const trainingData = Command.make(
  "training-data",
  {
    folder: Argument.String("folder").pipe(Argument.withDescription("Output folder, one file per person and scene")),
    firstSeed: Flag.Int("first-seed").pipe(Flag.withSchema(Seed), Flag.withDefault(1)),
    lastSeed: Flag.Int("last-seed").pipe(Flag.withSchema(Seed), Flag.withDefault(600)),
    step: Flag.Int("step").pipe(
      Flag.withSchema(Schema.Int.check(Schema.isGreaterThan(0))),
      Flag.withDescription("Every Nth seed, so that processes can share a range"),
      Flag.withDefault(1),
    ),
    seconds: Flag.Int("seconds").pipe(
      Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 5, maximum: 3600 }))),
      Flag.withDescription("Length of a scene"),
      Flag.withDefault(60),
    ),
    site: sites("its rooms and nodes are simulated; default random rooms"),
  },
  Effect.fn(function* ({ site, ...options }) {
    const { writeTrainingData } = yield* loaded(() => import("./commands/training-data-command.ts"))
    yield* writeTrainingData({ ...options, siteFiles: site })
  }),
).pipe(Command.withDescription("Simulate scenes and write the training data of the pose network"))

const sim = Command.make("sim").pipe(
  Command.withDescription("The simulator"),
  Command.withSubcommands([simRun, simSite, trainingData]),
)

const replayCommand = Command.make(
  "replay",
  {
    files: Argument.File("files", { mustExist: true }).pipe(Argument.variadic({ min: 1 })),
    speed,
    loop,
    to,
    ca,
    whileStdin,
  },
  Effect.fn(function* ({ ca, files, loop, speed, to, whileStdin }) {
    const { playReplay } = yield* loaded(() => import("./commands/replay-command.ts"))
    yield* untilEnd(whileStdin, playReplay({ files, loop, speed, to, caFile: Option.getOrNull(ca) }))
  }),
).pipe(Command.withDescription("Send recordings to a running service"))

const serialCommand = Command.make(
  "serial",
  {
    path: Argument.String("path").pipe(
      Argument.withDescription("A serial device (set its speed with stty), a pipe, or a file; - reads stdin"),
    ),
    router: Flag.String("router").pipe(
      Flag.withSchema(Identifier),
      Flag.withDescription("Router id of the device, as in a site file"),
    ),
    to,
    ca,
  },
  Effect.fn(function* ({ ca, path, router, to }) {
    const { playSerial } = yield* loaded(() => import("./commands/replay-command.ts"))
    yield* playSerial({ path, routerId: router, to, caFile: Option.getOrNull(ca) })
  }),
).pipe(Command.withDescription("Send the CSI of a device on a serial line to a running service, live"))

const inspectCommand = Command.make(
  "inspect",
  {
    file: Argument.String("file").pipe(Argument.withDescription("A capture of any known format; - reads stdin")),
    json,
    png: Flag.String("png").pipe(
      Flag.withDescription("File for a picture: amplitude by subcarrier, and Doppler spectrogram"),
      Flag.optional,
    ),
  },
  Effect.fn(function* ({ file, json, png }) {
    const { inspect } = yield* loaded(() => import("./commands/inspect-command.ts"))
    yield* inspect({ file, json, png: Option.getOrNull(png) })
  }),
).pipe(Command.withDescription("Describe a capture and what it can support"))

const doctorCommand = Command.make(
  "doctor",
  {
    url: serviceUrl,
    json,
  },
  Effect.fn(function* (options) {
    const { doctor } = yield* loaded(() => import("./commands/doctor-command.ts"))
    yield* doctor(options)
  }),
).pipe(Command.withDescription("Report why a running service makes no frames"))

const logLevels = { debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const

/** On a terminal, `start` prints the welcome and logs only warnings and errors, unless a level is set. */
const isQuiet = process.argv[2] === "start" && process.stderr.isTTY && (process.env.WAVEPOSE_LOG_LEVEL ?? "") === ""

const layerLogLevel = Layer.unwrap(
  Effect.map(
    readSettings(process.env),
    ({ logLevel }) => Layer.succeed(References.MinimumLogLevel, isQuiet ? "Warn" : logLevels[logLevel]),
  ),
)

/** The log goes to stderr. Stdout has the ready lines, for programs, and the welcome. */
const layerLogger = Logger.layer([
  lineLogger(
    process.env.WAVEPOSE_LOG_FORMAT === "json" ? "json" : "text",
    componentOf(process.argv[2]),
    (line) => void process.stderr.write(`${line}\n`),
  ),
])

Command.make("wavepose").pipe(
  Command.withDescription("Human pose estimation from Wi-Fi channel state information"),
  Command.withSubcommands([
    startCommand,
    sim,
    replayCommand,
    serialCommand,
    inspectCommand,
    doctorCommand,
    bridgeCommand,
    mqttCommand,
    nodesCommand,
    signCommand,
    siteCommand,
    exportCommand,
    backupCommand,
    restoreCommand,
    usersCommand,
    pluginCommand,
  ]),
  Command.run({ version }),
  Effect.provide(layerLogLevel),
  Effect.provide(NodeServices.layer),
  Effect.tapCause(report),
  Effect.provide(layerLogger),
  (program) => NodeRuntime.runMain(program, { teardown, disableErrorReporting: true }),
)
