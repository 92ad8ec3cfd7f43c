/**
 * Kernel `align`. A unit is a frame. The computation is that of `core/signal/alignment.ts`.
 *
 * Sums over rows and tones are float32; the delay is found in float64, and its phase at a tone is reduced to a quarter turn before it is
 * rounded, because the dynamic response is the difference of two nearly equal numbers.
 */
import { nearest, storeQuadrant } from "./elementary.ts"
import { evens, firstLanes, high, low, madd, nmadd, odds, total } from "./lanes.ts"

/** Planes of a value per tone in the work: index, mask of the initial delay, cross spectrum, rotation, and four for its pairs. */
const planes: usize = 10

/** Bytes of a plane: whole vectors, and one vector of zeros at the end. */
function planeOf(tones: usize): usize {
  return ((tones + 3) & ~3) * 4 + 16
}

/** Splits the tones into the planes of indices and of masks; returns the distance that the initial delay uses, 0 for none. */
function splitTones(from: usize, tones: usize, work: usize): f32 {
  const plane = planeOf(tones)
  let step: f32 = 0
  memory.fill(work, 0, plane * 2)
  for (let i: usize = 0; i < tones; i++) {
    const distance = f32.load(from + i * 8, 4)
    step = max(step, distance)
    f32.store(work + i * 4, f32.load(from + i * 8))
    i32.store(work + plane + i * 4, distance > 0 ? -1 : 0)
  }
  return step
}

/** Fills the planes of the cross spectrum; returns the frame's power. */
function fillCross(frame: usize, fixed: usize, rows: usize, tones: usize, re: usize, im: usize): f32 {
  const row = tones * 8
  let power = f32x4.splat(0)
  for (let tone: usize = 0; tone < tones; tone += 4) {
    let crossRe = f32x4.splat(0), crossIm = crossRe, squares = crossRe
    let h = frame + tone * 8, h0 = fixed + tone * 8
    for (const end = h + row * rows; h < end; h += row) {
      let a = v128.load(h), b = v128.load(h, 16)
      const hr = evens(a, b), hi = odds(a, b)
      a = v128.load(h0), b = v128.load(h0, 16)
      const r = evens(a, b), i = odds(a, b)
      crossRe = madd(hi, i, madd(hr, r, crossRe))
      crossIm = nmadd(hr, i, madd(hi, r, crossIm))
      squares = madd(hi, hi, madd(hr, hr, squares))
      h0 += row
    }
    const valid = firstLanes(tones - tone)
    v128.store(re + tone * 4, v128.and(crossRe, valid))
    v128.store(im + tone * 4, v128.and(crossIm, valid))
    power = f32x4.add(power, v128.and(squares, valid))
  }
  return total(power)
}

/** Slope from neighbours, radians per subcarrier. */
function guessSlope(re: usize, im: usize, used: usize, tones: usize, step: f32): f64 {
  let sumRe = f32x4.splat(0), sumIm = sumRe
  for (let at: usize = 0; at < tones * 4; at += 16) {
    const a = v128.load(re + at), b = v128.load(im + at)
    // The bytes behind the last tone are zero.
    const c = v128.and(v128.load(re + at, 4), v128.load(used + at))
    const d = v128.and(v128.load(im + at, 4), v128.load(used + at))
    sumRe = madd(d, b, madd(c, a, sumRe))
    sumIm = nmadd(c, b, madd(d, a, sumIm))
  }
  return step > 0 ? Math.atan2(total(sumIm), total(sumRe)) / step : 0
}

/** Fills the planes of the rotation e^{-j slope k}. */
function fillRotation(indices: usize, tones: usize, slope: f64, c: usize, s: usize): void {
  const quarters = -2 / Math.PI * slope
  // Twelve bits times an index of twelve are exact; the rest is small.
  const coarse = reinterpret<f32>(reinterpret<u32>(quarters as f32) & 0xfffff000)
  const coarseLanes = f32x4.splat(coarse), fineLanes = f32x4.splat((quarters - coarse) as f32)
  for (let at: usize = 0; at < tones * 4; at += 16) {
    const k = v128.load(indices + at)
    const phase = f32x4.mul(k, coarseLanes)
    const counted = nearest(phase)
    const rest = madd(k, fineLanes, f32x4.sub(phase, f32x4.sub(counted, nearest(f32x4.splat(0)))))
    storeQuadrant(c + at, s - c, f32x4.mul(rest, f32x4.splat(1.5707963267948966)), counted)
  }
}

/** Newton's step of the slope; NaN if the slope is not near a maximum. */
function newtonStep(indices: usize, re: usize, im: usize, c: usize, s: usize, tones: usize): f64 {
  let r0 = f32x4.splat(0), i0 = r0, r1 = r0, i1 = r0, r2 = r0, i2 = r0
  for (let at: usize = 0; at < tones * 4; at += 16) {
    const xr = v128.load(re + at), xi = v128.load(im + at), cos = v128.load(c + at), sin = v128.load(s + at)
    const turnedRe = nmadd(xi, sin, f32x4.mul(xr, cos)), turnedIm = madd(xi, cos, f32x4.mul(xr, sin))
    const k = v128.load(indices + at), kRe = f32x4.mul(k, turnedRe), kIm = f32x4.mul(k, turnedIm)
    r0 = f32x4.add(r0, turnedRe)
    i0 = f32x4.add(i0, turnedIm)
    r1 = f32x4.add(r1, kRe)
    i1 = f32x4.add(i1, kIm)
    r2 = madd(k, kRe, r2)
    i2 = madd(k, kIm, i2)
  }
  const re0: f64 = total(r0), im0: f64 = total(i0), re1: f64 = total(r1), im1: f64 = total(i1)
  const curvature = re1 * re1 + im1 * im1 - (re0 * (total(r2) as f64) + im0 * (total(i2) as f64))
  return curvature < 0 ? -(re0 * im1 - im0 * re1) / curvature : NaN
}

/** Spreads gain times rotation for interleaved pairs of tones: (c, c, c', c') and (-s, s, -s', s'). */
function fillTurns(c: usize, s: usize, gainRe: f32, gainIm: f32, tones: usize, turns: usize): void {
  const gr = f32x4.splat(gainRe), gi = f32x4.splat(gainIm)
  for (let at: usize = 0; at < tones * 4; at += 16) {
    const cos = v128.load(c + at), sin = v128.load(s + at)
    const re = nmadd(gi, sin, f32x4.mul(gr, cos)), im = madd(gi, cos, f32x4.mul(gr, sin)), minus = f32x4.neg(im)
    const to = turns + at * 4
    v128.store(to, low(re, re))
    v128.store(to, low(minus, im), 16)
    v128.store(to, high(re, re), 32)
    v128.store(to, high(minus, im), 48)
  }
}

/** A frame, rotated, minus the static response. */
function subtract(frame: usize, fixed: usize, rows: usize, tones: usize, turns: usize, to: usize): void {
  for (let row: usize = 0; row < rows; row++) {
    let turn = turns
    for (const end = frame + (tones & ~1) * 8; frame < end; frame += 16) {
      const h = v128.load(frame)
      const turned = madd(v128.shuffle<f32>(h, h, 1, 0, 3, 2), v128.load(turn, 16), f32x4.mul(h, v128.load(turn)))
      v128.store(to, f32x4.sub(turned, v128.load(fixed)))
      fixed += 16
      to += 16
      turn += 32
    }
    if (tones & 1) {
      const hr = f32.load(frame), hi = f32.load(frame, 4), re = f32.load(turn), im = f32.load(turn, 20)
      f32.store(to, hr * re - hi * im - f32.load(fixed))
      f32.store(to, hr * im + hi * re - f32.load(fixed, 4), 4)
      frame += 8
      fixed += 8
      to += 8
    }
  }
}

/** Writes a frame's dynamic response; returns its gain, 0 when nothing was written. */
function alignFrame(frame: usize, fixed: usize, rows: usize, tones: usize, step: f32, to: usize, work: usize): f32 {
  const plane = planeOf(tones)
  const used = work + plane, re = work + plane * 2, im = work + plane * 3, c = work + plane * 4, s = work + plane * 5
  const power = fillCross(frame, fixed, rows, tones, re, im)
  let slope = guessSlope(re, im, used, tones, step)
  fillRotation(work, tones, slope, c, s)
  for (let round = 0; round < 2; round++) {
    const change = newtonStep(work, re, im, c, s, tones)
    if (isNaN(change)) break
    slope += change
    fillRotation(work, tones, slope, c, s)
  }
  let sumRe = f32x4.splat(0), sumIm = sumRe
  for (let at: usize = 0; at < tones * 4; at += 16) {
    const xr = v128.load(re + at), xi = v128.load(im + at), cos = v128.load(c + at), sin = v128.load(s + at)
    sumRe = nmadd(xi, sin, madd(xr, cos, sumRe))
    sumIm = madd(xi, cos, madd(xr, sin, sumIm))
  }
  const gainRe = total(sumRe) / power, gainIm = -total(sumIm) / power
  if (!(power > 0) || (gainRe == 0 && gainIm == 0)) return 0
  fillTurns(c, s, gainRe, gainIm, tones, work + plane * 6)
  subtract(frame, fixed, rows, tones, work + plane * 6, to)
  return Math.sqrt((gainRe as f64) * gainRe + (gainIm as f64) * gainIm) as f32
}

export function align(
  frames: usize,
  rows: usize,
  tones: usize,
  links: usize,
  csi: usize,
  fixed: usize,
  linkOfFrame: usize,
  toneList: usize,
  output: usize,
  work: usize,
  begin: usize,
  end: usize,
): void {
  const bytes = rows * tones * 8
  const step = splitTones(toneList, tones, work)
  memory.fill(work + planeOf(tones) * 2, 0, planeOf(tones) * 2)
  for (let frame = begin; frame < end; frame++) {
    const link = f32.load(linkOfFrame + frame * 4)
    const to = output + frame * bytes
    let gain: f32 = 0
    if (link >= 0 && link < (links as f32)) {
      gain = alignFrame(csi + frame * bytes, fixed + (link as usize) * bytes, rows, tones, step, to, work)
    }
    if (gain == 0) memory.fill(to, 0, bytes)
    f32.store(output + frames * bytes + frame * 4, gain)
  }
}

export function alignUnits(frames: usize, rows: usize, tones: usize, links: usize): usize {
  return frames
}

export function alignWork(frames: usize, rows: usize, tones: usize, links: usize): f64 {
  return planeOf(tones) * planes
}

export function alignCost(frames: usize, rows: usize, tones: usize, links: usize): f64 {
  return (frames as f64) * (tones as f64) * (120 + 28 * (rows as f64))
}
