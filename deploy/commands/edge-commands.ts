/**
 * The command line of the edge: `bridge` and `mqtt`, by which what nodes say leaves; `nodes` and `sign`, by which nodes prove who they are.
 */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Identifier } from "../../protocols/domain/site.ts"
import { ca, json, loaded, serviceUrl, untilEnd, whileStdin } from "./flags.ts"
import type { NodeDecision } from "./nodes-command.ts"

/** A process by which what nodes say leaves, fed by a node of the service. */
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
        Flag.withDescription("grpc://host:port of a node, with an API key in WAVEPOSE_API_KEY"),
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
  "Serve what edge nodes say over HTTP, behind the privacy gate",
  async () => (await import("./bridge-command.ts")).runBridge,
)

export const mqttCommand = egressCommand(
  "mqtt",
  "Publish what edge nodes say to the broker of WAVEPOSE_MQTT_URL, behind the privacy gate",
  async () => (await import("./mqtt-command.ts")).runMqtt,
)

const nodeCommand = (decision: NodeDecision, description: string) =>
  Command.make(
    decision,
    {
      node: Argument.String("node").pipe(Argument.withSchema(Identifier), Argument.withDescription("The node's id")),
      reason: Flag.String("reason").pipe(Flag.withDescription("Why, for whoever looks later"), Flag.optional),
      url: serviceUrl,
    },
    Effect.fn(function* ({ node, reason, url }) {
      const { decideNode } = yield* loaded(() => import("./nodes-command.ts"))
      yield* decideNode({ decision, nodeId: node, reason: Option.getOrNull(reason), url })
    }),
  ).pipe(Command.withDescription(description))

export const nodesCommand = Command.make("nodes").pipe(
  Command.withDescription("The sensing nodes that send datagrams to a running service"),
  Command.withSubcommands([
    Command.make(
      "list",
      { url: serviceUrl, json },
      Effect.fn(function* (options) {
        const { listNodes } = yield* loaded(() => import("./nodes-command.ts"))
        yield* listNodes(options)
      }),
    ).pipe(Command.withDescription("Print them, and whether they prove who they are")),
    nodeCommand("enrol", "Give a node a key and print it; from now on only what it signs is taken"),
    nodeCommand("revoke", "Destroy a node's keys and refuse what it sends"),
    nodeCommand("quarantine", "Count and drop what a node sends"),
    nodeCommand("release", "Take what a node sends, signed if it has a key"),
  ]),
)

export const signCommand = Command.make(
  "sign",
  {
    listen: Flag.String("listen").pipe(
      Flag.withDescription("Where the device sends to, host:port"),
      Flag.withDefault("127.0.0.1:5006"),
    ),
    to: Flag.String("to").pipe(
      Flag.withDescription("The service's port for datagrams, host:port"),
      Flag.withDefault("127.0.0.1:5005"),
    ),
  },
  Effect.fn(function* (options) {
    const { signDatagrams } = yield* loaded(() => import("./sign-command.ts"))
    yield* signDatagrams(options)
  }),
).pipe(Command.withDescription("Sign a device's datagrams with the key in WAVEPOSE_NODE_KEY and send them on"))

export const siteCommand = Command.make("site").pipe(
  Command.withDescription("The environments that are enrolled in a running service"),
  Command.withSubcommands([
    Command.make(
      "list",
      { url: serviceUrl, json },
      Effect.fn(function* (options) {
        const { listSites } = yield* loaded(() => import("./site-command.ts"))
        yield* listSites(options)
      }),
    ).pipe(Command.withDescription("Print them, what enrolled each, and which are active")),
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
          Flag.withDescription("Delete its frames, events, tracks and reports as well; without it they are kept"),
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
