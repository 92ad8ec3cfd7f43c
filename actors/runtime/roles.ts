/**
 * Node roles: the shard groups that a process hosts. A node with only the role `gateway` hosts none and only calls actors.
 */
import { homeGroup, sensingGroup, shardGroups } from "../../protocols/messages/shard-groups.ts"

export const nodeRoles = ["gateway", "sensing", "home"] as const
export type NodeRole = typeof nodeRoles[number]

/** The group of Effect Cluster's own singletons (its health check). */
const clusterGroup = "default"

/** Every shard group of the cluster: the same on all nodes. */
export const availableShardGroups: ReadonlyArray<string> = [clusterGroup, ...shardGroups]

/** The shard groups that a node with these roles hosts. */
export const assignedShardGroups = (roles: ReadonlyArray<NodeRole>): ReadonlyArray<string> => {
  const hosted = [
    ...(roles.includes("sensing") ? [sensingGroup()] : []),
    ...(roles.includes("home") ? [homeGroup()] : []),
  ]
  return hosted.length === 0 ? [] : [clusterGroup, ...hosted]
}
