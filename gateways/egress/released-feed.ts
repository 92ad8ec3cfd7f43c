/**
 * The edge hub: one stream per edge node and runner, whatever the number of ways out that read it. It answers `EdgeFeed`.
 *
 * Owns the subscriptions to the EdgeNode actors: opened when the first way out watches, kept for `idleTtl` after the last one, opened
 * again with back-off when an actor moves or its runner dies; who is enrolled later is followed within `lookMs`. Invariant: nothing
 * leaves this file that `release` has not let through.
 */
import { Cause, Effect, Exit, FiberMap, Layer, RcRef, Schedule, Stream } from "effect"
import type { Sharding } from "effect/cluster"
import type { EdgeRecord } from "../../protocols/domain/sensing.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { EdgeFeed } from "../../protocols/ports/edge-feed.ts"
import { EdgeNode } from "../../protocols/messages/edge-node.ts"
import { type LatestRecords, makeLatestRecords } from "./latest-records.ts"
import { release } from "./release.ts"

const idleTtl = "5 seconds"
/** How often the directory is asked who is enrolled. */
const lookMs = 5_000
/** A subscription that brings nothing for this long is opened anew: a living node says something every 5 s. */
const silence = "12 seconds"
const backOffMsMin = 50
const backOffMsMax = 5_000
/** Nodes that are followed; further ones are left out and logged. */
const nodesMax = 4096
const latestTimeout = "3 seconds"
const askedAtOnceMax = 16

type Client = Effect.Success<typeof EdgeNode.client>

/** Follows a node wherever it goes, until the fiber is interrupted. */
const keepFollowing = Effect.fnUntraced(function* (client: Client, nodeId: string, newest: LatestRecords) {
  let backOffMs = backOffMsMin
  while (true) {
    let heard = false
    const follow = client(nodeId).Subscribe().pipe(
      Stream.timeout(silence),
      Stream.runForEach((record) =>
        Effect.sync(() => {
          heard = true
          newest.put(record)
        })
      ),
    )
    const exit = yield* Effect.exit(follow)
    if (Exit.isFailure(exit)) {
      yield* Effect.logDebug(`the stream of edge node ${nodeId} broke; it is opened again`, exit.cause)
    }
    backOffMs = heard ? backOffMsMin : Math.min(2 * backOffMs, backOffMsMax)
    yield* Effect.sleep(backOffMs)
  }
})

/** The nodes of the directory, followed for as long as the scope is open. */
const followAll = Effect.fnUntraced(function* (client: Client, directory: Directory["Service"]) {
  const newest = makeLatestRecords()
  const fibers = yield* FiberMap.make<string>()
  const followed = new Set<string>()
  const look = Effect.gen(function* () {
    const routers = yield* directory.routers
    if (routers.length > nodesMax) {
      yield* Effect.logWarning(`${routers.length - nodesMax} edge nodes are left out: ${nodesMax} are followed`)
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
  }).pipe(Effect.catch((error) => Effect.logWarning("the edge nodes cannot be looked up", error.message)))
  yield* look
  yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(lookMs)))
  return newest
})

/** What a node says now; nothing when it does not answer. */
const ask = (client: Client, nodeId: string): Effect.Effect<ReadonlyArray<EdgeRecord>> =>
  client(nodeId).Latest().pipe(
    Effect.timeout(latestTimeout),
    Effect.map((record) => [record]),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause as Cause.Cause<never>)
        : Effect.as(Effect.logDebug(`edge node ${nodeId} did not answer`, cause), [])
    ),
  )

const make = Effect.gen(function* () {
  const directory = yield* Directory
  const client = yield* EdgeNode.client
  const following = yield* RcRef.make({ idleTimeToLive: idleTtl, acquire: followAll(client, directory) })
  return EdgeFeed.of({
    watch: (destination) =>
      Stream.unwrap(Effect.map(RcRef.get(following), ({ watch }) => watch)).pipe(
        Stream.mapEffect((record) => release(record, destination)),
      ),
    current: Effect.fnUntraced(function* (destination) {
      const routers = yield* directory.routers
      const ids = routers.map(({ routerId }) => routerId).slice(0, nodesMax).sort()
      const records = yield* Effect.forEach(ids, (nodeId) => ask(client, nodeId), { concurrency: askedAtOnceMax })
      return yield* Effect.forEach(records.flat(), (record) => release(record, destination))
    }),
  })
})

/** The feed of this runner. */
export const layerReleasedFeed: Layer.Layer<EdgeFeed, never, Directory | Sharding.Sharding> = Layer.effect(
  EdgeFeed,
  make,
)
