/**
 * The command line of `sim`: the simulator.
 */
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { serviceAddress } from "../settings/destination.ts"
import { untilStopped } from "./exit-status.ts"
import { channelFiles, filesOf, json, loaded, Seed, seed, sites, Speed, untilEnd, whileStdin } from "./flags.ts"

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
    ...channelFiles,
    json,
    whileStdin,
  },
  Effect.fn(function* ({ json, scenario, seconds, seed, speed, to, whileStdin, ...channel }) {
    const options = {
      scenario,
      seed: Option.getOrNull(seed),
      speed: Option.getOrNull(speed),
      seconds: Option.getOrNull(seconds),
      to,
      ...filesOf(channel),
      json,
    }
    const { runSimulation } = yield* loaded(() => import("../commands/sim-command.ts"))
    const simulation = untilEnd(whileStdin, runSimulation(options))
    yield* serviceAddress(to) === null ? simulation : untilStopped(simulation)
  }),
).pipe(Command.withDescription("Simulate a scenario and send its CSI to a running service, or write it to a file"))

const simSite = Command.make(
  "site",
  { scenario, seed },
  Effect.fn(function* ({ scenario, seed }) {
    const { printSites } = yield* loaded(() => import("../commands/sim-command.ts"))
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
    folder: Argument.Directory("folder").pipe(Argument.withDescription("Output folder, one file per person and scene")),
    firstSeed: Flag.Int("first-seed").pipe(
      Flag.withSchema(Seed),
      Flag.withDescription("First seed"),
      Flag.withDefault(1),
    ),
    lastSeed: Flag.Int("last-seed").pipe(
      Flag.withSchema(Seed),
      Flag.withDescription("Last seed"),
      Flag.withDefault(600),
    ),
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
    json,
  },
  Effect.fn(function* ({ site, ...options }) {
    const { writeTrainingData } = yield* loaded(() => import("../commands/training-data-command.ts"))
    yield* writeTrainingData({ ...options, siteFiles: site })
  }),
).pipe(Command.withDescription("Simulate scenes and write the training data of the pose network"))

export const simCommand = Command.make("sim").pipe(
  Command.withDescription("Simulate rooms, people and their Wi-Fi"),
  Command.withSubcommands([simRun, simSite, trainingData]),
)
