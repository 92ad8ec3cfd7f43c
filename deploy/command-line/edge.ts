/**
 * The command line of `edge`: processes that publish the records of edge nodes.
 */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import type { ChannelFiles } from "../settings/destination.ts"
import { untilStopped } from "./exit-status.ts"
import { channelFiles, filesOf, loaded, untilEnd, whileStdin } from "./flags.ts"

/** The command of an egress process, which reads edge records from a node of the service. */
const egressCommand = <Name extends string, E, R>(
  name: Name,
  description: string,
  load: () => Promise<
    (options: ChannelFiles & { readonly from: string }) => Effect.Effect<void, E, R>
  >,
) =>
  Command.make(
    name,
    {
      from: Flag.String("from").pipe(
        Flag.withDescription("gRPC edge of a node, grpc://host:port; the API key is read from WAVEPOSE_API_KEY"),
        Flag.withDefault("grpc://127.0.0.1:50051"),
      ),
      ...channelFiles,
      whileStdin,
    },
    Effect.fn(function* ({ from, whileStdin, ...files }) {
      const run = yield* loaded(load)
      yield* untilStopped(untilEnd(whileStdin, run({ from, ...filesOf(files) })))
    }),
  ).pipe(Command.withDescription(description))

const bridgeCommand = egressCommand(
  "bridge",
  "Serve the records of edge nodes over HTTP, behind the privacy gate",
  async () => (await import("../commands/bridge-command.ts")).runBridge,
)

const mqttCommand = egressCommand(
  "mqtt",
  "Publish the records of edge nodes to the broker of WAVEPOSE_MQTT_URL, behind the privacy gate",
  async () => (await import("../commands/mqtt-command.ts")).runMqtt,
)

export const edgeCommand = Command.make("edge").pipe(
  Command.withDescription("Publish the records of edge nodes, behind the privacy gate"),
  Command.withSubcommands([bridgeCommand, mqttCommand]),
)
