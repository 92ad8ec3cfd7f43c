/**
 * Hermitian matrices packed into their independent reals: row by row the diagonal's value and (re, im) of each value to
 * its right.
 *
 * Sums of outer products and powers along vectors, of which imaging needs hundreds of thousands, are then sums and
 * inner products of plain arrays. `size` is the order of the matrix, so a packed one has size^2 values; vectors are
 * interleaved (re, im).
 */
import type { HermitianMatrix } from "./hermitian.ts"

export type PackedHermitian = Float64Array

/** into += x x^H for the vector of `size` complex values at `at`. */
export const addOuter = (into: PackedHermitian, values: Float64Array, at: number, size: number): void => {
  const end = at + 2 * size
  let k = 0
  for (let r = at; r < end; r += 2) {
    const re = values[r]!
    const im = values[r + 1]!
    into[k]! += re * re + im * im
    k++
    for (let c = r + 2; c < end; c += 2) {
      const cRe = values[c]!
      const cIm = values[c + 1]!
      into[k]! += re * cRe + im * cIm
      into[k + 1]! += im * cRe - re * cIm
      k += 2
    }
  }
}

/**
 * The values whose inner product with a packed matrix R is x^H R x: those of x x^H, with the off-diagonal values
 * doubled.
 */
export const formOf = (x: Float64Array): Float64Array => {
  const size = x.length / 2
  const form = new Float64Array(size * size)
  addOuter(form, x, 0, size)
  for (let r = 0, k = 0; r < size; r++) {
    k++
    for (const end = k + 2 * (size - 1 - r); k < end; k++) form[k]! *= 2
  }
  return form
}

/** x^H R x, given the form of x. */
export const powerAlong = (packed: PackedHermitian, form: Float64Array): number => {
  // Four independent sums, which the processor can overlap.
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  const whole = form.length & ~3
  for (let i = 0; i < whole; i += 4) {
    a += packed[i]! * form[i]!
    b += packed[i + 1]! * form[i + 1]!
    c += packed[i + 2]! * form[i + 2]!
    d += packed[i + 3]! * form[i + 3]!
  }
  for (let i = whole; i < form.length; i++) a += packed[i]! * form[i]!
  return a + b + (c + d)
}

export const traceOf = (packed: PackedHermitian, size: number): number => {
  let trace = 0
  for (let r = 0, k = 0; r < size; k += 2 * (size - 1 - r) + 1, r++) trace += packed[k]!
  return trace
}

/** The whole matrix, [row][column] of (re, im). */
export const unpack = (packed: PackedHermitian, size: number): HermitianMatrix => {
  const matrix = new Float64Array(2 * size * size)
  for (let r = 0, k = 0; r < size; r++) {
    matrix[2 * (r * size + r)] = packed[k++]!
    for (let c = r + 1; c < size; c++) {
      const re = packed[k++]!
      const im = packed[k++]!
      matrix[2 * (r * size + c)] = re
      matrix[2 * (r * size + c) + 1] = im
      matrix[2 * (c * size + r)] = re
      matrix[2 * (c * size + r) + 1] = -im
    }
  }
  return matrix
}

/** The whole matrix x x^H. */
export const outer = (x: Float64Array): HermitianMatrix => {
  const size = x.length / 2
  const packed = new Float64Array(size * size)
  addOuter(packed, x, 0, size)
  return unpack(packed, size)
}
