/** Random inputs of the pose network. */
import { tokenSize } from "../../core/pose/link-token.ts"
import { memorySize, type PoseInputs, trackSize } from "../../core/pose/network.ts"
import { createRandom } from "../../sim/randomness/random.ts"

/** Persons with all of their tokens; each has a memory already. */
export const randomPoseInputs = (persons: number, tokensEach: number, seed = persons): PoseInputs => {
  const random = createRandom(seed, "inputs")
  const normals = (length: number) => Float32Array.from({ length }, () => random.normal())
  return {
    persons,
    tokensEach,
    tokens: normals(persons * tokensEach * tokenSize),
    mask: new Float32Array(persons * tokensEach).fill(1),
    tracks: normals(persons * trackSize),
    memory: normals(persons * memorySize).map(Math.tanh),
  }
}
