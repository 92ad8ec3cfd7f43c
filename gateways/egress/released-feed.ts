/**
 * Implements `EdgeFeed` and `EdgeVerdicts` in the service: one stream per edge node and runner, whatever the number of egresses that read it.
 *
 * Owns the subscriptions to the EdgeNode actors. The first watching egress opens them. They stay open for `idleTtl` after the last one, and
 * are opened again with back-off when an actor moves or its runner fails. Nodes that are enrolled later are followed within
 * `directoryPollMs`. Invariant: every record that leaves this file went through `release.ts`.
 */
import { Cause, Context, Effect, Exit, FiberMap, Layer, RcRef, Schedule, Stream } from "effect"
import type { Sharding } from "effect/cluster"
import type { EdgeRecord } from "../../protocols/domain/sensing.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { EdgeFeed, EdgeVerdicts } from "../../protocols/ports/edge-feed.ts"
import { EdgeNode } from "../../protocols/messages/edge-node.ts"
import { type LatestRecords, makeLatestRecords } from "./latest-records.ts"
import { release, verdictOf } from "./release.ts"

const idleTtl = "5 seconds"
/** How often the directory is read for enrolled nodes. */
const directoryPollMs = 5_000
/** A subscription without a record for this long is opened again: a connected node reports every 5 s. */
const silence = "12 seconds"
const backOffMsMin = 50
const backOffMsMax = 5_000
/** Maximum number of nodes that are followed. Further nodes are left out, which is logged. */
const nodesMax = 4096
const latestTimeout = "3 seconds"
const askedAtOnceMax = 16

type Client = Effect.Success<typeof EdgeNode.client>

/** Follows a node over moves and restarts of its actor, until the fiber is interrupted. */
const keepFollowing = Effect.fnUntraced(function* (client: Client, nodeId: string, newest: LatestRecords) {
  let backOffMs = backOffMsMin
  while (true) {
    let received = false
    const follow = client(nodeId).Subscribe().pipe(
      Stream.timeout(silence),
      Stream.runForEach((record) =>
        Effect.sync(() => {
          received = true
          newest.put(record)
        })
      ),
    )
    const exit = yield* Effect.exit(follow)
    if (Exit.isFailure(exit)) {
      yield* Effect.logDebug(`edge node stream failed, opening it again node=${nodeId}`, exit.cause)
    }
    backOffMs = received ? backOffMsMin : Math.min(2 * backOffMs, backOffMsMax)
    yield* Effect.sleep(backOffMs)
  }
})

/** Follows the nodes of the directory while the scope is open. */
const followAll = Effect.fnUntraced(function* (client: Client, directory: Directory["Service"]) {
  const newest = makeLatestRecords()
  const fibers = yield* FiberMap.make<string>()
  const followed = new Set<string>()
  const syncNodes = Effect.gen(function* () {
    const routers = yield* directory.routers
    if (routers.length > nodesMax) {
      yield* Effect.logWarning(
        `too many edge nodes, leaving some out followed=${nodesMax} left_out=${routers.length - nodesMax}`,
      )
    }
    const enrolled = new Set(routers.slice(0, nodesMax).map(({ routerId }) => routerId))
    for (const nodeId of followed) {
      if (enrolled.has(nodeId)) continue
      followed.delete(nodeId)
      newest.forget(nodeId)
      yield* FiberMap.remove(fibers, nodeId)
    }
    for (const nodeId of enrolled) {
      followed.add(nodeId)
      yield* FiberMap.run(fibers, nodeId, keepFollowing(client, nodeId, newest), { onlyIfMissing: true })
    }
  }).pipe(
    Effect.catch((error) =>
      Effect.logWarning("cannot read the edge nodes from the directory, trying again", error.message)
    ),
  )
  yield* syncNodes
  yield* Effect.forkScoped(Effect.repeat(syncNodes, Schedule.spaced(directoryPollMs)))
  return newest
})

/** The newest record of a node; empty if the node does not answer. */
const ask = (client: Client, nodeId: string): Effect.Effect<ReadonlyArray<EdgeRecord>> =>
  client(nodeId).Latest().pipe(
    Effect.timeout(latestTimeout),
    Effect.map((record) => [record]),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause as Cause.Cause<never>)
        : Effect.as(Effect.logDebug(`edge node did not answer node=${nodeId}`, cause), [])
    ),
  )

const make = Effect.gen(function* () {
  const directory = yield* Directory
  const client = yield* EdgeNode.client
  const following = yield* RcRef.make({ idleTimeToLive: idleTtl, acquire: followAll(client, directory) })
  const watch = Stream.unwrap(Effect.map(RcRef.get(following), ({ watch }) => watch))
  const current = Effect.gen(function* () {
    const routers = yield* directory.routers
    const ids = routers.map(({ routerId }) => routerId).slice(0, nodesMax).sort()
    return (yield* Effect.forEach(ids, (nodeId) => ask(client, nodeId), { concurrency: askedAtOnceMax })).flat()
  })
  const feed = EdgeFeed.of({
    watch: (destination) => Stream.mapEffect(watch, (record) => release(record, destination)),
    current: (destination) => Effect.flatMap(current, Effect.forEach((record) => release(record, destination))),
  })
  return Context.make(EdgeFeed, feed).pipe(Context.add(EdgeVerdicts, {
    watch: (destination) => Stream.mapEffect(watch, (record) => verdictOf(record, destination)),
    current: (destination) => Effect.flatMap(current, Effect.forEach((record) => verdictOf(record, destination))),
  }))
})

/** The feeds of this runner. */
export const layerReleasedFeed: Layer.Layer<EdgeFeed | EdgeVerdicts, never, Directory | Sharding.Sharding> = Layer
  .effectContext(make)
