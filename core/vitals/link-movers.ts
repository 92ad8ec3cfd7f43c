/**
 * The movers of a hop: what moves by the evidence of all links, a body, a machine or either, and how strongly.
 *
 * Boundary: `link-evidence.ts` evaluates one link; `presence.ts` decides over time.
 */
import { type LinkEvidence, verdictOf } from "./link-evidence.ts"

/** Excess in decades above which a link below its threshold is neither quiet nor a body: a quarter of the power. */
const quietExcess = -0.6
/** The same for correlated changes, and the excess above which they extend presence. */
const correlatedQuietExcess = -2.5
const correlatedStayExcess = -1.6
/** Absence can be decided beside a machine that moves on at most this share of the links. */
const maskedShareMax = 2 / 3
/** Excess of the weakest motion like a body that extends presence to its full length: a sixteenth of the power. */
const weakExcess = -1.2
/** Echo power of a torso over the static response, at which `motion` is one half: -20 dB. */
const halfMotionPower = 0.01

/** Whether motion is too strong to be the noise of an empty room, and whether it is strong enough to extend presence. */
const isUnquiet = ({ correlated, excess }: LinkEvidence): boolean =>
  excess >= (correlated ? correlatedQuietExcess : quietExcess)
const isLasting = ({ correlated, excess }: LinkEvidence): boolean =>
  excess >= (correlated ? correlatedStayExcess : quietExcess)

/**
 * Smallest depth of a quiet link in decades, a twenty-fifth of the power of a body, and with motion that is significant: where the noise is
 * strong, the level of a body is low.
 */
const deepMin = 1.4
const movingDeepMin = 2.5
const deepMax = 2

const depthOf = (link: LinkEvidence, verdict: ReturnType<typeof verdictOf>): number =>
  -link.excess < (verdict === "none" ? deepMin : movingDeepMin) || (link.correlated && isUnquiet(link))
    ? 0
    : Math.min(deepMax, -link.excess)

/** The movers of a hop. */
interface Movers {
  /** Whether anything moves like a body, however weakly. */
  readonly body: boolean
  /** Excess of the strongest body in decades. */
  readonly excess: number
  /** Excess of the strongest motion that may be a body's. */
  readonly possibleExcess: number
  /** Whether a body, or motion of either kind, is too strong for an empty room, or extends presence. */
  readonly unquiet: boolean
  readonly stays: boolean
  readonly either: boolean
  readonly machine: boolean
  /** Whether machines would mask a person who keeps still on too many links. */
  readonly masks: boolean
  /** How far in decades all links are below their thresholds, at most 2; 0 where one of them is not clearly quiet. */
  readonly depth: number
}

/** The movers of the links, of which each has enough packets. */
export const moversOf = (links: ReadonlyArray<LinkEvidence>): Movers => {
  const verdicts = links.map((link) => ({ link, verdict: verdictOf(link, links.length) }))
  const of = (verdict: string) => verdicts.filter((one) => one.verdict === verdict).map(({ link }) => link)
  const [bodies, machines, eithers] = [of("body"), of("machine"), of("either")]
  const masked = machines.filter((link) => isUnquiet(link) || link.sigmas! < 0).length
  return {
    body: bodies.some(({ excess }) => excess >= weakExcess),
    excess: Math.max(-Infinity, ...bodies.map(({ excess }) => excess)),
    possibleExcess: Math.max(-Infinity, ...eithers.map(({ excess }) => excess)),
    unquiet: bodies.some(isUnquiet),
    stays: bodies.some(isLasting) || eithers.some(isLasting),
    either: eithers.some(isUnquiet),
    machine: masked > 0,
    masks: masked > maskedShareMax * links.length,
    depth: links.length === 0 ? 0 : Math.min(...verdicts.map(({ link, verdict }) => depthOf(link, verdict))),
  }
}

/** Strength of the strongest motion; links with too few packets are ignored. */
export const motionOf = (links: ReadonlyArray<LinkEvidence>): number | null => {
  if (links.length === 0) return null
  let power = 0
  for (const link of links) {
    if (verdictOf(link, links.length) !== "none") power = Math.max(power, link.dynamicPower ?? 0)
  }
  return power / (power + halfMotionPower)
}
