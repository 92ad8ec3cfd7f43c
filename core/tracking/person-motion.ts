/**
 * Motion of a person: walking or standing still, with transitions (interacting multiple models, Blom and Bar-Shalom
 * 1988).
 *
 * A walker has a slowly changing velocity, a standing person has none. Each has its own Kalman filter, and their
 * likelihoods of the measurements give the probability of each. A hop without a measurement is evidence for standing,
 * because a walker would have been detected.
 *
 * Invariant: the two probabilities add up to 1 and neither is below `probabilityMin`, so that a transition is always
 * possible.
 */
import { hopUs } from "../observation/observation.ts"
import { beginMotion, likelihoodOf, type Measurement, type MotionState, predictMotion, updateMotion } from "./kalman.ts"

export interface PersonMotion {
  readonly walking: MotionState
  readonly standing: MotionState
  readonly standingProbability: number
}

/** Rates at which people stop and start walking, per second. */
const stopRateHz = 0.4
const startRateHz = 0.3
const probabilityMin = 0.001
/** Velocity of a standing person by sway, m/s; and diffusion of the place by shifts of weight, m^2/s. */
const swaySigmaMps = 0.08
const wanderM2ps = 0.0004
/**
 * Diffusion of a walker's detected place relative to the integrated velocity, m^2/s: the detection alternates between
 * torso and legs.
 */
const strayM2ps = 0.02
/** Share of windows with detected motion for a walking and for a standing person. */
const seenWalking = 0.85
const seenStanding = 0.15
/** Windows overlap, so one hop counts as this fraction of an independent window. */
const hopWeight = 0.3
const weightOf = (hops: number): number => Math.min(1, hopWeight * hops)
const hopS = hopUs / 1e6
/** A prediction ends here: after 10 s, the probabilities are those of a person of whom nothing is known. */
const predictedHopsMax = 100

const clamp = (probability: number): number => Math.max(probabilityMin, Math.min(1 - probabilityMin, probability))

const stopped = (state: MotionState): MotionState => ({
  ...state,
  velocityX: 0,
  velocityY: 0,
  covariance: 0,
  velocityVariance: swaySigmaMps ** 2,
})

/** A person from a first measurement. */
export const beginPerson = (measurement: Measurement): PersonMotion => {
  const walking = beginMotion(measurement)
  return { walking, standing: stopped(walking), standingProbability: 0.3 }
}

/** A person first detected while still, at a place with a standard deviation per axis. */
export const beginStill = (
  place: { readonly x: number; readonly y: number; readonly sigmaM: number },
): PersonMotion => ({
  ...beginPerson({ ...place, velocity: null }),
  standingProbability: 1 - probabilityMin,
})

/** The moment-matched state of two states with these weights, including their spread. */
const mixed = (a: MotionState, weightA: number, b: MotionState): MotionState => {
  const p = weightA
  const q = 1 - weightA
  const dx = a.x - b.x
  const dy = a.y - b.y
  const du = a.velocityX - b.velocityX
  const dv = a.velocityY - b.velocityY
  // Both axes share one covariance, so the spread is averaged over them.
  return {
    x: p * a.x + q * b.x,
    y: p * a.y + q * b.y,
    velocityX: p * a.velocityX + q * b.velocityX,
    velocityY: p * a.velocityY + q * b.velocityY,
    positionVariance: p * a.positionVariance + q * b.positionVariance + (p * q * (dx * dx + dy * dy)) / 2,
    covariance: p * a.covariance + q * b.covariance + (p * q * (dx * du + dy * dv)) / 2,
    velocityVariance: p * a.velocityVariance + q * b.velocityVariance + (p * q * (du * du + dv * dv)) / 2,
  }
}

/** The person as a single state, as shown in frames. */
export const motionOf = ({ standing, standingProbability, walking }: PersonMotion): MotionState =>
  mixed(standing, standingProbability, walking)

/** Whether the person is estimated to stand. */
export const stands = ({ standingProbability }: PersonMotion): boolean => standingProbability > 0.8

/** The person `elapsedS` later, with at most one transition: for times well below those between two transitions. */
export const predictPerson = (person: PersonMotion, elapsedS: number): PersonMotion => {
  const { standing, standingProbability: p, walking } = person
  const stop = 1 - Math.exp(-stopRateHz * elapsedS)
  const start = 1 - Math.exp(-startRateHz * elapsedS)
  const standingNext = clamp(p * (1 - start) + (1 - p) * stop)
  const stood = (p * (1 - start)) / standingNext
  const setOff = (p * start) / (1 - standingNext)
  const walks = predictMotion(mixed(standing, setOff, walking), elapsedS)
  const stands = stopped(mixed(standing, stood, walking))
  return {
    walking: { ...walks, positionVariance: walks.positionVariance + strayM2ps * elapsedS },
    standing: { ...stands, positionVariance: stands.positionVariance + wanderM2ps * elapsedS },
    standingProbability: standingNext,
  }
}

/** The person any time later, hop by hop. */
export const predictHops = (person: PersonMotion, elapsedS: number): PersonMotion => {
  const hops = Math.min(predictedHopsMax, Math.round(elapsedS / hopS))
  if (hops <= 1) return predictPerson(person, elapsedS)
  let next = person
  for (let hop = 0; hop < hops; hop++) next = predictPerson(next, hopS)
  return next
}

const withOdds = (person: PersonMotion, standing: number, walking: number): PersonMotion => {
  const p = person.standingProbability * standing
  const q = (1 - person.standingProbability) * walking
  return p + q > 0 ? { ...person, standingProbability: clamp(p / (p + q)) } : person
}

/** The person after a measurement of motion. */
export const updatePerson = (person: PersonMotion, measurement: Measurement, hops = 1): PersonMotion => {
  const weight = weightOf(hops)
  const standing = likelihoodOf(person.standing, measurement) ** weight * seenStanding ** weight
  const walking = likelihoodOf(person.walking, measurement) ** weight * seenWalking ** weight
  const weighed = withOdds(person, standing, walking)
  return {
    ...weighed,
    standing: stopped(updateMotion(person.standing, measurement)),
    walking: updateMotion(person.walking, measurement),
  }
}

/** The person after a window without detected motion. */
export const missPerson = (person: PersonMotion, hops = 1): PersonMotion =>
  withOdds(person, (1 - seenStanding) ** weightOf(hops), (1 - seenWalking) ** weightOf(hops))
