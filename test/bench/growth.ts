/**
 * Growth: what a cluster costs that is larger than this machine.
 *
 *     npm run bench:growth
 *
 * `nodes`: the cluster's own code in virtual time (`deploy/cluster-simulation`), two rooms a node, no faults: statements
 * that the database serves, for each node and second, and CPU time of this machine for each node and second. `placement`: sites
 * spread by the cluster's hash ring over up to 1,000 nodes, 100 routers a node: the share of the busiest node over the mean, the nodes without a
 * site, and the time of choosing the entity id of a router. Not measured: a network, a database, and memory of so many nodes.
 * Writes `results/growth.json`.
 */
import { Hash, HashRing, PrimaryKey } from "effect"
import { ShardId } from "effect/cluster"
import { cpuUsage } from "node:process"
import { entityIdIn } from "../../actors/runtime/placement.ts"
import { runPlan } from "../../deploy/cluster-simulation/run-seed.ts"
import { machine, rounded, writeResults } from "./harness.ts"

const nodeCounts = [4, 16]
const virtualMs = 10_000
const routersPerSite = 4
const routersPerNode = 100

const cluster = (nodes: number) => {
  const before = cpuUsage()
  const { databaseLoad, frames, violations } = runPlan({
    seed: 1,
    nodes,
    environments: Array.from({ length: 2 * nodes }, (_, i) => `room-${i + 1}`),
    routersPerEnvironment: 1,
    faultyMs: 0,
    calmMs: virtualMs,
    faults: [],
  })
  const { system, user } = cpuUsage(before)
  const nodeSeconds = nodes * virtualMs / 1000
  return {
    nodes,
    frames,
    violations: violations.length,
    statementsPerNodeAndSecond: rounded(databaseLoad.statements / nodeSeconds),
    cpuMsPerNodeAndSecond: rounded((system + user) / 1000 / nodeSeconds),
  }
}

/** A node of the ring. */
class Member implements PrimaryKey.PrimaryKey {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }

  [PrimaryKey.symbol](): string {
    return this.name
  }
}

const placement = (nodes: number, shards: number) => {
  const members = Array.from({ length: nodes }, (_, i) => new Member(`node-${i}:50052`))
  const ring = HashRing.addMany(HashRing.make<Member>(), members)
  const owners = HashRing.getShards(ring, shards)!
  const shardOf = (entityId: string) => ShardId.make("sensing", Math.abs(Hash.string(entityId) % shards) + 1)
  const sites = nodes * routersPerNode / routersPerSite
  const load = new Map<string, number>()
  for (let site = 0; site < sites; site++) {
    const { name } = owners[shardOf(`site-${site}`).id - 1]!
    load.set(name, (load.get(name) ?? 0) + 1)
  }
  const asked = 1_000
  const before = cpuUsage()
  for (let i = 0; i < asked; i++) entityIdIn(shardOf, `site-${i}`, `site-${i}.1`)
  const { user } = cpuUsage(before)
  return {
    nodes,
    shards,
    routers: nodes * routersPerNode,
    busiestOverMean: rounded(Math.max(...load.values()) * nodes / sites),
    nodesWithoutSites: nodes - load.size,
    entityIdUs: rounded(user / asked),
  }
}

const results = {
  machine,
  nodes: nodeCounts.map(cluster),
  placement: [[10, 64], [100, 64], [1_000, 64], [1_000, 16_384]].map(([nodes, shards]) => placement(nodes!, shards!)),
}
console.log(JSON.stringify(results, null, 2))
writeResults("growth", results)
