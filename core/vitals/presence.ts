/**
 * Presence and motion of an environment, from the observations of its routers.
 *
 * Owns the decision over time: a trailing window of evidence, hysteresis and hold, in event time alone. Boundary: the motion
 * statistic of a link, and its noise floor, come with the observations.
 *
 * Evidence is a link's motion statistic in standard deviations of its own noise floor, so that no threshold depends on
 * the room, the receiver or the packet rate. Somebody is there when it passes 4 sigma, and stays there while it passes
 * 3 sigma now and then: a person who sits still breathes, and the slowest breath considered takes 10 s. With L links the best
 * of L noises is compared, so a threshold of s sigma becomes sqrt(s^2 + 2 ln L) and the false alarms stay those of one.
 *
 * What it cannot tell: whether what moves is a person (a fan moves too), and a person whose breath no link sees.
 */
import type { Observation } from "../signal/observation.ts"

const enterSigmas = 4
const staySigmas = 3
/** Hops in a row above the threshold before somebody is there. */
const enterHops = 3
/** Presence lasts this long after the last evidence: two of the slowest breaths. */
const holdHops = 200
/** Quiet hops before nobody is there, when nothing was known: with the 4 s window before them, one of the slowest breaths. */
const absenceHops = 60
/** An observation older than this says nothing about now. */
const freshHops = 20
/** Below this packet rate a link's window never fills. */
const packetRateMinHz = 5
/** Power of the echo of a torso over that of the static response, at which `motion` is one half: -20 dB. */
const halfMotionPower = 0.01
/** Links that are remembered; further ones are left out until others fall silent. */
const linksMax = 1024

/** Whether somebody is there. Shape of every frame's `presence`. */
export interface Presence {
  /** Null when the signal does not say; `reason` tells why. */
  readonly present: boolean | null
  /** 0..1, of what `present` says. */
  readonly confidence: number
  readonly reason: string | null
}

export interface PresenceReading {
  readonly presence: Presence
  /** 0..1: how strong what moves is, 0 when nothing does, null when the signal does not say. */
  readonly motion: number | null
}

interface LinkEvidence {
  readonly hop: number
  readonly packetRateHz: number
  /** Motion statistic over its noise floor; null while the link's window is not filled. */
  readonly sigmas: number | null
  readonly dynamicPower: number | null
}

const unknown = (reason: string): PresenceReading => ({
  presence: { present: null, confidence: 0, reason },
  motion: null,
})

/** Threshold for the best of several links that has the false alarms of one link at `sigmas`. */
const thresholdOf = (sigmas: number, links: number): number => Math.sqrt(sigmas * sigmas + 2 * Math.log(links))

/** Decides on presence and motion for one environment. */
export class PresenceDetector {
  readonly #links = new Map<string, LinkEvidence>()
  #hop = -1
  #reading: PresenceReading = unknown("no packets were received yet")
  #present = false
  #strongHops = 0
  /** Hop of the last evidence, or of the first one that could have had some. */
  #quietSince = -1
  /** Confidence at the last evidence. */
  #confidence = 0

  /** Takes an observation of any router, in any order. */
  add(observation: Observation): void {
    for (const link of observation.links) {
      const key = `${observation.routerId}\n${link.transmitterId}`
      const known = this.#links.get(key)
      if (known === undefined ? this.#links.size >= linksMax : known.hop > observation.hop) continue
      this.#links.set(key, {
        hop: observation.hop,
        packetRateHz: observation.packetRateHz,
        sigmas: link.motionStatistic === null || !(link.motionStatisticSigma > 0)
          ? null
          : link.motionStatistic / link.motionStatisticSigma,
        dynamicPower: link.dynamicPower,
      })
    }
  }

  /** The decision at the end of `hop`. Call it once a hop, with ascending hops; for an earlier hop it repeats itself. */
  read(hop: number): PresenceReading {
    if (hop > this.#hop) {
      this.#hop = hop
      this.#reading = this.#decide(hop)
    }
    return this.#reading
  }

  #decide(hop: number): PresenceReading {
    for (const [key, link] of this.#links) if (hop - link.hop > freshHops) this.#links.delete(key)
    const fresh = [...this.#links.values()].filter((link) => link.hop <= hop)
    const filled = fresh.filter((link) => link.sigmas !== null)
    if (filled.length === 0) {
      this.#strongHops = 0
      if (!this.#holds(hop)) this.#forget()
      return unknown(whyUnknown(fresh))
    }
    if (this.#quietSince < 0) this.#quietSince = hop
    const strength = Math.max(...filled.map((link) => link.sigmas!))
    this.#follow(hop, strength, filled.length)
    return { presence: this.#presence(hop, strength, filled.length), motion: motionOf(filled) }
  }

  #follow(hop: number, strength: number, links: number): void {
    this.#strongHops = strength >= thresholdOf(enterSigmas, links) ? this.#strongHops + 1 : 0
    if (this.#strongHops >= enterHops) this.#present = true
    if (this.#present && strength >= thresholdOf(staySigmas, links)) {
      this.#quietSince = hop
      this.#confidence = likelihood(strength / thresholdOf(enterSigmas, links))
    }
    if (!this.#holds(hop)) this.#present = false
  }

  #holds(hop: number): boolean {
    return this.#present && hop - this.#quietSince <= holdHops
  }

  /** Starts over: what was known is too old, and nothing has come since. */
  #forget(): void {
    this.#present = false
    this.#quietSince = -1
  }

  #presence(hop: number, strength: number, links: number): Presence {
    const quietHops = hop - this.#quietSince
    if (this.#present) {
      const confidence = 0.5 + Math.max(0, this.#confidence - 0.5) * (1 - quietHops / holdHops)
      return { present: true, confidence, reason: null }
    }
    if (quietHops < absenceHops) {
      return {
        present: null,
        confidence: 0,
        reason: "not enough data yet: 10 s without motion are needed to say that nobody is there",
      }
    }
    const quiet = 1 - 0.5 * Math.exp(-quietHops / holdHops)
    const confidence = quiet * (1 - likelihood(Math.max(0, strength) / thresholdOf(enterSigmas, links)))
    return { present: false, confidence, reason: null }
  }
}

/** 0..1, one half at the threshold. */
const likelihood = (ratio: number): number => ratio * ratio / (1 + ratio * ratio)

const motionOf = (links: ReadonlyArray<LinkEvidence>): number => {
  const threshold = thresholdOf(enterSigmas, links.length)
  let power = 0
  for (const link of links) if (link.sigmas! >= threshold) power = Math.max(power, link.dynamicPower ?? 0)
  return power / (power + halfMotionPower)
}

const whyUnknown = (fresh: ReadonlyArray<LinkEvidence>): string => {
  if (fresh.length === 0) return `no packets were received for ${freshHops / 10} s`
  const rateHz = Math.max(...fresh.map((link) => link.packetRateHz))
  return rateHz < packetRateMinHz
    ? `the packet rate is too low: ${rateHz.toFixed(1)} packets/s, at least ${packetRateMinHz} are needed`
    : "not enough data yet: 4 s are needed, and 50 packets of one link"
}
