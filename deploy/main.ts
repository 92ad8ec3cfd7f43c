/**
 * The entry point: parses the command line with `command-line/root.ts` and runs the command, with the log on stderr or in a file.
 */
import "../actors/runtime/deno-fibers.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer, Logger, References } from "effect"
import { Command } from "effect/cli"
import { freeMemory, trimMemory } from "../actors/runtime/free-memory.ts"
import { runProcess } from "./command-line/exit-status.ts"
import { root } from "./command-line/root.ts"
import { expandShortcut } from "./command-line/shortcuts.mjs"
import { version } from "./composition/version.ts"
import { componentOf, lineLogger, logFormatOf } from "./settings/log.ts"
import { chooseLogOutput, CurrentLogOutput, stderrOutput } from "./settings/log-output.ts"
import { readSettings } from "./settings/settings.ts"

const args = expandShortcut(process.argv.slice(2))

/** A program that still runs after this time has finished its start: the garbage of the start is collected. */
const startedMs = 20_000
setTimeout(freeMemory, startedMs).unref()
/** Memory that compilers and connections have freed since then is returned this often. */
const trimmedEveryMs = 60_000
setInterval(trimMemory, trimmedEveryMs).unref()

const format = logFormatOf(process.env)
const logLevels = { debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const

/** Stdout has the ready lines, for programs, and the welcome. Invalid settings are reported on stderr. */
const layerLog = Layer.unwrap(
  readSettings(process.env).pipe(
    Effect.map(({ dataDirectory, logLevel }) => ({
      level: logLevels[logLevel],
      output: chooseLogOutput(args, dataDirectory, process.stderr.isTTY === true),
    })),
    Effect.catch(() => Effect.succeed({ level: logLevels.info, output: stderrOutput })),
    Effect.map(({ level, output }) =>
      Layer.mergeAll(
        Logger.layer([lineLogger(format, componentOf(args), output.write)]),
        Layer.succeed(References.MinimumLogLevel, level),
        Layer.succeed(CurrentLogOutput, output),
      )
    ),
  ),
)

readSettings(process.env).pipe(
  Effect.andThen(Command.runWith(root, { version })(args)),
  Effect.provide(NodeServices.layer),
  (program) => runProcess(program, format, layerLog),
)
