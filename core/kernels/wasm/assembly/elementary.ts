/**
 * Sine and cosine, exponential and logarithm of four float32 lanes: argument reduction and the polynomials of the Cephes library
 * (Moshier, single precision). Relative errors below 2e-7 in the ranges given.
 */
import { madd, nmadd } from "./lanes.ts"

/** Added to a number below 2^22 and subtracted again, it rounds to the nearest integer; between the two, the lowest bits hold that integer. */
const rounder: f32 = 12582912

/** Stores cos x and, `sine` bytes further, sin x; |x| below 10^5. */
export function storeCis(to: usize, sine: usize, x: v128): void {
  const counted = madd(x, f32x4.splat(0.6366197723675814), f32x4.splat(rounder))
  const n = f32x4.sub(counted, f32x4.splat(rounder))
  let r = nmadd(n, f32x4.splat(1.5703125), x)
  r = nmadd(n, f32x4.splat(4.837512969970703125e-4), r)
  r = nmadd(n, f32x4.splat(7.54978995489188216e-8), r)
  storeQuadrant(to, sine, r, counted)
}

/** Stores cos and sin of r + q pi / 2, |r| at most pi / 4, q in the lowest bits of `counted`. */
function storeQuadrant(to: usize, sine: usize, r: v128, counted: v128): void {
  const z = f32x4.mul(r, r)
  let sin = madd(z, f32x4.splat(-1.9515295891e-4), f32x4.splat(8.3321608736e-3))
  sin = madd(sin, z, f32x4.splat(-1.6666654611e-1))
  sin = madd(f32x4.mul(sin, z), r, r)
  let cos = madd(z, f32x4.splat(2.443315711809948e-5), f32x4.splat(-1.388731625493765e-3))
  cos = madd(cos, z, f32x4.splat(4.166664568298827e-2))
  cos = madd(f32x4.mul(cos, z), z, nmadd(z, f32x4.splat(0.5), f32x4.splat(1)))
  const odd = i32x4.shr_s(i32x4.shl(counted, 31), 31)
  const sign = i32x4.splat(0x80000000)
  const sinSign = v128.and(i32x4.shl(counted, 30), sign)
  const cosSign = v128.and(i32x4.shl(i32x4.add(counted, i32x4.splat(1)), 30), sign)
  v128.store(to, v128.xor(v128.bitselect(sin, cos, odd), cosSign))
  v128.store(to + sine, v128.xor(v128.bitselect(cos, sin, odd), sinSign))
}

/** e^x; outside float32's range the result is close to 0 or to the largest number. */
export function exp(x: v128): v128 {
  const bounded = f32x4.min(f32x4.max(x, f32x4.splat(-87)), f32x4.splat(88))
  const counted = madd(bounded, f32x4.splat(1.4426950408889634), f32x4.splat(rounder))
  const n = f32x4.sub(counted, f32x4.splat(rounder))
  let r = nmadd(n, f32x4.splat(0.693359375), bounded)
  r = nmadd(n, f32x4.splat(-2.12194440e-4), r)
  let y = madd(r, f32x4.splat(1.9875691500e-4), f32x4.splat(1.3981999507e-3))
  y = madd(y, r, f32x4.splat(8.3334519073e-3))
  y = madd(y, r, f32x4.splat(4.1665795894e-2))
  y = madd(y, r, f32x4.splat(1.6666665459e-1))
  y = madd(y, r, f32x4.splat(5.0000001201e-1))
  y = madd(f32x4.mul(y, r), r, f32x4.add(r, f32x4.splat(1)))
  return f32x4.mul(y, i32x4.shl(i32x4.add(counted, i32x4.splat(127)), 23))
}

/** ln x for normal positive x. */
export function ln(x: v128): v128 {
  // x = 2^n f with f from sqrt(1/2) to sqrt(2).
  const shifted = i32x4.sub(x, i32x4.splat(0x3f3504f3))
  const n = f32x4.convert_i32x4_s(i32x4.shr_s(shifted, 23))
  const f = f32x4.sub(
    i32x4.add(v128.and(shifted, i32x4.splat(0x007fffff)), i32x4.splat(0x3f3504f3)),
    f32x4.splat(1),
  )
  const z = f32x4.mul(f, f)
  let y = madd(f, f32x4.splat(7.0376836292e-2), f32x4.splat(-1.1514610310e-1))
  y = madd(y, f, f32x4.splat(1.1676998740e-1))
  y = madd(y, f, f32x4.splat(-1.2420140846e-1))
  y = madd(y, f, f32x4.splat(1.4249322787e-1))
  y = madd(y, f, f32x4.splat(-1.6668057665e-1))
  y = madd(y, f, f32x4.splat(2.0000714765e-1))
  y = madd(y, f, f32x4.splat(-2.4999993993e-1))
  y = madd(y, f, f32x4.splat(3.3333331174e-1))
  y = f32x4.mul(f32x4.mul(y, f), z)
  y = madd(n, f32x4.splat(-2.12194440e-4), y)
  y = nmadd(z, f32x4.splat(0.5), y)
  return madd(n, f32x4.splat(0.693359375), f32x4.add(f, y))
}
