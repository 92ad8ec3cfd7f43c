/** The vital signs of an environment: those of the link with the most confident breathing rate. */
import type { LinkObservation, Observation } from "../observation/observation.ts"
import type { Vitals } from "../observation/vitals.ts"

const none: Vitals = {
  breathingRateBpm: null,
  breathingConfidence: 0,
  breathingReason: "no packets are received",
  heartRateBpm: null,
  heartReason: "no packets are received",
}

const better = (a: LinkObservation, b: LinkObservation): LinkObservation => {
  const byConfidence = b.vitals.breathingConfidence - a.vitals.breathingConfidence
  return byConfidence > 0 || (byConfidence === 0 && b.packets > a.packets) ? b : a
}

/**
 * The best vital signs among the observations of one hop; without any breathing rate, the reasons of the busiest link.
 */
export const bestVitals = (observations: ReadonlyArray<Observation>): Vitals => {
  const links = observations.flatMap(({ links }) => links)
  return links.length === 0 ? none : links.reduce(better).vitals
}
