/**
 * Presence, motion and vital signs of an environment, from the observations of its routers.
 *
 * Owns the decision over time, in event time only. Boundary: the statistics come with the observations;
 * `link-evidence.ts` evaluates those of one link, `link-movers.ts` those of a hop, `evidence-integrator.ts` holds presence.
 *
 * Presence begins with a body whose echoes exceed the noise of the site, or with a breath: a strong one, or any of three
 * seconds without a machine. It lasts while a body or a breath is measured, and then for up to 7 s, by the evidence; after
 * that it is unknown for up to two minutes. Absence needs links that measure less than a quarter of the power of a body for 6 s; the less
 * they measure, the sooner it is certain.
 * Between the two, and while only a machine moves, presence is unknown: the motion of a machine would mask a person who
 * keeps still. Where all located persons have walked out, presence ends with the motion. Hops without packets count as time
 * whether or not somebody asks for them, and after a silence, presence begins with new evidence only.
 *
 * Limit: a person whose breath no link measures is not detected, unless both sides are calibrated.
 */
import type { Observation } from "../observation/observation.ts"
import type { Vitals } from "../observation/vitals.ts"
import { silenceHopsMax as defaultSilenceHopsMax } from "../observation/silence.ts"
import { bestOfLinks, type LinkVitals } from "./best-vitals.ts"
import { EvidenceIntegrator, type IntegratorMemory } from "./evidence-integrator.ts"
import { breathes, isFresh, type LinkEvidence, LinkFollower, type LinkMemory } from "./link-evidence.ts"
import { motionOf, moversOf } from "./link-movers.ts"
import { absentConfidence, presentConfidence } from "./presence-confidence.ts"
import { unknownEntry } from "./site-noise.ts"

/** Hops in a row with a machine, or with motion of either kind, before it takes effect. */
const moverHopsMin = 3
/** Quiet hops, after the window is filled, before absence is decided. */
const absenceHops = 20
/** Sum over hops of the depth of the quiet in decades, after which absence is decided earlier: 2 s of a hundredth of a body's power. */
const quietDecades = 40
/** A machine within this time masks a person: 5 s. */
const maskingHops = 50
/** A machine that ran within this time affects the windows of breathing rates: 45 s. */
const machineHops = 450
/** Hops in a row with a breath after which even a weak one is evidence of a body: no empty room of 55 captures had any. */
const breathHopsMin = 30
/** Hops without packets after which nothing is left of presence and of the doubt about it. */
const passedHopsMax = 1500
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
  /** The best vital signs of the links that have fresh evidence: most links have no packet in some hops. */
  readonly vitals: Vitals
}

/** The state of a detector, which another one continues from. */
interface PresenceMemory {
  readonly links: ReadonlyArray<LinkMemory & { readonly key: string }>
  readonly integrator: IntegratorMemory
  readonly machineInRow: number
  readonly eitherInRow: number
  readonly breathInRow: number
  readonly wholeHop: number
  readonly unquietHop: number
  readonly quiet: number
  readonly machineHop: number
  readonly onlyMachineHop: number
  readonly eitherHop: number
}

const unknown = (reason: string): Presence => ({ present: null, confidence: 0, reason })

/** Decides on presence and motion for one environment. */
export class PresenceDetector {
  readonly #entry: number
  readonly #links = new Map<string, LinkFollower>()
  readonly #integrator = new EvidenceIntegrator()
  #hop = -1
  /** The links that the last decision is about, and the newest hop of any link until then; -1 before the first. */
  #known: ReadonlyArray<LinkEvidence> = []
  #heardHop = -1
  #reading: PresenceReading = {
    presence: unknown("no packets were received yet"),
    motion: null,
    machine: false,
    vitals: bestOfLinks([]),
  }
  /** Hops in a row in which only a machine, or either kind of mover, was seen. */
  #machineInRow = 0
  #eitherInRow = 0
  /** Hops in a row with a breath that no machine explains. */
  #breathInRow = 0
  /** Hop since which a window is filled; Infinity before. */
  #wholeHop = Infinity
  /** Hop of the last motion that is too strong for an empty room. */
  #unquietHop = -Infinity
  /** Sum of the depth of the quiet in decades, since the last hop that was not. */
  #quiet = 0
  /** Hops of the last machine, of the last machine without a body, and of the last motion of either source. */
  #machineHop = -Infinity
  #onlyMachineHop = -Infinity
  #eitherHop = -Infinity

  /** @param entry threshold of the echo level in decades on a site whose noise is unknown */
  constructor(entry = unknownEntry) {
    this.#entry = entry
  }

  get memory(): PresenceMemory {
    return {
      links: [...this.#links].map(([key, follower]) => ({ key, ...follower.memory })),
      integrator: this.#integrator.memory,
      machineInRow: this.#machineInRow,
      eitherInRow: this.#eitherInRow,
      breathInRow: this.#breathInRow,
      wholeHop: this.#wholeHop,
      unquietHop: this.#unquietHop,
      quiet: this.#quiet,
      machineHop: this.#machineHop,
      onlyMachineHop: this.#onlyMachineHop,
      eitherHop: this.#eitherHop,
    }
  }

  /** Continues from the state of another detector, before the first hop. */
  recall(memory: PresenceMemory): void {
    for (const { key, ...link } of memory.links.slice(0, linksMax)) {
      const follower = new LinkFollower(this.#entry)
      follower.recall(link)
      this.#links.set(key, follower)
    }
    this.#integrator.recall(memory.integrator)
    this.#machineInRow = memory.machineInRow
    this.#eitherInRow = memory.eitherInRow
    this.#breathInRow = memory.breathInRow
    this.#wholeHop = memory.wholeHop
    this.#unquietHop = memory.unquietHop
    this.#quiet = memory.quiet
    this.#machineHop = memory.machineHop
    this.#onlyMachineHop = memory.onlyMachineHop
    this.#eitherHop = memory.eitherHop
    const heard = [...this.#links.values()].flatMap(({ evidence }) => evidence === null ? [] : [evidence])
    this.#known = heard.filter(({ sigmas }) => sigmas !== null)
    this.#heardHop = newestOf(heard)
  }

  /** Adds an observation of any router, in any order. */
  add({ hop, links, packetRateHz, routerId }: Observation): void {
    for (const link of links) {
      const follower = this.#followerOf(`${routerId}\n${link.transmitterId}`, hop)
      if (follower === null || (follower.evidence?.hop ?? -1) > hop) continue
      follower.add(hop, packetRateHz, link)
    }
  }

  /**
   * The decision at the end of `hop`. Call it for every hop with packets, with ascending hops; others make no difference. An earlier
   * hop returns the last decision.
   *
   * @param everyoneLeft whether all located persons have walked out: then presence ends with the motion
   * @param silenceHopsMax the longest silence that presence survives
   */
  read(hop: number, everyoneLeft = false, silenceHopsMax = defaultSilenceHopsMax): PresenceReading {
    if (hop > this.#hop) {
      this.#pass(hop)
      this.#hop = hop
      this.#reading = this.#decide(hop, everyoneLeft, silenceHopsMax)
    }
    return this.#reading
  }

  /** Takes the hops before `hop` that nobody asked for. No packets came in them, so all links have their last evidence. */
  #pass(hop: number): void {
    const last = Math.max(this.#hop, this.#heardHop)
    if (last < 0) return
    for (let passed = Math.max(last + 1, hop - passedHopsMax); passed < hop; passed++) {
      this.#known = this.#known.filter((link) => isFresh(link, passed))
      this.#follow(passed, this.#known, false)
    }
  }

  /** Ends presence if these links are the first after a silence. A link with few packets is not silent between them. */
  #endSilence(links: ReadonlyArray<LinkEvidence>, silenceHopsMax: number): void {
    const heardHop = newestOf(links)
    if (heardHop <= this.#heardHop) return
    const isSilent = this.#heardHop >= 0 && heardHop - this.#heardHop - 1 > silenceHopsMax
    if (isSilent && !this.#known.some((link) => isFresh(link, heardHop - 1))) this.#integrator.interrupt()
    this.#heardHop = heardHop
  }

  #followerOf(key: string, hop: number): LinkFollower | null {
    const known = this.#links.get(key)
    if (known !== undefined) return known
    if (this.#links.size >= linksMax) {
      for (const [silent, { evidence }] of this.#links) {
        if (evidence === null || !isFresh(evidence, hop)) this.#links.delete(silent)
      }
    }
    if (this.#links.size >= linksMax) return null
    const follower = new LinkFollower(this.#entry)
    this.#links.set(key, follower)
    return follower
  }

  #decide(hop: number, everyoneLeft: boolean, silenceHopsMax: number): PresenceReading {
    const links: Array<LinkEvidence> = []
    const vitals: Array<LinkVitals> = []
    for (const follower of this.#links.values()) {
      const { evidence } = follower
      if (evidence === null || evidence.hop > hop || !isFresh(evidence, hop)) continue
      links.push(evidence)
      if (follower.vitals !== null) vitals.push(follower.vitals)
    }
    const known = links.filter(({ sigmas }) => sigmas !== null)
    this.#endSilence(links, silenceHopsMax)
    this.#known = known
    this.#follow(hop, known, everyoneLeft)
    const presence = known.length > 0 ? this.#presence(hop, known) : unknown(whyUnknown(links))
    return { presence, motion: motionOf(known), machine: this.#isMachineRecent(hop), vitals: bestOfLinks(vitals) }
  }

  #isMachineRecent(hop: number): boolean {
    return hop - this.#machineHop <= machineHops
  }

  #follow(hop: number, links: ReadonlyArray<LinkEvidence>, everyoneLeft: boolean): void {
    const { body, depth, either, excess, machine, masks, possibleExcess, stays, unquiet } = moversOf(links)
    this.#machineInRow = machine ? this.#machineInRow + 1 : 0
    this.#eitherInRow = either ? this.#eitherInRow + 1 : 0
    if (this.#machineInRow >= moverHopsMin) {
      this.#machineHop = hop
      if (masks && !unquiet) this.#onlyMachineHop = hop
    }
    if (this.#eitherInRow >= moverHopsMin) this.#eitherHop = hop
    const isBreath = links.some(({ breath }) => breath > 0)
    this.#breathInRow = isBreath && !this.#isMachineRecent(hop) ? this.#breathInRow + 1 : 0
    this.#integrator.take({
      excess: links.some(breathes) || this.#breathInRow >= breathHopsMin ? Math.max(0, excess) : excess,
      possibleExcess,
      moves: body,
      stays: stays || isBreath,
      occupied: links.some(({ occupied }) => occupied),
      everyoneLeft,
    })
    if (unquiet) this.#unquietHop = hop
    if (depth === 0) this.#quiet = 0
    else if (links.some((link) => link.hop === hop)) this.#quiet = Math.min(quietDecades, this.#quiet + depth)
    if (links.length === 0) this.#wholeHop = Infinity
    else if (links.some(({ whole }) => whole)) this.#wholeHop = Math.min(this.#wholeHop, hop)
  }

  #presence(hop: number, links: ReadonlyArray<LinkEvidence>): Presence {
    const { certain, doubtful, present, sinceHops } = this.#integrator
    const isOccupied = links.some(({ occupied }) => occupied)
    if (certain || (present && isOccupied)) {
      return { present: true, confidence: presentConfidence(sinceHops), reason: null }
    }
    if (hop - this.#onlyMachineHop <= maskingHops) return unknown(onlyMachine)
    if (hop - this.#eitherHop < absenceHops) return unknown(eitherMoves)
    if (links.some(({ breath }) => breath > 0)) return unknown(onlyBreath)
    if (isOccupied) return unknown(onlyOccupied)
    if (present || doubtful) return unknown(recentlyPresent)
    if (hop - this.#unquietHop < absenceHops) return unknown(weakMotion)
    if (!(hop - this.#wholeHop >= absenceHops) && this.#quiet < quietDecades) return unknown(notQuietYet)
    return { present: false, confidence: absentConfidence(links), reason: null }
  }
}

/** The newest hop of links; -1 without any. */
const newestOf = (links: ReadonlyArray<LinkEvidence>): number => Math.max(-1, ...links.map(({ hop }) => hop))

const whyUnknown = (links: ReadonlyArray<LinkEvidence>): string => {
  if (links.length === 0) return "no packets are received"
  const rateHz = Math.max(...links.map((link) => link.packetRateHz)).toFixed(1)
  return `not enough data yet: a link needs some tenths of a second and 50 packets that follow another within 1 s; ` +
    `the highest rate is ${rateHz} packets/s`
}

const onlyMachine = "the motion has no part as slow as a body's, so it is a machine, such as a fan; " +
  "a person who keeps still would not be detected beside it"
const eitherMoves = "something moves, but it is not clear yet whether it is a body or a machine"
const onlyBreath = "a weak period like that of a breath is measured, but nothing moves like a body"
const onlyOccupied = "nothing moves, but the static response is as calibrated in the occupied room"
const notQuietYet = "absence is not certain yet: it needs 3 to 6 s with 100 to 200 packets, or 32 s, without motion"
const weakMotion = "something changes, but too weakly or too briefly to distinguish a person from noise"
const recentlyPresent = "a person was present shortly before, and may keep still"
