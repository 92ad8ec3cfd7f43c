/**
 * The discrete Fourier transform X_k = sum x_n e^{-j 2 pi n k / N} of a power of two. The kernels `fft` and
 * `fft` and several rooms use it.
 */

export const transformSizeMin = 16
export const transformSizeMax = 4096

/** Throws a RangeError for an unsupported size. */
export const checkTransformSize = (size: number): void => {
  if (size >= transformSizeMin && size <= transformSizeMax && Math.log2(size) % 1 === 0) return
  throw new RangeError(
    `Unsupported transform size ${size}: use a power of two from ${transformSizeMin} to ${transformSizeMax}.`,
  )
}

/** Transforms `size` complex numbers in place, float64. */
export type Transform = (values: Float64Array) => void

/** Transforms the columns of `size` rows of `width` complex numbers in place, float64. */
export type RowTransform = (values: Float64Array, width: number) => void

/** e^{-j 2 pi i / size} for the first half of a turn. */
const rootsOf = (size: number): Float64Array => {
  const roots = new Float64Array(size)
  for (let i = 0; i < size / 2; i++) {
    roots[2 * i] = Math.cos((2 * Math.PI * i) / size)
    roots[2 * i + 1] = -Math.sin((2 * Math.PI * i) / size)
  }
  return roots
}

/** Bit-reversal permutation: the target index of each number. */
const reversedOf = (size: number): Uint16Array => {
  const bits = Math.log2(size)
  return Uint16Array.from({ length: size }, (_, i) => {
    let out = 0
    for (let bit = 0; bit < bits; bit++) out |= ((i >> bit) & 1) << (bits - 1 - bit)
    return out
  })
}

/** A transform of many columns of one size, with shared roots: iterative, radix 2, decimation in time. */
export const createRowTransform = (size: number): RowTransform => {
  checkTransformSize(size)
  const roots = rootsOf(size)
  const reversed = reversedOf(size)
  return (values, width) => {
    const stride = 2 * width
    for (let i = 0; i < size; i++) {
      const j = reversed[i]!
      if (j <= i) continue
      for (let v = 0, a = i * stride, b = j * stride; v < stride; v++, a++, b++) {
        const value = values[a]!
        values[a] = values[b]!
        values[b] = value
      }
    }
    for (let half = 1; half < size; half *= 2) {
      for (let i = 0; i < half; i++) {
        const root = (i * size) / half
        const rootRe = roots[root]!
        const rootIm = roots[root + 1]!
        for (let row = i; row < size; row += 2 * half) {
          const end = (row + 1) * stride
          for (let low = row * stride, high = low + half * stride; low < end; low += 2, high += 2) {
            const re = values[high]! * rootRe - values[high + 1]! * rootIm
            const im = values[high]! * rootIm + values[high + 1]! * rootRe
            values[high] = values[low]! - re
            values[high + 1] = values[low + 1]! - im
            values[low]! += re
            values[low + 1]! += im
          }
        }
      }
    }
  }
}

/** A transform of one size. */
export const createTransform = (size: number): Transform => {
  const transform = createRowTransform(size)
  return (values) => transform(values, 1)
}
