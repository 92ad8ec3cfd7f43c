/** The service's own weights give PyTorch's outputs (recorded by `sim/training/reference.py`). */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { activityStates } from "../../../core/activity/sample.ts"
import type { Vector3 } from "../../../core/imaging/geometry.ts"
import { drawJoints, evidenceParts, noHabit } from "../../../core/pose/evidence.ts"
import { tokenSize } from "../../../core/pose/link-token.ts"
import { createPoseNetwork, forward, memorySize, outputLayout, trackSize } from "../../../core/pose/network.ts"
import { keypointNames } from "../../../core/pose/skeleton.ts"
import { readWeights, tensorOf } from "../../../core/pose/weights.ts"
import { compute } from "../../harness/compute.ts"

const persons = 2
const moments = 3
const tokensEach = 6
const toleranceMax = 1e-4

const file = (url: string) => readWeights(readFileSync(new URL(url, import.meta.url)))
const network = createPoseNetwork(file("../../../deploy/models/wavepose.safetensors"))
const reference = file("./reference.safetensors")
const array = (name: string, ...shape: ReadonlyArray<number>): Float32Array => tensorOf(reference, name, shape)

/** One time step of an array of [person][step][width]. */
const at = (values: Float32Array, moment: number, width: number): Float32Array => {
  const out = new Float32Array(persons * width)
  for (let person = 0; person < persons; person++) {
    const from = (person * moments + moment) * width
    out.set(values.subarray(from, from + width), person * width)
  }
  return out
}

const worst = (a: Float32Array, b: Float32Array): number =>
  a.reduce((largest, value, i) => Math.max(largest, Math.abs(value - b[i]!)), 0)

describe("the weights of the service", () => {
  it("give PyTorch's outputs, step by step, with and without links", () => {
    const tokens = array("tokens", persons, moments, tokensEach, tokenSize)
    const mask = array("mask", persons, moments, tokensEach)
    const tracks = array("tracks", persons, moments, trackSize)
    const expected = array("outputs", persons, moments, outputLayout.size)
    let memory: Float32Array = new Float32Array(persons * memorySize)
    for (let moment = 0; moment < moments; moment++) {
      const outputs = compute(forward(network, {
        persons,
        tokensEach,
        tokens: at(tokens, moment, tokensEach * tokenSize),
        mask: at(mask, moment, tokensEach),
        tracks: at(tracks, moment, trackSize),
        memory,
      }))
      memory = outputs.memory
      expect(worst(outputs.values, at(expected, moment, outputLayout.size))).toBeLessThan(toleranceMax)
    }
    expect(worst(memory, array("memory", persons, memorySize))).toBeLessThan(toleranceMax)
  })
})

describe("the drawn joints", () => {
  it("are those of the training, hop by hop", () => {
    const joints = array("joints", 1, moments, keypointNames.length, 3)
    const rests = array("rests", activityStates.length, keypointNames.length, 3)
    const probabilities = array("probabilities", 1, moments, activityStates.length)
    const evidence = array("evidence", 1, moments, evidenceParts.length)
    const speeds = array("speeds", 1, moments)
    const expected = array("drawn", 1, moments, keypointNames.length, 3)
    const part = (values: Float32Array, moment: number): Array<number> =>
      Array.from(values.subarray((moment * values.length) / moments, ((moment + 1) * values.length) / moments))
    let habit = noHabit
    for (let moment = 0; moment < moments; moment++) {
      const flat = part(joints, moment)
      const estimated = keypointNames.map((_, i): Vector3 => [flat[3 * i]!, flat[3 * i + 1]!, flat[3 * i + 2]!])
      const drawn = drawJoints(
        {
          joints: estimated,
          probabilities: part(probabilities, moment),
          evidence: part(evidence, moment),
          speedMps: speeds[moment]!,
        },
        rests,
        habit,
      )
      habit = drawn.habit
      expect(worst(Float32Array.from(drawn.joints.flat()), Float32Array.from(part(expected, moment))))
        .toBeLessThan(toleranceMax)
    }
  })
})
