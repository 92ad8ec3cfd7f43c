/**
 * Kernel `layer-norm`: each row minus its mean, divided by its standard deviation, times a gain, plus a bias (Ba, Kiros and Hinton 2016).
 *
 * Inputs: x [rows][width], gain [width], bias [width]. Output: [rows][width]. The variance is that of the row's values, plus 1e-5.
 */
import type { Kernel } from "./kernel.ts"
import { normals } from "./samples.ts"
import { declare, dispatchOf, workgroupSize, workgroupTotal } from "./wgsl.ts"

interface LayerNormParams extends Readonly<Record<string, number>> {
  readonly rows: number
  readonly width: number
}

const epsilon = 1e-5

const reference: Kernel<LayerNormParams>["reference"] = ({ rows, width }, [x, gain, bias], y) => {
  for (let row = 0; row < rows; row++) {
    const own = x!.subarray(row * width, (row + 1) * width)
    const mean = own.reduce((sum, value) => sum + value, 0) / width
    const variance = own.reduce((sum, value) => sum + (value - mean) ** 2, 0) / width
    const scale = 1 / Math.sqrt(variance + epsilon)
    for (let i = 0; i < width; i++) y[row * width + i] = (own[i]! - mean) * scale * gain![i]! + bias![i]!
  }
}

const names = ["rows", "width"] as const

/** One workgroup per row. */
const code = `
${declare(names, [["x", "f32"], ["gain", "f32"], ["bias", "f32"]], "f32")}
const size = ${workgroupSize}u;

${workgroupTotal("f32")}

@compute @workgroup_size(${workgroupSize})
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) counts: vec3u,
    @builtin(local_invocation_index) lane: u32) {
  let row = groupIndex(id, counts);
  let at = min(row, p.rows - 1u) * p.width;
  var sum = 0.0;
  for (var i = lane; i < p.width; i += size) { sum += x[at + i]; }
  let mean = total(sum, lane) / f32(p.width);
  var squares = 0.0;
  for (var i = lane; i < p.width; i += size) { squares += (x[at + i] - mean) * (x[at + i] - mean); }
  let scale = 1.0 / sqrt(total(squares, lane) / f32(p.width) + ${epsilon});
  for (var i = lane; i < p.width && row < p.rows; i += size) {
    result[at + i] = (x[at + i] - mean) * scale * gain[i] + bias[i];
  }
}
`

const gpujs = `function (p, x, gain, bias) {
  const width = p[1]
  const first = width * Math.floor((this.thread.x + 0.5) / width)
  const i = this.thread.x - first
  let sum = 0
  for (let n = 0; n < width; n++) {
    sum += x[first + n]
  }
  const mean = sum / width
  let squares = 0
  for (let m = 0; m < width; m++) {
    const difference = x[first + m] - mean
    squares += difference * difference
  }
  return (x[this.thread.x] - mean) / Math.sqrt(squares / width + ${epsilon}) * gain[i] + bias[i]
}`

export const layerNorm: Kernel<LayerNormParams> = {
  name: "layer-norm",
  params: names,
  inputs: ({ rows, width }) => [rows * width, width, width],
  output: ({ rows, width }) => rows * width,
  reference,
  wgsl: { code, workgroups: ({ rows }) => dispatchOf(rows) },
  gpujs,
  nrmseMax: 1e-5,
  trial: { rows: 120, width: 128 },
  sample: ({ rows, width }, random) => [
    normals(rows * width, random).map((value) => value + 0.5),
    normals(width, random).map((value) => value + 1),
    normals(width, random),
  ],
}
