/**
 * Small complex linear algebra: Hermitian matrices and projections that remove directions from them.
 *
 * Vectors and matrices are interleaved (re, im), matrices row by row. Matrices that are summed over many vectors or
 * evaluated along many are packed (`packed-hermitian.ts`).
 */

export type HermitianMatrix = Float64Array

/** into += (re + j im) x. */
const axpy = (into: Float64Array, re: number, im: number, x: Float64Array): void => {
  for (let i = 0; i < into.length; i += 2) {
    into[i] = into[i]! + re * x[i]! - im * x[i + 1]!
    into[i + 1] = into[i + 1]! + re * x[i + 1]! + im * x[i]!
  }
}

/** Real and imaginary part of a^H b. */
export const inner = (a: Float64Array, b: Float64Array): readonly [number, number] => {
  let re = 0
  let im = 0
  for (let i = 0; i < a.length; i += 2) {
    re += a[i]! * b[i]! + a[i + 1]! * b[i + 1]!
    im += a[i]! * b[i + 1]! - a[i + 1]! * b[i]!
  }
  return [re, im]
}

/** |a^H b|^2, with b at `at` of `values`. */
export const innerPower = (a: Float64Array, values: Float64Array, at = 0): number => {
  let re = 0
  let im = 0
  for (let i = 0; i < a.length; i += 2) {
    re += a[i]! * values[at + i]! + a[i + 1]! * values[at + i + 1]!
    im += a[i]! * values[at + i + 1]! - a[i + 1]! * values[at + i]!
  }
  return re * re + im * im
}

/** R x. */
export const times = (matrix: HermitianMatrix, vector: Float64Array): Float64Array => {
  const size = vector.length / 2
  const out = new Float64Array(vector.length)
  for (let r = 0; r < size; r++) {
    const row = 2 * r * size
    let re = 0
    let im = 0
    for (let c = 0; c < vector.length; c += 2) {
      re += matrix[row + c]! * vector[c]! - matrix[row + c + 1]! * vector[c + 1]!
      im += matrix[row + c]! * vector[c + 1]! + matrix[row + c + 1]! * vector[c]!
    }
    out[2 * r] = re
    out[2 * r + 1] = im
  }
  return out
}

/** (I - u u^H) R (I - u u^H), in place, for a unit vector u. */
export const deflate = (matrix: HermitianMatrix, u: Float64Array): void => {
  const size = u.length / 2
  const ru = times(matrix, u)
  const [power] = inner(u, ru)
  // R - ru u^H - u ru^H + power u u^H = R - w u^H - u w^H with w = ru - (power / 2) u.
  axpy(ru, -power / 2, 0, u)
  for (let r = 0; r < size; r++) {
    const row = 2 * r * size
    const wr = ru[2 * r]!
    const wi = ru[2 * r + 1]!
    const vr = u[2 * r]!
    const vi = u[2 * r + 1]!
    for (let c = 0; c < u.length; c += 2) {
      const ucr = u[c]!
      const uci = u[c + 1]!
      const wcr = ru[c]!
      const wci = ru[c + 1]!
      matrix[row + c]! -= wr * ucr + wi * uci + (vr * wcr + vi * wci)
      matrix[row + c + 1]! -= wi * ucr - wr * uci + (vi * wcr - vr * wci)
    }
  }
}

/** The identity matrix of order `size`. */
export const identity = (size: number): HermitianMatrix => {
  const matrix = new Float64Array(2 * size * size)
  for (let r = 0; r < size; r++) matrix[2 * (r * size + r)] = 1
  return matrix
}

/** The component of a vector outside the space of an orthonormal basis. */
export const outsideOf = (basis: ReadonlyArray<Float64Array>, vector: Float64Array): Float64Array => {
  const out = vector.slice()
  for (const u of basis) {
    const [re, im] = inner(u, out)
    axpy(out, -re, -im, u)
  }
  return out
}

/**
 * An orthonormal basis of the span of `vectors`. Nearly dependent vectors are skipped: they would only amplify
 * rounding.
 */
export const orthonormal = (vectors: ReadonlyArray<Float64Array>): ReadonlyArray<Float64Array> => {
  const basis: Array<Float64Array> = []
  for (const given of vectors) {
    const vector = outsideOf(basis, given)
    const norm = Math.sqrt(inner(vector, vector)[0])
    if (norm <= 0.1) continue
    for (let i = 0; i < vector.length; i++) vector[i]! /= norm
    basis.push(vector)
  }
  return basis
}
