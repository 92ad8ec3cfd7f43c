/**
 * Kernel `stft`: short-time Fourier transform with a periodic Hann window; the Doppler spectrogram is its power.
 *
 * Input: [series][samples] complex. Output: [series][frames][size] complex, frames = floor((samples - size) / hop) + 1; frame f begins
 * at sample f x hop. Size is a power of two from 16 to 4096, at most `samples`.
 */
import { checkTransformSize, createTransform } from "../math/fourier.ts"
import { transformProgram, transformWorkgroups } from "./fourier-wgsl.ts"
import type { Kernel } from "./kernel.ts"
import { normals } from "./samples.ts"
import { declare } from "./wgsl.ts"

interface StftParams extends Readonly<Record<string, number>> {
  readonly series: number
  readonly samples: number
  readonly size: number
  readonly hop: number
}

const framesOf = ({ hop, samples, size }: StftParams): number => Math.floor((samples - size) / hop) + 1

const reference: Kernel<StftParams>["reference"] = (params, [input], output) => {
  const { hop, samples, series, size } = params
  const frames = framesOf(params)
  const transform = createTransform(size)
  const window = Float64Array.from({ length: size }, (_, n) => 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / size))
  const values = new Float64Array(2 * size)
  for (let row = 0; row < series; row++) {
    for (let frame = 0; frame < frames; frame++) {
      for (let n = 0; n < size; n++) {
        const from = 2 * (row * samples + frame * hop + n)
        values[2 * n] = window[n]! * input![from]!
        values[2 * n + 1] = window[n]! * input![from + 1]!
      }
      transform(values)
      output.set(values, 2 * size * (row * frames + frame))
    }
  }
}

const names = ["series", "samples", "size", "hop"] as const

const load = `
fn frames() -> u32 { return (p.samples - p.size) / p.hop + 1u; }
fn load(row: u32, i: u32) -> vec2f {
  let at = (row / frames()) * p.samples + (row % frames()) * p.hop + i;
  return (0.5 - 0.5 * cis(6.283185307179586 * f32(i) / f32(p.size)).x) * values[at];
}
`
const code = declare(names, [["values", "vec2f"]], "vec2f") + transformProgram("(p.series * frames())", load)

export const stft: Kernel<StftParams> = {
  name: "stft",
  params: names,
  inputs: ({ hop, samples, series, size }) => {
    checkTransformSize(size)
    if (samples < size || hop < 1) {
      throw new RangeError(`stft: a series of ${samples} samples has no frame of ${size} every ${hop}.`)
    }
    return [2 * series * samples]
  },
  output: (params) => 2 * params.series * framesOf(params) * params.size,
  reference,
  wgsl: { code, workgroups: (params) => transformWorkgroups(params.series * framesOf(params), params.size) },
  gpujs: null,
  nrmseMax: 1e-5,
  trial: { series: 90, samples: 256, size: 64, hop: 16 },
  sample: ({ samples, series }, random) => [normals(2 * series * samples, random)],
}
