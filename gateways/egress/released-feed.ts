/**
 * Implements `EdgeFeed` and `EdgeVerdicts` in the service: one stream per site and runner, whatever the number of egresses that read it.
 *
 * Owns the subscriptions to the EdgeSite actors. The first watching egress opens them. They stay open for `idleTtl` after the last one, and
 * are opened again with back-off when an actor moves or its runner fails. Nodes that are enrolled later are followed within
 * `directoryPollMs`. Invariant: every record that leaves this file went through `release.ts`.
 */
import { Cause, Context, Effect, Exit, FiberMap, Layer, RcRef, Schedule, Stream } from "effect"
import type { Sharding } from "effect/cluster"
import type { EdgeRecord } from "../../protocols/domain/sensing.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { EdgeFeed, EdgeVerdicts } from "../../protocols/ports/edge-feed.ts"
import { EdgeNode, EdgeSite } from "../../protocols/messages/edge-node.ts"
import { type LatestRecords, makeLatestRecords } from "./latest-records.ts"
import { release, verdictOf } from "./release.ts"

const idleTtl = "5 seconds"
/** How often the directory is read for enrolled nodes. */
const directoryPollMs = 5_000
/** A subscription of a site without a record for this long is opened again: a connected node reports every 5 s. */
const silence = "12 seconds"
const backOffMsMin = 50
const backOffMsMax = 5_000
/** Maximum number of nodes that are followed. Further nodes are left out, which is logged. */
const nodesMax = 4096
const latestTimeout = "3 seconds"
const askedAtOnceMax = 16

type Client = Effect.Success<typeof EdgeNode.client>
type SiteClient = Effect.Success<typeof EdgeSite.client>

/** Follows the nodes of a site over moves and restarts of its actors, until the fiber is interrupted. */
const keepFollowing = Effect.fnUntraced(function* (
  client: SiteClient,
  siteId: string,
  nodeIds: ReadonlyArray<string>,
  newest: LatestRecords,
) {
  let backOffMs = backOffMsMin
  while (true) {
    let received = false
    const follow = client(siteId).Records({ nodeIds }).pipe(
      Stream.timeout(silence),
      Stream.runForEach((records) =>
        Effect.sync(() => {
          received = true
          for (const record of records) newest.put(record)
        })
      ),
    )
    const exit = yield* Effect.exit(follow)
    if (Exit.isFailure(exit)) {
      yield* Effect.logDebug(`stream of edge nodes failed, opening it again site=${siteId}`, exit.cause)
    }
    backOffMs = received ? backOffMsMin : Math.min(2 * backOffMs, backOffMsMax)
    yield* Effect.sleep(backOffMs)
  }
})

/** The nodes of each site, by the key of the fiber that follows them: a site whose nodes change is followed anew. */
const bySite = (routers: Effect.Success<Directory["Service"]["routers"]>) =>
  new Map([...Map.groupBy(routers, ({ environmentId }) => environmentId)].map(([siteId, own]) => {
    const nodeIds = own.map(({ routerId }) => routerId).toSorted()
    return [JSON.stringify([siteId, ...nodeIds]), { siteId, nodeIds }]
  }))

/** Follows the nodes of the directory while the scope is open. */
const followAll = Effect.fnUntraced(function* (client: SiteClient, directory: Directory["Service"]) {
  const newest = makeLatestRecords()
  const fibers = yield* FiberMap.make<string>()
  let followed = bySite([])
  const syncNodes = Effect.gen(function* () {
    const routers = yield* directory.routers
    if (routers.length > nodesMax) {
      yield* Effect.logWarning(
        `too many edge nodes, leaving some out followed=${nodesMax} left_out=${routers.length - nodesMax}`,
      )
    }
    const sites = bySite(routers.slice(0, nodesMax))
    const enrolled = new Set([...sites.values()].flatMap(({ nodeIds }) => nodeIds))
    for (const [key, { nodeIds }] of followed) {
      if (sites.has(key)) continue
      yield* FiberMap.remove(fibers, key)
      for (const nodeId of nodeIds) if (!enrolled.has(nodeId)) newest.forget(nodeId)
    }
    followed = sites
    for (const [key, { nodeIds, siteId }] of sites) {
      yield* FiberMap.run(fibers, key, keepFollowing(client, siteId, nodeIds, newest), { onlyIfMissing: true })
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
  const sites = yield* EdgeSite.client
  const following = yield* RcRef.make({ idleTimeToLive: idleTtl, acquire: followAll(sites, directory) })
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
