/**
 * Kernel `complex-gemm`. A unit is a block of rows of one matrix.
 *
 * Three real products instead of four (Gauss): with s = a_re + a_im and t = b_re + b_im, the product's real part is
 * a_re b_re - a_im b_im and its imaginary part s t - a_re b_re - a_im b_im. Blocks of A and B are packed into panels of 5 rows and 8
 * columns, each [product][depth][5 or 8]; a tile of 5 x 8 is computed in registers, which are all in use then. Panels at an edge are filled
 * with the bytes beyond it.
 */
import { evens, high, highPairs, lane0, lane1, lane2, lane3, low, lowPairs, madd, odds } from "./lanes.ts"

/** Rows and columns of a tile. */
const tileRows: usize = 5
const tileColumns: usize = 8
/** Bytes of a product's tile. */
const tileBytes: usize = tileRows * tileColumns * 4
/** Rows, depth and columns of the blocks that are packed: a product of a panel of B fits into the first-level cache, all of A into the second. */
const rowsMax: usize = 60
const depthMax: usize = 512
const columnsMax: usize = 512
const leftBytes: usize = rowsMax * depthMax * 12
const rightBytes: usize = depthMax * columnsMax * 12
const tilesBytes: usize = rowsMax / tileRows * tileBytes * 3

/** Parts of equal size, none above `most`, a multiple of `grain`. */
function evenPart(whole: usize, most: usize, grain: usize): usize {
  const parts = (whole + most - 1) / most
  return (whole + parts * grain - 1) / (parts * grain) * grain
}

/** Stores one depth's real and imaginary parts of five rows, and their sums. */
function storeFive(to: usize, product: usize, re: v128, im: v128, lastRe: f32, lastIm: f32): void {
  v128.store(to, re)
  f32.store(to, lastRe, 16)
  v128.store(to + product, im)
  f32.store(to + product, lastIm, 16)
  v128.store(to + product * 2, f32x4.add(re, im))
  f32.store(to + product * 2, lastRe + lastIm, 16)
}

/** Packs rows of A from `from`, `stride` bytes apart; rows beyond the last are the last again. */
function packLeft(from: usize, stride: usize, rows: usize, depth: usize, to: usize): void {
  const product = depth * 20
  for (let row: usize = 0; row < rows; row += tileRows) {
    const r0 = from + row * stride
    const r1 = from + min(row + 1, rows - 1) * stride
    const r2 = from + min(row + 2, rows - 1) * stride
    const r3 = from + min(row + 3, rows - 1) * stride
    const r4 = from + min(row + 4, rows - 1) * stride
    for (let k: usize = 0; k < depth; k += 2) {
      const at = k * 8
      const a = v128.load(r0 + at), b = v128.load(r1 + at), c = v128.load(r2 + at), d = v128.load(r3 + at)
      const la = low(a, b), lc = low(c, d)
      storeFive(to, product, lowPairs(la, lc), highPairs(la, lc), f32.load(r4 + at), f32.load(r4 + at, 4))
      to += 20
      if (k + 1 == depth) break
      const ha = high(a, b), hc = high(c, d)
      storeFive(to, product, lowPairs(ha, hc), highPairs(ha, hc), f32.load(r4 + at, 8), f32.load(r4 + at, 12))
      to += 20
    }
    to += product * 2
  }
}

/** Packs columns of B from `from`; its rows are `stride` bytes apart. */
function packRight(from: usize, stride: usize, depth: usize, columns: usize, to: usize): void {
  const product = depth * 32
  for (let column: usize = 0; column < columns; column += tileColumns) {
    let row = from + column * 8
    const end = to + product
    while (to < end) {
      let a = v128.load(row), b = v128.load(row, 16)
      let re = evens(a, b), im = odds(a, b)
      v128.store(to, re)
      v128.store(to + product, im)
      v128.store(to + 2 * product, f32x4.add(re, im))
      a = v128.load(row, 32), b = v128.load(row, 48)
      re = evens(a, b), im = odds(a, b)
      v128.store(to, re, 16)
      v128.store(to + product, im, 16)
      v128.store(to + 2 * product, f32x4.add(re, im), 16)
      row += stride
      to += 32
    }
    to += product * 2
  }
}

/** One real product of a panel of A and one of B. Four rows of A are spread from one load: Deno checks each load. */
function multiply(depth: usize, left: usize, right: usize, tile: usize): void {
  let c00 = f32x4.splat(0), c01 = c00, c10 = c00, c11 = c00, c20 = c00, c21 = c00, c30 = c00, c31 = c00
  let c40 = c00, c41 = c00
  const end = right + depth * 32
  while (right < end) {
    const b0 = v128.load(right), b1 = v128.load(right, 16)
    let a = v128.load32_splat(left, 16)
    c40 = madd(a, b0, c40)
    c41 = madd(a, b1, c41)
    const rows = v128.load(left)
    a = lane0(rows)
    c00 = madd(a, b0, c00)
    c01 = madd(a, b1, c01)
    a = lane1(rows)
    c10 = madd(a, b0, c10)
    c11 = madd(a, b1, c11)
    a = lane2(rows)
    c20 = madd(a, b0, c20)
    c21 = madd(a, b1, c21)
    a = lane3(rows)
    c30 = madd(a, b0, c30)
    c31 = madd(a, b1, c31)
    left += 20
    right += 32
  }
  v128.store(tile, c00)
  v128.store(tile, c01, 16)
  v128.store(tile, c10, 32)
  v128.store(tile, c11, 48)
  v128.store(tile, c20, 64)
  v128.store(tile, c21, 80)
  v128.store(tile, c30, 96)
  v128.store(tile, c31, 112)
  v128.store(tile, c40, 128)
  v128.store(tile, c41, 144)
}

/** Four complex numbers of the three products to interleaved C, added to it unless these are the first. */
function joinFour(tile: usize, to: usize, first: bool): void {
  const p = v128.load(tile), q = v128.load(tile, tileBytes), s = v128.load(tile, 2 * tileBytes)
  const re = f32x4.sub(p, q), im = f32x4.sub(f32x4.sub(s, p), q)
  const a = low(re, im), b = high(re, im)
  if (first) {
    v128.store(to, a)
    v128.store(to, b, 16)
  } else {
    v128.store(to, f32x4.add(v128.load(to), a))
    v128.store(to, f32x4.add(v128.load(to, 16), b), 16)
  }
}

/** A tile of the three products to C, whose rows are `stride` bytes apart. */
function join(tile: usize, to: usize, stride: usize, rows: usize, columns: usize, first: bool): void {
  if (columns >= tileColumns) {
    for (let row: usize = 0; row < min(rows, tileRows); row++) {
      joinFour(tile, to, first)
      joinFour(tile + 16, to + 32, first)
      tile += 32
      to += stride
    }
    return
  }
  for (let row: usize = 0; row < min(rows, tileRows); row++) {
    for (let column: usize = 0; column < columns; column++) {
      const at = tile + column * 4
      const p = f32.load(at), q = f32.load(at, tileBytes), s = f32.load(at, 2 * tileBytes)
      const c = to + column * 8
      f32.store(c, first ? p - q : f32.load(c) + (p - q))
      f32.store(c, first ? s - p - q : f32.load(c, 4) + (s - p - q), 4)
    }
    tile += 32
    to += stride
  }
}

/** The three products of all panels of A and one of B; one product after the other, so that its panel of B stays in the first cache. */
function multiplyBlock(left: usize, right: usize, depth: usize, rows: usize, tiles: usize): void {
  for (let product: usize = 0; product < 3; product++) {
    let panel = left + product * depth * 20
    let tile = tiles + product * tileBytes
    for (let row: usize = 0; row < rows; row += tileRows) {
      multiply(depth, panel, right, tile)
      panel += depth * 60
      tile += tileBytes * 3
    }
    right += depth * 32
  }
}

/** Rows of one matrix: C = A B, each with its stride in bytes. */
function product(a: usize, b: usize, c: usize, rows: usize, k: usize, n: usize, work: usize): void {
  const left = work
  const right = left + leftBytes
  const tiles = right + rightBytes
  const aStride = k * 8
  const cStride = n * 8
  const depthPart = evenPart(k, depthMax, 1)
  const rowPart = evenPart(rows, rowsMax, tileRows)
  for (let from: usize = 0; from < k; from += depthPart) {
    const depth = min(depthPart, k - from)
    for (let column: usize = 0; column < n; column += columnsMax) {
      const columns = min(columnsMax, n - column)
      packRight(b + from * cStride + column * 8, cStride, depth, columns, right)
      for (let row: usize = 0; row < rows; row += rowPart) {
        const part = min(rowPart, rows - row)
        packLeft(a + row * aStride + from * 8, aStride, part, depth, left)
        for (let j: usize = 0; j < columns; j += tileColumns) {
          const panel = right + j * depth * 12
          multiplyBlock(left, panel, depth, part, tiles)
          for (let i: usize = 0; i < part; i += tileRows) {
            const to = c + (row + i) * cStride + (column + j) * 8
            join(tiles + i / tileRows * tileBytes * 3, to, cStride, part - i, columns - j, from == 0)
          }
        }
      }
    }
  }
}

function blocksOf(m: usize): usize {
  return (m + rowsMax - 1) / rowsMax
}

export function complexGemm(
  batch: usize,
  m: usize,
  k: usize,
  n: usize,
  a: usize,
  b: usize,
  c: usize,
  work: usize,
  begin: usize,
  end: usize,
): void {
  const blocks = blocksOf(m)
  while (begin < end) {
    const matrix = begin / blocks
    const row = begin % blocks * rowsMax
    const last = min(end, (matrix + 1) * blocks)
    const rows = min(m, (last - matrix * blocks) * rowsMax) - row
    const first = (matrix * m + row) * 8
    product(a + first * k, b + matrix * k * n * 8, c + first * n, rows, k, n, work)
    begin = last
  }
}

export function complexGemmUnits(batch: usize, m: usize, k: usize, n: usize): usize {
  return batch * blocksOf(m)
}

export function complexGemmWork(batch: usize, m: usize, k: usize, n: usize): f64 {
  return leftBytes + rightBytes + tilesBytes
}

export function complexGemmCost(batch: usize, m: usize, k: usize, n: usize): f64 {
  const rows = (batch as f64) * (m as f64)
  return 3 * rows * (k as f64) * (n as f64) + 6 * (k as f64) * (rows + (batch as f64) * (n as f64))
}
