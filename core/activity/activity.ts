/**
 * A person's activity over time: a hidden Markov filter over the states of `sample.ts`.
 *
 * The states' dwell times and transitions keep single hops from changing the label. Each hop's evidence is the
 * estimator's probabilities or, without them, the height of the pelvis and the distance covered. Distance alone
 * distinguishes only walking, so the label is then walking or unknown.
 *
 * Invariants: the label is a state only while its probability is high, else unknown; it is unknown between two states
 * without a transition; a change is reported once, after the new state has lasted `dwellMinS`.
 */
import { placesApartM } from "../imaging/geometry.ts"
import { type ActivityLabel, type ActivityState, activityStates, type TrackSample } from "./sample.ts"

export interface ActivityChange {
  /** Unknown for the first state of a person. */
  readonly from: ActivityLabel
  readonly to: ActivityState
  /** Start of the new state. */
  readonly timeS: number
  readonly confidence: number
}

export interface ActivityReading {
  readonly label: ActivityLabel
  /** Probability of the label; 0 while it is unknown. */
  readonly confidence: number
  /** A state that has lasted and differs from the last reported one. */
  readonly change: ActivityChange | null
}

export interface ActivityFilter {
  readonly step: (sample: TrackSample) => ActivityReading
}

/** Probability at which a state becomes the label, and below which it ceases to be. */
const enterProbability = 0.6
const stayProbability = 0.4
/** A shorter state is not reported as a change. */
const dwellMinS = 3
/** Longest step of the chain; a longer time is divided into several steps. */
const stepS = 0.1
/** Validity of body observations; without one, standing and sitting cannot be distinguished. */
const bodyS = 2
/** After a silence of this length the filter restarts. */
const forgetS = 30

/** Mean time in a state before it is left, seconds: estimates for life at home. */
const dwellS: Record<ActivityState, number> = { walking: 6, standing: 8, sitting: 120, lying: 600, falling: 0.8 }

/**
 * Transition probabilities on leaving a state. Walking does not follow lying, sitting or falling without getting up.
 */
const leads: Record<ActivityState, Record<ActivityState, number>> = {
  walking: { walking: 0, standing: 0.92, sitting: 0.04, lying: 0.01, falling: 0.03 },
  standing: { walking: 0.65, standing: 0, sitting: 0.28, lying: 0.04, falling: 0.03 },
  sitting: { walking: 0, standing: 0.82, sitting: 0, lying: 0.15, falling: 0.03 },
  lying: { walking: 0, standing: 0.18, sitting: 0.8, lying: 0, falling: 0.02 },
  falling: { walking: 0, standing: 0.1, sitting: 0.15, lying: 0.75, falling: 0 },
}

/** Initial probabilities of a new person. */
const prior: ReadonlyArray<number> = [0.3, 0.3, 0.2, 0.18, 0.02]

/**
 * The network has memory and is underconfident, so it nearly decides alone: on scenes of validation seeds macro-F1 is
 * 0.919 with a weight of 3, 0.931 with 8 and 0.932 with 20, at 13, 14 and 15 changes a minute.
 */
const probabilityWeight = 8
/** Windows of successive hops overlap, so one hop counts as a fraction of an independent observation. */
const heightWeight = 0.3
const speedWeight = 0.25
/** Probability floor, so that one hop never excludes a state. */
const probabilityFloor = 0.02

/**
 * The speed is the distance over the last 1.5 s, because a tracker's place is more accurate than its velocity. With
 * less than 1 s there is no speed.
 */
const pathS = 1.5
const pathMinS = 0.95
const placesMax = 64
/** Walking speed, and the apparent speed of still people: metres per second. */
const walkingSpeed = { mean: 1, sigma: 0.4 }
const stillSigmaMps = 0.1

/**
 * Height of the pelvis by state, metres: upright about 0.53 of the body's height, sitting the height of a chair, lying
 * a floor or a bed; a fall passes through all.
 */
const heights: Record<ActivityState, { readonly mean: number; readonly sigma: number }> = {
  walking: { mean: 0.92, sigma: 0.1 },
  standing: { mean: 0.92, sigma: 0.1 },
  sitting: { mean: 0.5, sigma: 0.1 },
  lying: { mean: 0.3, sigma: 0.2 },
  falling: { mean: 0.55, sigma: 0.35 },
}

const normal = (value: number, mean: number, sigma: number): number =>
  Math.exp(-((value - mean) ** 2) / (2 * sigma * sigma)) / sigma

interface Speed {
  readonly speedMps: number
  /** Per axis. */
  readonly sigmaMps: number
}

/** The speed from the first of these samples to the last; null when they cover too short a time. */
const speedOf = (samples: ReadonlyArray<TrackSample>): Speed | null => {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined || last.timeS - first.timeS < pathMinS) return null
  const elapsedS = last.timeS - first.timeS
  return {
    speedMps: placesApartM(first.place, last.place) / elapsedS,
    sigmaMps: Math.hypot(first.placeSigmaM, last.placeSigmaM) / elapsedS,
  }
}

/**
 * Likelihood of a measured speed: a Rayleigh distribution of the error for a still person, a normal one around a gait
 * for a walker.
 */
const speedLikelihood = (state: ActivityState, { sigmaMps, speedMps }: Speed): number => {
  const variance = sigmaMps ** 2 + stillSigmaMps ** 2
  const still = (speedMps / variance) * Math.exp(-(speedMps ** 2) / (2 * variance))
  const walks = normal(speedMps, walkingSpeed.mean, Math.hypot(walkingSpeed.sigma, sigmaMps)) / Math.sqrt(2 * Math.PI)
  // The tails of both models are unreliable.
  const floor = 0.02
  if (state === "walking") return walks + floor
  return (state === "falling" ? (walks + still) / 2 : still) + floor
}

/** Likelihood of a sample and the speed. The network's probabilities already include the body's height and speed. */
const likelihood = (state: ActivityState, { activity, pelvis }: TrackSample, speed: Speed | null): number => {
  if (activity !== null) return (activity[state] + probabilityFloor) ** probabilityWeight
  let total = speed === null ? 1 : speedLikelihood(state, speed) ** speedWeight
  if (pelvis !== null) {
    const { mean, sigma } = heights[state]
    total *= (normal(pelvis.heightM, mean, Math.hypot(sigma, pelvis.sigmaM)) + probabilityFloor) ** heightWeight
  }
  return total
}

/** The chain advanced by at most `stepS`. */
const moved = (belief: ReadonlyArray<number>, elapsedS: number): ReadonlyArray<number> => {
  const leaving = activityStates.map((state, i) => belief[i]! * (1 - Math.exp(-elapsedS / dwellS[state])))
  return activityStates.map((state, i) =>
    belief[i]! - leaving[i]! + activityStates.reduce((sum, from, j) => sum + leaving[j]! * leads[from][state], 0)
  )
}

const predicted = (belief: ReadonlyArray<number>, elapsedS: number): ReadonlyArray<number> => {
  if (elapsedS >= forgetS) return prior
  let now = belief
  for (let leftS = elapsedS; leftS > 1e-9; leftS -= stepS) now = moved(now, Math.min(stepS, leftS))
  return now
}

const updated = (
  belief: ReadonlyArray<number>,
  sample: TrackSample,
  speed: Speed | null,
): ReadonlyArray<number> => {
  const weighed = belief.map((probability, i) => probability * likelihood(activityStates[i]!, sample, speed))
  const total = weighed.reduce((sum, weight) => sum + weight, 0)
  return weighed.map((weight) => weight / total)
}

export const createActivityFilter = (): ActivityFilter => {
  let belief = prior
  let lastS: number | null = null
  let path: ReadonlyArray<TrackSample> = []
  let bodySeenS = -Infinity
  let label: ActivityLabel = "unknown"
  let labelSinceS = 0
  /** The last reported state. */
  let reported: ActivityLabel = "unknown"

  const probabilityOf = (state: ActivityLabel): number =>
    state === "unknown" ? 0 : belief[activityStates.indexOf(state)]!

  const nextLabel = (timeS: number): ActivityLabel => {
    const isObservable = (state: ActivityLabel) => state === "walking" || timeS - bodySeenS <= bodyS
    const best = activityStates.reduce((a, b) => probabilityOf(b) > probabilityOf(a) ? b : a)
    if (probabilityOf(best) >= enterProbability && isObservable(best)) {
      return label === "unknown" || label === best || leads[label][best] > 0 ? best : "unknown"
    }
    return probabilityOf(label) >= stayProbability && isObservable(label) ? label : "unknown"
  }

  return {
    step: (sample) => {
      path = [...path.filter(({ timeS }) => sample.timeS - timeS <= pathS + 1e-6), sample].slice(-placesMax)
      belief = updated(predicted(belief, lastS === null ? 0 : Math.max(0, sample.timeS - lastS)), sample, speedOf(path))
      lastS = sample.timeS
      if (sample.activity !== null || sample.pelvis !== null) bodySeenS = sample.timeS
      const next = nextLabel(sample.timeS)
      if (next !== label) {
        label = next
        labelSinceS = sample.timeS
      }
      const confidence = probabilityOf(label)
      if (label === "unknown" || label === reported || sample.timeS - labelSinceS < dwellMinS) {
        return { label, confidence, change: null }
      }
      const change = { from: reported, to: label, timeS: labelSinceS, confidence }
      reported = label
      return { label, confidence, change }
    },
  }
}
