/**
 * Node roles: the kinds of actors that a process hosts. A node with only the role `gateway` hosts none and only calls actors.
 */
import { type HostedKind, hostedKinds, shardGroups } from "../../protocols/messages/shard-groups.ts"

export const nodeRoles = ["gateway", "sensing", "home"] as const
export type NodeRole = typeof nodeRoles[number]

/** The group of Effect Cluster's own singletons (its health check). */
export const clusterGroup = "default"

/** Every shard group of the cluster, and the kinds of actors that nodes register: the same on all nodes. */
export const availableShardGroups: ReadonlyArray<string> = [clusterGroup, ...hostedKinds, ...shardGroups]

/** What a node with these roles registers: the kinds of its actors. Placement gives it groups of these kinds (`shard-placement.ts`). */
export const registeredGroups = (roles: ReadonlyArray<NodeRole>): ReadonlyArray<string> => {
  const hosted = hostedKinds.filter((kind: HostedKind & NodeRole) => roles.includes(kind))
  return hosted.length === 0 ? [] : [clusterGroup, ...hosted]
}
