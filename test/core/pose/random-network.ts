/** A pose network with random weights, as a file for `readWeights`. */
import { createPoseNetwork, evidenceShapes, networkShapes, type PoseNetwork } from "../../../core/pose/network.ts"
import { readWeights } from "../../../core/pose/weights.ts"
import { createRandom } from "../../../sim/randomness/random.ts"

/** The file of a network whose weights are drawn from a seed. */
export const randomWeights = (
  seed: number,
  metadata: Readonly<Record<string, string>> = {},
  shapes: Readonly<Record<string, ReadonlyArray<number>>> = networkShapes,
): Uint8Array => {
  const random = createRandom(seed, "weights")
  const header: Record<string, unknown> = { __metadata__: { model_version: `random-${seed}`, ...metadata } }
  const values: Array<number> = []
  for (const [name, shape] of Object.entries(shapes)) {
    const length = shape.reduce((product, size) => product * size, 1)
    const scale = 1 / Math.sqrt(shape.at(-1)!)
    header[name] = { dtype: "F32", shape, data_offsets: [4 * values.length, 4 * (values.length + length)] }
    for (let i = 0; i < length; i++) values.push(scale * random.normal())
  }
  const text = new TextEncoder().encode(JSON.stringify(header))
  const file = new Uint8Array(8 + text.length + 4 * values.length)
  new DataView(file.buffer).setBigUint64(0, BigInt(text.length), true)
  file.set(text, 8)
  file.set(new Uint8Array(Float32Array.from(values).buffer), 8 + text.length)
  return file
}

/** The file of a network that states the evidence of its keypoints. */
export const randomEvidentWeights = (seed: number): Uint8Array =>
  randomWeights(seed, {}, { ...networkShapes, ...evidenceShapes })

export const randomNetwork = (seed: number): PoseNetwork => createPoseNetwork(readWeights(randomWeights(seed)))
