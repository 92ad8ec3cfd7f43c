/**
 * Kernel `attention-pool`: multi-head attention of one set of queries over any number of tokens (Vaswani et al. 2017).
 *
 * Inputs: queries [queries][heads][width], keys and values [batch][tokens][heads][width], mask [batch][tokens] (0: the token is absent).
 * Output: [batch][queries][heads][width], for each head the values weighted by softmax(q k / sqrt(width)) over the present tokens;
 * zeros without any, and NaN where a present token's key is NaN. The projections before and after are `dense`.
 */
import type { Kernel } from "./kernel.ts"
import { normals, type Uniform } from "./samples.ts"
import { declare, dispatchOf, workgroupSize } from "./wgsl.ts"

interface AttentionPoolParams extends Readonly<Record<string, number>> {
  readonly batch: number
  readonly queries: number
  readonly tokens: number
  readonly heads: number
  /** Values of one head. */
  readonly width: number
}

const reference: Kernel<AttentionPoolParams>["reference"] = (params, [q, k, v, mask], output) => {
  const { batch, heads, queries, tokens, width } = params
  const scale = 1 / Math.sqrt(width)
  const weights = new Float64Array(tokens)
  const row = heads * width
  for (let b = 0; b < batch; b++) {
    for (let query = 0; query < queries; query++) {
      for (let head = 0; head < heads; head++) {
        let highest = -Infinity
        for (let token = 0; token < tokens; token++) {
          let score = 0
          for (let i = 0; i < width; i++) {
            score += q![query * row + head * width + i]! * k![(b * tokens + token) * row + head * width + i]!
          }
          weights[token] = mask![b * tokens + token] === 0 ? -Infinity : score * scale
          highest = Math.max(highest, weights[token]!)
        }
        let total = 0
        for (let token = 0; token < tokens; token++) {
          weights[token] = highest === -Infinity ? 0 : Math.exp(weights[token]! - highest)
          total += weights[token]!
        }
        for (let i = 0; i < width; i++) {
          let sum = 0
          for (let token = 0; token < tokens; token++) {
            sum += weights[token]! * v![(b * tokens + token) * row + head * width + i]!
          }
          output[(b * queries + query) * row + head * width + i] = total === 0 ? 0 : sum / total
        }
      }
    }
  }
}

const names = ["batch", "queries", "tokens", "heads", "width"] as const

/**
 * One workgroup per head of a query of the batch: its invocations score tokens, then each accumulates values of the head. Tokens are
 * processed in blocks of a workgroup's size, and the sums are rescaled when a block has a higher score (Milakov and Gimelshein 2018).
 */
const code = `
${declare(names, [["q", "f32"], ["k", "f32"], ["v", "f32"], ["present", "f32"]], "f32")}
const size = ${workgroupSize}u;
const lowest = -3.0e38;
var<workgroup> scores: array<f32, ${workgroupSize}>;

@compute @workgroup_size(${workgroupSize})
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) counts: vec3u,
    @builtin(local_invocation_index) lane: u32) {
  let number = groupIndex(id, counts);
  let heads = p.batch * p.queries * p.heads;
  let own = min(number, heads - 1u);
  let head = own % p.heads;
  let query = (own / p.heads) % p.queries;
  let batch = own / p.heads / p.queries;
  let row = p.heads * p.width;
  let scale = 1.0 / sqrt(f32(p.width));

  // Values beyond a workgroup's size need further rounds, each of which scores the tokens again. Heads are rarely that wide.
  for (var start = 0u; start < p.width; start += size) {
    let i = start + lane;
    var highest = lowest;
    var total = 0.0;
    var sum = 0.0;
    for (var first = 0u; first < p.tokens; first += size) {
      let token = first + lane;
      var score = lowest;
      if (token < p.tokens && present[batch * p.tokens + min(token, p.tokens - 1u)] != 0.0) {
        score = 0.0;
        for (var n = 0u; n < p.width; n++) {
          score += q[query * row + head * p.width + n] * k[(batch * p.tokens + token) * row + head * p.width + n];
        }
        score *= scale;
      }
      scores[lane] = score;
      workgroupBarrier();
      var higher = highest;
      let count = min(size, p.tokens - first);
      for (var n = 0u; n < count; n++) { higher = max(higher, scores[n]); }
      let fade = select(exp(highest - higher), 0.0, highest == lowest);
      total *= fade;
      sum *= fade;
      highest = higher;
      for (var n = 0u; n < count; n++) {
        if (scores[n] == lowest) { continue; }
        let weight = exp(scores[n] - highest);
        total += weight;
        sum += weight * v[(batch * p.tokens + first + n) * row + head * p.width + min(i, p.width - 1u)];
      }
      workgroupBarrier();
    }
    if (number < heads && i < p.width) {
      result[(batch * p.queries + query) * row + head * p.width + i] = select(0.0, sum / total, total > 0.0);
    }
  }
}
`

const gpujs = `function (p, q, k, v, present) {
  const queries = p[1]
  const tokens = p[2]
  const heads = p[3]
  const width = p[4]
  const row = heads * width
  const at = Math.floor((this.thread.x + 0.5) / row)
  const i = this.thread.x - at * row
  const head = Math.floor((i + 0.5) / width)
  const batch = Math.floor((at + 0.5) / queries)
  const query = at - batch * queries
  let highest = -3e38
  let total = 0
  let sum = 0
  for (let token = 0; token < tokens; token++) {
    if (present[batch * tokens + token] !== 0) {
      const key = (batch * tokens + token) * row
      let score = 0
      for (let n = 0; n < width; n++) {
        score += q[query * row + head * width + n] * k[key + head * width + n]
      }
      score = score / Math.sqrt(width)
      const higher = Math.max(highest, score)
      const fade = Math.exp(Math.max(-80, highest - higher))
      const weight = Math.exp(Math.max(-80, score - higher))
      total = total * fade + weight
      sum = sum * fade + weight * v[key + i]
      highest = higher
    }
  }
  let pooled = 0
  if (total > 0) {
    pooled = sum / total
  }
  return pooled
}`

/** Normal queries, keys and values; a fifth of the tokens is absent, and with several batches all tokens of the last one. */
const sample = (params: AttentionPoolParams, random: Uniform): ReadonlyArray<Float32Array> => {
  const { batch, heads, queries, tokens, width } = params
  const mask = Float32Array.from({ length: batch * tokens }, () => random() < 0.2 ? 0 : 1)
  if (batch > 1) mask.fill(0, (batch - 1) * tokens)
  const values = batch * tokens * heads * width
  return [normals(queries * heads * width, random), normals(values, random), normals(values, random), mask]
}

export const attentionPool: Kernel<AttentionPoolParams> = {
  name: "attention-pool",
  params: names,
  inputs: ({ batch, heads, queries, tokens, width }) => [
    queries * heads * width,
    batch * tokens * heads * width,
    batch * tokens * heads * width,
    batch * tokens,
  ],
  output: ({ batch, heads, queries, width }) => batch * queries * heads * width,
  reference,
  wgsl: { code, workgroups: ({ batch, heads, queries }) => dispatchOf(batch * queries * heads) },
  gpujs,
  nrmseMax: 1e-5,
  trial: { batch: 4, queries: 4, tokens: 30, heads: 4, width: 32 },
  sample,
}
