/**
 * The mobility score: how much and how fast persons walk, 0..1.
 *
 *     score = (min(1, walking share / 0.15) + min(1, mean walking speed / 1.2 m/s)) / 2
 *
 * The walking share refers to the time with known activity. 1.2 m/s is about the comfortable gait speed of healthy adults
 * (Bohannon and Williams Andrews 2011, 1.0 to 1.4 m/s by age and sex). That 15 % of the time at home is full mobility is an assumption.
 * The score compares a home with itself over time. It is not a diagnosis.
 */
import { countedFrames, type FrameSums, ratio } from "./figures.ts"
import type { Movement } from "./movement.ts"
import { noCountReason, type Reasons } from "./reasons.ts"

const fullWalkingShare = 0.15
const fullSpeedMps = 1.2

/** Minimum data: a minute of known activity, and ten seconds of walking. */
const knownFramesMin = 600
const movingSMin = 10

/** Null, with the reason, if there are too few data. */
export const mobilityScore = (
  sums: FrameSums,
  { distanceM, movingS }: Movement,
  reasons: Reasons,
): number | null => {
  const { lying, sitting, standing, walking } = sums
  const known = walking + standing + sitting + lying
  const share = known < knownFramesMin ? null : ratio(walking, known)
  const speedMps = movingS < movingSMin ? (share === 0 ? 0 : null) : distanceM / movingS
  const score = share === null || speedMps === null
    ? null
    : (Math.min(1, share / fullWalkingShare) + Math.min(1, speedMps / fullSpeedMps)) / 2
  return reasons.orNull(
    "mobilityScore",
    score,
    known === 0 && countedFrames(sums) === 0
      ? noCountReason(sums)
      : share === null
      ? "The activity of persons was known for less than a minute."
      : "Persons were tracked in motion for less than ten seconds, so their speed is unknown.",
  )
}
