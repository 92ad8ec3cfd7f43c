/** A cluster of one runner in memory, with the shard groups of the service. */
import { Layer } from "effect"
import { MessageStorage, RunnerHealth, Runners, RunnerStorage, Sharding, ShardingConfig } from "effect/cluster"
import { shardGroups } from "../../protocols/messages/shard-groups.ts"

/** The cluster without actors. */
export const clusterLayer: Layer.Layer<Sharding.Sharding> = Sharding.layer.pipe(
  Layer.provide(Runners.layerNoop),
  Layer.provide(MessageStorage.layerMemory),
  Layer.provide([RunnerStorage.layerMemory, RunnerHealth.layerNoop]),
  Layer.provide(
    ShardingConfig.layer({ availableShardGroups: shardGroups, assignedShardGroups: shardGroups, shardsPerGroup: 1 }),
  ),
)
