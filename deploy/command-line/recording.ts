/**
 * The command line of `recording`: captures of CSI in files.
 */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Identifier } from "../../protocols/domain/site.ts"
import { channelFiles, filesOf, json, loaded, loop, Speed, speed, to, untilEnd, whileStdin } from "./flags.ts"

const replayCommand = Command.make(
  "replay",
  {
    files: Argument.File("files", { mustExist: true }).pipe(Argument.variadic({ min: 1 })),
    speed,
    loop,
    to,
    ...channelFiles,
    whileStdin,
  },
  Effect.fn(function* ({ files, loop, speed, to, whileStdin, ...channel }) {
    const { playReplay } = yield* loaded(() => import("../commands/replay-command.ts"))
    yield* untilEnd(whileStdin, playReplay({ files, loop, speed, to, ...filesOf(channel) }))
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

const makeCommand = Command.make(
  "make",
  {
    file: Argument.String("file").pipe(Argument.withDescription("A new file, e.g. kitchen-empty.wavepose")),
    listen: Flag.String("listen").pipe(
      Flag.withDescription("Address that the nodes send to, host:port"),
      Flag.withDefault("0.0.0.0:5005"),
    ),
    forward: Flag.String("forward").pipe(
      Flag.withDescription("Also send every datagram to a running service, host:port of its datagrams"),
      Flag.optional,
    ),
    environment: Flag.String("environment").pipe(
      Flag.withSchema(Identifier),
      Flag.withDescription("Name of the room"),
      Flag.withDefault("recorded"),
    ),
    label: Flag.String("label").pipe(
      Flag.withDescription("What is in the room at first: empty, walking, still, ...; a line on stdin changes it"),
      Flag.optional,
    ),
    note: Flag.String("note").pipe(Flag.withDescription("Text that is kept in the file"), Flag.optional),
    seconds: Flag.Finite("seconds").pipe(
      Flag.withSchema(Speed),
      Flag.withDescription("Length; default until Ctrl-C"),
      Flag.optional,
    ),
    json,
  },
  Effect.fn(function* ({ environment, forward, label, note, seconds, ...options }) {
    const { record } = yield* loaded(() => import("../commands/record-command.ts"))
    yield* record({
      ...options,
      environmentId: environment,
      forward: Option.getOrNull(forward),
      label: Option.getOrNull(label),
      note: Option.getOrNull(note),
      seconds: Option.getOrNull(seconds),
    })
  }),
).pipe(Command.withDescription("Record the datagrams of sensing nodes to a file, with labels"))

const convertCommand = Command.make(
  "convert",
  {
    file: Argument.File("file", { mustExist: true }).pipe(Argument.withDescription("A recording of any known format")),
    output: Argument.String("output").pipe(Argument.withDescription("A file that ends with .npz")),
    router: Flag.String("router").pipe(Flag.withDescription("Only this router; default the busiest"), Flag.optional),
    json,
  },
  Effect.fn(function* ({ router, ...options }) {
    const { convert } = yield* loaded(() => import("../commands/convert-command.ts"))
    yield* convert({ ...options, routerId: Option.getOrNull(router) })
  }),
).pipe(Command.withDescription("Write the CSI of one link of a recording as NumPy arrays"))

export const recordingCommand = Command.make("recording").pipe(
  Command.withDescription("Record, replay, inspect and convert captures of CSI"),
  Command.withSubcommands([makeCommand, replayCommand, inspectCommand, convertCommand]),
)
