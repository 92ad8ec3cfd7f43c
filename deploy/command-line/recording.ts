/**
 * The command line of `recording`: captures of CSI in files.
 */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Identifier } from "../../protocols/domain/site.ts"
import { untilStopped } from "./exit-status.ts"
import {
  channelFiles,
  existingFileArgument,
  filesOf,
  json,
  loaded,
  loop,
  rate,
  readable,
  serviceUrl,
  Speed,
  speed,
  to,
  toggle,
  untilEnd,
  whileStdin,
} from "./flags.ts"

const replayCommand = Command.make(
  "replay",
  {
    files: existingFileArgument("files").pipe(Argument.variadic({ min: 1 })),
    speed,
    loop,
    rate,
    to,
    ...channelFiles,
    whileStdin,
  },
  Effect.fn(function* ({ files, loop, rate, speed, to, whileStdin, ...channel }) {
    const { playReplay } = yield* loaded(() => import("../commands/replay-command.ts"))
    const options = { files, loop, rateHz: Option.getOrNull(rate), speed, to, ...filesOf(channel) }
    yield* untilStopped(untilEnd(whileStdin, playReplay(options)))
  }),
).pipe(Command.withDescription("Send recordings to a running service"))

const inspectCommand = Command.make(
  "inspect",
  {
    file: readable("file", "A capture of any known format; - reads stdin"),
    json,
    rate,
    png: Flag.File("png").pipe(
      Flag.withDescription("File for a picture: amplitude by subcarrier, and Doppler spectrogram"),
      Flag.optional,
    ),
  },
  Effect.fn(function* ({ file, json, png, rate }) {
    const { inspect } = yield* loaded(() => import("../commands/inspect-command.ts"))
    yield* inspect({ file, json, png: Option.getOrNull(png), rateHz: Option.getOrNull(rate) })
  }),
).pipe(Command.withDescription("Describe a capture and what it can support"))

const makeCommand = Command.make(
  "make",
  {
    file: Argument.File("file").pipe(Argument.withDescription("A new file, e.g. kitchen-empty.wavepose")),
    listen: Flag.String("listen").pipe(
      Flag.withDescription("Address that the nodes send to, host:port"),
      Flag.withDefault("0.0.0.0:5005"),
    ),
    forward: Flag.String("forward").pipe(
      Flag.withDescription("Also send every datagram to a running service, host:port of its datagrams"),
      Flag.optional,
    ),
    service: toggle("service", "Record what a running service receives from all its sources, as an administrator"),
    url: serviceUrl,
    grpc: Flag.String("grpc").pipe(
      Flag.withDescription("With --service: gRPC edge of a node, grpc://host:port"),
      Flag.withDefault("grpc://127.0.0.1:50051"),
    ),
    ...channelFiles,
    environment: Flag.String("environment").pipe(
      Flag.withSchema(Identifier),
      Flag.withDescription("Name of the room; with --service its id, not needed if there is one room"),
      Flag.optional,
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
  Effect.fn(function* ({ file, forward, grpc, json, label, listen, note, seconds, service, url, ...options }) {
    const { record } = yield* loaded(() => import("../commands/record-command.ts"))
    const environmentId = Option.getOrNull(options.environment)
    const recorded = record({
      file,
      json,
      from: service
        ? { kind: "service", url, environmentId, to: grpc, ...filesOf(options) }
        : { kind: "datagrams", listen, environmentId, forward: Option.getOrNull(forward) },
      label: Option.getOrNull(label),
      note: Option.getOrNull(note),
      seconds: Option.getOrNull(seconds),
    })
    yield* untilStopped(recorded)
  }),
).pipe(Command.withDescription("Record sensing nodes to a file, with labels"))

const convertCommand = Command.make(
  "convert",
  {
    file: existingFileArgument("file").pipe(Argument.withDescription("A recording of any known format")),
    output: Argument.File("output").pipe(Argument.withDescription("A file that ends with .npz")),
    router: Flag.String("router").pipe(Flag.withDescription("Only this router; default the busiest"), Flag.optional),
    rate,
    json,
  },
  Effect.fn(function* ({ rate, router, ...options }) {
    const { convert } = yield* loaded(() => import("../commands/convert-command.ts"))
    yield* convert({ ...options, routerId: Option.getOrNull(router), rateHz: Option.getOrNull(rate) })
  }),
).pipe(Command.withDescription("Write the CSI of one link of a recording as NumPy arrays"))

export const recordingCommand = Command.make("recording").pipe(
  Command.withDescription("Record, replay, inspect and convert captures of CSI"),
  Command.withSubcommands([makeCommand, replayCommand, inspectCommand, convertCommand]),
)
