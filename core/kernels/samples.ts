/**
 * Numbers for the samples of kernels: typical inputs from a seed.
 */

/** A generator of uniform numbers in [0, 1). */
export type Uniform = () => number

/** Uniform numbers of a 32-bit seed (mulberry32). */
export const uniform = (seed: number): Uniform => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
}

/** Normal numbers of a standard deviation (Box and Muller). */
export const normals = (count: number, random: Uniform, deviation = 1): Float32Array => {
  const out = new Float32Array(count)
  for (let i = 0; i < count; i += 2) {
    const radius = deviation * Math.sqrt(-2 * Math.log(1 - random()))
    const angle = 2 * Math.PI * random()
    out[i] = radius * Math.cos(angle)
    if (i + 1 < count) out[i + 1] = radius * Math.sin(angle)
  }
  return out
}

/** Uniform numbers between two bounds. */
export const between = (count: number, random: Uniform, low: number, high: number): Float32Array =>
  Float32Array.from({ length: count }, () => low + (high - low) * random())
