/**
 * The confidence of a decision on presence: how often a decision like it is right.
 *
 * Measured on simulated rooms that were occupied half of the time, by persons who walked, who kept still, or who came, walked, kept still
 * and left, beside fans, interference and gain steps (`test/core/vitals/presence-confidence.test.ts` measures it anew). In a real
 * room it is as right as that room is like these.
 *
 * Presence is hardly ever wrong while a body is seen, and errs as time goes on without: then the person has left, or keeps still.
 * Absence errs where somebody keeps still who is not seen. The more links look from different sides, the less often that
 * is; and it is likely where a link is not quite quiet.
 */
import { enterSigmas, type LinkEvidence, thresholdOf } from "./link-evidence.ts"

/** Log odds that somebody is there while a body is seen, those that are left in the end without, and how fast: 5 s. */
const seenLogOdds = 3.3
const heldLogOdds = 1.15
const fadingHops = 50

/** Log odds that nobody is there when one quiet link says so, and what e times as many links add. More than 10 were not measured. */
const quietLogOdds = 1.1
const gainOfLinks = 0.95
const linksMax = 10
/** What a link at the threshold of motion takes from it. */
const unquietLoss = 2.8

const logistic = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds))

/** That somebody is there, so many hops after a body was last seen. */
export const presentConfidence = (quietHops: number): number =>
  logistic(heldLogOdds + (seenLogOdds - heldLogOdds) * Math.exp(-quietHops / fadingHops))

/** That nobody is there, when none of these links shows anything that moves; at least one half. */
export const absentConfidence = (links: ReadonlyArray<LinkEvidence>): number => {
  const strength = Math.max(...links.map(({ sigmas }) => sigmas ?? 0)) / thresholdOf(enterSigmas, links.length)
  const quiet = quietLogOdds + gainOfLinks * Math.log(Math.min(links.length, linksMax))
  return Math.max(0.5, logistic(quiet - unquietLoss * Math.max(0, strength)))
}
