/**
 * Kernel `dense`: a network's fully connected layer, y = activation(x W^T + b).
 *
 * Inputs: x [batch][inputs], W [outputs][inputs], b [outputs]. Output: y [batch][outputs]. `activation` is a number of `activation.ts`.
 */
import { activate, activateGpujs, activateWgsl, checkActivation } from "./activation.ts"
import type { Kernel } from "./kernel.ts"
import { normals } from "./samples.ts"
import { declare } from "./wgsl.ts"

interface DenseParams extends Readonly<Record<string, number>> {
  readonly batch: number
  readonly inputs: number
  readonly outputs: number
  readonly activation: number
}

const reference: Kernel<DenseParams>["reference"] = ({ activation, batch, inputs, outputs }, [x, w, b], y) => {
  for (let row = 0; row < batch; row++) {
    for (let unit = 0; unit < outputs; unit++) {
      let sum = b![unit]!
      for (let i = 0; i < inputs; i++) sum += x![row * inputs + i]! * w![unit * inputs + i]!
      y[row * outputs + unit] = activate(activation, sum)
    }
  }
}

const names = ["batch", "inputs", "outputs", "activation"] as const

/** Edge of the tile of a workgroup. Each invocation computes 2 x 2 values of it. */
const tile = 32
const half = tile / 2

const code = `
${declare(names, [["x", "f32"], ["w", "f32"], ["b", "f32"]], "f32")}
${activateWgsl}
var<workgroup> left: array<array<f32, ${half}>, ${tile}>;
var<workgroup> right: array<array<f32, ${half + 1}>, ${tile}>;

@compute @workgroup_size(${half}, ${half})
fn main(@builtin(workgroup_id) id: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let row = id.y * ${tile}u + local.y;
  let unit = id.x * ${tile}u + local.x;
  var s00 = 0.0; var s01 = 0.0; var s10 = 0.0; var s11 = 0.0;
  for (var first = 0u; first < p.inputs; first += ${half}u) {
    let i = first + local.x;
    for (var part = 0u; part < 2u; part++) {
      let r = row + part * ${half}u;
      left[local.y + part * ${half}u][local.x] =
        select(0.0, x[min(r, p.batch - 1u) * p.inputs + min(i, p.inputs - 1u)], r < p.batch && i < p.inputs);
      let u = id.x * ${tile}u + local.y + part * ${half}u;
      right[local.y + part * ${half}u][local.x] =
        select(0.0, w[min(u, p.outputs - 1u) * p.inputs + min(i, p.inputs - 1u)], u < p.outputs && i < p.inputs);
    }
    workgroupBarrier();
    for (var n = 0u; n < ${half}u; n++) {
      let x0 = left[local.y][n];
      let x1 = left[local.y + ${half}u][n];
      let w0 = right[local.x][n];
      let w1 = right[local.x + ${half}u][n];
      s00 += x0 * w0; s01 += x0 * w1; s10 += x1 * w0; s11 += x1 * w1;
    }
    workgroupBarrier();
  }
  let below = row + ${half}u < p.batch;
  let to = row * p.outputs + unit;
  let under = to + ${half}u * p.outputs;
  if (unit < p.outputs) {
    if (row < p.batch) { result[to] = activate(p.activation, s00 + b[unit]); }
    if (below) { result[under] = activate(p.activation, s10 + b[unit]); }
  }
  if (unit + ${half}u < p.outputs) {
    if (row < p.batch) { result[to + ${half}u] = activate(p.activation, s01 + b[unit + ${half}u]); }
    if (below) { result[under + ${half}u] = activate(p.activation, s11 + b[unit + ${half}u]); }
  }
}
`

const gpujs = `function (p, x, w, b) {
  const inputs = p[1]
  const outputs = p[2]
  const kind = p[3]
  const row = Math.floor((this.thread.x + 0.5) / outputs)
  const unit = this.thread.x - row * outputs
  let sum = b[unit]
  for (let i = 0; i < inputs; i++) {
    sum += x[row * inputs + i] * w[unit * inputs + i]
  }
  ${activateGpujs}
}`

export const dense: Kernel<DenseParams> = {
  name: "dense",
  params: names,
  inputs: ({ activation, batch, inputs, outputs }) => {
    checkActivation(activation)
    return [batch * inputs, outputs * inputs, outputs]
  },
  output: ({ batch, outputs }) => batch * outputs,
  reference,
  wgsl: { code, workgroups: ({ batch, outputs }) => [Math.ceil(outputs / tile), Math.ceil(batch / tile), 1] },
  gpujs,
  nrmseMax: 1e-5,
  trial: { batch: 30, inputs: 128, outputs: 128, activation: 2 },
  sample: ({ batch, inputs, outputs }, random) => [
    normals(batch * inputs, random),
    normals(outputs * inputs, random, 1 / Math.sqrt(inputs)),
    normals(outputs, random, 0.1),
  ],
}
