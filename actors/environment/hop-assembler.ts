/**
 * Brings the observations of several routers together, hop by hop, by event time alone.
 *
 * A hop is complete when every router that is expected in it has reported it or a later one; a router that stays behind
 * is waited for `latenessHopsMax` hops. Who is expected in a hop is decided by what came before it, so a router that comes
 * back from a silence joins with its next hop: whether its first one were in time would depend on the network.
 *
 * Invariants: hops come out in ascending order, each once; the order in which the routers' observations of a hop come
 * changes nothing; at most `latenessHopsMax + 1` hops are held.
 */
import type { Observation } from "../../core/signal/observation.ts"

/** How many hops newer than a hop must have been reported before it is closed without the missing routers. */
export const latenessHopsMax = 3
/** A router that has not reported for so many hops is not waited for. */
const absentHopsMax = 5

export interface Hop {
  readonly hop: number
  readonly observations: ReadonlyArray<Observation>
}

export interface HopAssembler {
  /** Takes an observation; answers the hops that it completed. */
  readonly push: (observation: Observation) => ReadonlyArray<Hop>
  /** Observations that were left out: too late, or the first of a router that came back. */
  readonly leftOut: () => number
  readonly reset: () => void
}

/** @param enrolled the routers of the environment: all of them are waited for until they have had a chance to report. */
export const hopAssembler = (enrolled: ReadonlyArray<string>): HopAssembler => {
  const open = new Map<number, Array<Observation>>()
  /** The last hop of each router; undefined for one that was never heard. */
  const lastHop = new Map<string, number | undefined>(enrolled.map((routerId) => [routerId, undefined]))
  let first: number | undefined
  let newest = -Infinity
  let closed = -Infinity
  let leftOut = 0

  const expected = (hop: number, last: number | undefined): boolean =>
    last === undefined ? hop - (first ?? hop) < absentHopsMax : hop - last <= absentHopsMax
  const complete = (hop: number): boolean =>
    newest - hop >= latenessHopsMax ||
    [...lastHop.values()].every((last) => (last !== undefined && last >= hop) || !expected(hop, last))

  const closeComplete = (): ReadonlyArray<Hop> => {
    const completed: Array<Hop> = []
    for (const hop of [...open.keys()].sort((a, b) => a - b)) {
      if (!complete(hop)) break
      const observations = open.get(hop)!.sort((a, b) => a.routerId < b.routerId ? -1 : 1)
      open.delete(hop)
      closed = hop
      if (observations.length > 0) completed.push({ hop, observations })
    }
    return completed
  }

  return {
    push: (observation) => {
      const { hop, routerId } = observation
      const last = lastHop.get(routerId)
      first ??= hop
      newest = Math.max(newest, hop)
      lastHop.set(routerId, Math.max(last ?? -Infinity, hop))
      if (hop <= closed || (last !== hop && !expected(hop, last))) leftOut++
      else open.set(hop, [...open.get(hop) ?? [], observation])
      return closeComplete()
    },
    leftOut: () => leftOut,
    reset: () => {
      open.clear()
      for (const routerId of lastHop.keys()) lastHop.set(routerId, undefined)
      first = undefined
      newest = closed = -Infinity
      leftOut = 0
    },
  }
}
