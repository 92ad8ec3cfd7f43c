/**
 * Beamforming scan: presence and the number of still persons, from the compressed beamforming reports of a site's
 * stations.
 *
 * A report is V, the directions of a station's channel without strength, phase or delay
 * (`core/formats/beamforming-feedback.ts`). Motion rotates those directions, so presence, motion and breathing are
 * measured from them as from any link. Persons are counted by their breathing only: stations at different places sense
 * different persons best, and rates that are apart and not multiples of each other belong to different persons. A
 * moving person masks every breath, and one station measures one breath; then there is no count.
 *
 * Limit: two persons with the same breathing rate count as one, so a count is the minimum that explains the rates.
 */
import { hopUs, type Observation } from "../observation/observation.ts"
import type { Vitals } from "../observation/vitals.ts"
import { whileMoving } from "./breathing.ts"
import type { Presence, PresenceReading } from "./presence.ts"

/** An older breathing rate is dropped: 10 s. */
const freshHops = 100
const stationsMin = 2
const stationsMax = 64
/** Closer rates count as one breath: the resolution of its window of 30 s. */
const apartBpmMin = 3
/** A rate within this share of twice or three times another is a harmonic of it. */
const harmonicShare = 0.07

interface BeamformingReading {
  /** Nanoseconds since the Unix epoch; exceeds 2^53. */
  readonly timestampNs: bigint
  readonly presence: Presence
  readonly personCount: number | null
  readonly personCountReason: string | null
  readonly stations: number
}

interface BeamformingScanner {
  /** Adds the reports of one hop and their presence reading; hops come in ascending order. */
  readonly scan: (observation: Observation, reading: PresenceReading) => BeamformingReading
}

const isHarmonic = (low: number, high: number): boolean =>
  [2, 3].some((order) => Math.abs(high - order * low) <= harmonicShare * order * low)

/** The minimum number of persons that explains these breathing rates. */
export const breathsOf = (ratesBpm: ReadonlyArray<number>): number => {
  const persons: Array<number> = []
  for (const rate of [...ratesBpm].sort((a, b) => a - b)) {
    if (persons.every((known) => rate - known >= apartBpmMin && !isHarmonic(known, rate))) persons.push(rate)
  }
  return persons.length
}

const countOf = (
  { presence }: PresenceReading,
  breaths: ReadonlyArray<Vitals>,
): Pick<BeamformingReading, "personCount" | "personCountReason"> => {
  const none = (personCountReason: string) => ({ personCount: null, personCountReason })
  if (presence.present === false) return { personCount: 0, personCountReason: null }
  if (presence.present === null) return none(presence.reason ?? "Presence is unknown.")
  if (breaths.some(({ breathingReason }) => breathingReason === whileMoving)) {
    return none(
      "A person moves: persons are counted by their breathing, which is measurable only while everyone keeps still.",
    )
  }
  const rates = breaths.flatMap(({ breathingRateBpm }) => breathingRateBpm === null ? [] : [breathingRateBpm])
  return rates.length < stationsMin
    ? none(`Stations that measure breathing: ${rates.length}; a count needs ${stationsMin} at different places.`)
    : { personCount: breathsOf(rates), personCountReason: null }
}

/** Time of the last report of a hop. */
const lastReportNs = ({ hop, links }: Observation): bigint => {
  const seconds = links.flatMap(({ dynamicTimesS }) => [...dynamicTimesS])
  const lastS = seconds.length === 0 ? hopUs / 1e6 : Math.max(...seconds)
  return BigInt(hop) * BigInt(hopUs) * 1000n + BigInt(Math.round(lastS * 1e9))
}

export const createBeamformingScanner = (): BeamformingScanner => {
  const stations = new Map<string, { hop: number; vitals: Vitals }>()
  return {
    scan: (observation, reading) => {
      const { hop, links } = observation
      for (const [station, latest] of stations) if (hop - latest.hop > freshHops) stations.delete(station)
      for (const { transmitterId, vitals } of links) {
        if (stations.has(transmitterId) || stations.size < stationsMax) stations.set(transmitterId, { hop, vitals })
      }
      return {
        timestampNs: lastReportNs(observation),
        presence: reading.presence,
        ...countOf(reading, [...stations.values()].map(({ vitals }) => vitals)),
        stations: stations.size,
      }
    },
  }
}
