/**
 * Fall detection for one person: a fast descent, or an observed fall, and then a body that lies low and keeps still.
 *
 * There are two stages. A descent is a candidate when the pelvis went down faster and further than the thresholds, or
 * when the estimator reports falling. It becomes a fall when, after the impact and the settling time, the person is low
 * or lies, and hardly moves. A person who is up again by then has sat, knelt, jumped or picked something up. A person
 * who came down fast and then sits on the floor, without falling reported by an estimator that can detect it, has sat
 * down. A person whose track is lost in between, as radio loses a still body, has fallen if the last samples were low. A person who has walked
 * out of the room has not fallen. Nor has one who was seen falling only in the first second: a reflection begins like that.
 * Where hops are left out, one sample of falling makes a candidate, if the person was upright before; it becomes a fall by the drop.
 *
 * A fall has a peak of 1.5 to 3.5 m/s in 0.45 to 1.0 s (the simulator's range), which is 1.1 to 1.3 m/s over the 0.6 s
 * that a noisy height needs; lying down on purpose in 1.8 s has 0.75 m/s. (With body-worn sensors a peak velocity of
 * 1.3 m/s separated falls from daily life: Bourke 2008.) The confidence measures the margin over the thresholds. It is
 * not calibrated, because there are no recordings of falls with ground truth yet.
 *
 * Boundary: `recovery.ts` detects getting up; alerts are decided elsewhere.
 */
import type { Place } from "../imaging/geometry.ts"
import { meanOf } from "../math/mean.ts"
import { createDescentWindow, type DescentWindow, meanHeightM } from "./descent.ts"
import type { TrackSample } from "./sample.ts"

/** Thresholds of a sensitivity. Sensitivity 0.5 is meant for daily life. */
interface FallThresholds {
  /**
   * Downward velocity of the pelvis over 0.6 s, less its standard deviation: 1.2 m/s at sensitivity 0, 0.6 m/s at 1.
   */
  readonly descentMpsMin: number
  /** Height of the descent: 0.6 m at 0, 0.4 m at 1. */
  readonly dropMMin: number
  /** Height of the pelvis at which a person lies low: 0.30 m at 0, 0.40 m at 1. */
  readonly lowMMax: number
  /** Mean probability of falling over 0.4 s that counts as an observed fall: 0.8 at 0, 0.4 at 1. */
  readonly fallingProbabilityMin: number
  /** Time that the person must lie still: 3 s at 0, 1 s at 1. */
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

/** Whether the person may be falling: the next hops decide. */
export const mayFall = ({ activity }: TrackSample): boolean => activity !== null && activity.falling >= suspectedMin

export interface Fall {
  readonly impactS: number
  readonly place: Place
  /** Maximum downward velocity; null when it was not measured. */
  readonly impactMps: number | null
  readonly confidence: number
}

/**
 * Whether a fall of this confidence raises an alert. Decided by the confidence that its event states, three decimals, so that a restart
 * decides the same.
 */
export const raisesAlert = (confidence: number, confidenceMin: number): boolean =>
  Math.round(1000 * confidence) / 1000 >= confidenceMin

export interface FallDetector {
  /** Returns the fall with the sample that confirms it. */
  readonly step: (sample: TrackSample) => Fall | null
  /** Ends the track. Returns a fall that the last samples confirm. */
  readonly lost: () => Fall | null
}

/** Time after the impact that is not judged: limbs come to rest. */
const bounceS = 0.5
/** Duration of the mean probability of falling, and the least time between its first and last sample. */
const seenS = 0.4
const seenSpanMinS = 0.2
/** Where hops are left out, the mean is that of the last two samples, at most this far apart. */
const seenGapMaxS = 0.8
/** Probability of falling of one sample from which on no hop should be left out. */
const suspectedMin = 0.2
/** How long a person must be known for a fall that only the estimator reports. */
const knownMinS = 1
/** Tolerance for times that are equal in decimals but not in binary. */
const rounding = 1e-6
/** Margin over the low height: above it a descent has not ended near the floor. */
const nearFloorM = 0.15
/** A candidate that is up for this time is dropped. */
const upS = 0.6
/** Mean probability of lying that replaces an unknown height. */
const lyingProbabilityMin = 0.5
/** Time before a fall of which one sample was seen, in which the person was upright. */
const beforeGlimpseS = 2
/** Maximum speed of a still body, beyond twice its sigma. */
const stillMpsMax = 0.3
/** Confidence factor of a fall whose track was lost before it settled. */
const lostFactor = 0.7

interface Candidate {
  /** Height before a fall of which one sample was seen; null for other candidates. */
  readonly glimpsedFromM: number | null
  readonly impactS: number
  readonly place: Place
  peakMps: number | null
  readonly dropM: number | null
  /** The maximum so far; null where the estimator reports no activity. */
  fallingProbability: number | null
}

const meanProbability = (samples: ReadonlyArray<TrackSample>, state: "falling" | "lying"): number | null =>
  meanOf(samples.flatMap(({ activity }) => activity === null ? [] : [activity[state]]))

const movementMps = ({ speedMps, speedSigmaMps }: TrackSample): number => Math.max(0, speedMps - 2 * speedSigmaMps)

/** The greater of the known values. */
const greater = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? a ?? b : Math.max(a, b)

/** Margin over a threshold: 0.5 at the threshold and 1 at `span` beyond it. */
const margin = (over: number, span: number): number => 0.5 + 0.5 * Math.max(0, Math.min(1, over / span))

/** The detector of one person: at most one candidate at a time. */
class CandidateDetector implements FallDetector {
  readonly #thresholds: FallThresholds
  readonly #window: DescentWindow = createDescentWindow()
  #firstS: number | null = null
  #candidate: Candidate | null = null

  constructor(thresholds: FallThresholds) {
    this.#thresholds = thresholds
  }

  step(sample: TrackSample): Fall | null {
    this.#window.add(sample)
    this.#firstS ??= sample.timeS
    if (sample.left) return this.#drop()
    if (this.#candidate !== null) return this.#judge(this.#candidate, sample.timeS)
    this.#candidate = this.#begin(sample)
    return null
  }

  lost(): Fall | null {
    const candidate = this.#candidate
    if (candidate === null) return null
    const after = this.#window.since(candidate.impactS)
    return this.#isLow(after, nearFloorM) === true && this.#isWholeFall(candidate, after)
      ? this.#confirm(candidate, after, lostFactor)
      : this.#drop()
  }

  #fallingProbabilityAt(timeS: number): number | null {
    const within = (spanS: number) => this.#window.since(timeS - spanS - rounding)
    const covers = ([first]: ReadonlyArray<TrackSample>) =>
      first !== undefined && timeS - first.timeS >= seenSpanMinS - rounding
    const recent = within(seenS)
    const seen = covers(recent) ? recent : within(seenGapMaxS).slice(-2)
    return covers(seen) ? meanProbability(seen, "falling") : null
  }

  /** The candidate that begins with this sample, or null. */
  #begin(sample: TrackSample): Candidate | null {
    const { descentMpsMin, dropMMin, fallingProbabilityMin, lowMMax } = this.#thresholds
    const descent = this.#window.read()
    const fallingProbability = this.#fallingProbabilityAt(sample.timeS)
    const fast = descent !== null && descent.dropM !== null && descent.surePeakMps >= descentMpsMin &&
      descent.dropM >= dropMMin && descent.heightM <= lowMMax + nearFloorM
    const isKnown = sample.timeS - (this.#firstS ?? sample.timeS) >= knownMinS - rounding
    const seenFalling = isKnown && fallingProbability !== null && fallingProbability >= fallingProbabilityMin
    const glimpsedFromM = fast || seenFalling ? null : this.#glimpse(sample)
    if (!fast && !seenFalling && glimpsedFromM === null) return null
    return {
      glimpsedFromM,
      impactS: sample.timeS,
      place: sample.place,
      peakMps: descent?.peakMps ?? null,
      dropM: descent?.dropM ?? null,
      fallingProbability,
    }
  }

  /** The height before a fall whose next to last hop was left out; null: the sample shows none. */
  #glimpse({ activity, timeS }: TrackSample): number | null {
    const before = this.#window.since(timeS - beforeGlimpseS).slice(0, -1)
    const gapS = timeS - (before.at(-1)?.timeS ?? timeS)
    return gapS < seenSpanMinS - rounding || (activity?.falling ?? 0) < this.#thresholds.fallingProbabilityMin
      ? null
      : meanHeightM(before)
  }

  /** Whether a fall of which one sample was seen is one by what followed: more such samples, or the way from upright to lying. */
  #isWholeFall({ fallingProbability, glimpsedFromM }: Candidate, settled: ReadonlyArray<TrackSample>): boolean {
    const isSeen = (fallingProbability ?? 0) >= this.#thresholds.fallingProbabilityMin
    if (glimpsedFromM === null || isSeen) return true
    return glimpsedFromM - (meanHeightM(settled) ?? glimpsedFromM) >= this.#thresholds.dropMMin
  }

  /** Judges a candidate: a confirmed fall, or null while it is open or when it is dropped. */
  #judge(candidate: Candidate, timeS: number): Fall | null {
    const sinceS = timeS - candidate.impactS
    if (sinceS <= bounceS) {
      candidate.peakMps = greater(candidate.peakMps, this.#window.read()?.peakMps ?? null)
      candidate.fallingProbability = greater(candidate.fallingProbability, this.#fallingProbabilityAt(timeS))
      return null
    }
    const recent = this.#window.since(Math.max(candidate.impactS + bounceS, timeS - upS))
    if (sinceS > bounceS + upS && this.#isLow(recent, nearFloorM + 0.05) === false) return this.#drop()
    if (sinceS < bounceS + this.#thresholds.settleS) return null
    const settled = this.#window.since(candidate.impactS + bounceS)
    const still = (meanOf(settled.map(movementMps)) ?? 0) <= stillMpsMax
    return this.#isLow(settled, 0) === true && still && !this.#hasSat(candidate, settled) &&
        this.#isWholeFall(candidate, settled)
      ? this.#confirm(candidate, settled, 1)
      : this.#drop()
  }

  /** Whether the person is low, or lies where the height is unknown; null when both are unknown. */
  #isLow(samples: ReadonlyArray<TrackSample>, toleranceM: number): boolean | null {
    const heightM = meanHeightM(samples)
    if (heightM !== null) return heightM <= this.#thresholds.lowMMax + toleranceM
    const lying = meanProbability(samples, "lying")
    return lying === null ? null : lying >= lyingProbabilityMin
  }

  /** Whether an estimator that reports activities reported neither falling nor lying. */
  #hasSat({ fallingProbability }: Candidate, settled: ReadonlyArray<TrackSample>): boolean {
    const lying = meanProbability(settled, "lying")
    return lying !== null && lying < lyingProbabilityMin &&
      (fallingProbability ?? 0) < this.#thresholds.fallingProbabilityMin
  }

  #confidenceOf(candidate: Candidate, settled: ReadonlyArray<TrackSample>): number {
    const { descentMpsMin, dropMMin, lowMMax } = this.#thresholds
    const heightM = meanHeightM(settled)
    const lying = meanProbability(settled, "lying")
    const evidence = [
      ...(candidate.peakMps === null ? [] : [margin(candidate.peakMps - descentMpsMin, 1)]),
      ...(candidate.dropM === null ? [] : [margin(candidate.dropM - dropMMin, 0.3)]),
      ...(candidate.fallingProbability === null ? [] : [Math.max(0.5, candidate.fallingProbability)]),
      ...(heightM === null ? [] : [margin(lowMMax - heightM, 0.2)]),
      ...(lying === null ? [] : [Math.max(0.5, lying)]),
    ]
    return (meanOf(evidence) ?? 0.5) * (meanOf(settled.map(({ existence }) => existence)) ?? 1)
  }

  #confirm(candidate: Candidate, settled: ReadonlyArray<TrackSample>, factor: number): Fall {
    this.#drop()
    const { impactS, peakMps, place } = candidate
    return { impactS, place, impactMps: peakMps, confidence: factor * this.#confidenceOf(candidate, settled) }
  }

  #drop(): null {
    this.#candidate = null
    this.#window.clear()
    return null
  }
}

export const createFallDetector = (thresholds: FallThresholds): FallDetector => new CandidateDetector(thresholds)

/** Severity of an impact by its maximum velocity. */
export const impactSeverity = (impactMps: number | null): "low" | "medium" | "high" | null =>
  impactMps === null ? null : impactMps < 1.8 ? "low" : impactMps < 2.6 ? "medium" : "high"

/** Severity of a fall by the time on the floor, one level higher after a hard impact. */
export const fallSeverity = (floorS: number, impactMps: number | null): "low" | "medium" | "high" | "critical" => {
  const levels = ["low", "medium", "high", "critical"] as const
  const byTime = floorS < 10 ? 0 : floorS < 30 ? 1 : floorS < 120 ? 2 : 3
  return levels[Math.min(3, byTime + (impactSeverity(impactMps) === "high" ? 1 : 0))]!
}
