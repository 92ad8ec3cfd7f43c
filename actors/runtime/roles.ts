/**
 * Node roles: what a process hosts. A node of role `gateway` alone holds no shard and only calls actors.
 */
import { shardGroups } from "../../protocols/messages/shard-groups.ts"

export type NodeRole = "gateway" | "sensing"

export const nodeRoles: ReadonlyArray<NodeRole> = ["gateway", "sensing"]

/** The cluster's own singletons (its health check) live in the group `default`. */
const clusterGroup = "default"

/** Every shard group of the cluster: the same on all nodes. */
export const availableShardGroups: ReadonlyArray<string> = [clusterGroup, ...shardGroups]

/** The shard groups that a node with these roles hosts. */
export const assignedShardGroups = (roles: ReadonlyArray<NodeRole>): ReadonlyArray<string> =>
  roles.includes("sensing") ? availableShardGroups : []
