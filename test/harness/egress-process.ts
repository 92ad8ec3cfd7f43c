/**
 * An egress process: reads the records of one node of a class from the edge hub for a destination, and exits like every process of
 * `wavepose`. Arguments: the destination and the class.
 */
import { Effect, Layer, Stream } from "effect"
import { destinations } from "../../core/privacy/privacy-class.ts"
import { runProcess } from "../../deploy/command-line/exit-status.ts"
import { layerReleasedFeed } from "../../gateways/egress/released-feed.ts"
import { EdgeFeed } from "../../protocols/ports/edge-feed.ts"
import { EdgeNodesDouble } from "../gateways/egress/nodes.ts"
import { clusterLayer } from "./cluster.ts"
import { edgeRecord } from "./edge-records.ts"

const destination = destinations.find((one) => one === process.argv[2])!
const privacyClass = ([0, 1, 2, 3] as const).find((one) => String(one) === process.argv[3])!
const nodes = new EdgeNodesDouble(edgeRecord("kitchen", { privacyClass }))

Effect.gen(function* () {
  const released = yield* Stream.runHead((yield* EdgeFeed).watch(destination))
  console.log(released._tag === "Some" ? "released" : "nothing")
}).pipe(
  Effect.provide(layerReleasedFeed.pipe(
    Layer.provide(nodes.directory()),
    Layer.provide(nodes.layer()),
    Layer.provide(clusterLayer),
  )),
  (program) => runProcess(program, "text"),
)
