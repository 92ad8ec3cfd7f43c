/**
 * The Fourier transform of a power of two from 16 to 4096: Stockham's autosort form, radix 4, decimation in time.
 *
 * A pass has L frequencies k of columns j and joins four transforms of length L to one of 4 L:
 *
 *   x[k][u][j] -> y[k + L t][j] = sum over u of (-i)^(t u) w^(u k) x[k][u][j],   w = e^(-2 pi i / (4 L))
 *
 * It is two layers of butterflies a +- w b, each 6 multiply-adds because w is kept as cosine and tangent:
 * w b = cos (b_re - tan b_im) + i cos (b_im + tan b_re). Where the cosine is 0, float64's 6e-17 times its inverse is right.
 * Real and imaginary parts lie apart between the passes; the first takes and the last gives interleaved numbers.
 */
import { evens, high, highPairs, low, lowPairs, madd, nmadd, odds } from "./lanes.ts"

const sizeMax: usize = 4096
/** Bytes from a value's real part to its imaginary part between passes. */
const imaginary: usize = 4 * sizeMax + 64
/** Bytes of work that a transform needs. */
export const transformWork: usize = 4 * imaginary

/** For each L: cosines and tangents of w^k, then of w^2k, [4][L] float32. All powers of two up to 1024 lie one behind the other. */
const tables: usize = (__heap_base + 63) & ~63
const lengthMax: usize = 1024
/** Bytes of the tables. */
export const tablesEnd: usize = tables + 32 * lengthMax

function tableOf(length: usize): usize {
  return tables + length * 16
}

/** Fills the tables of the memory; once for all instances that share it. */
export function fillTables(): void {
  for (let length: usize = 1; length <= lengthMax; length *= 2) {
    const row = length * 4
    for (let k: usize = 0; k < length; k++) {
      const angle = -Math.PI * (k as f64) / (2 * (length as f64))
      const to = tableOf(length) + k * 4
      f32.store(to, Math.cos(angle) as f32)
      f32.store(to + row, (Math.sin(angle) / Math.cos(angle)) as f32)
      f32.store(to + row * 2, Math.cos(2 * angle) as f32)
      f32.store(to + row * 3, (Math.sin(2 * angle) / Math.cos(2 * angle)) as f32)
    }
  }
}

/** Transforms `size` interleaved numbers. */
export function transform(input: usize, output: usize, size: usize, work: usize): void {
  let from = work
  let to = work + imaginary * 2
  let length: usize = 4
  if (ctz(size) & 1) {
    first2(input, from, size)
    length = 2
  } else first4(input, from, size)
  while (length * 4 < size) {
    middle(from, to, length, size / (length * 4))
    const filled = to
    to = from
    from = filled
    length *= 4
  }
  last(from, output, length)
}

function store(to: usize, re: v128, im: v128): void {
  v128.store(to, re)
  v128.store(to, im, imaginary)
}

/** First pass, L = 1: no twiddles. */
function first4(input: usize, output: usize, size: usize): void {
  /** Bytes of a quarter of the real parts; of the interleaved input it has twice as many. */
  const quarter = size
  for (let at: usize = 0; at < quarter; at += 16) {
    const from = input + at * 2
    let a = v128.load(from), b = v128.load(from, 16)
    const r0 = evens(a, b), i0 = odds(a, b)
    a = v128.load(from + quarter * 2), b = v128.load(from + quarter * 2, 16)
    const r1 = evens(a, b), i1 = odds(a, b)
    a = v128.load(from + quarter * 4), b = v128.load(from + quarter * 4, 16)
    const r2 = evens(a, b), i2 = odds(a, b)
    a = v128.load(from + quarter * 6), b = v128.load(from + quarter * 6, 16)
    const r3 = evens(a, b), i3 = odds(a, b)
    const ar = f32x4.add(r0, r2), ai = f32x4.add(i0, i2), br = f32x4.sub(r0, r2), bi = f32x4.sub(i0, i2)
    const cr = f32x4.add(r1, r3), ci = f32x4.add(i1, i3), dr = f32x4.sub(r1, r3), di = f32x4.sub(i1, i3)
    const to = output + at
    store(to, f32x4.add(ar, cr), f32x4.add(ai, ci))
    store(to + quarter, f32x4.add(br, di), f32x4.sub(bi, dr))
    store(to + quarter * 2, f32x4.sub(ar, cr), f32x4.sub(ai, ci))
    store(to + quarter * 3, f32x4.sub(br, di), f32x4.add(bi, dr))
  }
}

/** First pass of sizes that are no power of 4: radix 2. */
function first2(input: usize, output: usize, size: usize): void {
  const half = size * 2
  for (let at: usize = 0; at < half; at += 16) {
    const from = input + at * 2
    let a = v128.load(from), b = v128.load(from, 16)
    const r0 = evens(a, b), i0 = odds(a, b)
    a = v128.load(from + half * 2), b = v128.load(from + half * 2, 16)
    const r1 = evens(a, b), i1 = odds(a, b)
    store(output + at, f32x4.add(r0, r1), f32x4.add(i0, i1))
    store(output + at + half, f32x4.sub(r0, r1), f32x4.sub(i0, i1))
  }
}

/** A pass with at least four columns, which share a frequency's twiddles. */
function middle(input: usize, output: usize, length: usize, columns: usize): void {
  const row = columns * 4
  const far = length * row
  const plane = length * 4
  let table = tableOf(length)
  let from = input
  let to = output
  for (let k: usize = 0; k < length; k++) {
    const c1 = v128.load32_splat(table), t1 = v128.load32_splat(table + plane)
    const c2 = v128.load32_splat(table + plane * 2), t2 = v128.load32_splat(table + plane * 3)
    const end = to + row
    while (to < end) {
      const from1 = from + row, from2 = from + row * 2, from3 = from1 + row * 2
      const r2 = v128.load(from2), i2 = v128.load(from2, imaginary)
      const u2 = nmadd(t2, i2, r2), v2 = madd(t2, r2, i2)
      const r0 = v128.load(from), i0 = v128.load(from, imaginary)
      const ar = madd(c2, u2, r0), ai = madd(c2, v2, i0), br = nmadd(c2, u2, r0), bi = nmadd(c2, v2, i0)
      const r3 = v128.load(from3), i3 = v128.load(from3, imaginary)
      const u3 = nmadd(t2, i3, r3), v3 = madd(t2, r3, i3)
      const r1 = v128.load(from1), i1 = v128.load(from1, imaginary)
      const cr = madd(c2, u3, r1), ci = madd(c2, v3, i1), dr = nmadd(c2, u3, r1), di = nmadd(c2, v3, i1)
      const u = nmadd(t1, ci, cr), v = madd(t1, cr, ci), x = nmadd(t1, di, dr), y = madd(t1, dr, di)
      const to1 = to + far, to2 = to + far * 2, to3 = to1 + far * 2
      store(to, madd(c1, u, ar), madd(c1, v, ai))
      store(to2, nmadd(c1, u, ar), nmadd(c1, v, ai))
      store(to1, madd(c1, y, br), nmadd(c1, x, bi))
      store(to3, nmadd(c1, y, br), madd(c1, x, bi))
      from += 16
      to += 16
    }
    from += row * 3
    table += 4
  }
}

function storeInterleaved(to: usize, re: v128, im: v128): void {
  v128.store(to, low(re, im))
  v128.store(to, high(re, im), 16)
}

/** Last pass: one column, so four frequencies at a time. */
function last(input: usize, output: usize, length: usize): void {
  const plane = length * 4
  const table = tableOf(length)
  let from = input
  for (let at: usize = 0; at < plane; at += 16) {
    let a = v128.load(from), b = v128.load(from, 16), c = v128.load(from, 32), d = v128.load(from, 48)
    let la = low(a, b), ha = high(a, b), lc = low(c, d), hc = high(c, d)
    const r0 = lowPairs(la, lc), r1 = highPairs(la, lc), r2 = lowPairs(ha, hc), r3 = highPairs(ha, hc)
    a = v128.load(from, imaginary), b = v128.load(from, imaginary + 16)
    c = v128.load(from, imaginary + 32), d = v128.load(from, imaginary + 48)
    la = low(a, b), ha = high(a, b), lc = low(c, d), hc = high(c, d)
    const i0 = lowPairs(la, lc), i1 = highPairs(la, lc), i2 = lowPairs(ha, hc), i3 = highPairs(ha, hc)
    const c1 = v128.load(table + at), t1 = v128.load(table + plane + at)
    const c2 = v128.load(table + plane * 2 + at), t2 = v128.load(table + plane * 3 + at)
    const u2 = nmadd(t2, i2, r2), v2 = madd(t2, r2, i2)
    const ar = madd(c2, u2, r0), ai = madd(c2, v2, i0), br = nmadd(c2, u2, r0), bi = nmadd(c2, v2, i0)
    const u3 = nmadd(t2, i3, r3), v3 = madd(t2, r3, i3)
    const cr = madd(c2, u3, r1), ci = madd(c2, v3, i1), dr = nmadd(c2, u3, r1), di = nmadd(c2, v3, i1)
    const u = nmadd(t1, ci, cr), v = madd(t1, cr, ci), x = nmadd(t1, di, dr), y = madd(t1, dr, di)
    const to = output + at * 2
    storeInterleaved(to, madd(c1, u, ar), madd(c1, v, ai))
    storeInterleaved(to + plane * 2, madd(c1, y, br), nmadd(c1, x, bi))
    storeInterleaved(to + plane * 4, nmadd(c1, u, ar), nmadd(c1, v, ai))
    storeInterleaved(to + plane * 6, nmadd(c1, y, br), madd(c1, x, bi))
    from += 64
  }
}
