/**
 * Shard groups: which actors are placed together, and which node roles host them.
 *
 * An actor belongs to a group by a hash of its entity id. A group has one shard, so it is what a node holds, and what moves
 * (`actors/runtime/shard-placement.ts`). An environment and its archive have the same id, and so always live on the same node.
 */
import { Hash } from "effect"

/** Routers, environments, archives and the system session: hosted by nodes of role `sensing`. */
const sensing = "sensing"
/** The entities, the bus and the plugins of the home-automation runtime: hosted by nodes of role `home`. */
const home = "home"
/**
 * The publisher of edge nodes to an MQTT broker: hosted by gateways that have a broker in their settings. The locks of shards are numbered by
 * the sorted names of all groups, so a name that is the last one leaves the other numbers as they are.
 */
export const mqttKind = "singleton-mqtt"

/** The kinds of actors that a node registers as those that it hosts. */
export const hostedKinds = [sensing, home, mqttKind] as const
export type HostedKind = typeof hostedKinds[number]

/** The number of groups of each kind. A change of it moves actors, so all nodes of a cluster have the same version. */
const groupCounts: Readonly<Record<HostedKind, number>> = { sensing: 64, home: 16, [mqttKind]: 1 }

const groupOf = (kind: HostedKind) => (entityId: string): string =>
  `${kind}-${(Hash.string(entityId) >>> 0) % groupCounts[kind]}`

export const sensingGroup = groupOf(sensing)
export const homeGroup = groupOf(home)
export const mqttGroup = groupOf(mqttKind)("mqtt")

/** The groups of a kind, in the order of their numbers. */
export const groupsOf = (kind: HostedKind): ReadonlyArray<string> =>
  Array.from({ length: groupCounts[kind] }, (_, i) => `${kind}-${i}`)

export const shardGroups: ReadonlyArray<string> = hostedKinds.flatMap(groupsOf)
