/**
 * The command `wavepose`: one subcommand for each noun, each with its verbs.
 *
 * Boundary: these files parse the command line. A command runs in a file of `commands/`, which is loaded when the command runs, so that
 * help and small commands do not load the service.
 */
import { Command } from "effect/cli"
import { dataCommand } from "./data.ts"
import { edgeCommand } from "./edge.ts"
import { completionCommand, helpCommand } from "./help.ts"
import { keyCommand } from "./key.ts"
import { nodeCommand } from "./node.ts"
import { pluginCommand } from "./plugin.ts"
import { recordingCommand } from "./recording.ts"
import { serviceCommand } from "./service.ts"
import { simCommand } from "./sim.ts"
import { siteCommand } from "./site.ts"
import { userCommand } from "./user.ts"

const nouns = [
  serviceCommand,
  siteCommand,
  nodeCommand,
  recordingCommand,
  dataCommand,
  userCommand,
  keyCommand,
  pluginCommand,
  simCommand,
  edgeCommand,
] as const

const whole = Command.make("wavepose").pipe(
  Command.withDescription("Human pose estimation from Wi-Fi channel state information"),
  Command.withSubcommands(nouns),
)

export const root = Command.make("wavepose").pipe(
  Command.withDescription("Human pose estimation from Wi-Fi channel state information"),
  Command.withSubcommands([...nouns, helpCommand(whole), completionCommand(whole)]),
)
