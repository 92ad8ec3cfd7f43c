/**
 * Node roles: the kinds of actors that a process hosts. A node with only the role `gateway` hosts none and only calls actors.
 */
import { hostedKinds, mqttKind, shardGroups } from "../../protocols/messages/shard-groups.ts"

export const nodeRoles = ["gateway", "sensing", "home"] as const
export type NodeRole = typeof nodeRoles[number]

/** The group of Effect Cluster's own singletons (its health check). */
export const clusterGroup = "default"

/** Every shard group of the cluster, and the kinds of actors that nodes register: the same on all nodes. */
export const availableShardGroups: ReadonlyArray<string> = [clusterGroup, ...hostedKinds, ...shardGroups]

/** What a node hosts. */
export interface Hosting {
  readonly roles: ReadonlyArray<NodeRole>
  /** Whether it has an MQTT broker in its settings. Only a gateway publishes to it. */
  readonly hasBroker: boolean
}

/** What a node registers: the kinds of its actors. Placement gives it groups of these kinds (`shard-placement.ts`). */
export const registeredGroups = ({ hasBroker, roles }: Hosting): ReadonlyArray<string> => {
  const hosted = hostedKinds.filter((kind) =>
    kind === mqttKind ? hasBroker && roles.includes("gateway") : roles.includes(kind)
  )
  return hosted.length === 0 ? [] : [clusterGroup, ...hosted]
}
