/**
 * A training sequence: the network's inputs and targets of one person over the moments of one scene, and its file form.
 *
 * Owns the file (see `data.py`, which reads it): a line of JSON, then the arrays. Boundary: scenes become sequences in `scenes.ts`.
 */
import { tokenDirections, tokenDirectionsAt, tokenDistances, tokenSize } from "../../core/pose/link-token.ts"
import { trackSize } from "../../core/pose/network.ts"
import { keypointNames } from "../../core/pose/skeleton.ts"
import { seedRanges } from "../evaluation/seed-ranges.ts"

/** Inputs and targets at the end of a hop. */
export interface Moment {
  /** [token][tokenSize], the same number of tokens in all moments of a sequence. */
  readonly tokens: Float32Array
  readonly mask: Float32Array
  readonly track: Float32Array
  /** [keypoint][xyz] in the person's frame. */
  readonly keypoints: Float32Array
  readonly activity: number
}

/** Parameters of training: `layout.json`. */
export const trainingLayout = {
  trainingSeeds: [seedRanges.train.first, seedRanges.train.last],
  validationSeeds: [seedRanges.validation.first, seedRanges.validation.last],
  tokenSize,
  trackSize,
  directionsAt: tokenDirectionsAt,
  directions: tokenDirections,
  distancesEnd: tokenDirectionsAt + 3 * tokenDirections + tokenDistances,
}

const toHalf = (values: Float32Array): Uint8Array => new Uint8Array(new Float16Array(values).buffer)
const bytesOf = (values: Float32Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength)

/** The file of a sequence of at least one moment. */
export const encodeSequence = (seed: number, moments: ReadonlyArray<Moment>): Uint8Array => {
  const tokens = moments[0]!.mask.length
  const head = JSON.stringify({
    seed,
    moments: moments.length,
    tokens,
    tokenSize,
    trackSize,
    keypoints: keypointNames.length,
  })
  const parts = [
    new TextEncoder().encode(`${head}\n`),
    ...moments.map((moment) => toHalf(moment.tokens)),
    ...moments.map(({ mask }) => Uint8Array.from(mask)),
    ...moments.map(({ track }) => bytesOf(track)),
    ...moments.map(({ keypoints }) => bytesOf(keypoints)),
    Uint8Array.from(moments, ({ activity }) => activity),
  ]
  const file = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    file.set(part, at)
    at += part.length
  }
  return file
}
