/**
 * Brings the observations of several routers together, hop by hop, by event time alone.
 *
 * A hop is complete when every router that is expected in it has reported it or a later one; a router that stays behind
 * is waited for `latenessHopsMax` hops. Who is expected in a hop is decided by what came before it, so a router that comes
 * back from a silence joins with its next hop: whether its first one were in time would depend on the network.
 *
 * One router whose clock is wrong must not end the others' time. So an observation far from the newest hop waits; when
 * enough of them in a row agree, from all routers that were heard of late, time has jumped, and they begin it anew.
 *
 * Invariants: hops come out in ascending order, each once, until one that says `setBack`; the order in which the routers'
 * observations of a hop come changes nothing; a router has one observation in a hop at most, its first; at most
 * `aheadHopsMax` hops and `jumpCertain` far observations are held.
 */
import type { Observation } from "../../core/observation/observation.ts"

/** How many hops newer than a hop must have been reported before it is closed without the missing routers. */
export const latenessHopsMax = 3
/** A router that has not reported for so many hops is not waited for. */
const absentHopsMax = 5
/** Further than this past the newest hop, an observation is far: 5 s. */
const aheadHopsMax = 50
/** Further than this before it too: more than the backlog that a router delivers after an outage (`router/delivery.ts`). */
const behindHopsMax = 150
/** Far observations in a row by which time has jumped, when all routers that were heard of late are among them. */
const jumpAgreed = 8
/** And when some are not: nothing else has come for a while. */
const jumpCertain = 100

export interface Hop {
  readonly hop: number
  readonly observations: ReadonlyArray<Observation>
  /** Time was set back: this hop is earlier than those before it, which say nothing about it. */
  readonly setBack: boolean
}

interface HopAssembler {
  /** Takes an observation; answers the hops that it completed. */
  readonly push: (observation: Observation) => ReadonlyArray<Hop>
  /** Observations that were left out: too late, twice, far from the others' time, or the first of a router that came back. */
  readonly leftOut: () => number
  readonly reset: () => void
}

const byHopAndRouter = (a: Observation, b: Observation): number => a.hop - b.hop || (a.routerId < b.routerId ? -1 : 1)

/** @param enrolled the routers of the environment: all of them are waited for until they have had a chance to report. */
export const hopAssembler = (enrolled: ReadonlyArray<string>): HopAssembler => {
  const open = new Map<number, Array<Observation>>()
  /** The last admitted hop of each router; undefined for one that was not heard since time began. */
  const lastHop = new Map<string, number | undefined>(enrolled.map((routerId) => [routerId, undefined]))
  let first: number | undefined
  let newest = -Infinity
  let closed = -Infinity
  let setBack = false
  /** Far observations in a row, each near the one before it. */
  let far: Array<Observation> = []
  let leftOut = 0

  const expected = (hop: number, last: number | undefined): boolean =>
    last === undefined ? hop - (first ?? hop) < absentHopsMax : hop - last <= absentHopsMax
  const complete = (hop: number): boolean =>
    newest - hop >= latenessHopsMax ||
    [...lastHop.values()].every((last) => (last !== undefined && last >= hop) || !expected(hop, last))

  const closeWhere = (over: (hop: number) => boolean): ReadonlyArray<Hop> => {
    const completed: Array<Hop> = []
    for (const hop of [...open.keys()].sort((a, b) => a - b)) {
      if (!over(hop)) break
      completed.push({ hop, observations: open.get(hop)!.sort(byHopAndRouter), setBack })
      open.delete(hop)
      closed = hop
      setBack = false
    }
    return completed
  }

  const admit = (observation: Observation): ReadonlyArray<Hop> => {
    const { hop, routerId } = observation
    const last = lastHop.get(routerId)
    const again = last !== undefined && hop <= last
    first ??= hop
    newest = Math.max(newest, hop)
    lastHop.set(routerId, Math.max(last ?? -Infinity, hop))
    if (hop <= closed || again || !expected(hop, last)) leftOut++
    else open.set(hop, [...open.get(hop) ?? [], observation])
    return closeWhere(complete)
  }

  const beginTime = () => {
    open.clear()
    for (const routerId of lastHop.keys()) lastHop.set(routerId, undefined)
    first = undefined
    newest = closed = -Infinity
    far = []
  }

  const isFar = (hop: number, from: number): boolean => hop - from > aheadHopsMax || from - hop > behindHopsMax

  /** Whether the far observations say that time has jumped. */
  const jumped = (): boolean => {
    if (far.length >= jumpCertain) return true
    const among = new Set(far.map(({ routerId }) => routerId))
    const heard = [...lastHop].filter(([, last]) => last !== undefined && newest - last <= absentHopsMax)
    return far.length >= jumpAgreed && heard.every(([routerId]) => among.has(routerId))
  }

  return {
    push: (observation) => {
      const { hop } = observation
      if (newest === -Infinity || !isFar(hop, newest)) {
        leftOut += far.length
        far = []
        return admit(observation)
      }
      const before = far.at(-1)
      if (before !== undefined && isFar(hop, before.hop)) {
        leftOut += far.length
        far = []
      }
      far.push(observation)
      if (!jumped()) return []
      const ended = closeWhere(() => true)
      const begun = far.sort(byHopAndRouter)
      setBack ||= begun[0]!.hop <= closed
      beginTime()
      return [...ended, ...begun.flatMap(admit)]
    },
    leftOut: () => leftOut,
    reset: () => {
      beginTime()
      setBack = false
      leftOut = 0
    },
  }
}
