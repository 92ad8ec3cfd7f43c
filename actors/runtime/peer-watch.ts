/**
 * The watch over a peer: each node checks the next one in the order of their addresses, and reports it when it has failed.
 *
 * The health check of Effect Cluster runs on one node. When that one fails, its registration must expire first, which takes longer than
 * recovery may take. With this watch, a neighbour finds the failure of any node within seconds. The cost per node and interval is one ping and
 * one look at a lease. The two are independent, because a ping of a frozen node takes seconds.
 *
 * Boundary: a node that is healthy again is found by the cluster's own check.
 */
import { Effect, Layer, Schedule } from "effect"
import { type Runner, type RunnerAddress, RunnerHealth, RunnerStorage, ShardingConfig } from "effect/cluster"
import { addressText } from "./addresses.ts"
import { Membership } from "./membership.ts"
import { PeerLeases } from "./peer-leases.ts"

const watchEvery = "1 second"

/** The healthy peer that a node watches: the next one by address, in a circle; null when it is alone. Pure. */
export const watchedPeer = (
  own: string,
  runners: ReadonlyArray<readonly [runner: Runner.Runner, healthy: boolean]>,
): Runner.Runner | null => {
  const peers = runners.filter(([{ address }, healthy]) => healthy && String(address) !== own).map(([runner]) => runner)
    .sort((a, b) => String(a.address) < String(b.address) ? -1 : 1)
  return peers.find(({ address }) => String(address) > own) ?? peers[0] ?? null
}

/** Watches a peer for as long as the cluster runs. */
export const layerPeerWatch = Layer.effectDiscard(Effect.gen(function* () {
  const storage = yield* RunnerStorage.RunnerStorage
  const { nodes } = yield* Membership
  const health = yield* RunnerHealth.RunnerHealth
  const leases = yield* PeerLeases
  const { runnerAddress } = yield* ShardingConfig.ShardingConfig
  if (runnerAddress._tag === "None") return
  const own = String(runnerAddress.value)
  const watch = (hasFailed: (address: RunnerAddress.RunnerAddress) => Effect.Effect<boolean>, finding: string) =>
    Effect.gen(function* () {
      const runners = yield* nodes
      // A node that is not registered does not judge others.
      if (!runners.some(([{ address }, healthy]) => healthy && String(address) === own)) return
      const peer = watchedPeer(own, runners)
      if (peer === null || !(yield* hasFailed(peer.address))) return
      yield* Effect.logWarning(`${finding}, its shards move node=${addressText(peer.address)}`)
      yield* leases.end(peer.address)
      yield* storage.setRunnerHealth(peer.address, false)
    }).pipe(
      Effect.catchCause((cause) => Effect.logDebug("the peer cannot be watched at the moment", cause)),
      Effect.repeat(Schedule.spaced(watchEvery)),
    )
  const isSilent = (address: RunnerAddress.RunnerAddress) => Effect.map(health.isAlive(address), (alive) => !alive)
  yield* Effect.forkScoped(watch(isSilent, "node does not answer"))
  yield* Effect.forkScoped(watch(leases.hasLapsed, "node does not renew its locks"))
}))
