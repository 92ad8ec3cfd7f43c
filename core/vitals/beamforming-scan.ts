/**
 * What the compressed beamforming reports of a site's stations say about the room: whether somebody is there, and how many keep still.
 *
 * A report is V, the directions of a station's channel without strength, phase or delay (`core/formats/beamforming-feedback.ts`). What moves turns
 * those directions, so presence, motion and breath are read from them as from any link. Persons are counted by their breath alone: stations
 * at different places hear different persons best, and rates that are no multiples of each other and lie apart belong to different ones. Who
 * moves drowns every breath, and one station tells one breath: then there is no count.
 *
 * What it cannot tell: two persons who breathe alike count as one, so a count is the least that it takes to explain what is heard.
 */
import { hopUs, type Observation } from "../observation/observation.ts"
import type { Vitals } from "../observation/vitals.ts"
import { whileMoving } from "./breathing.ts"
import type { Presence, PresenceReading } from "./presence.ts"

/** A breath that was heard longer ago says nothing about now: 10 s. */
const freshHops = 100
const stationsMin = 2
const stationsMax = 64
/** Rates nearer than this are one breath: the resolution of its window of 30 s. */
const apartBpmMin = 3
/** A rate within this share of twice or three times another is a harmonic of it. */
const harmonicShare = 0.07

export interface BeamformingReading {
  /** Nanoseconds since the Unix epoch: past 2^53. */
  readonly timestampNs: bigint
  readonly presence: Presence
  readonly personCount: number | null
  readonly personCountReason: string | null
  readonly stations: number
}

export interface BeamformingScanner {
  /** Takes the reports of one hop and what they say of presence; hops come in ascending order. */
  readonly scan: (observation: Observation, reading: PresenceReading) => BeamformingReading
}

const isHarmonic = (low: number, high: number): boolean =>
  [2, 3].some((order) => Math.abs(high - order * low) <= harmonicShare * order * low)

/** How many persons it takes to explain these breathing rates: the least number. */
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
  if (presence.present === null) return none(presence.reason ?? "It is not known whether somebody is there.")
  if (breaths.some(({ breathingReason }) => breathingReason === whileMoving)) {
    return none("Somebody moves: persons are counted by their breath, which is heard only while all keep still.")
  }
  const rates = breaths.flatMap(({ breathingRateBpm }) => breathingRateBpm === null ? [] : [breathingRateBpm])
  return rates.length < stationsMin
    ? none(`A breath is heard by ${rates.length} stations; it takes ${stationsMin} at different places to count.`)
    : { personCount: breathsOf(rates), personCountReason: null }
}

/** When the last report of a hop came. */
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
      for (const [station, heard] of stations) if (hop - heard.hop > freshHops) stations.delete(station)
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
