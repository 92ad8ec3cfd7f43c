/** The edge hub: one stream per node for all egresses, and no record bypasses the gate. */
import { Effect, Layer, Queue, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { layerReleasedFeed } from "../../../gateways/egress/released-feed.ts"
import { makeLatestRecords } from "../../../gateways/egress/latest-records.ts"
import { EdgeFeed } from "../../../protocols/ports/edge-feed.ts"
import { clusterLayer } from "../../harness/cluster.ts"
import { edgeRecord, nowMs } from "../../harness/edge-records.ts"
import { EdgeNodesDouble } from "../egress/nodes.ts"

const withHub = <A, E>(nodes: EdgeNodesDouble, test: Effect.Effect<A, E, EdgeFeed>) =>
  test.pipe(
    Effect.provide(layerReleasedFeed.pipe(
      Layer.provide(nodes.directory()),
      Layer.provide(nodes.layer()),
      Layer.provide(clusterLayer),
    )),
    Effect.runPromise,
  )

/** The records that an egress receives, one at a time. */
const reader = Effect.fnUntraced(function* (feed: EdgeFeed["Service"], destination: "home" | "bridge") {
  const queue = yield* Queue.unbounded<string>()
  yield* Effect.forkScoped(
    Stream.runForEach(feed.watch(destination), ({ record }) => Queue.offer(queue, `${record.nodeId} ${record.seenMs}`)),
  )
  return Queue.take(queue)
})

describe("the released feed", () => {
  it("gives each egress first the newest record of every node, then all later ones, over one stream per node", async () => {
    const nodes = new EdgeNodesDouble(edgeRecord("a"), edgeRecord("b"))
    await withHub(
      nodes,
      Effect.scoped(Effect.gen(function* () {
        const feed = yield* EdgeFeed
        const [home, bridge] = [yield* reader(feed, "home"), yield* reader(feed, "bridge")]
        for (const next of [home, bridge]) {
          expect([yield* next, yield* next].sort()).toEqual([`a ${nowMs}`, `b ${nowMs}`])
        }
        nodes.say(edgeRecord("b", { seenMs: nowMs + 1 }))
        // The same again says nothing new.
        nodes.say(edgeRecord("b", { seenMs: nowMs + 1 }))
        nodes.say(edgeRecord("a", { seenMs: nowMs + 2 }))
        for (const next of [home, bridge]) {
          expect([yield* next, yield* next]).toEqual([`b ${nowMs + 1}`, `a ${nowMs + 2}`])
        }
        expect(nodes.subscriptions).toBe(2)
      })),
    )
  })

  it("returns the newest record of every node, released, ordered by id", () =>
    withHub(
      new EdgeNodesDouble(edgeRecord("b", { privacyClass: 3 }), edgeRecord("a")),
      Effect.gen(function* () {
        const current = yield* (yield* EdgeFeed).current("mqtt")
        expect(current.map(({ destination, record }) => [destination, record.nodeId])).toEqual([
          ["mqtt", "a"],
          ["mqtt", "b"],
        ])
        expect(current[1]!.record.sensing!.anomalyScore).toBeNull()
      }),
    ))

  it.each(["bridge", "mqtt", "home", "webhook", "grpc"] as const)(
    "ends %s with the first record of class raw or derived",
    (destination) =>
      withHub(
        new EdgeNodesDouble(edgeRecord("reported"), edgeRecord("untold", { privacyClass: 1 })),
        Effect.gen(function* () {
          const feed = yield* EdgeFeed
          const expected = { _tag: "ClassRefused", nodeId: "untold", refusal: { destination, privacyClass: 1 } }
          expect(yield* Effect.flip(Stream.runDrain(feed.watch(destination)))).toMatchObject(expected)
          expect(yield* Effect.flip(feed.current(destination))).toMatchObject(expected)
        }),
      ),
  )
})

it("drops only superseded records of a slow reader", async () => {
  const newest = makeLatestRecords()
  const read = await Effect.runPromise(Effect.scoped(Effect.gen(function* () {
    const begun = yield* Queue.unbounded<string>()
    const mayGoOn = yield* Queue.unbounded<void>()
    newest.put(edgeRecord("a"))
    yield* Effect.forkScoped(
      Stream.runForEach(
        newest.watch,
        (record) =>
          Effect.andThen(Queue.offer(begun, `${record.nodeId} ${record.seenMs - nowMs}`), Queue.take(mayGoOn)),
      ),
    )
    const first = yield* Queue.take(begun)
    for (let i = 1; i <= 1000; i++) newest.put(edgeRecord("a", { seenMs: nowMs + i }))
    newest.put(edgeRecord("b"))
    yield* Queue.offerAll(mayGoOn, [undefined, undefined])
    return [first, yield* Queue.take(begun), yield* Queue.take(begun)]
  })))
  expect(read).toEqual(["a 0", "a 1000", "b 0"])
})
