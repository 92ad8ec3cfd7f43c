/**
 * Falls: alarms against impacts.
 *
 * A fall is found by the first alarm, not yet another fall's, from 0.5 s before its impact to 10 s after it. Every other alarm is
 * false, a second one for the same fall too. A fall whose time for an alarm goes beyond the sequence is not judged, nor are its alarms.
 */
import { type Figure, figure, ratio } from "./figure.ts"
import { type Bins, countIn, quantileOf } from "./histogram.ts"
import { hopS, type SequenceRecord } from "./record.ts"

const earlyMaxS = 0.5
const lateMaxS = 10
const latencyBins: Bins = { from: -earlyMaxS, width: hopS, count: Math.round((earlyMaxS + lateMaxS) / hopS) + 1 }
/** So that times that agree in decimals agree in binary. */
const rounding = 1e-9

export interface FallTally {
  /** [falls, falls found, alarms, hops] */
  readonly falls: Float64Array
  /** Alarm less impact, of the falls found. */
  readonly fallLatencies: Float64Array
}

export const emptyFallTally = (): FallTally => ({
  falls: new Float64Array(4),
  fallLatencies: new Float64Array(latencyBins.count),
})

/** Counts a whole sequence. */
export const addFalls = ({ fallLatencies, falls }: FallTally, { fallImpactsS, hops }: SequenceRecord): void => {
  const open = hops.flatMap(({ estimate, timeS }) => new Array<number>(estimate.fallAlarms).fill(timeS))
  const endS = hops.at(-1)?.timeS ?? 0
  falls[3]! += hops.length
  for (const impactS of fallImpactsS) {
    const isOf = (alarmS: number): boolean =>
      alarmS >= impactS - earlyMaxS - rounding && alarmS <= impactS + lateMaxS + rounding
    if (impactS + lateMaxS > endS + rounding) {
      while (open.some(isOf)) open.splice(open.findIndex(isOf), 1)
      continue
    }
    falls[0]!++
    const at = open.findIndex(isOf)
    if (at < 0) continue
    falls[1]!++
    falls[2]!++
    countIn(latencyBins, fallLatencies, open[at]! - impactS + rounding)
    open.splice(at, 1)
  }
  // What is left is of no fall.
  falls[2]! += open.length
}

export const fallFigures = ({ fallLatencies, falls }: FallTally): Readonly<Record<string, Figure>> => {
  const [fallen, found, alarms, hops] = falls
  const notFound = fallen === 0 ? "No fall happened in these sequences." : "No fall was found."
  return {
    fall_recall: ratio(found!, fallen!, notFound),
    fall_precision: ratio(found!, alarms!, "No fall alarm was raised in these sequences."),
    fall_latency_p50_s: figure(quantileOf(latencyBins, fallLatencies, 0.5), notFound),
    fall_latency_p95_s: figure(quantileOf(latencyBins, fallLatencies, 0.95), notFound),
    false_fall_alarms_per_day: ratio(alarms! - found!, hops! * hopS / 86_400, "No time was simulated."),
  }
}
