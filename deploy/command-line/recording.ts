/**
 * The command line of `recording`: captures of CSI in files.
 */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ca, json, loaded, loop, speed, to, untilEnd, whileStdin } from "./flags.ts"

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
    const { playReplay } = yield* loaded(() => import("../commands/replay-command.ts"))
    yield* untilEnd(whileStdin, playReplay({ files, loop, speed, to, caFile: Option.getOrNull(ca) }))
  }),
).pipe(Command.withDescription("Send recordings to a running service"))

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
    const { inspect } = yield* loaded(() => import("../commands/inspect-command.ts"))
    yield* inspect({ file, json, png: Option.getOrNull(png) })
  }),
).pipe(Command.withDescription("Describe a capture and what it can support"))

export const recordingCommand = Command.make("recording").pipe(
  Command.withDescription("Replay and inspect captures of CSI"),
  Command.withSubcommands([replayCommand, inspectCommand]),
)
