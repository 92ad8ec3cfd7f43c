/**
 * The placement of shard groups on nodes: by a hash ring, except for those that were moved for their load (pins).
 *
 * Effect Cluster takes from the list of runners which groups a runner hosts. A node registers the kinds of actors that it hosts; this
 * replaces the kinds by the groups that the node has, as one list entry per group, because the cluster compares entries by
 * address and weight: the weight distinguishes the groups of a runner, and has no other effect in a ring of one runner.
 *
 * Invariants:
 * 1. Pure: nodes that see the same members and pins place equally. While they differ, the lock of a shard decides.
 * 2. A group has one node, a healthy member that hosts its kind; none when there is no such member.
 * 3. A member that comes or goes moves no pinned group of other members, and about its share of the others.
 * 4. A member that joins or leaves has a part of its groups, which its registered weight states; the other members have the rest.
 */
import { HashRing } from "effect"
import { Runner, type RunnerAddress } from "effect/cluster"
import { groupsOf, hostedKinds, shardGroups } from "../../protocols/messages/shard-groups.ts"
import { addressText } from "./addresses.ts"
import type { Pin } from "./placements.ts"
import { clusterGroup } from "./roles.ts"

export type Runners = ReadonlyArray<readonly [runner: Runner.Runner, healthy: boolean]>

const byRing = (
  groups: ReadonlyArray<string>,
  members: ReadonlyArray<Runner.Runner>,
): ReadonlyMap<string, RunnerAddress.RunnerAddress> => {
  const ring = HashRing.make<RunnerAddress.RunnerAddress>()
  for (const { address } of members) HashRing.add(ring, address)
  const places = HashRing.getShards(ring, groups.length) ?? []
  return new Map(places.map((address, i) => [groups[i]!, address]))
}

/** Where a group is among those of its kind, from 0 to 1: every range has about as many of them as it is long. */
const portionOf = (index: number): number => (index * (Math.sqrt(5) - 1) / 2) % 1

/** The same with members that have a part of their groups. */
const byPart = (
  groups: ReadonlyArray<string>,
  members: ReadonlyArray<Runner.Runner>,
): ReadonlyMap<string, RunnerAddress.RunnerAddress> => {
  const all = byRing(groups, members)
  const partOf = new Map(members.map(({ address, weight }) => [addressText(address), weight]))
  const whole = members.filter(({ weight }) => weight >= 1)
  if (whole.length === members.length || whole.length === 0) return all
  const rest = byRing(groups, whole)
  return new Map(groups.map((group, i) => {
    const address = all.get(group)!
    return [group, portionOf(i) < partOf.get(addressText(address))! ? address : rest.get(group)!] as const
  }))
}

/** The node of each group. */
const placeGroups = (
  runners: Runners,
  pins: ReadonlyArray<Pick<Pin, "group" | "address">>,
): ReadonlyMap<string, RunnerAddress.RunnerAddress> => {
  const healthy = runners.filter(([, healthy]) => healthy).map(([runner]) => runner)
  const pinnedTo = new Map(pins.map(({ address, group }) => [group, address]))
  return new Map(hostedKinds.flatMap((kind) => {
    const members = healthy.filter(({ groups }) => groups.includes(kind))
    const byText = new Map(members.map(({ address }) => [addressText(address), address]))
    return [...byPart(groupsOf(kind), members)].map(([group, address]) =>
      [group, byText.get(pinnedTo.get(group) ?? "") ?? address] as const
    )
  }))
}

/** Small, because a ring has points in proportion to it. */
const weightOf = (group: string): number => 0.1 + shardGroups.indexOf(group) / 10_000

/** The list of runners for Effect Cluster, with the groups that each has. */
const withPlacedGroups = (runners: Runners, places: ReturnType<typeof placeGroups>): Runners => [
  ...runners.map(([{ address, groups }, healthy]) =>
    [Runner.make({ address, groups: groups.filter((group) => group === clusterGroup), weight: 1 }), healthy] as const
  ),
  ...[...places].map(([group, address]) =>
    [Runner.make({ address, groups: [group], weight: weightOf(group) }), true] as const
  ),
]

/** A placement that is computed again only when the members or the pins have changed. */
export const makePlacement = () => {
  let key = ""
  let placed: { readonly places: ReturnType<typeof placeGroups>; readonly listed: Runners } | null = null
  return (runners: Runners, pins: ReadonlyArray<Pin>) => {
    const now = JSON.stringify([
      runners.map(([{ address, groups, weight }, healthy]) => [addressText(address), groups, weight, healthy])
        .toSorted(),
      pins.map(({ address, group }) => [group, address]).toSorted(),
    ])
    if (placed === null || now !== key) {
      const places = placeGroups(runners, pins)
      placed = { places, listed: withPlacedGroups(runners, places) }
      key = now
    }
    return placed
  }
}
