/**
 * Kernel `matched-field`. A unit is a block of 64 points. The computation is that of `core/kernels/likelihood.ts`.
 *
 * Four points are looked up at once; a lag's four values (matched and left, real and imaginary) are a vector of the table.
 */
import { ln } from "./elementary.ts"
import { evens, high, highPairs, low, lowPairs, madd, nmadd, odds } from "./lanes.ts"

// Of `core/kernels/explained-power.ts` and `core/kernels/likelihood.ts`, which this module cannot import; the conformance suite checks that they agree.
const remainderWeight: f32 = 0.1
const shareMax: f32 = 0.999
const looks: f32 = 40
const rangeLawWeight: f32 = 0.5 / (1.4 * 1.4)

const blockPoints: usize = 64
/** Bytes of a block's values; four of them are its work: ln(1 - share), z and z^2 summed, and the first link's z. */
const block: usize = blockPoints * 4

/** Entry and next entry of a table, joined by the place between them. */
function between(at: usize, width: usize, rest: v128): v128 {
  const a = v128.load(at)
  return madd(rest, f32x4.sub(v128.load(at + width), a), a)
}

function firstBetween(at: usize, width: usize, rest: v128): v128 {
  const a = v128.load64_zero(at)
  return madd(rest, f32x4.sub(v128.load64_zero(at + width), a), a)
}

/** Adds one link's terms at four points to `to`; z is less `shift`, so that the squares' difference keeps its digits. */
function addFour(
  table: usize,
  lastEntry: usize,
  antennas: usize,
  prior: v128,
  logPower: v128,
  cells: usize,
  first: bool,
  to: usize,
): void {
  const a = v128.load(cells), b = v128.load(cells, 16), c = v128.load(cells, 32), d = v128.load(cells, 48)
  const ab = low(a, b), cd = low(c, d), AB = high(a, b), CD = high(c, d)
  const place = lowPairs(ab, cd), stepRe = highPairs(ab, cd), stepIm = lowPairs(AB, CD), range = highPairs(AB, CD)
  const entry = i32x4.min_s(
    i32x4.max_s(i32x4.trunc_sat_f32x4_s(place), i32x4.splat(0)),
    i32x4.splat(lastEntry as i32),
  )
  const rest = f32x4.sub(place, f32x4.convert_i32x4_s(entry))
  const width = (antennas * 2 - 1) * 8
  let p0 = table + (i32x4.extract_lane(entry, 0) as usize) * width
  let p1 = table + (i32x4.extract_lane(entry, 1) as usize) * width
  let p2 = table + (i32x4.extract_lane(entry, 2) as usize) * width
  let p3 = table + (i32x4.extract_lane(entry, 3) as usize) * width
  const r0 = v128.shuffle<f32>(rest, rest, 0, 0, 0, 0), r1 = v128.shuffle<f32>(rest, rest, 1, 1, 1, 1)
  const r2 = v128.shuffle<f32>(rest, rest, 2, 2, 2, 2), r3 = v128.shuffle<f32>(rest, rest, 3, 3, 3, 3)
  let s0 = firstBetween(p0, width, r0), s1 = firstBetween(p1, width, r1)
  let s2 = firstBetween(p2, width, r2), s3 = firstBetween(p3, width, r3)
  let re = f32x4.add(stepRe, stepRe), im = f32x4.add(stepIm, stepIm)
  for (let lag: usize = 1, at: usize = 8; lag < antennas; lag++, at += 16) {
    const minus = f32x4.neg(im)
    s0 = madd(between(p0 + at, width, r0), v128.shuffle<f32>(re, minus, 0, 0, 4, 4), s0)
    s1 = madd(between(p1 + at, width, r1), v128.shuffle<f32>(re, minus, 1, 1, 5, 5), s1)
    s2 = madd(between(p2 + at, width, r2), v128.shuffle<f32>(re, minus, 2, 2, 6, 6), s2)
    s3 = madd(between(p3 + at, width, r3), v128.shuffle<f32>(re, minus, 3, 3, 7, 7), s3)
    const next = nmadd(im, stepIm, f32x4.mul(re, stepRe))
    im = madd(im, stepRe, f32x4.mul(re, stepIm))
    re = next
  }
  const s01 = f32x4.add(lowPairs(s0, s1), highPairs(s0, s1)), s23 = f32x4.add(lowPairs(s2, s3), highPairs(s2, s3))
  const zero = f32x4.splat(0)
  const matched = f32x4.add(f32x4.max(evens(s01, s23), zero), prior)
  const left = f32x4.add(f32x4.max(odds(s01, s23), zero), f32x4.splat(remainderWeight))
  const share = f32x4.min(f32x4.div(matched, left), f32x4.splat(shareMax))
  v128.store(to, f32x4.add(v128.load(to), ln(f32x4.sub(f32x4.splat(1), share))))
  const whole = f32x4.add(logPower, range)
  if (first) v128.store(to, whole, 3 * block)
  const z = f32x4.sub(whole, v128.load(to, 3 * block))
  v128.store(to, f32x4.add(v128.load(to, block), z), block)
  v128.store(to, madd(z, z, v128.load(to, 2 * block)), 2 * block)
}

export function matchedField(
  points: usize,
  links: usize,
  entries: usize,
  antennas: usize,
  tables: usize,
  perLink: usize,
  cells: usize,
  output: usize,
  work: usize,
  begin: usize,
  end: usize,
): void {
  const tableBytes = entries * (antennas * 2 - 1) * 8
  const perLinkCount = f32x4.splat((1 / (links as f64)) as f32)
  for (let unit = begin; unit < end; unit++) {
    const from = unit * blockPoints
    const count = min(blockPoints, points - from)
    memory.fill(work, 0, block * 3)
    for (let link: usize = 0; link < links; link++) {
      const prior = v128.load32_splat(perLink + link * 8), logPower = v128.load32_splat(perLink + link * 8, 4)
      const own = cells + (link * points + from) * 16
      for (let i: usize = 0; i < count; i += 4) {
        addFour(
          tables + link * tableBytes,
          entries - 2,
          antennas,
          prior,
          logPower,
          own + i * 16,
          link == 0,
          work + i * 4,
        )
      }
    }
    for (let i: usize = 0; i < count; i += 4) {
      const at = work + i * 4
      const sum = v128.load(at, block)
      const spread = nmadd(f32x4.mul(sum, sum), perLinkCount, v128.load(at, 2 * block))
      const fit = f32x4.mul(v128.load(at), f32x4.splat(-looks))
      v128.store(output + (from + i) * 4, nmadd(spread, f32x4.splat(rangeLawWeight), fit))
    }
  }
}

export function matchedFieldUnits(points: usize, links: usize, entries: usize, antennas: usize): usize {
  return (points + blockPoints - 1) / blockPoints
}

export function matchedFieldWork(points: usize, links: usize, entries: usize, antennas: usize): f64 {
  return block * 4
}

export function matchedFieldCost(points: usize, links: usize, entries: usize, antennas: usize): f64 {
  return (points as f64) * (links as f64) * (60 + 30 * (antennas as f64))
}
