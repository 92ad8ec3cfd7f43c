/**
 * Kernel `complex-gemm`: batched complex matrix product, C = A B.
 *
 * Inputs: A [batch][m][k], B [batch][k][n], both complex. Output: C [batch][m][n] complex. For a matrix B that a whole batch shares, use
 * a batch of one with all rows of A below each other.
 */
import type { Kernel } from "./kernel.ts"
import { normals, type Uniform } from "./samples.ts"
import { complexProduct, declare } from "./wgsl.ts"

interface ComplexGemmParams extends Readonly<Record<string, number>> {
  readonly batch: number
  readonly m: number
  readonly k: number
  readonly n: number
}

const reference: Kernel<ComplexGemmParams>["reference"] = ({ batch, k, m, n }, [a, b], output) => {
  for (let matrix = 0; matrix < batch; matrix++) {
    for (let row = 0; row < m; row++) {
      for (let column = 0; column < n; column++) {
        let re = 0
        let im = 0
        for (let i = 0; i < k; i++) {
          const left = 2 * ((matrix * m + row) * k + i)
          const right = 2 * ((matrix * k + i) * n + column)
          re += a![left]! * b![right]! - a![left + 1]! * b![right + 1]!
          im += a![left]! * b![right + 1]! + a![left + 1]! * b![right]!
        }
        const to = 2 * ((matrix * m + row) * n + column)
        output[to] = re
        output[to + 1] = im
      }
    }
  }
}

const params = ["batch", "m", "k", "n"] as const

/** Edge of the tile of a workgroup. Each invocation computes 2 x 2 values of it. */
const tile = 32
const half = tile / 2

/** Tiles of A and B are loaded into workgroup memory, 16 columns of A at a time. */
const code = `
${declare(params, [["a", "vec2f"], ["b", "vec2f"]], "vec2f")}
${complexProduct}
var<workgroup> left: array<array<vec2f, ${half}>, ${tile}>;
var<workgroup> right: array<array<vec2f, ${tile}>, ${half}>;

@compute @workgroup_size(${half}, ${half})
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) counts: vec3u,
    @builtin(local_invocation_id) local: vec3u) {
  let row = id.y * ${tile}u + local.y;
  let column = id.x * ${tile}u + local.x;
  for (var matrix = id.z; matrix < p.batch; matrix += counts.z) {
    var c00 = vec2f(0); var c01 = vec2f(0); var c10 = vec2f(0); var c11 = vec2f(0);
    for (var first = 0u; first < p.k; first += ${half}u) {
      for (var part = 0u; part < 2u; part++) {
        let r = row + part * ${half}u;
        let i = first + local.x;
        left[local.y + part * ${half}u][local.x] = select(vec2f(0),
          a[(matrix * p.m + min(r, p.m - 1u)) * p.k + min(i, p.k - 1u)], r < p.m && i < p.k);
        let c = column + part * ${half}u;
        let j = first + local.y;
        right[local.y][local.x + part * ${half}u] = select(vec2f(0),
          b[(matrix * p.k + min(j, p.k - 1u)) * p.n + min(c, p.n - 1u)], c < p.n && j < p.k);
      }
      workgroupBarrier();
      for (var i = 0u; i < ${half}u; i++) {
        let a0 = left[local.y][i];
        let a1 = left[local.y + ${half}u][i];
        let b0 = right[i][local.x];
        let b1 = right[i][local.x + ${half}u];
        c00 += mul(a0, b0); c01 += mul(a0, b1); c10 += mul(a1, b0); c11 += mul(a1, b1);
      }
      workgroupBarrier();
    }
    let to = (matrix * p.m + row) * p.n + column;
    let below = row + ${half}u < p.m;
    let beside = column + ${half}u < p.n;
    if (row < p.m && column < p.n) { result[to] = c00; }
    if (row < p.m && beside) { result[to + ${half}u] = c01; }
    if (below && column < p.n) { result[to + ${half}u * p.n] = c10; }
    if (below && beside) { result[to + ${half}u * p.n + ${half}u] = c11; }
  }
}
`

const gpujs = `function (p, a, b) {
  const m = p[1]
  const k = p[2]
  const n = p[3]
  const at = Math.floor(this.thread.x / 2)
  const part = this.thread.x - 2 * at
  const row = Math.floor((at + 0.5) / n)
  const column = at - row * n
  const matrix = Math.floor((row + 0.5) / m)
  let sum = 0
  for (let i = 0; i < k; i++) {
    const left = 2 * (row * k + i)
    const right = 2 * ((matrix * k + i) * n + column)
    if (part < 1) {
      sum += a[left] * b[right] - a[left + 1] * b[right + 1]
    } else {
      sum += a[left] * b[right + 1] + a[left + 1] * b[right]
    }
  }
  return sum
}`

const sample = ({ batch, k, m, n }: ComplexGemmParams, random: Uniform): ReadonlyArray<Float32Array> => [
  normals(2 * batch * m * k, random),
  normals(2 * batch * k * n, random),
]

export const complexGemm: Kernel<ComplexGemmParams> = {
  name: "complex-gemm",
  params,
  inputs: ({ batch, k, m, n }) => [2 * batch * m * k, 2 * batch * k * n],
  output: ({ batch, m, n }) => 2 * batch * m * n,
  reference,
  wgsl: {
    code,
    workgroups: ({ batch, m, n }) => [Math.ceil(n / tile), Math.ceil(m / tile), Math.min(batch, 65535)],
  },
  gpujs,
  nrmseMax: 1e-5,
  trial: { batch: 1, m: 900, k: 56, n: 8 },
  sample,
}
