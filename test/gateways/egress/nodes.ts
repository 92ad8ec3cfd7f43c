/** Edge nodes as doubles of their actors: what they say is what the test puts. */
import { Effect, Layer, PubSub, Stream } from "effect"
import { layerEdgeSite } from "../../../actors/edge/edge-site-entity.ts"
import { UnknownRouter } from "../../../protocols/domain/failure.ts"
import type { EdgeRecord } from "../../../protocols/domain/sensing.ts"
import { Directory } from "../../../protocols/ports/directory.ts"
import { EdgeNode } from "../../../protocols/messages/edge-node.ts"

export class EdgeNodesDouble {
  readonly #records = new Map<string, EdgeRecord>()
  readonly #said = Effect.runSync(PubSub.unbounded<EdgeRecord>())
  /** Subscriptions that were ever opened. */
  subscriptions = 0

  constructor(...records: ReadonlyArray<EdgeRecord>) {
    for (const record of records) this.say(record)
  }

  /** Publishes a record of a node. */
  say(record: EdgeRecord): void {
    this.#records.set(record.nodeId, record)
    PubSub.publishUnsafe(this.#said, record)
  }

  /** Every node but that, from the next look at the directory on. */
  withdraw(nodeId: string): void {
    this.#records.delete(nodeId)
  }

  readonly #latest = (nodeId: string) => {
    const record = this.#records.get(nodeId)
    return record === undefined ? Effect.fail(UnknownRouter.of(nodeId)) : Effect.succeed(record)
  }

  /** The actors. */
  layer() {
    return Layer.provideMerge(layerEdgeSite, this.#nodes())
  }

  #nodes() {
    return EdgeNode.toLayer(
      Effect.succeed(EdgeNode.of({
        Report: () => Effect.void,
        Latest: ({ address }) => this.#latest(address.entityId),
        Registry: ({ address }) => Effect.map(this.#latest(address.entityId), ({ entry }) => entry),
        Subscribe: ({ address }) =>
          Stream.unwrap(Effect.gen({ self: this }, function* () {
            this.subscriptions++
            const said = yield* PubSub.subscribe(this.#said)
            const first = yield* this.#latest(address.entityId)
            return Stream.concat(
              Stream.succeed(first),
              Stream.filter(Stream.fromSubscription(said), ({ nodeId }) => nodeId === address.entityId),
            )
          })),
      })),
      { concurrency: "unbounded" },
    )
  }

  /** A directory in which these nodes are enrolled. */
  directory(): Layer.Layer<Directory> {
    const none = Effect.die("not asked for")
    return Layer.succeed(Directory, {
      environments: Effect.succeed([]),
      routers: Effect.sync(() =>
        [...this.#records.keys()].sort().map((routerId) => ({ routerId, environmentId: "home" }))
      ),
      environment: () => none,
      environmentOf: () => none,
      enrol: () => none,
    })
  }
}
