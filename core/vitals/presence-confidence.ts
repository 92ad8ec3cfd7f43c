/**
 * The confidence of a decision on presence: the share of such decisions that are right.
 *
 * Measured on simulated rooms that were occupied half of the time, by persons who walked, who kept still, or who
 * entered, walked, kept still and left, beside fans, interference and gain steps
 * (`test/core/vitals/presence-confidence.test.ts` repeats the measurement). In a real room it is as accurate as that
 * room resembles these.
 *
 * Presence is almost always right while a body is detected, and errs more with time since then: the person has left, or
 * keeps still. Absence errs when a person keeps still undetected. That is rarer with more links from different sides,
 * and more likely where a link is not quite quiet.
 */
import type { LinkEvidence } from "./link-evidence.ts"

/** Log odds of presence while a body is detected, their limit without one, and the decay time: 5 s. */
const seenLogOdds = 3.3
const heldLogOdds = 1.15
const fadingHops = 50

/** Log odds of absence with one quiet link, and the gain by e times as many links. More than 10 were not measured. */
const quietLogOdds = 0.6
const gainOfLinks = 0.95
const linksMax = 10
/** Loss by a link a decade above this excess: in simulated rooms such faint motion is a person, in real ones noise. */
const unquietLoss = 2
const unquietExcess = -1.6

const logistic = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds))

/** Confidence of presence, `quietHops` after a body was last detected. */
export const presentConfidence = (quietHops: number): number =>
  logistic(heldLogOdds + (seenLogOdds - heldLogOdds) * Math.exp(-quietHops / fadingHops))

/** Confidence of absence when none of these links indicates a body; at least one half. */
export const absentConfidence = (links: ReadonlyArray<LinkEvidence>): number => {
  const excess = Math.max(...links.map(({ excess }) => excess))
  const unquiet = Math.max(0, Math.min(1, excess - unquietExcess))
  const quiet = quietLogOdds + gainOfLinks * Math.log(Math.min(links.length, linksMax))
  return Math.max(0.5, logistic(quiet - unquietLoss * unquiet))
}
