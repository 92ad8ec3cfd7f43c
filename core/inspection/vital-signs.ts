/**
 * Vital signs over a whole capture: collects the readings of each link, one per second, and summarises those of the link with the most
 * rates.
 *
 * Boundary: the observations contain the readings; `core/vitals/summary.ts` summarises them. Bounds: `linksMax` links, the first ones that
 * are received, and `secondsMax` readings of all links together; when they are reached, every second reading is left out, also from then on.
 */
import type { Observation } from "../observation/observation.ts"
import type { Vitals } from "../observation/vitals.ts"
import { fastWindowS, slowWindowS, whileMoving, whyNoWindow } from "../vitals/breathing.ts"
import { type RateSummary, summariseBreathing, summariseHeartRate } from "../vitals/summary.ts"

const linksMax = 64
/** A day of one link. */
const secondsMax = 86_400
/** Hops per second. */
const secondHops = 10

/** The readings of one link. */
interface Link {
  seconds: Array<Vitals>
  packets: number
  /** The hop of the latest reading. */
  hop: number
}

/** The windows of one link that are long and dense enough to be evaluated, with or without a rate. */
interface Windows {
  /** Share of the filled windows, 0..1. Those with too much motion are not evaluated, and not counted. */
  readonly readable: number
  /** The commonest reason of the others, or that all have too much motion; null when there are none. */
  readonly reason: string | null
}

export interface VitalSummary {
  readonly breathing: RateSummary
  readonly heart: RateSummary
  readonly breathingWindows: Windows
}

const refusalsOf = (kind: "gap" | "sparse" | "not-filled"): ReadonlySet<string> =>
  new Set([fastWindowS, slowWindowS].map((lengthS) => whyNoWindow(kind, lengthS)))
const notFilled = refusalsOf("not-filled")
const unreadable: ReadonlySet<string> = new Set([...refusalsOf("gap"), ...refusalsOf("sparse")])

const windowsOf = (seconds: ReadonlyArray<Vitals>): Windows => {
  const reasons = seconds.map(({ breathingReason }) => breathingReason ?? "")
  const whole = reasons.filter((reason) => !notFilled.has(reason))
  const filled = whole.filter((reason) => reason !== whileMoving)
  const refused = filled.filter((reason) => unreadable.has(reason))
  const counts = new Map<string, number>()
  for (const reason of refused) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const [commonest] = [...counts].sort(([, a], [, b]) => b - a)
  return {
    readable: filled.length === 0 ? 0 : 1 - refused.length / filled.length,
    reason: commonest?.[0] ?? (whole.length > 0 && filled.length === 0 ? whileMoving : null),
  }
}

const withRate = ({ seconds }: Link): number =>
  seconds.filter(({ breathingRateBpm }) => breathingRateBpm !== null).length

/** Gathers the vital signs of a capture. */
export class VitalSigns {
  readonly #links = new Map<string, Link>()
  #seconds = 0
  /** Hops between the readings of a link that are kept. */
  #everyHops = secondHops

  add({ hop, links }: Observation): void {
    for (const { packets, transmitterId, vitals } of links) {
      const link = this.#linkOf(transmitterId)
      if (link === null) continue
      link.packets += packets
      if (Math.abs(hop - link.hop) < this.#everyHops) continue
      link.hop = hop
      link.seconds.push(vitals)
      if (++this.#seconds === secondsMax) this.#thin()
    }
  }

  /** The rates of the link with the most breathing rates; without any, the reasons of the busiest link. */
  read(): VitalSummary {
    const [best] = [...this.#links.values()].sort((a, b) => withRate(b) - withRate(a) || b.packets - a.packets)
    const seconds = best?.seconds ?? []
    return {
      breathing: summariseBreathing(seconds),
      heart: summariseHeartRate(seconds),
      breathingWindows: windowsOf(seconds),
    }
  }

  #thin(): void {
    this.#everyHops *= 2
    this.#seconds = 0
    for (const link of this.#links.values()) {
      link.seconds = link.seconds.filter((_, i) => i % 2 === 0)
      this.#seconds += link.seconds.length
    }
  }

  #linkOf(transmitterId: string): Link | null {
    const known = this.#links.get(transmitterId)
    if (known !== undefined || this.#links.size === linksMax) return known ?? null
    const link: Link = { seconds: [], packets: 0, hop: -Infinity }
    this.#links.set(transmitterId, link)
    return link
  }
}
