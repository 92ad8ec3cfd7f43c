/**
 * Existence: the probability that a track is a person, and one who is still there.
 *
 * A Bayes filter over hops. What is seen to move speaks for a person by its size; what keeps its place speaks for one by its echo.
 * Nobody vanishes while standing, so a track that stands fades slowly where nothing can be heard of it; one that walks and
 * is not seen fades within seconds. The rates are those of simulated rooms.
 */
import type { StillEcho } from "../imaging/still-echo.ts"

/** Share of windows in which a walking person is detected, and in which something is detected near a track that is nobody. */
const seenWalking = 0.85
const seenNobody = 0.05

/** Probability that a first detection is a person. */
export const initialExistence = 0.3

/** Windows of ten hops overlap, so one hop weighs a tenth of an independent observation. */
const weight = 0.1

/** No count of hops makes certain: what the rates leave out stays possible. */
const certainty = 0.99

/** What one hop says about a track. */
export interface Evidence {
  /** Radar cross section of what moved, m^2; null when nothing was seen to move. */
  readonly movingM2: number | null
  /** Whether what moves turns in its place, as a fan does. */
  readonly turns: boolean
  readonly still: StillEcho
  /** Probability that the person stands still. */
  readonly standing: number
  /** How surely the pose network last saw the hips, standard deviation per axis, metres; null when it was not asked. */
  readonly seenSigmaM: number | null
}

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value))

/** ln(likelihood of the section for an adult over that for a pet or what others leave): both log-normal, equal at `equalM2`. */
const sizeEvidence = (sectionM2: number, equalM2: number, low: number, high: number): number =>
  clamp(2 * Math.log(Math.max(sectionM2, 1e-4) / equalM2), low, high)

/** Sections at which an adult is as likely as something else. */
const movingEqualM2 = 0.045
const stillEqualM2 = 0.011

/** What a place's echo says: an adult's is there, it is not, or nothing, where the empty room is not known. */
export const echoEvidence = ({ ownSectionM2 }: StillEcho): number =>
  ownSectionM2 === null ? 0 : sizeEvidence(ownSectionM2, stillEqualM2, -2, 1.5)

/** How fast a track that stands fades where nothing is heard of it, nats per hop: half of what is held is gone in a minute. */
const fading = 0.008

/**
 * A track that stands fades so much faster, nats per hop, while the pose network sees the hips no surer than this, metres: in one hop of
 * 25 of tracks that stand where somebody is, and in ten of 25 of those that are more than a metre off.
 */
const doubtFromM = 0.3
const doubting = 0.12

/** What fades of a track that stands, nats per hop. */
const fadingOf = (seenSigmaM: number | null): number =>
  fading + (seenSigmaM !== null && seenSigmaM >= doubtFromM ? doubting : 0)

const evidenceOf = ({ movingM2, seenSigmaM, standing, still, turns }: Evidence): number => {
  const echo = echoEvidence(still)
  if (movingM2 !== null) {
    if (turns) return weight * Math.log(seenNobody / seenWalking)
    // Something that moves in its place and has no echo that stays may be a fan, too.
    const inPlace = still.ownSectionM2 === null ? 0 : Math.min(0, echo)
    return weight * (Math.log(seenWalking / seenNobody) + sizeEvidence(movingM2, movingEqualM2, -6, 1) +
      standing * 2 * inPlace)
  }
  const unseen = Math.log((1 - (1 - standing) * seenWalking) / (1 - seenNobody))
  return weight * (unseen + standing * echo) - standing * fadingOf(seenSigmaM)
}

/** The probability after one more hop. */
export const updateExistence = (probability: number, evidence: Evidence): number => {
  const odds = (probability / (1 - probability)) * Math.exp(evidenceOf(evidence))
  return Math.min(certainty, odds / (1 + odds))
}
