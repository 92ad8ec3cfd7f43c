/**
 * Assembles the observations of several routers into hops, by event time alone.
 *
 * A hop is complete when every router that is expected in it has reported it or a later one; a router that is behind is waited for
 * `latenessHopsMax` hops. The hops before a hop decide which routers are expected in it, so a router that returns after a silence joins
 * with its next hop: whether its first hop is in time would depend on network jitter. A silence of all routers is different: a source or a node
 * that is short of CPU left hops out. Then the routers that reported the last hops before the silence continue with the first hop after it.
 *
 * A router with a wrong clock must not affect the hops of the others. So an observation far from the newest hop waits. When enough far
 * observations in a row agree, from all routers that reported lately, time has jumped, and the assembler restarts at their time.
 *
 * Invariants: hops are returned in ascending order, each once, until one that says `setBack`; the order in which the routers'
 * observations of a hop arrive changes nothing; a router has at most one observation in a hop, its first; at most
 * `aheadHopsMax` hops and `jumpCertain` far observations are held.
 */
import { latenessHopsMax, type Observation } from "../../core/observation/observation.ts"
import { ShedHops } from "./shed-hops.ts"

/** A router that has not reported for this many hops is not waited for. */
const absentHopsMax = 5
/** An observation is far if it is later than the newest hop by more than this: 5 s. */
const aheadHopsMax = 50
/** The same for earlier ones: more than the backlog that a router delivers after an outage (`router/delivery.ts`). */
const behindHopsMax = 150
/** Number of far observations in a row that prove a jump of time, if all routers that reported lately are among them. */
const jumpAgreed = 8
/** The same if some of these routers are not among them: nothing else has arrived for a while. */
const jumpCertain = 100

export interface Hop {
  readonly hop: number
  readonly observations: ReadonlyArray<Observation>
  /** Time was set back: this hop is earlier than the hops before it, which do not describe its past. */
  readonly setBack: boolean
  /** Hops before this one that routers left out and none reported: known since the last hop, each once. */
  readonly shedHops: ReadonlyArray<number>
}

const byHopAndRouter = (a: Observation, b: Observation): number => a.hop - b.hop || (a.routerId < b.routerId ? -1 : 1)

const isFar = (hop: number, from: number): boolean => hop - from > aheadHopsMax || from - hop > behindHopsMax

/** Assembles the hops of one environment. */
export class HopAssembler {
  readonly #open = new Map<number, Array<Observation>>()
  /** The last admitted hop of each router; undefined for a router that has not reported since the assembler started or restarted. */
  readonly #lastHop: Map<string, number | undefined>
  #first: number | undefined
  #newest = -Infinity
  #closed = -Infinity
  #setBack = false
  /** Far observations in a row, each near the one before it. */
  #far: Array<Observation> = []
  #dropped = 0
  readonly #shed = new ShedHops()

  /** @param enrolled the routers of the environment: all of them are waited for until they have had a chance to report. */
  constructor(enrolled: ReadonlyArray<string>) {
    this.#lastHop = new Map(enrolled.map((routerId) => [routerId, undefined]))
  }

  /** Dropped observations: too late, repeated, far from the others' time, or the first of a router that returned. */
  get dropped(): number {
    return this.#dropped
  }

  /** Takes an observation; returns the hops that it completed. */
  push(observation: Observation): ReadonlyArray<Hop> {
    const { hop } = observation
    if (this.#newest === -Infinity || !isFar(hop, this.#newest)) {
      this.#dropFar()
      return this.#admit(observation)
    }
    const before = this.#far.at(-1)
    if (before !== undefined && isFar(hop, before.hop)) this.#dropFar()
    this.#far.push(observation)
    return this.#hasJumped() ? this.#jump() : []
  }

  /** Follows a change of the enrolled routers; one that is new joins with the hop after its first. */
  enrol(routerIds: ReadonlyArray<string>): void {
    for (const routerId of this.#lastHop.keys()) if (!routerIds.includes(routerId)) this.#lastHop.delete(routerId)
    for (const routerId of routerIds) if (!this.#lastHop.has(routerId)) this.#lastHop.set(routerId, undefined)
  }

  /** Ends the hops that wait for a router: nothing comes any more. */
  end(): ReadonlyArray<Hop> {
    return this.#closeWhere(() => true)
  }

  reset(): void {
    this.#beginTime()
    this.#shed.reset()
    this.#setBack = false
    this.#dropped = 0
  }

  #admit(observation: Observation): ReadonlyArray<Hop> {
    const { hop, routerId } = observation
    if (hop - this.#newest > absentHopsMax) this.#endSilence(hop)
    // Of a dropped observation, too: these hops are known from no other.
    this.#shed.add(observation)
    const last = this.#lastHop.get(routerId)
    const isRepeated = last !== undefined && hop <= last
    this.#newest = Math.max(this.#newest, hop)
    this.#lastHop.set(routerId, Math.max(last ?? -Infinity, hop))
    if (hop <= this.#closed || isRepeated || !this.#isExpected(hop, last)) this.#dropped++
    else this.#open.set(hop, [...this.#open.get(hop) ?? [], observation])
    return this.#closeWhere((hop) => this.#isComplete(hop))
  }

  /** Continues with a hop: the routers that reported the last hops before the silence are waited for; at the beginning, all of them. */
  #endSilence(hop: number): void {
    const begins = this.#first === undefined
    for (const [routerId, last] of this.#lastHop) {
      const hasReported = last !== undefined && this.#newest - last < latenessHopsMax
      this.#lastHop.set(routerId, begins || hasReported ? undefined : last ?? -Infinity)
    }
    this.#first = hop
  }

  /** Whether a router whose last hop was `last` is expected in a hop. */
  #isExpected(hop: number, last: number | undefined): boolean {
    return last === undefined ? hop - (this.#first ?? hop) < absentHopsMax : hop - last <= absentHopsMax
  }

  #isComplete(hop: number): boolean {
    return this.#newest - hop >= latenessHopsMax ||
      [...this.#lastHop.values()].every((last) => (last !== undefined && last >= hop) || !this.#isExpected(hop, last))
  }

  #closeWhere(isOver: (hop: number) => boolean): ReadonlyArray<Hop> {
    const completed: Array<Hop> = []
    for (const hop of [...this.#open.keys()].sort((a, b) => a - b)) {
      if (!isOver(hop)) break
      const observations = this.#open.get(hop)!.sort(byHopAndRouter)
      completed.push({ hop, observations, setBack: this.#setBack, shedHops: this.#shed.before(hop) })
      this.#open.delete(hop)
      this.#closed = hop
      this.#setBack = false
    }
    return completed
  }

  /** Whether the far observations show that time has jumped. */
  #hasJumped(): boolean {
    const far = this.#far
    if (far.length >= jumpCertain) return true
    const among = new Set(far.map(({ routerId }) => routerId))
    const active = [...this.#lastHop].filter(([, last]) => last !== undefined && this.#newest - last <= absentHopsMax)
    return far.length >= jumpAgreed && active.every(([routerId]) => among.has(routerId))
  }

  /** Closes all hops and restarts at the time of the far observations. */
  #jump(): ReadonlyArray<Hop> {
    const ended = this.end()
    const begun = this.#far.sort(byHopAndRouter)
    this.#setBack ||= begun[0]!.hop <= this.#closed
    this.#beginTime()
    return [...ended, ...begun.flatMap((observation) => this.#admit(observation))]
  }

  #dropFar(): void {
    this.#dropped += this.#far.length
    this.#far = []
  }

  #beginTime(): void {
    this.#open.clear()
    for (const routerId of this.#lastHop.keys()) this.#lastHop.set(routerId, undefined)
    this.#first = undefined
    this.#newest = this.#closed = -Infinity
    this.#far = []
  }
}
