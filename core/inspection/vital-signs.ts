/**
 * Vital signs over a whole capture: what each link says once a second, summed up for the link that says most.
 *
 * Boundary: a second's reading comes with the observations; what many of them say together is `core/vitals/summary.ts`. Bounded: the
 * first links that are heard, and so many seconds of them together.
 */
import type { Observation } from "../observation/observation.ts"
import type { Vitals } from "../observation/vitals.ts"
import { type RateSummary, summariseBreathing, summariseHeartRate } from "../vitals/summary.ts"

const linksMax = 64
/** A day of one link. */
const secondsMax = 86_400
/** Hops of a second. */
const secondHops = 10

/** What one link has said. */
interface Link {
  readonly seconds: Array<Vitals>
  packets: number
  /** The hop of the latest second. */
  hop: number
}

export interface VitalSummary {
  readonly breathing: RateSummary
  readonly heart: RateSummary
}

const withRate = ({ seconds }: Link): number =>
  seconds.filter(({ breathingRateBpm }) => breathingRateBpm !== null).length

/** Gathers the vital signs of a capture. */
export class VitalSigns {
  readonly #links = new Map<string, Link>()
  #seconds = 0

  add({ hop, links }: Observation): void {
    for (const { packets, transmitterId, vitals } of links) {
      const link = this.#linkOf(transmitterId)
      if (link === null) continue
      link.packets += packets
      if (Math.abs(hop - link.hop) < secondHops || this.#seconds === secondsMax) continue
      link.hop = hop
      link.seconds.push(vitals)
      this.#seconds++
    }
  }

  /** The rates of the link that has one for most seconds, else the reasons of the busiest. */
  read(): VitalSummary {
    const [best] = [...this.#links.values()].sort((a, b) => withRate(b) - withRate(a) || b.packets - a.packets)
    const seconds = best?.seconds ?? []
    return { breathing: summariseBreathing(seconds), heart: summariseHeartRate(seconds) }
  }

  #linkOf(transmitterId: string): Link | null {
    const known = this.#links.get(transmitterId)
    if (known !== undefined || this.#links.size === linksMax) return known ?? null
    const link: Link = { seconds: [], packets: 0, hop: -Infinity }
    this.#links.set(transmitterId, link)
    return link
  }
}
