/**
 * The plan of a simulated cluster: what a seed decides before the run. Pure.
 *
 * Every run ends with `calmMs` without faults, in which all environments must have frames again.
 */
import { createRandom, type Random } from "../randomness/random.ts"

/** A fault begins at `atMs` of the run and ends after `forMs`. Nodes are numbered from 0. */
export type Fault =
  & { readonly atMs: number; readonly forMs: number }
  & (
    /** The process ends without a farewell, and starts again at the end of the fault. */
    | { readonly kind: "kill"; readonly node: number }
    /** The process gets the signal to stop, hands its shards over, and starts again at the end of the fault. */
    | { readonly kind: "leave"; readonly node: number }
    /** The process does not run, and does not know it (SIGSTOP, a suspended machine). */
    | { readonly kind: "freeze"; readonly node: number }
    /** The event loop of a process is blocked; its lock worker runs. */
    | { readonly kind: "hang"; readonly node: number }
    /** Two nodes do not reach each other. */
    | { readonly kind: "cut"; readonly node: number; readonly peer: number }
    /** A node does not reach the database, which sees an idle connection. */
    | { readonly kind: "database_cut"; readonly node: number }
    /** The database ends all connections and is away. */
    | { readonly kind: "database_outage" }
    /** Every statement takes up to a second longer. */
    | { readonly kind: "slow_database" }
    /** The disk of the database is full: what takes more of it fails. */
    | { readonly kind: "full_disk" }
    /** Half of the writes of a node are committed, and their answers are lost. */
    | { readonly kind: "lost_answers"; readonly node: number }
    /** The wall clock of a node is wrong by up to 30 s. */
    | { readonly kind: "wrong_clock"; readonly node: number; readonly byMs: number }
    /** Routers send their batches twice. */
    | { readonly kind: "repeated_batches" }
  )

type FaultKind = Fault["kind"]

export interface ClusterPlan {
  readonly seed: number
  readonly nodes: number
  readonly environments: ReadonlyArray<string>
  readonly routersPerEnvironment: number
  /** From the first packet to the last fault's end, and the time without faults after that. */
  readonly faultyMs: number
  readonly calmMs: number
  readonly faults: ReadonlyArray<Fault>
}

/** Longest time of each fault: beyond the expiry of a lock for those that a node survives. */
const longestMs: Readonly<Record<FaultKind, number>> = {
  kill: 6_000,
  leave: 6_000,
  freeze: 12_000,
  hang: 12_000,
  cut: 10_000,
  database_cut: 12_000,
  database_outage: 5_000,
  slow_database: 5_000,
  full_disk: 6_000,
  lost_answers: 4_000,
  wrong_clock: 8_000,
  repeated_batches: 8_000,
}

/** The share of plans that also have a full disk. */
const fullDisks = 0.25

const kinds = (Object.keys(longestMs) as ReadonlyArray<FaultKind>).filter((kind) => kind !== "full_disk")
/** Faults begin after the nodes have joined. */
const quietMs = 2_000
const faultyMs = 13_000
const calmMs = 9_000
const clockErrorMsMax = 30_000

const faultOf = (random: Random, nodes: number, kinds: ReadonlyArray<FaultKind>): Fault => {
  const pick = (below: number) => Math.floor(random.uniform() * below)
  const kind = kinds[pick(kinds.length)]!
  const atMs = quietMs + pick(7_000)
  const forMs = Math.min(500 + pick(longestMs[kind]), faultyMs - atMs)
  const node = pick(nodes)
  switch (kind) {
    case "cut":
      return { kind, atMs, forMs, node, peer: (node + 1 + pick(nodes - 1)) % nodes }
    case "wrong_clock":
      return { kind, atMs, forMs, node, byMs: Math.round((2 * random.uniform() - 1) * clockErrorMsMax) }
    case "database_outage":
    case "slow_database":
    case "full_disk":
    case "repeated_batches":
      return { kind, atMs, forMs }
    default:
      return { kind, atMs, forMs, node }
  }
}

/** The plan of a seed. */
export const clusterPlan = (seed: number): ClusterPlan => {
  const random = createRandom(seed, "cluster plan")
  const between = (low: number, high: number) => low + Math.floor(random.uniform() * (high - low + 1))
  const nodes = between(2, 4)
  const faults = Array.from({ length: between(2, 5) }, () => faultOf(random, nodes, kinds))
  const disk = createRandom(seed, "disk of the database")
  if (disk.uniform() < fullDisks) faults.push(faultOf(disk, nodes, ["full_disk"]))
  return {
    seed,
    nodes,
    environments: Array.from({ length: between(1, 2) }, (_, i) => `room-${i + 1}`),
    routersPerEnvironment: between(1, 2),
    faultyMs,
    calmMs,
    faults: faults.sort((a, b) => a.atMs - b.atMs),
  }
}

/** One line for a person who repeats the run. */
export const describePlan = ({ environments, faults, nodes, routersPerEnvironment, seed }: ClusterPlan): string =>
  `seed ${seed}: ${nodes} nodes, ${environments.length} environments of ${routersPerEnvironment} routers, ` +
  faults.map(({ atMs, forMs, kind, ...rest }) =>
    `${kind}${"node" in rest ? ` ${rest.node}` : ""}${"peer" in rest ? `-${rest.peer}` : ""} ${atMs}+${forMs}`
  ).join(", ")
