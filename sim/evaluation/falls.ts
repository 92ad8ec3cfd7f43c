/**
 * Falls: alarms against impacts.
 *
 * A fall is detected by the first unassigned alarm from 0.5 s before its impact to 10 s after it. Every other alarm is false,
 * including a second one for the same fall. A fall whose alarm window extends beyond the sequence is ignored, with its alarms.
 */
import { type Figure, figure, ratio } from "./figure.ts"
import { type Bins, countIn, quantileOf } from "./histogram.ts"
import { hopS, type SequenceRecord } from "./record.ts"

const earlyMaxS = 0.5
const lateMaxS = 10
const latencyBins: Bins = { from: -earlyMaxS, width: hopS, count: Math.round((earlyMaxS + lateMaxS) / hopS) + 1 }
/** Tolerance for times that are equal in decimals but not in binary. */
const rounding = 1e-9

export interface FallTally {
  /** [falls, detected falls, alarms, hops] */
  readonly falls: Float64Array
  /** Alarm minus impact, of the detected falls. */
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
  // The remaining alarms belong to no fall.
  falls[2]! += open.length
}

export const fallFigures = ({ fallLatencies, falls }: FallTally): Readonly<Record<string, Figure>> => {
  const [fallen, found, alarms, hops] = falls
  const notFound = fallen === 0 ? "No fall happened in these sequences." : "No fall was detected."
  return {
    fall_recall: ratio(found!, fallen!, notFound),
    fall_precision: ratio(found!, alarms!, "No fall alarm was raised in these sequences."),
    fall_latency_p50_s: figure(quantileOf(latencyBins, fallLatencies, 0.5), notFound),
    fall_latency_p95_s: figure(quantileOf(latencyBins, fallLatencies, 0.95), notFound),
    false_fall_alarms_per_day: ratio(alarms! - found!, hops! * hopS / 86_400, "No time was simulated."),
  }
}
