/**
 * Kernel `steered-spectra`: Doppler bins of links' echoes, each steered to a position.
 *
 * Inputs: weighted rows of echoes [links][values][re, im][rows]; the rotation of each row per bin, [links][cos, sin][rows]; steering
 * vectors [places][channels][values], complex; the link of each position [places]. Output: [places][2 reach + 1][channels], complex:
 *
 *   sum over rows of turn^k (sum over values of vector value),   k from -reach to reach
 *
 * A link is steered to a position, so several positions may share the rows of a link. `core/pose/link-spectrum.ts` defines rows and
 * channels.
 */
import type { Kernel } from "./kernel.ts"
import { normals, type Uniform } from "./samples.ts"
import { complexProduct, declare, dispatchOf, workgroupSize } from "./wgsl.ts"

interface SteeredSpectraParams extends Readonly<Record<string, number>> {
  readonly links: number
  readonly rows: number
  readonly values: number
  readonly places: number
  readonly channels: number
  readonly reach: number
}

/** The rows of one channel of a position, [row], interleaved complex. */
const steer = (
  { rows, values }: SteeredSpectraParams,
  echoes: Float32Array,
  from: number,
  vectors: Float32Array,
  at: number,
): Float64Array => {
  const steered = new Float64Array(2 * rows)
  for (let value = 0; value < values; value++) {
    const re = vectors[at + 2 * value]!
    const im = vectors[at + 2 * value + 1]!
    for (let row = 0; row < rows; row++) {
      const echoRe = echoes[from + 2 * value * rows + row]!
      const echoIm = echoes[from + (2 * value + 1) * rows + row]!
      steered[2 * row]! += re * echoRe - im * echoIm
      steered[2 * row + 1]! += re * echoIm + im * echoRe
    }
  }
  return steered
}

/** Sums over a channel's rows, rotated by k bins. The sums of k and of -k share their products. */
const sumsOf = (steered: Float64Array, cos: Float64Array, sin: Float64Array) => {
  let [reCos, imCos, reSin, imSin] = [0, 0, 0, 0]
  for (let row = 0; row < cos.length; row++) {
    reCos += steered[2 * row]! * cos[row]!
    imCos += steered[2 * row + 1]! * cos[row]!
    reSin += steered[2 * row]! * sin[row]!
    imSin += steered[2 * row + 1]! * sin[row]!
  }
  return { above: [reCos - imSin, imCos + reSin], below: [reCos + imSin, imCos - reSin] }
}

/** Rotates rows by one more bin. The rotations of a link begin at `from`. */
const turnOn = (cos: Float64Array, sin: Float64Array, turns: Float32Array, from: number): void => {
  const rows = cos.length
  for (let row = 0; row < rows; row++) {
    const stepRe = turns[from + row]!
    const stepIm = turns[from + rows + row]!
    const next = cos[row]! * stepRe - sin[row]! * stepIm
    sin[row] = cos[row]! * stepIm + sin[row]! * stepRe
    cos[row] = next
  }
}

const reference: Kernel<SteeredSpectraParams>["reference"] = (params, inputs, output) => {
  const [echoes, turns, vectors, linkOf] = inputs as [Float32Array, Float32Array, Float32Array, Float32Array]
  const { channels, places, reach, rows, values } = params
  for (let place = 0; place < places; place++) {
    const link = linkOf[place]!
    const steered = Array.from(
      { length: channels },
      (_, channel) =>
        steer(params, echoes, link * values * 2 * rows, vectors, 2 * (place * channels + channel) * values),
    )
    const cos = new Float64Array(rows).fill(1)
    const sin = new Float64Array(rows)
    const middle = place * (2 * reach + 1) + reach
    for (let k = 0; k <= reach; k++) {
      if (k > 0) turnOn(cos, sin, turns, link * 2 * rows)
      for (let channel = 0; channel < channels; channel++) {
        const { above, below } = sumsOf(steered[channel]!, cos, sin)
        output.set(below, 2 * ((middle - k) * channels + channel))
        output.set(above, 2 * ((middle + k) * channels + channel))
      }
    }
  }
}

const names = ["links", "rows", "values", "places", "channels", "reach"] as const

/** One invocation per bin of a channel. */
const code = `
${declare(names, [["echoes", "f32"], ["turns", "f32"], ["vectors", "vec2f"], ["linkOf", "f32"]], "vec2f")}
${complexProduct}
@compute @workgroup_size(${workgroupSize})
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) counts: vec3u,
    @builtin(local_invocation_index) lane: u32) {
  let number = groupIndex(id, counts) * ${workgroupSize}u + lane;
  let bins = 2u * p.reach + 1u;
  if (number >= p.places * bins * p.channels) { return; }
  let channel = number % p.channels;
  let bin = (number / p.channels) % bins;
  let place = number / p.channels / bins;
  let link = u32(linkOf[place]);
  let below = bin < p.reach;
  let power = select(bin - p.reach, p.reach - bin, below);
  let vector = (place * p.channels + channel) * p.values;
  var sum = vec2f(0);
  for (var row = 0u; row < p.rows; row++) {
    let sine = turns[(link * 2u + 1u) * p.rows + row];
    let step = vec2f(turns[link * 2u * p.rows + row], select(sine, -sine, below));
    var turn = vec2f(1.0, 0.0);
    for (var i = 0u; i < power; i++) { turn = mul(turn, step); }
    var steered = vec2f(0);
    for (var value = 0u; value < p.values; value++) {
      let at = (link * p.values + value) * 2u * p.rows + row;
      steered += mul(vectors[vector + value], vec2f(echoes[at], echoes[at + p.rows]));
    }
    sum += mul(turn, steered);
  }
  result[number] = sum;
}
`

/** Echoes of noise, rows with random rotations, and a link for each position. */
const sample = (params: SteeredSpectraParams, random: Uniform): ReadonlyArray<Float32Array> => {
  const { channels, links, places, rows, values } = params
  const turns = new Float32Array(2 * links * rows)
  for (let link = 0; link < links; link++) {
    for (let row = 0; row < rows; row++) {
      const angle = 2 * Math.PI * random()
      turns[link * 2 * rows + row] = Math.cos(angle)
      turns[(link * 2 + 1) * rows + row] = Math.sin(angle)
    }
  }
  return [
    normals(2 * links * values * rows, random),
    turns,
    normals(2 * places * channels * values, random),
    Float32Array.from({ length: places }, () => Math.floor(links * random())),
  ]
}

export const steeredSpectra: Kernel<SteeredSpectraParams> = {
  name: "steered-spectra",
  params: names,
  inputs: ({ channels, links, places, rows, values }) => [
    2 * links * values * rows,
    2 * links * rows,
    2 * places * channels * values,
    places,
  ],
  output: ({ channels, places, reach }) => 2 * places * (2 * reach + 1) * channels,
  reference,
  wgsl: {
    code,
    workgroups: ({ channels, places, reach }) => dispatchOf(places * (2 * reach + 1) * channels, workgroupSize),
  },
  // Bins share the steered rows, which a separate computation of each output value would repeat.
  gpujs: null,
  nrmseMax: 1e-5,
  trial: { links: 30, rows: 32, values: 12, places: 90, channels: 5, reach: 11 },
  sample,
}
