/** Reading of safetensors files: valid files, and the messages for invalid ones. */
import { describe, expect, it } from "vitest"
import { BadWeights, readMetadata, readWeights, tensorOf } from "../../../core/pose/weights.ts"

/** A file with a header and data. */
const fileOf = (header: unknown, data: Uint8Array, headerText = JSON.stringify(header)): Uint8Array => {
  const text = new TextEncoder().encode(headerText)
  const file = new Uint8Array(8 + text.length + data.length)
  new DataView(file.buffer).setBigUint64(0, BigInt(text.length), true)
  file.set(text, 8)
  file.set(data, 8 + text.length)
  return file
}

const values = Float32Array.of(1, 2, 3, 4, 5, 6)
const header = {
  __metadata__: { model_version: "one" },
  a: { dtype: "F32", shape: [2, 2], data_offsets: [0, 16] },
  b: { dtype: "F32", shape: [2], data_offsets: [16, 24] },
}
const data = new Uint8Array(values.buffer)

describe("weights", () => {
  it("are the arrays and the metadata of a file, wherever it lies in memory", () => {
    const file = fileOf(header, data)
    const shifted = new Uint8Array(file.length + 3)
    shifted.set(file, 3)
    for (const bytes of [file, shifted.subarray(3), Buffer.from(file)]) {
      const weights = readWeights(bytes)
      expect(weights.metadata).toEqual({ model_version: "one" })
      expect(tensorOf(weights, "a", [2, 2])).toEqual(Float32Array.of(1, 2, 3, 4))
      expect(tensorOf(weights, "b", [2])).toEqual(Float32Array.of(5, 6))
    }
  })

  it("have their metadata at the start of a file, as text only", () => {
    const file = fileOf(header, data)
    expect(readMetadata(file.subarray(0, file.length - data.length))).toEqual({ model_version: "one" })
    expect(readMetadata(fileOf({ __metadata__: { model_version: 1, a: "b" } }, data))).toEqual({ a: "b" })
    expect(readMetadata(fileOf({ __metadata__: null }, data))).toEqual({})
    expect(() => readMetadata(file.subarray(0, 20))).toThrow(BadWeights)
  })

  it("name a missing array, or one of another shape", () => {
    const weights = readWeights(fileOf(header, data))
    expect(() => tensorOf(weights, "c", [3])).toThrow("lack c of shape [3]")
    expect(() => tensorOf(weights, "a", [4])).toThrow("a has shape [2,2]; the network takes [4]")
    const infinite = readWeights(fileOf(header, new Uint8Array(values.map((value) => value / 0).buffer)))
    expect(() => tensorOf(infinite, "a", [2, 2])).toThrow("not finite numbers")
  })

  it.each([
    ["an empty file", new Uint8Array()],
    ["a header longer than the file", fileOf(header, data).subarray(0, 40)],
    ["a header that is not JSON", fileOf(null, data, "{a")],
    ["a header that is not an object", fileOf(7, data)],
    ["a type that is not F32", fileOf({ a: { dtype: "F16", shape: [2], data_offsets: [0, 8] } }, data)],
    ["offsets past the end", fileOf({ a: { dtype: "F32", shape: [2], data_offsets: [20, 28] } }, data)],
    ["offsets of another size", fileOf({ a: { dtype: "F32", shape: [3], data_offsets: [0, 8] } }, data)],
    ["an invalid shape", fileOf({ a: { dtype: "F32", shape: [-1], data_offsets: [0, 8] } }, data)],
    ["an invalid entry", fileOf({ a: 3 }, data)],
  ])("are not read from %s", (_, file) => expect(() => readWeights(file)).toThrow(BadWeights))
})
