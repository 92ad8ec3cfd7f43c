/**
 * Presence and motion of an environment, from the observations of its routers.
 *
 * Owns the decision over time: hysteresis and hold, in event time alone. Boundary: the statistics come with the observations; what
 * those of one link say is in `link-evidence.ts`.
 *
 * Somebody is there when a link shows a body that moves at 4 sigma, and stays there while one shows it at 3 sigma now and
 * then, or a breath is heard: a person who sits still breathes, and the slowest breath considered takes 10 s. A strong breath will do alone.
 * While all that moves is a machine, there is no answer: it would hide somebody who keeps still.
 *
 * What it cannot tell: a person whose breath no link sees, unless a calibration was taken on both sides.
 */
import type { Observation } from "../observation/observation.ts"
import { enterSigmas, evidenceOf, type LinkEvidence, staySigmas, verdictOf } from "./link-evidence.ts"
import { absentConfidence, presentConfidence } from "./presence-confidence.ts"

/** Hops in a row that say the same before it is so. */
const enterHops = 3
/** Presence lasts this long after the last evidence: two of the slowest breaths. */
const holdHops = 200
/** It lasts 10 minutes where the calibrated static response is as with somebody there. */
const occupiedHoldHops = 6000
/** Hops without a body before nobody is there, when nothing was known: with the window before them, one of the slowest breaths. */
const absenceHops = 60
/** What moved within this long is taken to move still: 5 s. */
const moverHops = 50
/** A machine that ran within this long has a part in the windows that breaths are read from: 45 s. */
const machineHops = 450
/** An observation older than this says nothing about now; of a link with few packets, older than ten of its intervals or 30 s. */
const freshHopsMin = 20
const freshHopsMax = 300
const freshIntervals = 10
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
  /** Whether a machine ran while what is heard of breaths now was received: one that swings sounds like a breath. */
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
  /** Hops in a row in which a link showed such a mover. */
  readonly #inRow = { body: 0, machine: 0, either: 0 }
  /** Hop of the last evidence of a body, or of the first one that could have had some. */
  #quietSince = -1
  /** Hops in which a machine was last seen, in which it was without a body, and what may be either. */
  #machineHop = -Infinity
  #onlyMachineHop = -Infinity
  #eitherHop = -Infinity

  /** Takes an observation of any router, in any order. */
  add(observation: Observation): void {
    for (const link of observation.links) {
      const key = `${observation.routerId}\n${link.transmitterId}`
      const known = this.#links.get(key)
      if (known === undefined ? this.#links.size >= linksMax : known.hop > observation.hop) continue
      this.#links.set(key, evidenceOf(observation.hop, observation.packetRateHz, link, known))
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
    // What was known is too old, and nothing has come since.
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
    return `not enough data yet: 50 packets of one link are needed that follow another within 1 s; they come at ${rateHz} packets/s`
  }
}

const onlyMachine = "what moves has nothing as slow as a body in it, so it is a machine, such as a fan; " +
  "somebody who keeps still would not show beside it"
const eitherMoves = "something moves, but it cannot be told yet whether it is a body or a machine"
const onlyBreath = "a weak period such as a breath's is heard, but nothing that moves like a body"
const onlyOccupied = "nothing moves, but the static response is as it was calibrated with somebody in the room"
const notQuietYet =
  "not enough data yet: 10 s without motion are needed to say that nobody is there, and 200 packets or 30 s"

/** The strongest of what moves; links without packets enough are left out. */
const motionOf = (links: ReadonlyArray<LinkEvidence>): number | null => {
  if (links.length === 0) return null
  let power = 0
  for (const link of links) {
    if (verdictOf(link, links.length, enterSigmas) !== "nobody") power = Math.max(power, link.dynamicPower ?? 0)
  }
  return power / (power + halfMotionPower)
}
