/**
 * A node of a simulated cluster: the service's cluster, routers, environments, archives and frame hub, on simulated sockets and tables.
 *
 * Boundary: what fails is `sim/cluster`; placement, membership, peer watch, locks, actors and publication are those of the service.
 */
import { Clock, Context, Effect, Layer, Logger, Random, Scope } from "effect"
import { type EntityId, RunnerAddress, Runners, Sharding } from "effect/cluster"
import { MessageStorage } from "effect/cluster"
import { RpcClient, RpcSerialization } from "effect/rpc"
import { Socket } from "effect/socket"
import { layerArchive } from "../../actors/archive/archive-entity.ts"
import { layerEdgeNode } from "../../actors/edge/edge-node-entity.ts"
import { layerEnvironment } from "../../actors/environment/environment-entity.ts"
import { layerRouter } from "../../actors/router/router-entity.ts"
import { layerMember } from "../../actors/runtime/cluster.ts"
import { layerSite } from "../../actors/site/site-entity.ts"
import { Kernels } from "../../actors/runtime/kernels/kernels.ts"
import { MemberNews } from "../../actors/runtime/member-news.ts"
import { Membership } from "../../actors/runtime/membership.ts"
import { PoseInference } from "../../actors/runtime/pose/pose-inference.ts"
import { Escalations } from "../../actors/runtime/supervision.ts"
import { FrameHub } from "../../gateways/frames/frame-hub.ts"
import { type IngestTogether, makeIngestTogether } from "../../gateways/ingest/ingest.ts"
import { sensingGroup } from "../../protocols/messages/shard-groups.ts"
import type { FrameHistory } from "../../protocols/ports/frame-history.ts"
import type { SimulatedDatabase } from "../../sim/cluster/database.ts"
import type { SimulatedNetwork } from "../../sim/cluster/network.ts"
import type { PlacementTable } from "../../sim/cluster/placement-table.ts"
import type { ClusterPlan } from "../../sim/cluster/plan.ts"
import type { SimulatedProcess } from "../../sim/cluster/process.ts"
import { serverOf, socketTo } from "../../sim/cluster/socket.ts"
import type { World } from "../../sim/cluster/world.ts"
import { layerLocalActors } from "../composition/actors.ts"
import { layerSimulatedPlacement } from "./loads.ts"
import { layerSimulatedLeases, layerSimulatedLocks } from "./locks.ts"
import { layerSimulatedStores } from "./stores.ts"

/** What is shared by all nodes of a run. */
export interface Surroundings {
  readonly plan: ClusterPlan
  readonly world: World
  readonly network: SimulatedNetwork
  readonly database: SimulatedDatabase
  readonly placement: PlacementTable
}

/** A started node, as its clients use it. */
export interface SimulatedNode {
  readonly process: SimulatedProcess
  readonly ingest: IngestTogether
  /** What a stream of frames to a client of this node needs. */
  readonly context: Context.Context<FrameHub | FrameHistory>
  readonly leave: Effect.Effect<void>
  /** Ends its layers. */
  readonly close: Effect.Effect<void>
}

const hostOf = (node: number): string => `node-${node}`
/** The port of a node is its number, from 1. */
const addressOf = (node: number) => RunnerAddress.make(hostOf(node), node + 1)

/** The channel to peers: the same protocol as between real nodes, on simulated sockets. */
const layerChannel = (network: SimulatedNetwork, process: SimulatedProcess) =>
  Layer.effect(
    Runners.RpcClientProtocol,
    Effect.map(RpcSerialization.RpcSerialization, (serialization) => ({
      codecFor: serialization.codecFor,
      make: ({ port }: RunnerAddress.RunnerAddress) =>
        RpcClient.makeProtocolSocket().pipe(
          Effect.provideService(Socket.Socket, socketTo(network, process, port - 1)),
          Effect.provideService(RpcSerialization.RpcSerialization, serialization),
        ),
    })),
  )

/** Environments without a geometry compute nothing that needs a kernel. */
const layerNoKernels = Layer.succeed(Kernels, {
  run: () => Effect.die("a simulated node runs no kernels"),
  compute: (computation) => {
    const { done, value } = computation.next()
    return done ? Effect.succeed(value) : Effect.die("a simulated node runs no kernels")
  },
  report: Effect.die("a simulated node runs no kernels"),
})

const layerOf = ({ database, network, placement, plan }: Surroundings, process: SimulatedProcess) => {
  // The shard of an environment needs the cluster, whose layer is built after the stores.
  let shardOf = (_: string): string => ""
  const shards = Layer.effectDiscard(Effect.map(Sharding.Sharding, (sharding) => {
    shardOf = (environmentId) =>
      String(sharding.getShardId(environmentId as EntityId.EntityId, sensingGroup(environmentId)))
  }))
  return Layer.mergeAll(layerRouter, layerSite, layerEnvironment, layerArchive, layerEdgeNode, FrameHub.layer, shards)
    .pipe(
      Layer.provide(PoseInference.layer),
      Layer.provide([Escalations.layer, layerNoKernels]),
      Layer.provideMerge(layerLocalActors),
      Layer.provideMerge(layerMember<never>({
        address: addressOf(process.node),
        hosting: { roles: ["sensing"], hasBroker: false },
        socketServer: serverOf(network, process),
        protocol: layerChannel(network, process),
        storage: Layer.merge(
          MessageStorage.layerNoop,
          layerSimulatedLocks(database, process, addressOf(process.node)),
        ),
      })),
      Layer.provide([MemberNews.layerNone, layerSimulatedLeases(database, process)]),
      Layer.provide(layerSimulatedPlacement(plan, database, placement, process)),
      Layer.provideMerge(layerSimulatedStores(plan, database, process, (environmentId) => shardOf(environmentId))),
    )
}

/** Starts a node, and joins it to the cluster. Its fibers live in a scope of their own. */
export const startNode = Effect.fnUntraced(function* (surroundings: Surroundings, process: SimulatedProcess) {
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(layerOf(surroundings, process), scope).pipe(
    Effect.provideService(Clock.Clock, process.clock),
    Random.withSeed(`${surroundings.plan.seed} ${process.name}`),
    Effect.provide(Logger.layer([])),
  )
  const inNode = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    effect.pipe(
      Effect.provide(context),
      Effect.provideService(Clock.Clock, process.clock),
      Effect.provide(Logger.layer([])),
    )
  const { join, leave } = Context.get(context, Membership)
  yield* inNode(join)
  const ingest = yield* inNode(makeIngestTogether)
  return {
    process,
    ingest: (routerId, arrivals) => inNode(ingest(routerId, arrivals)),
    context,
    leave: inNode(leave),
    close: inNode(Scope.close(scope, Effect.runSync(Effect.exit(Effect.void)))),
  } satisfies SimulatedNode as SimulatedNode
})
