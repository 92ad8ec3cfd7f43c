/**
 * The EdgeSite actor of one environment: the records of its edge nodes, which are on its node, as one stream.
 *
 * It has no state. Invariant: a reader gets every record or a newer one of the same node; a node whose stream fails ends the stream of the
 * site, so that the reader opens it again.
 */
import { Effect, Queue, Schedule, Stream } from "effect"
import { StoreUnavailable } from "../../protocols/domain/failure.ts"
import type { EdgeRecord } from "../../protocols/domain/sensing.ts"
import { EdgeNode, EdgeSite } from "../../protocols/messages/edge-node.ts"
import { entityOptions } from "../runtime/supervision.ts"

/** Time in which records are gathered: the routers of a site end a hop within a few milliseconds of each other. */
const gatherMs = 20
/** Interval of attempts to read a node that is not enrolled yet, or no longer. */
const askAgain = "2 seconds"

const build = Effect.gen(function* () {
  const client = yield* EdgeNode.client
  const records = Effect.fnUntraced(function* (nodeIds: ReadonlyArray<string>) {
    const newest = new Map<string, EdgeRecord>()
    const wake = yield* Queue.sliding<void>(1)
    const put = (record: EdgeRecord) =>
      Effect.sync(() => {
        newest.set(record.nodeId, record)
        Queue.offerUnsafe(wake, undefined)
      })
    const follow = Effect.forEach(
      nodeIds,
      (nodeId) =>
        Effect.retry(Stream.runForEach(client(nodeId).Subscribe(), put), {
          while: ({ _tag }) => _tag === "UnknownRouter",
          schedule: Schedule.spaced(askAgain),
        }).pipe(Effect.mapError((error) => new StoreUnavailable({ message: `${nodeId}: ${error.message}` }))),
      { concurrency: "unbounded", discard: true },
    )
    const gathered = Effect.gen(function* () {
      yield* Queue.take(wake)
      yield* Effect.sleep(gatherMs)
      const taken = [...newest.values()]
      newest.clear()
      return taken
    })
    const elements = Stream.filter(Stream.fromEffectRepeat(gathered), (taken) => taken.length > 0)
    return Stream.merge(elements, Stream.drain(Stream.fromEffect(follow)), { haltStrategy: "either" })
  })
  return EdgeSite.of({
    Records: ({ payload: { nodeIds } }) => Stream.unwrap(records(nodeIds)),
  })
})

/** The EdgeSite actors of this node. */
export const layerEdgeSite = EdgeSite.toLayer(build, { ...entityOptions, concurrency: "unbounded" })
