/**
 * The command line of `node`: sensing nodes, their keys, and live sources that this machine relays.
 */
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Identifier } from "../../protocols/domain/site.ts"
import { untilStopped } from "./exit-status.ts"
import { channelFiles, filesOf, json, loaded, readable, serviceUrl, to, toggle } from "./flags.ts"
import type { NodeDecision } from "../commands/node-command.ts"

const decided = {
  node: Argument.String("node").pipe(Argument.withSchema(Identifier), Argument.withDescription("Id of the node")),
  url: serviceUrl,
  json,
}

const decide = (decision: NodeDecision) =>
  Effect.fn(function* ({ node, reason = Option.none(), ...options }: {
    readonly node: string
    readonly reason?: Option.Option<string>
    readonly url: string
    readonly json: boolean
  }) {
    const { decideNode } = yield* loaded(() => import("../commands/node-command.ts"))
    yield* decideNode({ ...options, decision, nodeId: node, reason: Option.getOrNull(reason) })
  })

const decisionCommand = (decision: "enrol" | "release", description: string) =>
  Command.make(decision, decided, decide(decision)).pipe(Command.withDescription(description))

const reason = Flag.String("reason").pipe(Flag.withDescription("Reason, stored with the decision"), Flag.optional)

const decisionWithReason = (decision: "revoke" | "quarantine", description: string) =>
  Command.make(decision, { ...decided, reason }, decide(decision)).pipe(Command.withDescription(description))

const addCommand = Command.make(
  "add",
  {
    node: Argument.String("node").pipe(
      Argument.withSchema(Identifier),
      Argument.withDescription("Id of the node: node-N for number N of an ESP32"),
    ),
    environment: Flag.String("environment").pipe(
      Flag.withSchema(Identifier),
      Flag.withDescription("Its room, which is created if it does not exist"),
      Flag.withDefault("home"),
    ),
    unsigned: toggle("unsigned", "Create no key: for firmware that cannot sign"),
    waitOnly: toggle("wait-only", "Only wait for a node that is enrolled already"),
    timeout: Flag.Finite("timeout").pipe(
      Flag.withSchema(Schema.Finite.check(Schema.isGreaterThan(0))),
      Flag.withDescription("Seconds to wait until the node is heard"),
      Flag.withDefault(600),
    ),
    url: serviceUrl,
    json,
  },
  Effect.fn(function* ({ environment, node, timeout, unsigned, ...options }) {
    const { addNode } = yield* loaded(() => import("../commands/add-node-command.ts"))
    yield* addNode({ ...options, nodeId: node, environmentId: environment, signed: !unsigned, timeoutS: timeout })
  }),
).pipe(Command.withDescription("Enrol a node, print the settings of its firmware, and wait until it is heard"))

const serialCommand = Command.make(
  "serial",
  {
    path: readable("path", "A serial device (set its speed with stty), a pipe, or a file; - reads stdin"),
    router: Flag.String("router").pipe(
      Flag.withSchema(Identifier),
      Flag.withDescription("Router id of the device, as in a site file"),
    ),
    to,
    ...channelFiles,
  },
  Effect.fn(function* ({ path, router, to, ...channel }) {
    const { playSerial } = yield* loaded(() => import("../commands/replay-command.ts"))
    yield* untilStopped(playSerial({ path, routerId: router, to, ...filesOf(channel) }))
  }),
).pipe(Command.withDescription("Send the CSI of a device on a serial line to a running service, live"))

const signCommand = Command.make(
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
    const { signDatagrams } = yield* loaded(() => import("../commands/sign-command.ts"))
    yield* untilStopped(signDatagrams(options))
  }),
).pipe(Command.withDescription("Sign a device's datagrams with the key in WAVEPOSE_NODE_KEY and forward them"))

export const nodeCommand = Command.make("node").pipe(
  Command.withDescription("Manage the sensing nodes that send datagrams to a running service"),
  Command.withSubcommands([
    addCommand,
    Command.make(
      "list",
      { url: serviceUrl, json },
      Effect.fn(function* (options) {
        const { listNodes } = yield* loaded(() => import("../commands/node-command.ts"))
        yield* listNodes(options)
      }),
    ).pipe(Command.withDescription("List the nodes and whether their datagrams are signed")),
    decisionCommand("enrol", "Create a key for a node and print it; from then on its unsigned datagrams are rejected"),
    decisionWithReason("revoke", "Delete a node's keys and reject its datagrams"),
    decisionWithReason("quarantine", "Count and drop a node's datagrams"),
    decisionCommand("release", "Accept a node's datagrams, signed if it has a key"),
    serialCommand,
    signCommand,
  ]),
)
