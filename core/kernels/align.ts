/**
 * Kernel `align`: reference alignment of many frames of many links at once.
 *
 * Inputs: frames [frames][rows][tones] complex; static responses [links][rows][tones] complex; the link of each frame [frames];
 * and the tones [tones][2], as `alignTones` gives them. Output: dynamic responses [frames][rows][tones] complex, then gains [frames].
 * The computation is that of `core/signal/alignment.ts`. A frame without power, or without a link, gives zeros.
 */
import { type AlignmentPlan, alignToReference, createAlignmentPlan } from "../signal/alignment.ts"
import type { Kernel } from "./kernel.ts"
import { normals, type Uniform } from "./samples.ts"
import { cis, complexProduct, declare, dispatchOf, workgroupSize, workgroupTotal } from "./wgsl.ts"

interface AlignParams extends Readonly<Record<string, number>> {
  readonly frames: number
  /** Receive antennas times transmit streams. */
  readonly rows: number
  readonly tones: number
  readonly links: number
}

const alignParams = ["frames", "rows", "tones", "links"] as const

/** The kernel's input of tones: index of each subcarrier, and the distance to the next if the initial delay uses it, else 0. */
const alignTones = ({ neighbours, step, subcarrierIndices }: AlignmentPlan): Float32Array => {
  const tones = new Float32Array(2 * subcarrierIndices.length)
  for (const [i, index] of subcarrierIndices.entries()) tones[2 * i] = index
  for (const i of neighbours) tones[2 * i + 1] = step
  return tones
}

const reference: Kernel<AlignParams>["reference"] = ({ frames, links, rows, tones }, inputs, output) => {
  const [csi, references, linkOfFrame, indices] = inputs as [Float32Array, Float32Array, Float32Array, Float32Array]
  const plan = createAlignmentPlan(rows, Int16Array.from({ length: tones }, (_, i) => indices[2 * i]!))
  const length = 2 * rows * tones
  for (let frame = 0; frame < frames; frame++) {
    const link = linkOfFrame[frame]!
    const at = frame * length
    const known = link >= 0 && link < links
    const own = references.subarray(link * length, (link + 1) * length)
    const gain = known ? alignToReference(plan, csi, at, own, output, at) : 0
    if (gain === 0) output.fill(0, at, at + length)
    output[frames * length + frame] = gain
  }
}

/** Tones on both sides of the centre, without the centre. */
const sampleIndices = (tones: number): Int16Array => {
  const below = Math.floor(tones / 2)
  return Int16Array.from({ length: tones }, (_, i) => i < below ? i - below : i - below + 1)
}

/** Static responses, and frames of them with a moving echo and a receiver's phase, delay and gain; one frame without power. */
const sample = ({ frames, links, rows, tones }: AlignParams, random: Uniform): ReadonlyArray<Float32Array> => {
  const length = 2 * rows * tones
  const indices = sampleIndices(tones)
  const references = normals(links * length, random, 0.3)
  for (let v = 0; v < references.length; v += 2) references[v]! += 1
  const linkOfFrame = Float32Array.from({ length: frames }, () => Math.floor(random() * links))
  const csi = normals(frames * length, random, 0.05)
  for (let frame = 0; frame < frames; frame++) {
    const gain = frame === 1 ? 0 : 50 + 1000 * random()
    const phase = 2 * Math.PI * random()
    const slope = 0.2 * (random() - 0.5)
    for (let v = 0; v < length; v += 2) {
      const angle = phase + slope * indices[(v / 2) % tones]!
      const to = frame * length + v
      const from = linkOfFrame[frame]! * length + v
      const re = csi[to]! + references[from]!
      const im = csi[to + 1]! + references[from + 1]!
      csi[to] = gain * (re * Math.cos(angle) + im * Math.sin(angle))
      csi[to + 1] = gain * (im * Math.cos(angle) - re * Math.sin(angle))
    }
  }
  return [csi, references, linkOfFrame, alignTones(createAlignmentPlan(rows, indices))]
}

/** One workgroup per frame. The frame's part of the result holds the cross spectrum until the response is written there. */
const code = `
${declare(alignParams, [["csi", "vec2f"], ["statics", "vec2f"], ["linkOfFrame", "f32"], ["tones", "vec2f"]], "f32")}
${complexProduct}${cis}
const size = ${workgroupSize}u;

fn load(i: u32) -> vec2f { return vec2f(result[2u * i], result[2u * i + 1u]); }
fn store(i: u32, value: vec2f) {
  result[2u * i] = value.x;
  result[2u * i + 1u] = value.y;
}

${workgroupTotal("vec4f")}

@compute @workgroup_size(${workgroupSize})
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) counts: vec3u,
    @builtin(local_invocation_index) lane: u32) {
  let frame = groupIndex(id, counts);
  let known = frame < p.frames;
  let at = min(frame, p.frames - 1u) * p.rows * p.tones;
  let link = linkOfFrame[min(frame, p.frames - 1u)];
  let linked = link >= 0.0 && link < f32(p.links);
  let own = select(0u, u32(link), linked) * p.rows * p.tones;

  var power = 0.0;
  var step = 0.0;
  for (var k = lane; k < p.tones; k += size) {
    var cross = vec2f(0);
    for (var row = 0u; row < p.rows; row++) {
      let h = csi[at + row * p.tones + k];
      let h0 = statics[own + row * p.tones + k];
      cross += mul(h, vec2f(h0.x, -h0.y));
      power += dot(h, h);
    }
    if (known) { store(at + k, cross); }
    step = max(step, tones[k].y);
  }
  partial[lane] = vec4f(step, power, 0, 0);
  storageBarrier();
  workgroupBarrier();
  power = 0.0;
  for (var i = 0u; i < size; i++) {
    step = max(step, partial[i].x);
    power += partial[i].y;
  }
  workgroupBarrier();
  // The cross spectrum is divided by the power, so that no scale of a device overflows.
  let scale = select(0.0, 1.0 / power, power > 0.0);

  var sum = vec4f(0);
  for (var k = lane; k < p.tones; k += size) {
    if (tones[k].y > 0.0) {
      let x = scale * load(at + k);
      sum += vec4f(mul(scale * load(at + k + 1u), vec2f(x.x, -x.y)), 0, 0);
    }
  }
  sum = total(sum, lane);
  var slope = select(0.0, atan2(sum.y, sum.x) / step, step > 0.0 && (sum.x != 0.0 || sum.y != 0.0));

  var refining = true;
  for (var round = 0; round < 2; round++) {
    var low = vec4f(0);
    var second = vec2f(0);
    for (var k = lane; k < p.tones; k += size) {
      let index = tones[k].x;
      let x = mul(scale * load(at + k), cis(-slope * index));
      low += vec4f(x, index * x);
      second += index * index * x;
    }
    low = total(low, lane);
    second = total(vec4f(second, 0, 0), lane).xy;
    let curvature = dot(low.zw, low.zw) - dot(low.xy, second);
    refining = refining && curvature < 0.0;
    if (refining) { slope -= (low.x * low.w - low.y * low.z) / curvature; }
  }

  var rotated = vec2f(0);
  for (var k = lane; k < p.tones; k += size) { rotated += mul(scale * load(at + k), cis(-slope * tones[k].x)); }
  rotated = total(vec4f(rotated, 0, 0), lane).xy;
  let valid = linked && (rotated.x != 0.0 || rotated.y != 0.0);
  let gain = select(vec2f(0), vec2f(rotated.x, -rotated.y), valid);
  for (var k = lane; k < p.tones; k += size) {
    let turn = mul(gain, cis(-slope * tones[k].x));
    for (var row = 0u; row < p.rows; row++) {
      let i = row * p.tones + k;
      if (known) { store(at + i, select(vec2f(0), mul(csi[at + i], turn) - statics[own + i], valid)); }
    }
  }
  if (known && lane == 0u) { result[2u * p.frames * p.rows * p.tones + frame] = length(gain); }
}
`

export const align: Kernel<AlignParams> = {
  name: "align",
  params: alignParams,
  inputs: ({ frames, links, rows, tones }) => [2 * frames * rows * tones, 2 * links * rows * tones, frames, 2 * tones],
  output: ({ frames, rows, tones }) => 2 * frames * rows * tones + frames,
  reference,
  wgsl: { code, workgroups: ({ frames }) => dispatchOf(frames) },
  gpujs: null,
  nrmseMax: 1e-5,
  trial: { frames: 300, rows: 3, tones: 56, links: 30 },
  sample,
}
