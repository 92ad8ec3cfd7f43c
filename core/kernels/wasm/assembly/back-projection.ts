/**
 * Kernel `back-projection`. A unit is a block of 8 points.
 *
 * Horner's scheme over a row's tones (one antenna of one snapshot) is split into even and odd tones, E(z^2) + z O(z^2) with
 * z = e^{j theta}, because each step of a single chain depends on the one before: with two vectors of points there are 8 chains.
 */
import { storeCis } from "./elementary.ts"
import { evens, madd, nmadd, odds } from "./lanes.ts"

const blockPoints: usize = 8
/** Bytes of a vector of cosines and one of sines, or of real and of imaginary parts. */
const pair: usize = 32
/** Places in a block's work, each of two pairs: z, z^2, the antennas' turn, the even and the odd tones' sums, the antennas' sum. */
const place: usize = pair * 2
const squares: usize = place
const turns: usize = place * 2
const even: usize = place * 3
const odd: usize = place * 4
const field: usize = place * 5
const workBytes: usize = place * 6

/** e^{j angle} of four points, and its square unless `square` is 0. */
function storeTurn(angles: v128, to: usize, square: usize): void {
  storeCis(to, 16, angles)
  if (square) {
    const c = v128.load(to), s = v128.load(to, 16)
    v128.store(square, nmadd(s, s, f32x4.mul(c, c)))
    v128.store(square, f32x4.mul(f32x4.add(c, c), s), 16)
  }
}

/** Fills a block's sums of the even and of the odd tones of a row. */
function sumRow(row: usize, tones: usize, work: usize): void {
  const c0 = v128.load(work, squares), s0 = v128.load(work, squares + 16)
  const c1 = v128.load(work, squares + pair), s1 = v128.load(work, squares + pair + 16)
  let re0 = f32x4.splat(0), im0 = re0, re1 = re0, im1 = re0
  let oddRe0 = re0, oddIm0 = re0, oddRe1 = re0, oddIm1 = re0
  let at = row + (tones & ~1) * 8
  if (tones & 1) {
    re0 = v128.load32_splat(at), im0 = v128.load32_splat(at, 4)
    re1 = re0, im1 = im0
  }
  while (at > row) {
    at -= 16
    let re = v128.load32_splat(at), im = v128.load32_splat(at, 4)
    let turned = madd(re0, c0, nmadd(im0, s0, re))
    im0 = madd(re0, s0, madd(im0, c0, im))
    re0 = turned
    turned = madd(re1, c1, nmadd(im1, s1, re))
    im1 = madd(re1, s1, madd(im1, c1, im))
    re1 = turned
    re = v128.load32_splat(at, 8), im = v128.load32_splat(at, 12)
    turned = madd(oddRe0, c0, nmadd(oddIm0, s0, re))
    oddIm0 = madd(oddRe0, s0, madd(oddIm0, c0, im))
    oddRe0 = turned
    turned = madd(oddRe1, c1, nmadd(oddIm1, s1, re))
    oddIm1 = madd(oddRe1, s1, madd(oddIm1, c1, im))
    oddRe1 = turned
  }
  v128.store(work, re0, even)
  v128.store(work, im0, even + 16)
  v128.store(work, re1, even + pair)
  v128.store(work, im1, even + pair + 16)
  v128.store(work, oddRe0, odd)
  v128.store(work, oddIm0, odd + 16)
  v128.store(work, oddRe1, odd + pair)
  v128.store(work, oddIm1, odd + pair + 16)
}

/** Joins even and odd tones of four points, and adds the rotated sum of the later antennas, unless this is the last. */
function joinRow(work: usize, last: bool): void {
  const c = v128.load(work), s = v128.load(work, 16)
  const oddRe = v128.load(work, odd), oddIm = v128.load(work, odd + 16)
  let re = nmadd(oddIm, s, madd(oddRe, c, v128.load(work, even)))
  let im = madd(oddRe, s, madd(oddIm, c, v128.load(work, even + 16)))
  if (!last) {
    const turnRe = v128.load(work, turns), turnIm = v128.load(work, turns + 16)
    const behindRe = v128.load(work, field), behindIm = v128.load(work, field + 16)
    re = nmadd(behindIm, turnIm, madd(behindRe, turnRe, re))
    im = madd(behindRe, turnIm, madd(behindIm, turnRe, im))
  }
  v128.store(work, re, field)
  v128.store(work, im, field + 16)
}

function addEnergy(energy: v128, work: usize): v128 {
  const re = v128.load(work, field), im = v128.load(work, field + 16)
  return madd(re, re, madd(im, im, energy))
}

/** Adds one link's share at a block of points to `to`. */
function addLink(
  rows: usize,
  antennas: usize,
  tones: usize,
  snapshots: usize,
  scale: v128,
  steering: usize,
  to: usize,
  work: usize,
): void {
  for (let half: usize = 0; half < place; half += pair) {
    const a = v128.load(steering + half), b = v128.load(steering + half, 16)
    storeTurn(evens(a, b), work + half, work + squares + half)
    if (antennas > 1) storeTurn(odds(a, b), work + turns + half, 0)
  }
  let energy0 = f32x4.splat(0), energy1 = energy0
  for (let snapshot: usize = 0; snapshot < snapshots; snapshot++) {
    for (let antenna = antennas; antenna > 0; antenna--) {
      sumRow(rows + (antenna - 1) * tones * 8, tones, work)
      joinRow(work, antenna == antennas)
      joinRow(work + pair, antenna == antennas)
    }
    energy0 = addEnergy(energy0, work)
    energy1 = addEnergy(energy1, work + pair)
    rows += antennas * tones * 8
  }
  v128.store(to, madd(energy0, scale, v128.load(to)))
  v128.store(to, madd(energy1, scale, v128.load(to, 16)), 16)
}

function energyOf(values: usize, count: usize): f64 {
  let energy: f64 = 0
  for (const end = values + count * 4; values < end; values += 4) {
    const value = f32.load(values) as f64
    energy += value * value
  }
  return energy
}

export function backProjection(
  points: usize,
  links: usize,
  antennas: usize,
  tones: usize,
  snapshots: usize,
  dynamic: usize,
  steering: usize,
  output: usize,
  work: usize,
  begin: usize,
  end: usize,
): void {
  memory.fill(output + begin * blockPoints * 4, 0, (end - begin) * blockPoints * 4)
  const values = antennas * tones * snapshots * 2
  for (let link: usize = 0; link < links; link++) {
    const rows = dynamic + link * values * 4
    const energy = energyOf(rows, values)
    if (!(energy > 0)) continue
    const scale = f32x4.splat((1 / (energy * ((antennas * tones) as f64))) as f32)
    const own = steering + link * points * 8
    for (let unit = begin; unit < end; unit++) {
      const at = unit * blockPoints * 4
      addLink(rows, antennas, tones, snapshots, scale, own + at * 2, output + at, work)
    }
  }
}

export function backProjectionUnits(
  points: usize,
  links: usize,
  antennas: usize,
  tones: usize,
  snapshots: usize,
): usize {
  return (points + blockPoints - 1) / blockPoints
}

export function backProjectionWork(
  points: usize,
  links: usize,
  antennas: usize,
  tones: usize,
  snapshots: usize,
): f64 {
  return workBytes
}

export function backProjectionCost(
  points: usize,
  links: usize,
  antennas: usize,
  tones: usize,
  snapshots: usize,
): f64 {
  const rows = (antennas as f64) * (snapshots as f64)
  return (points as f64) * (links as f64) * (30 + rows * (8 + 4 * (tones as f64)))
}
