/**
 * CLEAN: takes a found person out of the links' covariances, so that the next one shows.
 *
 * A body is wider than a point, so a cross of points around the place is taken out, not the place alone.
 */
import type { Vector3 } from "./geometry.ts"
import { deflate, orthonormal } from "./hermitian.ts"
import { createLinkImage, type LinkImage } from "./link-image.ts"
import { bearingOf, steeringVector } from "./steering.ts"

const bodyReachM = 0.15
const bodyCross = [[0, 0], [bodyReachM, 0], [-bodyReachM, 0], [0, bodyReachM], [0, -bodyReachM]] as const

/** A link's image without what comes from a body at `place`. */
export const withoutBody = (link: LinkImage, [x, y, z]: Vector3): LinkImage => {
  const { state, moments, rest } = link
  const covariance = rest.covariance.slice()
  const identity = rest.identity.slice()
  const vectors = bodyCross.map(([dx, dy]) =>
    steeringVector(state.steering, bearingOf(state.steering, [x + dx, y + dy, z]))
  )
  const space = orthonormal(vectors, identity)
  for (const u of space) {
    deflate(covariance, u)
    deflate(identity, u)
  }
  return createLinkImage(state, moments, { covariance, identity, dimensions: rest.dimensions - space.length })
}
