/**
 * The command line of edge nodes: `bridge` and `mqtt` publish their records, `nodes` and `sign` concern their identity, `site` their
 * environments.
 */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Identifier } from "../../protocols/domain/site.ts"
import { ca, json, loaded, serviceUrl, untilEnd, whileStdin } from "./flags.ts"
import type { NodeDecision } from "./nodes-command.ts"

/** The command of an egress process, which reads edge records from a node of the service. */
const egressCommand = <Name extends string, E, R>(
  name: Name,
  description: string,
  load: () => Promise<
    (options: { readonly from: string; readonly caFile: string | null }) => Effect.Effect<void, E, R>
  >,
) =>
  Command.make(
    name,
    {
      from: Flag.String("from").pipe(
        Flag.withDescription("gRPC edge of a node, grpc://host:port; the API key is read from WAVEPOSE_API_KEY"),
        Flag.withDefault("grpc://127.0.0.1:50051"),
      ),
      ca,
      whileStdin,
    },
    Effect.fn(function* ({ ca, from, whileStdin }) {
      const run = yield* loaded(load)
      yield* untilEnd(whileStdin, run({ from, caFile: Option.getOrNull(ca) }))
    }),
  ).pipe(Command.withDescription(description))

export const bridgeCommand = egressCommand(
  "bridge",
  "Serve the records of edge nodes over HTTP, behind the privacy gate",
  async () => (await import("./bridge-command.ts")).runBridge,
)

export const mqttCommand = egressCommand(
  "mqtt",
  "Publish the records of edge nodes to the broker of WAVEPOSE_MQTT_URL, behind the privacy gate",
  async () => (await import("./mqtt-command.ts")).runMqtt,
)

const nodeCommand = (decision: NodeDecision, description: string) =>
  Command.make(
    decision,
    {
      node: Argument.String("node").pipe(Argument.withSchema(Identifier), Argument.withDescription("Id of the node")),
      reason: Flag.String("reason").pipe(Flag.withDescription("Reason, stored with the decision"), Flag.optional),
      url: serviceUrl,
    },
    Effect.fn(function* ({ node, reason, url }) {
      const { decideNode } = yield* loaded(() => import("./nodes-command.ts"))
      yield* decideNode({ decision, nodeId: node, reason: Option.getOrNull(reason), url })
    }),
  ).pipe(Command.withDescription(description))

export const nodesCommand = Command.make("nodes").pipe(
  Command.withDescription("Manage the sensing nodes that send datagrams to a running service"),
  Command.withSubcommands([
    Command.make(
      "list",
      { url: serviceUrl, json },
      Effect.fn(function* (options) {
        const { listNodes } = yield* loaded(() => import("./nodes-command.ts"))
        yield* listNodes(options)
      }),
    ).pipe(Command.withDescription("List the nodes and whether their datagrams are signed")),
    nodeCommand("enrol", "Create a key for a node and print it; from then on its unsigned datagrams are rejected"),
    nodeCommand("revoke", "Delete a node's keys and reject its datagrams"),
    nodeCommand("quarantine", "Count and drop a node's datagrams"),
    nodeCommand("release", "Accept a node's datagrams, signed if it has a key"),
  ]),
)

export const signCommand = Command.make(
  "sign",
  {
    listen: Flag.String("listen").pipe(
      Flag.withDescription("Address that the device sends to, host:port"),
      Flag.withDefault("127.0.0.1:5006"),
    ),
    to: Flag.String("to").pipe(
      Flag.withDescription("Datagram port of the service, host:port"),
      Flag.withDefault("127.0.0.1:5005"),
    ),
  },
  Effect.fn(function* (options) {
    const { signDatagrams } = yield* loaded(() => import("./sign-command.ts"))
    yield* signDatagrams(options)
  }),
).pipe(Command.withDescription("Sign a device's datagrams with the key in WAVEPOSE_NODE_KEY and forward them"))

export const siteCommand = Command.make("site").pipe(
  Command.withDescription("Manage the environments that are enrolled in a running service"),
  Command.withSubcommands([
    Command.make(
      "list",
      { url: serviceUrl, json },
      Effect.fn(function* (options) {
        const { listSites } = yield* loaded(() => import("./site-command.ts"))
        yield* listSites(options)
      }),
    ).pipe(Command.withDescription("List the environments, what enrolled each, and which are active")),
    Command.make(
      "show",
      { environmentId: Argument.String("environment").pipe(Argument.withSchema(Identifier)), url: serviceUrl, json },
      Effect.fn(function* (options) {
        const { showSite } = yield* loaded(() => import("./site-command.ts"))
        yield* showSite(options)
      }),
    ).pipe(Command.withDescription("Print one with its geometry and zones")),
    Command.make(
      "add",
      {
        file: Argument.File("file", { mustExist: true }).pipe(
          Argument.withDescription("A JSON file with an environment, its geometry and its routers, or a list of them"),
        ),
        url: serviceUrl,
      },
      Effect.fn(function* (options) {
        const { addSites } = yield* loaded(() => import("./site-command.ts"))
        yield* addSites(options)
      }),
    ).pipe(Command.withDescription("Create the environments of a site file, without a restart of the service")),
    Command.make(
      "remove",
      {
        environmentId: Argument.String("environment").pipe(Argument.withSchema(Identifier)),
        url: serviceUrl,
        dropHistory: Flag.Boolean("drop-history").pipe(
          Flag.withDescription("Also delete its frames, events, tracks and reports"),
          Flag.withDefault(false),
        ),
        yes: Flag.Boolean("yes").pipe(Flag.withDescription("Do not ask for confirmation"), Flag.withDefault(false)),
      },
      Effect.fn(function* (options) {
        const { removeSite } = yield* loaded(() => import("./site-command.ts"))
        yield* removeSite(options)
      }),
    ).pipe(Command.withDescription("Remove an environment with its routers")),
  ]),
)
