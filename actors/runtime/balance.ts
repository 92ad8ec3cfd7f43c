/**
 * Decides which shard groups move to another node to balance the load. Pure.
 *
 * A move costs its rooms about half a second of silence, so few are made, and none that may have to be undone:
 *
 * 1. Nothing moves before the cluster has been steady for `steadyRoundsMin` rounds: the same members, all of them healthy with a fresh report,
 *    and no earlier move younger than a round.
 * 2. Nothing moves for a difference below `gapCoresMin`, or below `gapShareMin` of the mean load.
 * 3. A round makes at most `movesMax` moves, each from the busiest to the least busy node, and a group that was moved stays for `restMs`.
 * 4. After a move, neither of the two nodes has more than the busier one had before, less `gainMin` of their difference.
 */
import type { NodeLoad, Pin } from "./placements.ts"

export interface BalanceRules {
  readonly steadyRoundsMin: number
  readonly roundMs: number
  /** A report that is older does not count. */
  readonly freshMsMax: number
  readonly restMs: number
}

export const gapCoresMin = 0.15
const gapShareMin = 0.25
export const movesMax = 2
const gainMin = 0.2
/** Groups with less work are not worth a move. */
const workCoresMin = 0.01

/** The cluster as the deciding node sees it. */
export interface Seen {
  /** Addresses of the nodes that host environments. */
  readonly members: ReadonlyArray<{ readonly address: string; readonly healthy: boolean }>
  /** The address of the node of each group. */
  readonly places: ReadonlyMap<string, string>
  readonly pins: ReadonlyArray<Pin>
  readonly loads: ReadonlyArray<NodeLoad>
  /** Rounds in which the members were the same, this one not included. */
  readonly steadyRounds: number
}

/** A move that reduces the load of the busiest node. */
export interface Move {
  readonly group: string
  readonly from: string
  readonly to: string
  /** The work that moves, as a share of a core. */
  readonly cores: number
}

interface Node {
  readonly address: string
  readonly cores: number
  readonly groups: ReadonlyMap<string, number>
}

const isSteady = ({ loads, members, pins, steadyRounds }: Seen, rules: BalanceRules): boolean =>
  steadyRounds >= rules.steadyRoundsMin &&
  pins.every(({ ageMs }) => ageMs >= rules.roundMs) &&
  members.every(({ address, healthy }) =>
    healthy && loads.some((load) => load.address === address && load.ageMs <= rules.freshMsMax)
  )

/** The best move between two nodes; null when none is worth it. */
const moveBetween = (busy: Node, idle: Node, mayMove: (group: string) => boolean): Move | null => {
  const gap = busy.cores - idle.cores
  const candidates = [...busy.groups]
    .filter(([group, cores]) => cores >= workCoresMin && cores <= (1 - gainMin) * gap && mayMove(group))
    .map(([group, cores]) => ({ group, cores, missed: Math.abs(gap / 2 - cores) }))
    .toSorted((a, b) => a.missed - b.missed || (a.group < b.group ? -1 : 1))
  const [best] = candidates
  return best === undefined ? null : { group: best.group, cores: best.cores, from: busy.address, to: idle.address }
}

const moved = (nodes: ReadonlyArray<Node>, { cores, from, group, to }: Move): ReadonlyArray<Node> =>
  nodes.map((node) => {
    if (node.address === from) {
      const groups = new Map(node.groups)
      groups.delete(group)
      return { ...node, cores: node.cores - cores, groups }
    }
    return node.address === to ? { ...node, cores: node.cores + cores } : node
  })

/** The moves of this round; empty: nothing is worth it, or it is not the time. */
export const decideMoves = (seen: Seen, rules: BalanceRules): ReadonlyArray<Move> => {
  if (seen.members.length < 2 || !isSteady(seen, rules)) return []
  const addresses = new Set(seen.members.map(({ address }) => address))
  let nodes: ReadonlyArray<Node> = seen.loads.filter(({ address }) => addresses.has(address))
  const resting = new Set(seen.pins.filter(({ ageMs }) => ageMs < rules.restMs).map(({ group }) => group))
  const moves: Array<Move> = []
  while (moves.length < movesMax) {
    const byLoad = nodes.toSorted((a, b) => b.cores - a.cores || (a.address < b.address ? -1 : 1))
    const [busy, idle] = [byLoad[0]!, byLoad.at(-1)!]
    const mean = nodes.reduce((sum, { cores }) => sum + cores, 0) / nodes.length
    if (busy.cores - idle.cores < Math.max(gapCoresMin, gapShareMin * mean)) break
    const move = moveBetween(
      busy,
      idle,
      (group) => seen.places.get(group) === busy.address && !resting.has(group),
    )
    if (move === null) break
    moves.push(move)
    nodes = moved(nodes, move)
  }
  return moves
}
