/** The vital signs of several links: those of the link with the most confident breathing rate. */
import type { LinkObservation } from "../observation/observation.ts"
import type { Vitals } from "../observation/vitals.ts"

const none: Vitals = {
  breathingRateBpm: null,
  breathingConfidence: 0,
  breathingReason: "no packets are received",
  heartRateBpm: null,
  heartReason: "no packets are received",
}

/** The vital signs of a link, and its packets in the hop that they are of. */
export type LinkVitals = Pick<LinkObservation, "packets" | "vitals">

const better = (a: LinkVitals, b: LinkVitals): LinkVitals => {
  const byConfidence = b.vitals.breathingConfidence - a.vitals.breathingConfidence
  return byConfidence > 0 || (byConfidence === 0 && b.packets > a.packets) ? b : a
}

/** The best vital signs among links; without any breathing rate, the reasons of the busiest link. */
export const bestOfLinks = (links: ReadonlyArray<LinkVitals>): Vitals =>
  links.length === 0 ? none : links.reduce(better).vitals
