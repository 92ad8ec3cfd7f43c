/**
 * What the pose network is given of one person: the tokens of the nearest links and what the tracker knows, in the person's own frame.
 *
 * Owns that frame (its origin is the tracked place, its x axis where the person last walked to) and the choice of links. Boundary: the
 * tokens are `link-token.ts`. `sim/training` fills the same inputs from simulated tracks.
 */
import type { EchoSeries } from "./echo-series.ts"
import type { SpectrumBins } from "./link-spectrum.ts"
import { tokenDirections, tokenDirectionsAt, tokenDistances, tokenSize, writeToken } from "./link-token.ts"
import { type SteeredLink, steerTo } from "./steered-link.ts"

/** Links that a person has tokens of: those with the strongest echo by geometry. */
export const tokensMax = 30
/** Height that links are steered to: the torso's. */
export const steeredHeightM = 1
/**
 * Who begins to walk is faster than the first, who goes on walking than the second. Below them the direction of motion says nothing of
 * where a body faces: a track of who keeps still has some speed, too, and a frame that it turned would take from the network's memory
 * what that knows of the body's direction.
 */
const headingSpeedsMinMps = { begin: 0.45, goOn: 0.3 } as const
/** Who walked so lately goes on walking. */
const walkedLatelyS = 0.25
/** Links beyond this number are told alike. */
const tokensPlenty = 10
/** Ages beyond this are told alike. */
const ageMaxS = 10

/** A person as the tracker knows it at the end of a hop. Metres, seconds. */
export interface TrackedPerson {
  readonly x: number
  readonly y: number
  readonly velocityX: number
  readonly velocityY: number
  /** Standard deviation of the place per axis. */
  readonly sigmaM: number
  /** Since the track was born. */
  readonly ageS: number
}

/** Where a person last walked to. */
export interface Heading {
  readonly rad: number
  /** When that was; null before it ever walked. */
  readonly atS: number | null
}

export const unknownHeading: Heading = { rad: 0, atS: null }

/** The heading after a person was seen at `timeS`. */
export const followHeading = (heading: Heading, { velocityX, velocityY }: TrackedPerson, timeS: number): Heading => {
  const walked = heading.atS !== null && timeS - heading.atS <= walkedLatelyS
  return Math.hypot(velocityX, velocityY) < headingSpeedsMinMps[walked ? "goOn" : "begin"]
    ? heading
    : { rad: Math.atan2(velocityY, velocityX), atS: timeS }
}

/** The links of most echo for a person, at most `tokensMax`, steered to the torso: those of the shortest d1 d2. */
export const steeredLinksOf = (
  series: ReadonlyArray<EchoSeries>,
  { x, y }: TrackedPerson,
): ReadonlyArray<SteeredLink> => {
  const steered = series.map((one) => steerTo(one, [x, y, steeredHeightM]))
  if (steered.length <= tokensMax) return steered
  const rangeM2 = ({ bearing: { d1M, d2M } }: SteeredLink): number => d1M * d2M
  return steered.sort((a, b) => rangeM2(a) - rangeM2(b)).slice(0, tokensMax)
}

/**
 * Writes the tokens of a person, of whose steered links the first is `first` of `found`, from token `at` on, and their mask; the rest
 * of its `tokensMax` places are empty. Answers their number.
 */
export const writeTokens = (
  links: ReadonlyArray<SteeredLink>,
  found: ReadonlyArray<SpectrumBins>,
  first: number,
  { rad }: Heading,
  tokens: Float32Array,
  mask: Float32Array,
  at: number,
): number => {
  let count = 0
  for (const [i, link] of links.entries()) {
    if (writeToken(link, found, first + i, rad, tokens, (at + count) * tokenSize)) mask[at + count++] = 1
  }
  tokens.fill(0, (at + count) * tokenSize, (at + tokensMax) * tokenSize)
  mask.fill(0, at + count, at + tokensMax)
  return count
}

/** Writes what the tracker knows of a person to `out` from value `at`. */
export const writeTrack = (
  { ageS, sigmaM, velocityX, velocityY }: TrackedPerson,
  { atS, rad }: Heading,
  endS: number,
  tokens: number,
  out: Float32Array,
  at: number,
): void => {
  const forward = velocityX * Math.cos(rad) + velocityY * Math.sin(rad)
  const left = velocityY * Math.cos(rad) - velocityX * Math.sin(rad)
  const sinceS = atS === null ? ageMaxS : Math.min(endS - atS, ageMaxS)
  out[at] = forward
  out[at + 1] = left
  out[at + 2] = Math.hypot(velocityX, velocityY)
  out[at + 3] = Math.log(Math.max(sigmaM, 0.02) / 0.2)
  out[at + 4] = sinceS / ageMaxS
  out[at + 5] = atS === null ? 0 : 1
  out[at + 6] = Math.min(ageS, ageMaxS) / ageMaxS
  out[at + 7] = Math.min(1, tokens / tokensPlenty)
}

/** Takes the geometry out of tokens, for a network that was trained without: directions, distances and detour become zeros. */
export const withoutGeometry = (tokens: Float32Array): void => {
  for (let at = 0; at < tokens.length; at += tokenSize) {
    const from = at + tokenDirectionsAt
    tokens.fill(0, from, from + 3 * tokenDirections + tokenDistances)
  }
}

/** A point of the person's frame in the room: turned by the heading and moved to the place; z is the height over the floor. */
export const toRoom = (
  { x, y }: Pick<TrackedPerson, "x" | "y">,
  { rad }: Heading,
  forward: number,
  left: number,
): readonly [x: number, y: number] => [
  x + forward * Math.cos(rad) - left * Math.sin(rad),
  y + forward * Math.sin(rad) + left * Math.cos(rad),
]
