/**
 * Operations on four float32 lanes, shared by all kernels of the module.
 *
 * Multiply-add is relaxed SIMD's: it rounds once if the processor can, as all supported runtimes and all processors of the last ten
 * years do.
 */

/** a b + c. */
export function madd(a: v128, b: v128, c: v128): v128 {
  return f32x4.relaxed_madd(a, b, c)
}

/** c - a b. */
export function nmadd(a: v128, b: v128, c: v128): v128 {
  return f32x4.relaxed_nmadd(a, b, c)
}

/** Lane 0 in all lanes. */
export function lane0(a: v128): v128 {
  return v128.shuffle<f32>(a, a, 0, 0, 0, 0)
}

export function lane1(a: v128): v128 {
  return v128.shuffle<f32>(a, a, 1, 1, 1, 1)
}

export function lane2(a: v128): v128 {
  return v128.shuffle<f32>(a, a, 2, 2, 2, 2)
}

export function lane3(a: v128): v128 {
  return v128.shuffle<f32>(a, a, 3, 3, 3, 3)
}

/** a0 a2 b0 b2: the real parts of four interleaved complex numbers. */
export function evens(a: v128, b: v128): v128 {
  return v128.shuffle<f32>(a, b, 0, 2, 4, 6)
}

/** a1 a3 b1 b3: their imaginary parts. */
export function odds(a: v128, b: v128): v128 {
  return v128.shuffle<f32>(a, b, 1, 3, 5, 7)
}

/** a0 b0 a1 b1. */
export function low(a: v128, b: v128): v128 {
  return v128.shuffle<f32>(a, b, 0, 4, 1, 5)
}

/** a2 b2 a3 b3. */
export function high(a: v128, b: v128): v128 {
  return v128.shuffle<f32>(a, b, 2, 6, 3, 7)
}

/** a0 a1 b0 b1. */
export function lowPairs(a: v128, b: v128): v128 {
  return v128.shuffle<f32>(a, b, 0, 1, 4, 5)
}

/** a2 a3 b2 b3. */
export function highPairs(a: v128, b: v128): v128 {
  return v128.shuffle<f32>(a, b, 2, 3, 6, 7)
}

/** The sums of the lanes of a, b, c and d. */
export function sums(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.add(low(a, b), high(a, b))
  const cd = f32x4.add(low(c, d), high(c, d))
  return f32x4.add(lowPairs(ab, cd), highPairs(ab, cd))
}

/** The sum of the lanes. */
export function total(a: v128): f32 {
  const pairs = f32x4.add(a, v128.shuffle<f32>(a, a, 2, 3, 0, 1))
  return f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1)
}

/** All ones in the first `count` lanes. */
export function firstLanes(count: usize): v128 {
  return i32x4.gt_s(i32x4.splat(count as i32), i32x4(0, 1, 2, 3))
}

/** Stores the first `count` lanes, at most 4. */
export function storeFirst(to: usize, a: v128, count: usize): void {
  if (count >= 4) {
    v128.store(to, a)
    return
  }
  if (count > 0) f32.store(to, f32x4.extract_lane(a, 0))
  if (count > 1) f32.store(to, f32x4.extract_lane(a, 1), 4)
  if (count > 2) f32.store(to, f32x4.extract_lane(a, 2), 8)
}
