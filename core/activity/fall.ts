/**
 * The fall of one person: a fast descent, or a seen fall, and then a body that lies low and keeps still.
 *
 * Two stages. A descent is a candidate when the pelvis went down faster and further than the thresholds, or the estimator says
 * that the person falls. It becomes a fall when, after `impactS` and the settling time, the person is low or lies, and hardly
 * moves; who is up again by then has sat, knelt, jumped or picked something up, and who came down fast and then sits on the floor, with
 * no fall seen by an estimator that can see one, has sat down. A person who is lost in between, as a body that keeps still is to the
 * radio, has fallen if the last samples were low.
 *
 * A fall has a peak of 1.5 to 3.5 m/s in 0.45 to 1.0 s (the simulator's range), which is 1.1 to 1.3 m/s over the 0.6 s that a noisy height
 * needs; lying down on purpose in 1.8 s has 0.75 m/s. (With sensors on the body 1.3 m/s of peak velocity parted falls from daily life:
 * Bourke 2008.) The confidence says by how much the thresholds were passed; it is not calibrated, because there are no
 * recordings of falls with a known truth yet.
 *
 * Boundary: getting up is `recovery.ts`; whom to tell, and when, is not decided here.
 */
import { createDescentWindow, meanHeightM } from "./descent.ts"
import { meanOf, type Place, type TrackSample } from "./sample.ts"

/** What a sensitivity means. Sensitivity 0.5 is meant for daily life. */
export interface FallThresholds {
  /** Downward velocity of the pelvis over 0.6 s, less its standard deviation: 1.2 m/s at sensitivity 0, 0.6 m/s at 1. */
  readonly descentMpsMin: number
  /** How far it went down: 0.6 m at 0, 0.4 m at 1. */
  readonly dropMMin: number
  /** Height of the pelvis at which a person lies low: 0.30 m at 0, 0.40 m at 1. */
  readonly lowMMax: number
  /** Mean probability of falling over 0.4 s at which a fall was seen: 0.8 at 0, 0.4 at 1. */
  readonly fallingProbabilityMin: number
  /** How long the person has to lie still: 3 s at 0, 1 s at 1. */
  readonly settleS: number
}

/** @param sensitivity 0..1 */
export const fallThresholds = (sensitivity: number): FallThresholds => ({
  descentMpsMin: 1.2 - 0.6 * sensitivity,
  dropMMin: 0.6 - 0.2 * sensitivity,
  lowMMax: 0.3 + 0.1 * sensitivity,
  fallingProbabilityMin: 0.8 - 0.4 * sensitivity,
  settleS: 3 - 2 * sensitivity,
})

export interface Fall {
  readonly impactS: number
  readonly place: Place
  /** Greatest downward velocity; null when it was not measured. */
  readonly impactMps: number | null
  readonly confidence: number
}

export interface FallDetector {
  /** Answers the fall with the sample that confirms it. */
  readonly step: (sample: TrackSample) => Fall | null
  /** The person is not seen any more. */
  readonly lost: () => Fall | null
}

/** Time after the impact that is not judged: limbs come to rest. */
const bounceS = 0.5
/** The mean probability of falling is over this time, and this many samples. */
const seenS = 0.4
const seenSamplesMin = 3
/** Above the low height by this much a descent has not ended near the floor. */
const nearFloorM = 0.15
/** Over this time a candidate that is up again is given up. */
const upS = 0.6
/** Lying by this mean probability stands for a height that is not known. */
const lyingProbabilityMin = 0.5
/** Speed beyond twice its sigma that a still body does not have. */
const stillMpsMax = 0.3
/** What a loss in the middle takes from the confidence. */
const lostFactor = 0.7

interface Candidate {
  readonly impactS: number
  readonly place: Place
  peakMps: number | null
  readonly dropM: number | null
  /** The greatest so far; null where the estimator says no activity. */
  fallingProbability: number | null
}

const meanProbability = (samples: ReadonlyArray<TrackSample>, state: "falling" | "lying"): number | null =>
  meanOf(samples.flatMap(({ activity }) => activity === null ? [] : [activity[state]]))

const moves = ({ speedMps, speedSigmaMps }: TrackSample): number => Math.max(0, speedMps - 2 * speedSigmaMps)

/** The greater one of what is known. */
const greater = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? a ?? b : Math.max(a, b)

/** By how much a threshold is passed, 0.5 at the threshold and 1 at `span` beyond it. */
const margin = (over: number, span: number): number => 0.5 + 0.5 * Math.max(0, Math.min(1, over / span))

export const createFallDetector = (thresholds: FallThresholds): FallDetector => {
  const { descentMpsMin, dropMMin, fallingProbabilityMin, lowMMax, settleS } = thresholds
  const window = createDescentWindow()
  let candidate: Candidate | null = null

  const fallingProbabilityAt = (timeS: number): number | null => {
    const seen = window.since(timeS - seenS - 1e-6)
    return seen.length < seenSamplesMin ? null : meanProbability(seen, "falling")
  }

  const begins = (sample: TrackSample): Candidate | null => {
    const descent = window.read()
    const fallingProbability = fallingProbabilityAt(sample.timeS)
    const fast = descent !== null && descent.dropM !== null && descent.surePeakMps >= descentMpsMin &&
      descent.dropM >= dropMMin && descent.heightM <= lowMMax + nearFloorM
    const seenFalling = fallingProbability !== null && fallingProbability >= fallingProbabilityMin
    if (!fast && !seenFalling) return null
    return {
      impactS: sample.timeS,
      place: sample.place,
      peakMps: descent?.peakMps ?? null,
      dropM: descent?.dropM ?? null,
      fallingProbability,
    }
  }

  /** Whether these samples are of somebody low, or lying where the height is not known; null when they do not say. */
  const isLow = (samples: ReadonlyArray<TrackSample>, toleranceM: number): boolean | null => {
    const heightM = meanHeightM(samples)
    if (heightM !== null) return heightM <= lowMMax + toleranceM
    const lying = meanProbability(samples, "lying")
    return lying === null ? null : lying >= lyingProbabilityMin
  }

  /** Whether an estimator that knows activities saw neither a fall nor somebody lying. */
  const hasSat = ({ fallingProbability }: Candidate, settled: ReadonlyArray<TrackSample>): boolean => {
    const lying = meanProbability(settled, "lying")
    return lying !== null && lying < lyingProbabilityMin && (fallingProbability ?? 0) < fallingProbabilityMin
  }

  const confidenceOf = (fallen: Candidate, settled: ReadonlyArray<TrackSample>): number => {
    const heightM = meanHeightM(settled)
    const lying = meanProbability(settled, "lying")
    const evidence = [
      ...(fallen.peakMps === null ? [] : [margin(fallen.peakMps - descentMpsMin, 1)]),
      ...(fallen.dropM === null ? [] : [margin(fallen.dropM - dropMMin, 0.3)]),
      ...(fallen.fallingProbability === null ? [] : [Math.max(0.5, fallen.fallingProbability)]),
      ...(heightM === null ? [] : [margin(lowMMax - heightM, 0.2)]),
      ...(lying === null ? [] : [Math.max(0.5, lying)]),
    ]
    return (meanOf(evidence) ?? 0.5) * (meanOf(settled.map(({ existence }) => existence)) ?? 1)
  }

  const confirm = (fallen: Candidate, settled: ReadonlyArray<TrackSample>, factor: number): Fall => {
    candidate = null
    window.clear()
    const { impactS, peakMps, place } = fallen
    return { impactS, place, impactMps: peakMps, confidence: factor * confidenceOf(fallen, settled) }
  }
  const giveUp = (): null => {
    candidate = null
    window.clear()
    return null
  }

  /** Judges a candidate: a fall, nothing yet, or given up. */
  const judge = (fallen: Candidate, timeS: number): Fall | null => {
    const sinceS = timeS - fallen.impactS
    if (sinceS <= bounceS) {
      fallen.peakMps = greater(fallen.peakMps, window.read()?.peakMps ?? null)
      fallen.fallingProbability = greater(fallen.fallingProbability, fallingProbabilityAt(timeS))
      return null
    }
    const recent = window.since(Math.max(fallen.impactS + bounceS, timeS - upS))
    if (sinceS > bounceS + upS && isLow(recent, nearFloorM + 0.05) === false) return giveUp()
    if (sinceS < bounceS + settleS) return null
    const settled = window.since(fallen.impactS + bounceS)
    const still = (meanOf(settled.map(moves)) ?? 0) <= stillMpsMax
    return isLow(settled, 0) === true && still && !hasSat(fallen, settled) ? confirm(fallen, settled, 1) : giveUp()
  }

  return {
    step: (sample) => {
      window.add(sample)
      if (candidate !== null) return judge(candidate, sample.timeS)
      candidate = begins(sample)
      return null
    },
    lost: () => {
      if (candidate === null) return null
      const after = window.since(candidate.impactS)
      return isLow(after, nearFloorM) === true ? confirm(candidate, after, lostFactor) : giveUp()
    },
  }
}

/** How hard a body came down, by its greatest velocity. */
export const impactSeverity = (impactMps: number | null): "low" | "medium" | "high" | null =>
  impactMps === null ? null : impactMps < 1.8 ? "low" : impactMps < 2.6 ? "medium" : "high"

/** How serious a fall is: by the time on the floor, one level more after a hard impact. */
export const fallSeverity = (floorS: number, impactMps: number | null): "low" | "medium" | "high" | "critical" => {
  const levels = ["low", "medium", "high", "critical"] as const
  const byTime = floorS < 10 ? 0 : floorS < 30 ? 1 : floorS < 120 ? 2 : 3
  return levels[Math.min(3, byTime + (impactSeverity(impactMps) === "high" ? 1 : 0))]!
}
