import { describe, expect, it } from "vitest"
import { uniform } from "../../../core/kernels/samples.ts"
import { createRowTransform, createTransform } from "../../../core/math/fourier.ts"

describe("the transform of rows", () => {
  it.each([[16, 1], [64, 12], [128, 5]])(
    "turns %i rows of %i columns each as the transform of one does",
    (size, width) => {
      const random = uniform(1)
      const rows = Float64Array.from({ length: 2 * size * width }, () => random() - 0.5)
      const expected = new Float64Array(rows.length)
      const transform = createTransform(size)
      for (let column = 0; column < width; column++) {
        const values = new Float64Array(2 * size)
        for (let row = 0; row < size; row++) {
          values.set(
            rows.subarray(2 * (row * width + column)).subarray(0, 2),
            2 * row,
          )
        }
        transform(values)
        for (let row = 0; row < size; row++) {
          expected.set(
            values.subarray(2 * row, 2 * row + 2),
            2 * (row * width + column),
          )
        }
      }
      createRowTransform(size)(rows, width)
      expect(rows).toEqual(expected)
    },
  )
})
