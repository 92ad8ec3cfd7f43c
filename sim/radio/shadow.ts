/**
 * Shadowing: the remaining amplitude of a path that passes beside or through a body.
 *
 * A torso is a capsule; its nearer edge is one knife edge (ITU-R P.526, single edge):
 * J = 6.9 + 20 log10(sqrt((v - 0.1)^2 + 1) + v - 0.1) dB for v > -0.78, v = h sqrt(2 (d1 + d2) / (lambda d1 d2)), where h is the
 * distance by which the edge extends over the path. Boundary: `legs.ts` and `scene.ts` select the paths.
 */

/** Smallest distance of an edge from an end of the path: the model assumes a distant edge. */
const edgeDistanceMinM = 0.1
/** Largest loss: waves also pass around a body on paths that a single edge does not describe. */
const lossMaxDb = 30

/** Remaining amplitude behind a knife edge that extends `reachM` over a path, `d1M` and `d2M` from its ends. */
export const knifeEdge = (reachM: number, d1M: number, d2M: number, wavelengthM: number): number => {
  const v = reachM * Math.sqrt((2 * (d1M + d2M)) / (wavelengthM * d1M * d2M))
  if (v <= -0.78) return 1
  const lossDb = 6.9 + 20 * Math.log10(Math.sqrt((v - 0.1) * (v - 0.1) + 1) + v - 0.1)
  return 10 ** (-Math.min(lossMaxDb, Math.max(0, lossDb)) / 20)
}

const clamp01 = (value: number): number => (value < 0 ? 0 : value > 1 ? 1 : value)

/** A capsule as [low xyz, high xyz, half width]. */
export const capsuleStride = 7

/**
 * Remaining amplitude of the straight path from a to b beside the capsule at `at` of `capsules`. The distance between path and
 * capsule axis is the smallest distance of two segments.
 */
export const shadowOf = (
  ax: number,
  ay: number,
  az: number,
  bx: number,
  by: number,
  bz: number,
  capsules: Float64Array,
  at: number,
  wavelengthM: number,
): number => {
  const lx = capsules[at]!, ly = capsules[at + 1]!, lz = capsules[at + 2]!
  const ex = capsules[at + 3]! - lx, ey = capsules[at + 4]! - ly, ez = capsules[at + 5]! - lz
  const halfWidthM = capsules[at + 6]!
  const dx = bx - ax, dy = by - ay, dz = bz - az
  const rx = ax - lx, ry = ay - ly, rz = az - lz
  const dd = dx * dx + dy * dy + dz * dz
  const ee = ex * ex + ey * ey + ez * ez
  const er = ex * rx + ey * ry + ez * rz
  const dr = dx * rx + dy * ry + dz * rz
  const de = dx * ex + dy * ey + dz * ez
  const denominator = dd * ee - de * de
  let along = denominator > 1e-12 * dd * ee ? clamp01((de * er - dr * ee) / denominator) : 0.5
  let up = ee > 1e-12 ? (de * along + er) / ee : 0
  if (up < 0 || up > 1 || ee <= 1e-12) {
    up = clamp01(up)
    along = clamp01((up * de - dr) / dd)
  }
  const x = rx + along * dx - up * ex
  const y = ry + along * dy - up * ey
  const z = rz + along * dz - up * ez
  const aside = x * x + y * y + z * z
  const length = Math.sqrt(dd)
  // An edge in the middle of the path has the widest effect: capsules beyond that distance do not shadow.
  const furthest = halfWidthM + 0.78 * Math.sqrt((wavelengthM * Math.max(length, 4 * edgeDistanceMinM)) / 8)
  if (aside >= furthest * furthest) return 1
  const d1 = Math.max(edgeDistanceMinM, along * length)
  const d2 = Math.max(edgeDistanceMinM, (1 - along) * length)
  return knifeEdge(halfWidthM - Math.sqrt(aside), d1, d2, wavelengthM)
}
