/**
 * Kernel `steered-spectra`. A unit is a place.
 *
 * Four rows at once: a channel's rows are steered first, then bins of either sign share their products. Rows beyond the last are zeros
 * in the work memory.
 */
import { firstLanes, madd, nmadd, sums } from "./lanes.ts"

function wholeVectors(rows: usize): usize {
  return (rows + 3) & ~3
}

/** Writes a channel's steered rows to `to`, real and then imaginary parts `stride` bytes on. */
function steer(echoes: usize, rows: usize, values: usize, vector: usize, to: usize, stride: usize): void {
  const row = rows * 4
  for (let r: usize = 0; r < rows; r += 4) {
    let re = f32x4.splat(0), im = re, crossRe = re, crossIm = re
    let from = echoes + r * 4
    for (let value: usize = 0; value < values; value++) {
      const a = v128.load32_splat(vector + value * 8), b = v128.load32_splat(vector + value * 8, 4)
      const echoRe = v128.load(from), echoIm = v128.load(from + row)
      re = madd(a, echoRe, re)
      crossRe = madd(b, echoIm, crossRe)
      im = madd(a, echoIm, im)
      crossIm = madd(b, echoRe, crossIm)
      from += row * 2
    }
    const there = firstLanes(rows - r)
    v128.store(to + r * 4, v128.and(f32x4.sub(re, crossRe), there))
    v128.store(to + stride + r * 4, v128.and(f32x4.add(im, crossIm), there))
  }
}

/** Begins the turning of rows at bin 0: cosines, sines, then those of one bin. */
function beginTurns(turns: usize, rows: usize, to: usize, stride: usize): void {
  for (let r: usize = 0; r < rows; r += 4) {
    const there = firstLanes(rows - r)
    v128.store(to + r * 4, f32x4.splat(1))
    v128.store(to + stride + r * 4, f32x4.splat(0))
    v128.store(to + stride * 2 + r * 4, v128.and(v128.load(turns + r * 4), there))
    v128.store(to + stride * 3 + r * 4, v128.and(v128.load(turns + (rows + r) * 4), there))
  }
}

/** Turns all rows by one bin. */
function turn(to: usize, stride: usize): void {
  for (let at: usize = to; at < to + stride; at += 16) {
    const cos = v128.load(at), sin = v128.load(at + stride)
    const stepCos = v128.load(at + stride * 2), stepSin = v128.load(at + stride * 3)
    v128.store(at, nmadd(sin, stepSin, f32x4.mul(cos, stepCos)))
    v128.store(at + stride, madd(sin, stepCos, f32x4.mul(cos, stepSin)))
  }
}

/** Sums over rows of a channel: re cos, im cos, re sin, im sin. */
function products(steered: usize, turns: usize, stride: usize): v128 {
  let reCos = f32x4.splat(0), imCos = reCos, reSin = reCos, imSin = reCos
  for (let at: usize = 0; at < stride; at += 16) {
    const re = v128.load(steered + at), im = v128.load(steered + stride + at)
    const cos = v128.load(turns + at), sin = v128.load(turns + stride + at)
    reCos = madd(re, cos, reCos)
    imCos = madd(im, cos, imCos)
    reSin = madd(re, sin, reSin)
    imSin = madd(im, sin, imSin)
  }
  return sums(reCos, imCos, reSin, imSin)
}

export function steeredSpectra(
  links: usize,
  rows: usize,
  values: usize,
  places: usize,
  channels: usize,
  reach: usize,
  echoes: usize,
  turns: usize,
  vectors: usize,
  linkOf: usize,
  output: usize,
  work: usize,
  begin: usize,
  end: usize,
): void {
  const stride = wholeVectors(rows) * 4
  const steered = work + stride * 4
  for (let place = begin; place < end; place++) {
    const link = f32.load(linkOf + place * 4) as usize
    for (let channel: usize = 0; channel < channels; channel++) {
      const vector = vectors + (place * channels + channel) * values * 8
      steer(echoes + link * values * rows * 8, rows, values, vector, steered + channel * stride * 2, stride)
    }
    beginTurns(turns + link * rows * 8, rows, work, stride)
    const middle = output + (place * (reach * 2 + 1) + reach) * channels * 8
    for (let k: usize = 0; k <= reach; k++) {
      if (k > 0) turn(work, stride)
      for (let channel: usize = 0; channel < channels; channel++) {
        const found = products(steered + channel * stride * 2, work, stride)
        const reCos = f32x4.extract_lane(found, 0), imCos = f32x4.extract_lane(found, 1)
        const reSin = f32x4.extract_lane(found, 2), imSin = f32x4.extract_lane(found, 3)
        const above = middle + (k * channels + channel) * 8
        const below = middle + channel * 8 - k * channels * 8
        f32.store(below, reCos + imSin)
        f32.store(below, imCos - reSin, 4)
        f32.store(above, reCos - imSin)
        f32.store(above, imCos + reSin, 4)
      }
    }
  }
}

export function steeredSpectraUnits(
  links: usize,
  rows: usize,
  values: usize,
  places: usize,
  channels: usize,
  reach: usize,
): usize {
  return places
}

export function steeredSpectraWork(
  links: usize,
  rows: usize,
  values: usize,
  places: usize,
  channels: usize,
  reach: usize,
): f64 {
  return (wholeVectors(rows) * 4 * (4 + channels * 2)) as f64
}

export function steeredSpectraCost(
  links: usize,
  rows: usize,
  values: usize,
  places: usize,
  channels: usize,
  reach: usize,
): f64 {
  return (places as f64) * (channels as f64) * (rows as f64) * (4 * (values as f64) + 5 * ((reach + 1) as f64))
}
