/**
 * Seeded randomness of the simulator.
 *
 * Owns the only generator that `sim` may use: sfc32 (small fast counter, 128 bits of state). One seed gives independent streams by
 * name, so that additional noise draws never change where a body walks.
 */

export interface Random {
  /** Uniform in [0, 1). */
  readonly uniform: () => number
  /** Normal with mean 0 and standard deviation 1. */
  readonly normal: () => number
}

/** Murmur-style avalanche of 32 bits: neighbouring seeds give unrelated states. */
const scramble = (value: number): number => {
  let h = value | 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** FNV-1a of a stream name. */
const hashOf = (name: string): number => {
  let h = 0x811c9dc5
  for (let i = 0; i < name.length; i++) h = Math.imul(h ^ name.charCodeAt(i), 0x01000193)
  return h >>> 0
}

/** A generator for one named stream of a seed. The same seed and name give the same sequence on every machine. */
export const createRandom = (seed: number, stream: string): Random => {
  let a = scramble(seed)
  let b = scramble(Math.floor(seed / 0x1_0000_0000) ^ 0x9e3779b9)
  let c = scramble(hashOf(stream))
  let counter = 1
  const bits = (): number => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + sum) | 0
    return sum >>> 0
  }
  for (let i = 0; i < 12; i++) bits()
  const uniform = (): number => bits() / 0x1_0000_0000

  // Marsaglia's polar method gives two normals at a time.
  let spare = Number.NaN
  const normal = (): number => {
    if (!Number.isNaN(spare)) {
      const value = spare
      spare = Number.NaN
      return value
    }
    for (;;) {
      const u = 2 * uniform() - 1
      const v = 2 * uniform() - 1
      const s = u * u + v * v
      if (s >= 1 || s === 0) continue
      const scale = Math.sqrt(-2 * Math.log(s) / s)
      spare = v * scale
      return u * scale
    }
  }
  return { uniform, normal }
}

/** Uniform in [low, high). */
export const uniformIn = (random: Random, low: number, high: number): number => low + (high - low) * random.uniform()
