/**
 * Existence: the probability that a track is a person who is still present.
 *
 * A Bayes filter over hops. A moving target is evidence for a person by its size, a still one by its echo. A person
 * cannot vanish while standing, so a standing track without any evidence fades slowly; a walking one without detections
 * fades within seconds. Echoes are measured at the height of a torso, so a weak one is no evidence against a person who
 * lies. The rates are those of simulated rooms.
 */
import type { StillEcho } from "../imaging/still-echo.ts"

/** Share of windows with a detection of a walking person, and of those with a detection near a spurious track. */
const seenWalking = 0.85
const seenNobody = 0.05

/** Probability that a first detection is a person. */
export const initialExistence = 0.3

/** Windows of ten hops overlap, so one hop weighs a tenth of an independent observation. */
const weight = 0.1

/** Upper limit: events outside the model stay possible, however many hops agree. */
const certainty = 0.99

/** What the pose network last saw of a track's person. */
export interface SeenBody {
  /** Standard deviation of the hips per axis, metres. */
  readonly sigmaM: number
  /** Probability that the person lies. */
  readonly lyingProbability: number
}

/** Evidence of one hop about a track. */
export interface Evidence {
  /** Radar cross section of the motion, m^2; null without detected motion. */
  readonly movingM2: number | null
  /** Whether the target oscillates in place, like a fan. */
  readonly turns: boolean
  readonly still: StillEcho
  /** Probability that the person stands still. */
  readonly standing: number
  /** Null when the pose network was not evaluated. */
  readonly seen: SeenBody | null
  /** Whether the track has been detected walking. */
  readonly walked: boolean
}

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value))

/**
 * ln(likelihood of the section for an adult over that for a pet or a residual of others): both log-normal, equal at
 * `equalM2`.
 */
const sizeEvidence = (sectionM2: number, equalM2: number, low: number, high: number): number =>
  clamp(2 * Math.log(Math.max(sectionM2, 1e-4) / equalM2), low, high)

/** Sections at which an adult and something else are equally likely. */
const movingEqualM2 = 0.045
const stillEqualM2 = 0.011

/**
 * Log likelihood ratio of the echo at a place: positive for an adult's, negative without one, 0 where the empty room is
 * unknown.
 */
export const echoEvidence = ({ ownSectionM2 }: StillEcho): number =>
  ownSectionM2 === null ? 0 : sizeEvidence(ownSectionM2, stillEqualM2, -2, 1.5)

/** Decay of a standing track without evidence, nats per hop: half of the tracks held this way end within a minute. */
const fading = 0.008

/**
 * Faster decay of a standing track while the pose network's sigma of the hips is at least this, metres. That is so in
 * one hop of 25 for standing tracks with a person, and in ten of 25 for tracks more than a metre off.
 */
const uncertainFromM = 0.3
const uncertainFading = 0.12

/** Decay of a standing track, nats per hop. */
const fadingOf = (seen: SeenBody | null): number =>
  fading + (seen !== null && seen.sigmaM >= uncertainFromM ? uncertainFading : 0)

/** Whether a person who walked here certainly lies. Of a place without a person, the network's sigma is larger. */
const lies = ({ seen, walked }: Evidence): boolean =>
  walked && seen !== null && seen.lyingProbability >= 0.5 && seen.sigmaM < uncertainFromM

const evidenceOf = (evidence: Evidence): number => {
  const { movingM2, seen, standing, still, turns } = evidence
  const echo = lies(evidence) ? Math.max(0, echoEvidence(still)) : echoEvidence(still)
  if (movingM2 !== null) {
    if (turns) return weight * Math.log(seenNobody / seenWalking)
    // A target that moves in place without a still echo may also be a fan.
    const inPlace = still.ownSectionM2 === null ? 0 : Math.min(0, echo)
    return weight * (Math.log(seenWalking / seenNobody) + sizeEvidence(movingM2, movingEqualM2, -6, 1) +
      standing * 2 * inPlace)
  }
  const unseen = Math.log((1 - (1 - standing) * seenWalking) / (1 - seenNobody))
  return weight * (unseen + standing * echo) - standing * fadingOf(seen)
}

/** The probability after `hops` more hops, of which the last one gave the evidence. */
export const updateExistence = (probability: number, evidence: Evidence, hops = 1): number => {
  const odds = (probability / (1 - probability)) * Math.exp(hops * evidenceOf(evidence))
  return Math.min(certainty, odds / (1 + odds))
}
