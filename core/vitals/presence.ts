/**
 * Presence and motion of an environment, from the observations of its routers.
 *
 * Owns the decision over time: hysteresis and hold, in event time only. Boundary: the statistics come with the
 * observations; `link-evidence.ts` evaluates those of one link.
 *
 * Presence begins when a link indicates a moving body at 4 sigma, and lasts while one does at 3 sigma now and then, or
 * a breath is measured: a person who sits still breathes, and the slowest breath considered takes 10 s. A strong breath
 * suffices alone. While only a machine moves, presence is unknown, because its motion would mask a person who keeps
 * still.
 *
 * Limit: a person whose breath no link measures is not detected, unless both sides are calibrated.
 */
import type { Observation } from "../observation/observation.ts"
import { enterSigmas, evidenceOf, type LinkEvidence, staySigmas, verdictOf } from "./link-evidence.ts"
import { absentConfidence, presentConfidence } from "./presence-confidence.ts"

/** Hops in a row with the same verdict before it takes effect. */
const enterHops = 3
/** Presence lasts this long after the last evidence: two of the slowest breaths. */
const holdHops = 200
/** It lasts 10 minutes where the calibrated static response is that of the occupied room. */
const occupiedHoldHops = 6000
/**
 * Hops without a body before absence is decided from the unknown state: with the window before them, one of the slowest
 * breaths.
 */
const absenceHops = 60
/** Motion within this time counts as current: 5 s. */
const moverHops = 50
/** A machine that ran within this time affects the windows of breathing rates: 45 s. */
const machineHops = 450
/** Age at which an observation is dropped; for a link with few packets, ten of its intervals, at most 30 s. */
const freshHopsMin = 20
const freshHopsMax = 300
const freshIntervals = 10
/** Echo power of a torso over the static response, at which `motion` is one half: -20 dB. */
const halfMotionPower = 0.01
/** Maximum number of links; further ones are ignored until others fall silent. */
const linksMax = 1024

/** Whether a person is present. Shape of every frame's `presence`. */
export interface Presence {
  /** Null when the signal is inconclusive; `reason` explains why. */
  readonly present: boolean | null
  /** 0..1, of the value of `present`. */
  readonly confidence: number
  readonly reason: string | null
}

export interface PresenceReading {
  readonly presence: Presence
  /** 0..1: strength of the motion; 0 without motion, null when the signal is inconclusive. */
  readonly motion: number | null
  /**
   * Whether a machine ran during the windows of the current breathing rates: an oscillating one looks like a breath.
   */
  readonly machine: boolean
}

const movers = ["body", "machine", "either"] as const

const unknown = (reason: string): Presence => ({ present: null, confidence: 0, reason })

const isFresh = (link: LinkEvidence, hop: number): boolean =>
  hop - link.hop <= Math.max(freshHopsMin, Math.min(freshHopsMax, freshIntervals * link.gapHops))

/** Decides on presence and motion for one environment. */
export class PresenceDetector {
  readonly #links = new Map<string, LinkEvidence>()
  #hop = -1
  #reading: PresenceReading = { presence: unknown("no packets were received yet"), motion: null, machine: false }
  #present = false
  /** Hops in a row in which a link indicated each source of motion. */
  readonly #inRow = { body: 0, machine: 0, either: 0 }
  /** Hop of the last evidence of a body, or of the first one that could have had evidence. */
  #quietSince = -1
  /** Hops of the last machine, of the last machine without a body, and of the last motion of either source. */
  #machineHop = -Infinity
  #onlyMachineHop = -Infinity
  #eitherHop = -Infinity

  /** Adds an observation of any router, in any order. */
  add(observation: Observation): void {
    for (const link of observation.links) {
      const key = `${observation.routerId}\n${link.transmitterId}`
      const known = this.#links.get(key)
      if (known === undefined ? this.#links.size >= linksMax : known.hop > observation.hop) continue
      this.#links.set(key, evidenceOf(observation.hop, observation.packetRateHz, link, known))
    }
  }

  /**
   * The decision at the end of `hop`. Call it once per hop, with ascending hops; an earlier hop returns the last
   * decision.
   */
  read(hop: number): PresenceReading {
    if (hop > this.#hop) {
      this.#hop = hop
      this.#reading = this.#decide(hop)
    }
    return this.#reading
  }

  #decide(hop: number): PresenceReading {
    for (const [key, link] of this.#links) if (!isFresh(link, hop)) this.#links.delete(key)
    const fresh = [...this.#links.values()].filter((link) => link.hop <= hop && link.sigmas !== null)
    const motion = motionOf(fresh)
    this.#follow(hop, fresh)
    const presence = fresh.length > 0 ? this.#presence(hop, fresh) : unknown(this.#whyUnknown(hop))
    return { presence, motion, machine: hop - this.#machineHop <= machineHops }
  }

  #follow(hop: number, links: ReadonlyArray<LinkEvidence>): void {
    const verdicts = (atSigmas: number) => new Set(links.map((link) => verdictOf(link, links.length, atSigmas)))
    const strong = verdicts(enterSigmas)
    const row = this.#inRow
    for (const mover of movers) row[mover] = strong.has(mover) ? row[mover] + 1 : 0
    if (row.body >= enterHops) this.#present = true
    if (row.machine >= enterHops) this.#machineHop = hop
    const stays = strong.has("body") || verdicts(staySigmas).has("body") || links.some(({ breath }) => breath > 0)
    if (this.#present && stays) this.#quietSince = hop
    else if (row.machine >= enterHops) this.#onlyMachineHop = hop
    else if (row.either >= enterHops) this.#eitherHop = hop
    if (links.some(({ whole }) => whole) && this.#quietSince < 0) this.#quietSince = hop
    const hold = links.some(({ occupied }) => occupied) ? occupiedHoldHops : holdHops
    if (hop - this.#quietSince > hold) this.#present = false
    // The last evidence is too old, and no link is active.
    if (links.length === 0 && !this.#present) this.#quietSince = -1
  }

  #presence(hop: number, links: ReadonlyArray<LinkEvidence>): Presence {
    const quietHops = hop - this.#quietSince
    if (this.#present) return { present: true, confidence: presentConfidence(quietHops), reason: null }
    if (hop - this.#onlyMachineHop <= moverHops) return unknown(onlyMachine)
    if (hop - this.#eitherHop <= moverHops) return unknown(eitherMoves)
    if (links.some(({ breath }) => breath > 0)) return unknown(onlyBreath)
    if (links.some(({ occupied }) => occupied)) return unknown(onlyOccupied)
    if (this.#quietSince < 0 || quietHops < absenceHops) return unknown(notQuietYet)
    return { present: false, confidence: absentConfidence(links), reason: null }
  }

  #whyUnknown(hop: number): string {
    const links = [...this.#links.values()].filter((link) => link.hop <= hop)
    if (links.length === 0) return "no packets are received"
    const rateHz = Math.max(...links.map((link) => link.packetRateHz)).toFixed(1)
    return `not enough data yet: one link needs 50 packets that follow another within 1 s; the highest rate is ${rateHz} packets/s`
  }
}

const onlyMachine = "the motion has no part as slow as a body's, so it is a machine, such as a fan; " +
  "a person who keeps still would not be detected beside it"
const eitherMoves = "something moves, but it is not clear yet whether it is a body or a machine"
const onlyBreath = "a weak period like that of a breath is measured, but nothing moves like a body"
const onlyOccupied = "nothing moves, but the static response is as calibrated in the occupied room"
const notQuietYet = "not enough data yet: absence needs 10 s without motion, and 200 packets or 30 s"

/** Strength of the strongest motion; links with too few packets are ignored. */
const motionOf = (links: ReadonlyArray<LinkEvidence>): number | null => {
  if (links.length === 0) return null
  let power = 0
  for (const link of links) {
    if (verdictOf(link, links.length, enterSigmas) !== "none") power = Math.max(power, link.dynamicPower ?? 0)
  }
  return power / (power + halfMotionPower)
}
