/** Kernel `layer-norm`. A unit is a row. */
import { firstLanes, madd, storeFirst, total } from "./lanes.ts"

const epsilon: f32 = 1e-5

export function layerNorm(
  rows: usize,
  width: usize,
  x: usize,
  gain: usize,
  bias: usize,
  y: usize,
  work: usize,
  begin: usize,
  end: usize,
): void {
  const row = width * 4
  for (let unit = begin; unit < end; unit++) {
    const from = x + unit * row
    let sum = f32x4.splat(0)
    for (let i: usize = 0; i < width; i += 4) {
      sum = f32x4.add(sum, v128.and(v128.load(from + i * 4), firstLanes(width - i)))
    }
    const mean = f32x4.splat(total(sum) / (width as f32))
    sum = f32x4.splat(0)
    for (let i: usize = 0; i < width; i += 4) {
      const rest = v128.and(f32x4.sub(v128.load(from + i * 4), mean), firstLanes(width - i))
      sum = madd(rest, rest, sum)
    }
    const scale = f32x4.splat(1 / sqrt<f32>(total(sum) / (width as f32) + epsilon))
    for (let i: usize = 0; i < width; i += 4) {
      const scaled = f32x4.mul(f32x4.sub(v128.load(from + i * 4), mean), scale)
      storeFirst(y + unit * row + i * 4, madd(scaled, v128.load(gain + i * 4), v128.load(bias + i * 4)), width - i)
    }
  }
}

export function layerNormUnits(rows: usize, width: usize): usize {
  return rows
}

export function layerNormWork(rows: usize, width: usize): f64 {
  return 0
}

export function layerNormCost(rows: usize, width: usize): f64 {
  return 18 * (rows as f64) * (width as f64)
}
