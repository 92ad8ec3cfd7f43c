/**
 * Eigenvalues and eigenvectors of a complex Hermitian matrix, by Jacobi rotations.
 *
 * Each rotation zeroes one pair of off-diagonal elements. A sweep visits all pairs, and the sum of their squares falls
 * quadratically once it is small. Suitable for matrices of tens of rows. Matrices are interleaved (re, im), row by row.
 */

const sweepsMax = 30
/** The matrix counts as diagonal when its off-diagonal energy over the diagonal's is at most this. */
const tolerance = 1e-22

export interface Eigen {
  /** Descending. */
  readonly values: Float64Array
  /** Unit eigenvectors, interleaved, in the order of the values. */
  readonly vectors: ReadonlyArray<Float64Array>
}

/**
 * Rotates two vectors p and q of `size` complex numbers `step` apart, which begin at `i` and `j` of `matrix`: p' = c p
 * - s e^{-j phi} q, q' = s e^{j phi} p + c q.
 */
const rotate = (
  matrix: Float64Array,
  size: number,
  step: number,
  i: number,
  j: number,
  c: number,
  sRe: number,
  sIm: number,
): void => {
  for (let n = 0; n < size; n++, i += step, j += step) {
    const pRe = matrix[i]!
    const pIm = matrix[i + 1]!
    const qRe = matrix[j]!
    const qIm = matrix[j + 1]!
    matrix[i] = c * pRe - (sRe * qRe + sIm * qIm)
    matrix[i + 1] = c * pIm - (sRe * qIm - sIm * qRe)
    matrix[j] = sRe * pRe - sIm * pIm + c * qRe
    matrix[j + 1] = sRe * pIm + sIm * pRe + c * qIm
  }
}

/** Eigenvalues and eigenvectors of the Hermitian `matrix` of `size` rows. */
export const eigenOf = (matrix: Float64Array, size: number): Eigen => {
  const a = matrix.slice()
  const row = 2 * size
  const vectors = new Float64Array(2 * size * size)
  for (let r = 0; r < size; r++) vectors[2 * (r * size + r)] = 1
  for (let sweep = 0; sweep < sweepsMax && !isDiagonal(a, size); sweep++) {
    for (let p = 0; p < size; p++) {
      for (let q = p + 1; q < size; q++) {
        const re = a[2 * (p * size + q)]!
        const im = a[2 * (p * size + q) + 1]!
        const magnitude = Math.hypot(re, im)
        if (magnitude === 0) continue
        const theta = (a[2 * (q * size + q)]! - a[2 * (p * size + p)]!) / (2 * magnitude)
        const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1))
        const c = 1 / Math.sqrt(t * t + 1)
        const sRe = t * c * re / magnitude
        const sIm = t * c * im / magnitude
        // Rotates columns, and rows by the conjugate, which keeps the matrix Hermitian.
        rotate(a, size, row, 2 * p, 2 * q, c, sRe, sIm)
        rotate(a, size, 2, row * p, row * q, c, sRe, -sIm)
        rotate(vectors, size, row, 2 * p, 2 * q, c, sRe, sIm)
      }
    }
  }
  const order = Array.from({ length: size }, (_, i) => i)
  const value = (i: number): number => a[2 * (i * size + i)]!
  order.sort((i, j) => value(j) - value(i))
  return {
    values: Float64Array.from(order, value),
    vectors: order.map((column) =>
      Float64Array.from({ length: 2 * size }, (_, i) => vectors[2 * ((i >> 1) * size + column) + (i & 1)]!)
    ),
  }
}

const isDiagonal = (a: Float64Array, size: number): boolean => {
  let diagonal = 0
  let rest = 0
  for (let r = 0; r < size; r++) {
    for (let c = 0; c < size; c++) {
      const i = 2 * (r * size + c)
      const energy = a[i]! * a[i]! + a[i + 1]! * a[i + 1]!
      if (r === c) diagonal += energy
      else rest += energy
    }
  }
  return rest <= tolerance * diagonal
}
