/**
 * Kernel `dense`. A unit is two rows of the batch.
 *
 * Rows of x and of W both lie along the inputs, so a tile of 2 rows and 4 outputs is 8 dot products, and nothing is packed. Rows and
 * outputs beyond the last repeat the last.
 */
import { activate } from "./activation.ts"
import { firstLanes, madd, storeFirst, sums } from "./lanes.ts"

/** Dot products of two rows with four rows of W, `stride` bytes apart up to `last`; with the bias, activated, to two rows of y. */
function tile(
  x0: usize,
  x1: usize,
  w: usize,
  last: usize,
  inputs: usize,
  b: v128,
  kind: usize,
  y0: usize,
  y1: usize,
  count: usize,
): void {
  const stride = inputs * 4
  let w0 = w, w1 = min(w + stride, last), w2 = min(w + stride * 2, last), w3 = min(w + stride * 3, last)
  let a0 = f32x4.splat(0), a1 = a0, a2 = a0, a3 = a0, c0 = a0, c1 = a0, c2 = a0, c3 = a0
  const whole = (inputs & ~3) * 4
  for (let at: usize = 0; at < whole; at += 16) {
    const p = v128.load(x0 + at), q = v128.load(x1 + at)
    let u = v128.load(w0 + at)
    a0 = madd(p, u, a0)
    c0 = madd(q, u, c0)
    u = v128.load(w1 + at)
    a1 = madd(p, u, a1)
    c1 = madd(q, u, c1)
    u = v128.load(w2 + at)
    a2 = madd(p, u, a2)
    c2 = madd(q, u, c2)
    u = v128.load(w3 + at)
    a3 = madd(p, u, a3)
    c3 = madd(q, u, c3)
  }
  if (inputs & 3) {
    const valid = firstLanes(inputs & 3)
    const p = v128.and(v128.load(x0 + whole), valid), q = v128.and(v128.load(x1 + whole), valid)
    let u = v128.and(v128.load(w0 + whole), valid)
    a0 = madd(p, u, a0)
    c0 = madd(q, u, c0)
    u = v128.and(v128.load(w1 + whole), valid)
    a1 = madd(p, u, a1)
    c1 = madd(q, u, c1)
    u = v128.and(v128.load(w2 + whole), valid)
    a2 = madd(p, u, a2)
    c2 = madd(q, u, c2)
    u = v128.and(v128.load(w3 + whole), valid)
    a3 = madd(p, u, a3)
    c3 = madd(q, u, c3)
  }
  storeFirst(y0, activate(kind, f32x4.add(b, sums(a0, a1, a2, a3))), count)
  storeFirst(y1, activate(kind, f32x4.add(b, sums(c0, c1, c2, c3))), count)
}

export function dense(
  batch: usize,
  inputs: usize,
  outputs: usize,
  activation: usize,
  x: usize,
  w: usize,
  b: usize,
  y: usize,
  work: usize,
  begin: usize,
  end: usize,
): void {
  const xRow = inputs * 4, yRow = outputs * 4
  const last = w + (outputs - 1) * xRow
  for (let unit = begin; unit < end; unit++) {
    const row = unit * 2, other = min(row + 1, batch - 1)
    for (let output: usize = 0; output < outputs; output += 4) {
      const bias = v128.load(b + output * 4)
      const y0 = y + row * yRow + output * 4, y1 = y + other * yRow + output * 4
      tile(
        x + row * xRow,
        x + other * xRow,
        w + output * xRow,
        last,
        inputs,
        bias,
        activation,
        y0,
        y1,
        outputs - output,
      )
    }
  }
}

export function denseUnits(batch: usize, inputs: usize, outputs: usize, activation: usize): usize {
  return (batch + 1) / 2
}

export function denseWork(batch: usize, inputs: usize, outputs: usize, activation: usize): f64 {
  return 0
}

export function denseCost(batch: usize, inputs: usize, outputs: usize, activation: usize): f64 {
  return (batch as f64) * (outputs as f64) * (30 + (inputs as f64))
}
