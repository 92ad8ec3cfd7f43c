/** Every kernel on every backend of this machine, compared with its reference. */
import { readdirSync, readFileSync } from "node:fs"
import fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import { backendSources, openGpuJs } from "../../../../actors/runtime/kernels/kernel-sources.ts"
import { judge, judgementOf, nrmse } from "../../../../actors/runtime/kernels/backend-selftest.ts"
import type { KernelBackend } from "../../../../actors/runtime/kernels/kernel-backend.ts"
import { benchKernels, kernels } from "../../../../core/kernels/kernels.ts"
import { uniform } from "../../../../core/kernels/samples.ts"
import { typedArraysBackend } from "../../../../actors/runtime/kernels/typed-arrays-backend.ts"
import { shapesOf } from "../../../core/kernels/shapes.ts"
import { compilingMs } from "../../../harness/compiling.ts"

type Gpu = { readonly requestAdapter: () => Promise<unknown> }
const adapter = await (globalThis as { navigator?: { gpu?: Gpu } }).navigator?.gpu?.requestAdapter() ?? null

const cases: Readonly<Record<string, () => Promise<KernelBackend | null>>> = {
  "typed-arrays": () => Promise.resolve(typedArraysBackend),
  "gpujs webasm": () => openGpuJs("webasm"),
  "gpujs cpu": () => openGpuJs("cpu"),
  "gpujs webgpu": () => adapter === null ? Promise.resolve(null) : openGpuJs("webgpu"),
  ...Object.fromEntries(backendSources.filter(({ name }) => name !== "gpujs").map(({ name, open }) => [name, open])),
}

const all = [...kernels, ...benchKernels]
const opened = await Promise.all(
  Object.entries(cases).map(async ([name, open]) => ({ name, backend: await open() })),
)

describe.each(opened)("kernels on $name", ({ backend }) => {
  if (backend === null) return it.skip("this machine has no such device", () => {})
  afterAll(() => backend.close())
  const own = all.filter((kernel) => backend.has(kernel, kernel.trial)).map((kernel) => ({
    kernel,
    name: kernel.name,
  }))

  describe.each(own)("$name", ({ kernel }) => {
    it("agrees with the reference on every shape", async () => {
      const { edges, random } = shapesOf[kernel.name]!
      for (const params of [...edges, kernel.trial]) {
        const error = await judge(backend, kernel, judgementOf(kernel, params, uniform(3)))
        expect(error, JSON.stringify(params)).toBeLessThanOrEqual(kernel.nrmseMax)
      }
      await fc.assert(
        fc.asyncProperty(random, fc.nat(), async (params, seed) => {
          const error = await judge(backend, kernel, judgementOf(kernel, params, uniform(seed)))
          expect(error).toBeLessThanOrEqual(kernel.nrmseMax)
        }),
        { seed: 5, numRuns: 8 },
      )
    }, compilingMs)

    it(
      "agrees with the reference on zeros, and is finite wherever the reference is beside a value that is not",
      async () => {
        const zeros = kernel.inputs(kernel.trial).map((length) => new Float32Array(length))
        const outputOf = async (inputs: ReadonlyArray<Float32Array>, by: KernelBackend) => {
          const output = new Float32Array(kernel.output(kernel.trial))
          await by.run(kernel, kernel.trial, inputs, output)
          return output
        }
        const expected = await outputOf(zeros, typedArraysBackend)
        expect(nrmse(await outputOf(zeros, backend), expected)).toBeLessThanOrEqual(kernel.nrmseMax)
        for (const broken of [Number.NaN, Number.POSITIVE_INFINITY]) {
          for (let input = 0; input < zeros.length; input++) {
            const inputs = kernel.sample(kernel.trial, uniform(4))
            inputs[input]![inputs[input]!.length >> 1] = broken
            const finite = (await outputOf(inputs, typedArraysBackend)).map((value) => Number(Number.isFinite(value)))
            const own = await outputOf(inputs, backend)
            const lost = finite.findIndex((known, i) => known === 1 && !Number.isFinite(own[i]))
            expect(lost, `input ${input} with ${broken}`).toBe(-1)
          }
        }
      },
      compilingMs,
    )

    it("returns the same bits again, whatever runs concurrently", async () => {
      const { expected, inputs, params } = judgementOf(kernel, kernel.trial, uniform(9))
      const outputs = Array.from({ length: 3 }, () => new Float32Array(expected.length))
      await backend.run(kernel, params, inputs, outputs[0]!)
      await Promise.all(outputs.slice(1).map((output) => backend.run(kernel, params, inputs, output)))
      expect(outputs[1]).toEqual(outputs[0])
      expect(outputs[2]).toEqual(outputs[0])
    }, compilingMs)

    it("rejects arrays of the wrong length, and continues to work", async () => {
      const { expected, inputs, params } = judgementOf(kernel, shapesOf[kernel.name]!.edges[0]!, uniform(2))
      const output = new Float32Array(expected.length)
      const rejected = [
        backend.run(kernel, params, inputs.slice(1), output),
        backend.run(kernel, params, inputs, new Float32Array(expected.length + 1)),
        backend.run(kernel, { ...params, [kernel.params[0]!]: 1.5 }, inputs, output),
      ]
      for (const call of rejected) await expect(call).rejects.toThrow(RangeError)
      await backend.run(kernel, params, inputs, output)
    }, compilingMs)
  })
})

describe("kernels", () => {
  it("have unique names and shapes", () => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
    expect(Object.keys(shapesOf).sort()).toEqual(all.map(({ name }) => name).sort())
  })

  it("that the start tests are those that the core places", () => {
    const core = new URL("../../../../core/", import.meta.url)
    const placed = readdirSync(core, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts") && !path.startsWith("kernels"))
      .flatMap((path) => [...readFileSync(new URL(path, core), "utf8").matchAll(/\bkernel: (\w+)/g)])
      .map(([, name]) => name!.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`))
    expect(new Set(placed)).toEqual(new Set(kernels.map(({ name }) => name)))
  })

  it.each([
    ["fft", { batch: 1, size: 48 }],
    ["fft", { batch: 1, size: 8192 }],
    ["dense", { batch: 1, inputs: 1, outputs: 1, activation: 4 }],
    ["matched-field", { points: 1, links: 1, entries: 1, antennas: 1 }],
  ])("%s rejects %j", (name, params) => {
    expect(() => all.find((kernel) => kernel.name === name)!.inputs(params)).toThrow(RangeError)
  })
})
