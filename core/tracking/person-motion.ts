/**
 * How a person moves: walking, or standing still, and from one to the other (interacting multiple models, Blom and Bar-Shalom 1988).
 *
 * A walker has a velocity that changes slowly, a person who stands has none; each is a Kalman filter of its own, and how well each
 * explains what is measured says which it is. That nothing is measured speaks for standing: a walker would have been seen.
 *
 * Invariant: the two probabilities add up to 1 and neither is less than `probabilityMin`, so that a change is always possible.
 */
import { beginMotion, likelihoodOf, type Measurement, type MotionState, predictMotion, updateMotion } from "./kalman.ts"

export interface PersonMotion {
  readonly walking: MotionState
  readonly standing: MotionState
  readonly standingProbability: number
}

/** Rates at which people stop and set off, per second. */
const stopRateHz = 0.4
const startRateHz = 0.3
const probabilityMin = 0.001
/** Velocity that is left to who stands, by sway, m/s; and how the place wanders by shifting weight, m^2/s. */
const swaySigmaMps = 0.08
const wanderM2ps = 0.0004
/** How the place of who walks strays from what the velocities add up to, m^2/s: what is seen is now the torso, now a leg. */
const strayM2ps = 0.02
/** Share of windows in which who walks, and who stands, is seen to move. */
const seenWalking = 0.85
const seenStanding = 0.15
/** Windows overlap, so one hop weighs this part of an independent window. */
const weight = 0.3

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

/** A person who was first noticed keeping still, at a place with a standard deviation per axis. */
export const beginStill = (
  place: { readonly x: number; readonly y: number; readonly sigmaM: number },
): PersonMotion => ({
  ...beginPerson({ ...place, velocity: null }),
  standingProbability: 1 - probabilityMin,
})

/** One state in place of two with these weights, with their spread about it. */
const mixed = (a: MotionState, weightA: number, b: MotionState): MotionState => {
  const p = weightA
  const q = 1 - weightA
  const dx = a.x - b.x
  const dy = a.y - b.y
  const du = a.velocityX - b.velocityX
  const dv = a.velocityY - b.velocityY
  // Both axes share one covariance, so the spread is their mean.
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

/** The person as one state: what frames show. */
export const motionOf = ({ standing, standingProbability, walking }: PersonMotion): MotionState =>
  mixed(standing, standingProbability, walking)

/** Whether somebody keeps their place, as far as is known. */
export const stands = ({ standingProbability }: PersonMotion): boolean => standingProbability > 0.8

/** The person `elapsedS` later. */
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

const withOdds = (person: PersonMotion, standing: number, walking: number): PersonMotion => {
  const p = person.standingProbability * standing
  const q = (1 - person.standingProbability) * walking
  return p + q > 0 ? { ...person, standingProbability: clamp(p / (p + q)) } : person
}

/** The person after a measurement of them moving. */
export const updatePerson = (person: PersonMotion, measurement: Measurement): PersonMotion => {
  const standing = likelihoodOf(person.standing, measurement) ** weight * seenStanding ** weight
  const walking = likelihoodOf(person.walking, measurement) ** weight * seenWalking ** weight
  const weighed = withOdds(person, standing, walking)
  return {
    ...weighed,
    standing: stopped(updateMotion(person.standing, measurement)),
    walking: updateMotion(person.walking, measurement),
  }
}

/** The person after a window in which they were not seen to move. */
export const missPerson = (person: PersonMotion): PersonMotion =>
  withOdds(person, (1 - seenStanding) ** weight, (1 - seenWalking) ** weight)
