/**
 * The entry point: parses the command line with `command-line/root.ts` and runs the command, with the log on stderr.
 */
import "./composition/deno-fibers.ts"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect, Layer, Logger, References } from "effect"
import { Command } from "effect/cli"
import { report, teardown } from "./command-line/exit-status.ts"
import { root } from "./command-line/root.ts"
import { expandShortcut } from "./command-line/shortcuts.mjs"
import { version } from "./composition/version.ts"
import { componentOf, lineLogger } from "./settings/log.ts"
import { readSettings } from "./settings/settings.ts"

const args = expandShortcut(process.argv.slice(2))

const logLevels = { debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const

/** On a terminal, `start` prints the welcome and logs only warnings and errors, unless a level is set. */
const isQuiet = args[0] === "service" && args[1] === "start" && process.stderr.isTTY &&
  (process.env.WAVEPOSE_LOG_LEVEL ?? "") === ""

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
    componentOf(args),
    (line) => void process.stderr.write(`${line}\n`),
  ),
])

Command.runWith(root, { version })(args).pipe(
  Effect.provide(layerLogLevel),
  Effect.provide(NodeServices.layer),
  Effect.tapCause(report),
  Effect.provide(layerLogger),
  (program) => NodeRuntime.runMain(program, { teardown, disableErrorReporting: true }),
)
