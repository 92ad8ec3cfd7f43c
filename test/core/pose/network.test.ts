/** The network's forward pass: its invariants, on random weights; agreement with PyTorch is in `reference.test.ts`. */
import { describe, expect, it } from "vitest"
import { joinInputs, splitOutputs } from "../../../core/pose/batch.ts"
import { tokenSize } from "../../../core/pose/link-token.ts"
import { forward, outputLayout, type PoseInputs, type PoseOutputs } from "../../../core/pose/network.ts"
import { randomPoseInputs } from "../../harness/pose-inputs.ts"
import { compute } from "../../harness/compute.ts"
import { randomNetwork } from "./random-network.ts"

const network = randomNetwork(1)

const inputsOf = (persons: number, tokensEach: number, seed = 1): PoseInputs =>
  randomPoseInputs(persons, tokensEach, seed)

const answer = (inputs: PoseInputs): PoseOutputs => compute(forward(network, inputs))

const expectClose = (a: Float32Array, b: Float32Array): void => {
  expect(a.length).toBe(b.length)
  for (const [i, value] of a.entries()) expect(value).toBeCloseTo(b[i]!, 5)
}

describe("the pose network", () => {
  it("is independent of the order of the tokens", () => {
    const inputs = inputsOf(1, 5)
    const tokens = new Float32Array(inputs.tokens.length)
    for (const [to, from] of [3, 0, 4, 1, 2].entries()) {
      tokens.set(inputs.tokens.subarray(from * tokenSize, (from + 1) * tokenSize), to * tokenSize)
    }
    expectClose(answer({ ...inputs, tokens }).values, answer(inputs).values)
  })

  it("ignores masked tokens", () => {
    const inputs = inputsOf(1, 5)
    const mask = Float32Array.of(1, 1, 1, 0, 0)
    const tokens = inputs.tokens.slice()
    tokens.fill(99, 3 * tokenSize)
    expectClose(answer({ ...inputs, mask, tokens }).values, answer({ ...inputs, mask }).values)
    const fewer = { ...inputs, tokensEach: 3, tokens: inputs.tokens.slice(0, 3 * tokenSize), mask: mask.slice(0, 3) }
    expectClose(answer(fewer).values, answer({ ...inputs, mask }).values)
  })

  it("has memory: the same step twice gives two outputs, from one memory the same", () => {
    const inputs = inputsOf(1, 4)
    const first = answer(inputs)
    const second = answer({ ...inputs, memory: first.memory })
    expect(second.values).not.toEqual(first.values)
    expect(answer({ ...inputs, memory: first.memory })).toEqual(second)
  })

  it("gives finite outputs without any token", () => {
    const { memory, values } = answer({ ...inputsOf(1, 4), mask: new Float32Array(4) })
    expect([...values, ...memory].every(Number.isFinite)).toBe(true)
    expect(values).toHaveLength(outputLayout.size)
  })
})

describe("a batch", () => {
  it("gives each person the same outputs as alone, in any room", () => {
    const parts = [inputsOf(2, 5, 1), inputsOf(1, 3, 2), inputsOf(3, 4, 3)]
    const together = splitOutputs(answer(joinInputs(parts)), parts.map(({ persons }) => persons))
    for (const [i, part] of parts.entries()) {
      const alone = answer(part)
      expectClose(together[i]!.values, alone.values)
      expectClose(together[i]!.memory, alone.memory)
    }
  })
})
