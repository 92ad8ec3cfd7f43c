/**
 * The balance of load between the nodes: each reports what it measures, and one of them moves groups (`balance.ts` decides).
 *
 * The node with the cluster's own shard decides. If two nodes decide for a moment, the later pin of a group holds; both have read the same
 * reports. A pin is a row; nodes that read it hand the group over as they do when a node joins.
 */
import { Context, Effect, Layer, Metric, Schedule } from "effect"
import { Sharding, ShardingConfig, Singleton } from "effect/cluster"
import { addressText } from "./addresses.ts"
import { type BalanceRules, decideMoves, type Move } from "./balance.ts"
import { CurrentLoadMeter } from "./load-meter.ts"
import { Membership } from "./membership.ts"
import { Placements } from "./placements.ts"
import { clusterGroup } from "./roles.ts"

export interface BalanceTiming extends BalanceRules {
  readonly reportMs: number
}

/** `restMs`: a room that someone enters has a higher load for minutes. */
export const CurrentBalanceTiming = Context.Reference<BalanceTiming>("wavepose/actors/BalanceTiming", {
  defaultValue: () => ({
    reportMs: 10_000,
    roundMs: 30_000,
    steadyRoundsMin: 2,
    freshMsMax: 25_000,
    restMs: 600_000,
  }),
})

const movesTotal = Metric.counter("wavepose_cluster_balance_moves_total", {
  description: "Groups of rooms that this node moved to a less busy node, since its start.",
  incremental: true,
})

const nodeCores = Metric.gauge("wavepose_cluster_node_cores", {
  description: "Processor time of this node as the others know it, seconds per second.",
})
const actorCores = Metric.gauge("wavepose_cluster_actor_cores", {
  description: "Of it the time of environments and routers on their hops.",
})

const describeMove = ({ cores, from, group, to }: Move): string =>
  `rooms move to a less busy node group=${group} from=${from} to=${to} cores=${cores.toFixed(2)}`

/** Decides once a round, for as long as this node has the cluster's own shard. */
const decideInRounds = Effect.gen(function* () {
  const placements = yield* Placements
  const { announce, places, report } = yield* Membership
  const rules = yield* CurrentBalanceTiming
  yield* Metric.update(movesTotal, 0)
  let membersBefore = ""
  let steadyRounds = 0
  const round = Effect.gen(function* () {
    const members = ((yield* report)?.members ?? []).filter(({ groups }) => groups.includes("sensing"))
    const membersNow = JSON.stringify(members.map(({ address, healthy }) => [address, healthy]).toSorted())
    steadyRounds = membersNow === membersBefore ? steadyRounds + 1 : 0
    membersBefore = membersNow
    const moves = decideMoves({
      members,
      places: new Map([...yield* places].map(([group, address]) => [group, addressText(address)])),
      pins: yield* placements.pins,
      loads: yield* placements.loads,
      steadyRounds,
    }, rules)
    if (moves.length === 0) return
    for (const move of moves) yield* Effect.logInfo(describeMove(move))
    yield* placements.pin(moves.map(({ group, to }) => ({ group, address: to })))
    yield* Metric.update(movesTotal, moves.length)
    yield* announce
  })
  yield* Effect.repeat(Effect.andThen(Effect.sleep(rules.roundMs), round), Schedule.forever)
})

/** Reports the load of this node. */
const reportLoad = Effect.gen(function* () {
  const { report } = yield* Placements
  const meter = yield* CurrentLoadMeter
  const { runnerAddress } = yield* ShardingConfig.ShardingConfig
  const { reportMs } = yield* CurrentBalanceTiming
  if (runnerAddress._tag === "None") return
  const own = addressText(runnerAddress.value)
  const once = Effect.gen(function* () {
    const load = yield* meter.take
    yield* Metric.update(nodeCores, load.cores)
    yield* Metric.update(actorCores, [...load.groups.values()].reduce((sum, cores) => sum + cores, 0))
    yield* report(own, load)
  })
  yield* Effect.forkScoped(Effect.repeat(Effect.andThen(Effect.sleep(reportMs), once), Schedule.forever))
})

/** Balances the load of the nodes that host environments; this is one of them. */
export const layerBalance: Layer.Layer<
  never,
  never,
  Sharding.Sharding | Membership | Placements | ShardingConfig.ShardingConfig
> = Layer.merge(
  Layer.effectDiscard(reportLoad),
  Singleton.make("balance", decideInRounds, { shardGroup: clusterGroup }),
)
