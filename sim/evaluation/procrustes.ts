/**
 * Procrustes: the similarity transform (rotation, scale, translation) that best aligns one set of points with another.
 *
 * Owns the singular value decomposition of a 3 x 3 matrix that it needs. Matrices are 9 numbers, row by row.
 */

interface Svd3 {
  /** A = U diag(S) V'. Singular values descend; U and V are orthogonal. */
  readonly u: Float64Array
  readonly s: Float64Array
  readonly v: Float64Array
}

const sweepsMax = 30

const dotColumns = (a: Float64Array, i: number, j: number): number =>
  a[i]! * a[j]! + a[3 + i]! * a[3 + j]! + a[6 + i]! * a[6 + j]!

/** Rotates the columns i and j of a matrix. */
const turnColumns = (a: Float64Array, i: number, j: number, cos: number, sin: number): void => {
  for (let row = 0; row < 9; row += 3) {
    const left = a[row + i]!
    const right = a[row + j]!
    a[row + i] = cos * left - sin * right
    a[row + j] = sin * left + cos * right
  }
}

/** Makes the columns of `a` orthogonal by Jacobi rotations (Hestenes 1958), which `v` accumulates. */
const orthogonalise = (a: Float64Array, v: Float64Array): void => {
  for (let sweep = 0; sweep < sweepsMax; sweep++) {
    let turned = false
    for (const [i, j] of [[0, 1], [0, 2], [1, 2]] as const) {
      const alpha = dotColumns(a, i, i)
      const beta = dotColumns(a, j, j)
      const gamma = dotColumns(a, i, j)
      if (Math.abs(gamma) <= 1e-15 * Math.sqrt(alpha * beta) || gamma === 0) continue
      const zeta = (beta - alpha) / (2 * gamma)
      const tan = (zeta >= 0 ? 1 : -1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta))
      const cos = 1 / Math.sqrt(1 + tan * tan)
      turnColumns(a, i, j, cos, cos * tan)
      turnColumns(v, i, j, cos, cos * tan)
      turned = true
    }
    if (!turned) return
  }
}

const column = (a: Float64Array, j: number): readonly [number, number, number] => [a[j]!, a[3 + j]!, a[6 + j]!]

const cross = (
  [a, b, c]: readonly [number, number, number],
  [d, e, f]: readonly [number, number, number],
): readonly [number, number, number] => [b * f - c * e, c * d - a * f, a * e - b * d]

/** A unit vector orthogonal to a direction. */
const across = (direction: readonly [number, number, number]): readonly [number, number, number] => {
  const least = direction.map(Math.abs).reduce((at, value, i, all) => value < all[at]! ? i : at, 0)
  const axis = [0, 1, 2].map((i) => i === least ? 1 : 0) as [number, number, number]
  const [x, y, z] = cross(direction, axis)
  const length = Math.hypot(x, y, z)
  return [x / length, y / length, z / length]
}

/** The singular value decomposition of a 3 x 3 matrix of any rank. */
export const svd3 = (matrix: ArrayLike<number>): Svd3 => {
  // Squares of very small or large values would exceed the range of doubles.
  const size = Array.from(matrix).reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1
  const a = Float64Array.from(matrix, (value) => value / size)
  const turns = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
  orthogonalise(a, turns)
  const lengths = [0, 1, 2].map((j) => Math.sqrt(dotColumns(a, j, j)))
  const order = [0, 1, 2].sort((i, j) => lengths[j]! - lengths[i]!)
  const s = Float64Array.from(order, (j) => size * lengths[j]!)
  const vanishing = 1e-12 * lengths[order[0]!]!
  const sides: Array<readonly [number, number, number]> = []
  for (const [rank, j] of order.entries()) {
    const [x, y, z] = column(a, j)
    const length = lengths[j]!
    if (length > vanishing && length > 0) sides.push([x / length, y / length, z / length])
    else if (rank === 0) sides.push([1, 0, 0])
    else sides.push(rank === 1 ? across(sides[0]!) : cross(sides[0]!, sides[1]!))
  }
  const u = new Float64Array(9)
  const v = new Float64Array(9)
  for (let rank = 0; rank < 3; rank++) {
    for (let row = 0; row < 3; row++) {
      u[3 * row + rank] = sides[rank]![row]!
      v[3 * row + rank] = turns[3 * row + order[rank]!]!
    }
  }
  return { u, s, v }
}

const determinant = (m: Float64Array): number =>
  m[0]! * (m[4]! * m[8]! - m[5]! * m[7]!) - m[1]! * (m[3]! * m[8]! - m[5]! * m[6]!) +
  m[2]! * (m[3]! * m[7]! - m[4]! * m[6]!)

const centreOf = (points: ArrayLike<number>): Float64Array => {
  const centre = new Float64Array(3)
  for (let i = 0; i < points.length; i++) centre[i % 3] = centre[i % 3]! + 3 * points[i]! / points.length
  return centre
}

/**
 * The points translated, rotated (never mirrored) and scaled to the least sum of squared distances to `target` (Umeyama 1991).
 * Coincident points become the centre of the target.
 */
export const alignSimilarity = (points: ArrayLike<number>, target: ArrayLike<number>): Float64Array => {
  const from = centreOf(points)
  const to = centreOf(target)
  const covariance = new Float64Array(9)
  let spread = 0
  for (let i = 0; i < points.length; i += 3) {
    for (let row = 0; row < 3; row++) {
      const p = points[i + row]! - from[row]!
      spread += p * p
      for (let col = 0; col < 3; col++) {
        covariance[3 * row + col] = covariance[3 * row + col]! + p * (target[i + col]! - to[col]!)
      }
    }
  }
  const { s, u, v } = svd3(covariance)
  const hand = determinant(u) * determinant(v) < 0 ? -1 : 1
  const scale = spread > 0 ? (s[0]! + s[1]! + hand * s[2]!) / spread : 0
  const turn = new Float64Array(9)
  for (let row = 0; row < 3; row++) {
    for (let col = 0; col < 3; col++) {
      turn[3 * row + col] = v[3 * row]! * u[3 * col]! + v[3 * row + 1]! * u[3 * col + 1]! +
        hand * v[3 * row + 2]! * u[3 * col + 2]!
    }
  }
  return Float64Array.from(points, (_, at) => {
    const row = at % 3
    const i = at - row
    let sum = 0
    for (let axis = 0; axis < 3; axis++) sum += turn[3 * row + axis]! * (points[i + axis]! - from[axis]!)
    return to[row]! + scale * sum
  })
}
