/**
 * Kernel `fft`: batched complex discrete Fourier transform (`core/math/fourier.ts`).
 *
 * Input: [batch][size] complex, size a power of two from 16 to 4096. Output: the same shape.
 */
import { checkTransformSize, createTransform } from "../math/fourier.ts"
import { transformProgram, transformWorkgroups } from "./fourier-wgsl.ts"
import type { Kernel } from "./kernel.ts"
import { normals } from "./samples.ts"
import { declare } from "./wgsl.ts"

interface FftParams extends Readonly<Record<string, number>> {
  readonly batch: number
  readonly size: number
}

const reference: Kernel<FftParams>["reference"] = ({ batch, size }, [input], output) => {
  const transform = createTransform(size)
  const values = new Float64Array(2 * size)
  for (let row = 0; row < batch; row++) {
    values.set(input!.subarray(2 * size * row, 2 * size * (row + 1)))
    transform(values)
    output.set(values, 2 * size * row)
  }
}

const params = ["batch", "size"] as const

const code = declare(params, [["values", "vec2f"]], "vec2f") +
  transformProgram("p.batch", "fn load(row: u32, i: u32) -> vec2f { return values[row * p.size + i]; }")

export const fft: Kernel<FftParams> = {
  name: "fft",
  params,
  inputs: ({ batch, size }) => {
    checkTransformSize(size)
    return [2 * batch * size]
  },
  output: ({ batch, size }) => 2 * batch * size,
  reference,
  wgsl: { code, workgroups: ({ batch, size }) => transformWorkgroups(batch, size) },
  gpujs: null,
  nrmseMax: 1e-5,
  trial: { batch: 64, size: 1024 },
  sample: ({ batch, size }, random) => [normals(2 * batch * size, random)],
}
