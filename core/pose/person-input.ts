/**
 * The pose network's input for one person: the tokens of the nearest links and the tracker's state, in the person's own
 * frame.
 *
 * Owns that frame (its origin is the tracked place, its x axis the person's last walking direction) and the choice of
 * links. Boundary: the tokens are in `link-token.ts`. `sim/training` fills the same inputs from simulated tracks.
 */
import type { EchoSeries } from "./echo-series.ts"
import type { SpectrumBins } from "./link-spectrum.ts"
import { tokenDirections, tokenDirectionsAt, tokenDistances, tokenSize, writeToken } from "./link-token.ts"
import { type SteeredLink, steerTo } from "./steered-link.ts"

/** Maximum number of tokens per person: the links with the strongest echo by geometry. */
export const tokensMax = 30
/** Height that links are steered to: that of the torso. */
const steeredHeightM = 1
/**
 * Speed at which walking begins, and the lower one at which it continues. Below them the direction of motion does not
 * indicate the orientation of a body: the track of a still person has some speed too, and rotating the frame by it
 * would invalidate the direction in the network's memory.
 */
const headingSpeedsMinMps = { begin: 0.45, goOn: 0.3 } as const
/** Time after walking during which the lower speed applies. */
const walkedLatelyS = 0.25
/** Link counts saturate at this number. */
const tokensPlenty = 10
/** Ages saturate at this value. */
const ageMaxS = 10

/** The tracker's state of a person at the end of a hop. Metres, seconds. */
export interface TrackedPerson {
  readonly x: number
  readonly y: number
  readonly velocityX: number
  readonly velocityY: number
  /** Standard deviation of the place per axis. */
  readonly sigmaM: number
  /** Time since the track was created. */
  readonly ageS: number
}

/** Last walking direction of a person. */
export interface Heading {
  readonly rad: number
  /** Time of that; null before the first walk. */
  readonly atS: number | null
}

export const unknownHeading: Heading = { rad: 0, atS: null }

/** The heading after an observation of the person at `timeS`. */
export const followHeading = (heading: Heading, { velocityX, velocityY }: TrackedPerson, timeS: number): Heading => {
  const walked = heading.atS !== null && timeS - heading.atS <= walkedLatelyS
  return Math.hypot(velocityX, velocityY) < headingSpeedsMinMps[walked ? "goOn" : "begin"]
    ? heading
    : { rad: Math.atan2(velocityY, velocityX), atS: timeS }
}

/**
 * The links with the strongest echo of a person, at most `tokensMax`, steered to the torso: those with the shortest d1
 * d2.
 */
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
 * Writes the tokens of a person, whose first steered link is `first` of `found`, from token `at` on, and their mask;
 * the rest of its `tokensMax` places are empty. Returns their number.
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

/**
 * Writes the tracker's state of a person to `out` from value `at`.
 *
 * @param turnedRad how far the heading, and so the frame of the network's memory, has turned since the last inputs
 */
export const writeTrack = (
  { ageS, sigmaM, velocityX, velocityY }: TrackedPerson,
  { atS, rad }: Heading,
  endS: number,
  turnedRad: number,
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
  out[at + 8] = Math.cos(turnedRad) - 1
  out[at + 9] = Math.sin(turnedRad)
}

/** Removes the geometry from tokens, for a network trained without: directions, distances and detour become zeros. */
export const withoutGeometry = (tokens: Float32Array): void => {
  for (let at = 0; at < tokens.length; at += tokenSize) {
    const from = at + tokenDirectionsAt
    tokens.fill(0, from, from + 3 * tokenDirections + tokenDistances)
  }
}

/**
 * A point of the person's frame in the room: rotated by the heading and moved to the place; z is the height over the
 * floor.
 */
export const toRoom = (
  { x, y }: Pick<TrackedPerson, "x" | "y">,
  { rad }: Heading,
  forward: number,
  left: number,
): readonly [x: number, y: number] => [
  x + forward * Math.cos(rad) - left * Math.sin(rad),
  y + forward * Math.sin(rad) + left * Math.cos(rad),
]
