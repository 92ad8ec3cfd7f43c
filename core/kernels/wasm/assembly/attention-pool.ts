/** Kernel `attention-pool`. A unit is a query of a member of the batch. */
import { exp } from "./elementary.ts"
import { firstLanes, madd, storeFirst, sums, total } from "./lanes.ts"

/** Below all scores; the mask removes its exponential. */
const absent: f32 = -3e38

/** Dot products of a query and four tokens, `stride` bytes apart up to `last`. */
function fourScores(query: usize, key: usize, last: usize, stride: usize, width: usize): v128 {
  const k1 = min(key + stride, last), k2 = min(key + stride * 2, last), k3 = min(key + stride * 3, last)
  let a = f32x4.splat(0), b = a, c = a, d = a
  for (let i: usize = 0; i < width; i += 4) {
    const valid = firstLanes(width - i), at = i * 4
    const q = v128.and(v128.load(query + at), valid)
    a = madd(q, v128.and(v128.load(key + at), valid), a)
    b = madd(q, v128.and(v128.load(k1 + at), valid), b)
    c = madd(q, v128.and(v128.load(k2 + at), valid), c)
    d = madd(q, v128.and(v128.load(k3 + at), valid), d)
  }
  return sums(a, b, c, d)
}

/** Fills the weights of one head's tokens, not yet divided by their sum, which is returned; 0 if no token is present. */
function weigh(
  query: usize,
  keys: usize,
  mask: usize,
  tokens: usize,
  stride: usize,
  width: usize,
  weights: usize,
): f32 {
  const last = keys + (tokens - 1) * stride
  const scale = f32x4.splat((1 / Math.sqrt(width as f64)) as f32)
  const none = f32x4.splat(absent)
  let highest = none
  for (let token: usize = 0; token < tokens; token += 4) {
    const scores = f32x4.mul(fourScores(query, keys + token * stride, last, stride, width), scale)
    const there = v128.and(f32x4.ne(v128.load(mask + token * 4), f32x4.splat(0)), firstLanes(tokens - token))
    const known = v128.bitselect(scores, none, there)
    highest = f32x4.max(highest, known)
    v128.store(weights + token * 4, known)
  }
  highest = f32x4.max(highest, v128.shuffle<f32>(highest, highest, 2, 3, 0, 1))
  highest = f32x4.max(highest, v128.shuffle<f32>(highest, highest, 1, 0, 3, 2))
  let sum = f32x4.splat(0)
  for (let token: usize = 0; token < tokens; token += 4) {
    const known = v128.load(weights + token * 4)
    // Unlike `gt`, it lets NaN through, as the reference does.
    const weight = v128.andnot(exp(f32x4.sub(known, highest)), f32x4.le(known, none))
    v128.store(weights + token * 4, weight)
    sum = f32x4.add(sum, weight)
  }
  return total(sum)
}

export function attentionPool(
  batch: usize,
  queries: usize,
  tokens: usize,
  heads: usize,
  width: usize,
  q: usize,
  k: usize,
  v: usize,
  mask: usize,
  output: usize,
  work: usize,
  begin: usize,
  end: usize,
): void {
  const row = heads * width * 4
  for (let unit = begin; unit < end; unit++) {
    const member = unit / queries
    const query = q + (unit % queries) * row
    const first = member * tokens
    for (let head: usize = 0; head < heads; head++) {
      const own = head * width * 4
      const sum = weigh(query + own, k + first * row + own, mask + first * 4, tokens, row, width, work)
      const scale = f32x4.splat(sum == 0 ? 0 : 1 / sum)
      for (let i: usize = 0; i < width; i += 4) {
        let a = f32x4.splat(0)
        let value = v + first * row + own + i * 4
        for (let token: usize = 0; token < tokens; token++) {
          a = madd(v128.load32_splat(work + token * 4), v128.load(value), a)
          value += row
        }
        storeFirst(output + unit * row + own + i * 4, f32x4.mul(a, scale), width - i)
      }
    }
  }
}

export function attentionPoolUnits(batch: usize, queries: usize, tokens: usize, heads: usize, width: usize): usize {
  return batch * queries
}

export function attentionPoolWork(batch: usize, queries: usize, tokens: usize, heads: usize, width: usize): f64 {
  return ((tokens + 3) & ~3) * 4
}

export function attentionPoolCost(batch: usize, queries: usize, tokens: usize, heads: usize, width: usize): f64 {
  return (batch as f64) * (queries as f64) * (heads as f64) * (tokens as f64) * (40 + 6 * (width as f64))
}
