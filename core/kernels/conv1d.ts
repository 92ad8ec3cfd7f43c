/**
 * Kernel `conv1d`: a network's dilated convolution over time, without stride.
 *
 * Inputs: x [batch][inputs][time], W [outputs][inputs][width], b [outputs]. Output: y [batch][outputs][time],
 *
 *   y_o(t) = activation(b_o + sum over i, j of W_oij x_i(t + j dilation - before))
 *
 * with x zero outside its time, and `before` = (width - 1) dilation if causal is 1 (no future samples), else the floor of half
 * of that ("same"). `activation` is a number of `activation.ts`.
 */
import { activate, activateGpujs, activateWgsl, checkActivation } from "./activation.ts"
import type { Kernel } from "./kernel.ts"
import { normals } from "./samples.ts"
import { declare, dispatchOf, workgroupSize } from "./wgsl.ts"

interface Conv1dParams extends Readonly<Record<string, number>> {
  readonly batch: number
  readonly inputs: number
  readonly outputs: number
  readonly time: number
  readonly width: number
  readonly dilation: number
  /** 0 or 1. */
  readonly causal: number
  readonly activation: number
}

const reference: Kernel<Conv1dParams>["reference"] = (params, [x, w, b], y) => {
  const { activation, batch, causal, dilation, inputs, outputs, time, width } = params
  const before = causal === 1 ? (width - 1) * dilation : Math.floor(((width - 1) * dilation) / 2)
  for (let row = 0; row < batch; row++) {
    for (let unit = 0; unit < outputs; unit++) {
      for (let t = 0; t < time; t++) {
        let sum = b![unit]!
        for (let i = 0; i < inputs; i++) {
          for (let j = 0; j < width; j++) {
            const from = t + j * dilation - before
            if (from < 0 || from >= time) continue
            sum += w![(unit * inputs + i) * width + j]! * x![(row * inputs + i) * time + from]!
          }
        }
        y[(row * outputs + unit) * time + t] = activate(activation, sum)
      }
    }
  }
}

const names = ["batch", "inputs", "outputs", "time", "width", "dilation", "causal", "activation"] as const

/** One invocation per value of the output. Neighbours in time read neighbours of the input. */
const code = `
${declare(names, [["x", "f32"], ["w", "f32"], ["b", "f32"]], "f32")}
${activateWgsl}
@compute @workgroup_size(${workgroupSize})
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) counts: vec3u,
    @builtin(local_invocation_index) lane: u32) {
  let at = groupIndex(id, counts) * ${workgroupSize}u + lane;
  if (at >= p.batch * p.outputs * p.time) { return; }
  let t = at % p.time;
  let unit = (at / p.time) % p.outputs;
  let row = at / p.time / p.outputs;
  let reach = (p.width - 1u) * p.dilation;
  let before = select(reach / 2u, reach, p.causal == 1u);
  var sum = b[unit];
  for (var i = 0u; i < p.inputs; i++) {
    for (var j = 0u; j < p.width; j++) {
      // Before the beginning, the unsigned difference is larger than the length.
      let source = t + j * p.dilation - before;
      if (source < p.time) { sum += w[(unit * p.inputs + i) * p.width + j] * x[(row * p.inputs + i) * p.time + source]; }
    }
  }
  result[at] = activate(p.activation, sum);
}
`

const gpujs = `function (p, x, w, b) {
  const inputs = p[1]
  const outputs = p[2]
  const time = p[3]
  const width = p[4]
  const dilation = p[5]
  const kind = p[7]
  const at = Math.floor((this.thread.x + 0.5) / time)
  const t = this.thread.x - at * time
  const row = Math.floor((at + 0.5) / outputs)
  const unit = at - row * outputs
  let before = (width - 1) * dilation
  if (p[6] < 1) {
    before = Math.floor(before / 2)
  }
  let sum = b[unit]
  for (let i = 0; i < inputs; i++) {
    for (let j = 0; j < width; j++) {
      const from = t + j * dilation - before
      if (from >= 0 && from < time) {
        sum += w[(unit * inputs + i) * width + j] * x[(row * inputs + i) * time + from]
      }
    }
  }
  ${activateGpujs}
}`

export const conv1d: Kernel<Conv1dParams> = {
  name: "conv1d",
  params: names,
  inputs: ({ activation, batch, causal, inputs, outputs, time, width }) => {
    checkActivation(activation)
    if (causal > 1) throw new RangeError(`conv1d: causal is 0 or 1, not ${causal}`)
    return [batch * inputs * time, outputs * inputs * width, outputs]
  },
  output: ({ batch, outputs, time }) => batch * outputs * time,
  reference,
  wgsl: { code, workgroups: ({ batch, outputs, time }) => dispatchOf(batch * outputs * time, workgroupSize) },
  gpujs,
  nrmseMax: 1e-5,
  trial: { batch: 4, inputs: 64, outputs: 64, time: 20, width: 3, dilation: 2, causal: 1, activation: 1 },
  sample: ({ batch, inputs, outputs, time, width }, random) => [
    normals(batch * inputs * time, random),
    normals(outputs * inputs * width, random, 1 / Math.sqrt(inputs * width)),
    normals(outputs, random, 0.1),
  ],
}
