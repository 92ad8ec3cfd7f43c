import { describe, expect, it } from "vitest"
import { inner, times } from "../../../core/imaging/hermitian.ts"
import { addOuter, formOf, powerAlong, traceOf, unpack } from "../../../core/imaging/packed-hermitian.ts"
import { createRandom } from "../../../sim/randomness/random.ts"

const random = createRandom(1, "packed")
const vectorOf = (size: number) => Float64Array.from({ length: 2 * size }, () => random.normal())

describe("packed Hermitian matrices", () => {
  for (const size of [1, 2, 3, 8, 15]) {
    const packed = new Float64Array(size * size)
    const parts = Array.from({ length: 5 }, () => vectorOf(size))
    for (const x of parts) addOuter(packed, x, 0, size)

    it(`of order ${size} are the sum of outer products, value by value`, () => {
      const matrix = unpack(packed, size)
      for (let r = 0; r < size; r++) {
        for (let c = 0; c < size; c++) {
          const sum = (of: (x: Float64Array) => number) => parts.reduce((total, x) => total + of(x), 0)
          const re = sum((x) => x[2 * r]! * x[2 * c]! + x[2 * r + 1]! * x[2 * c + 1]!)
          const im = sum((x) => x[2 * r + 1]! * x[2 * c]! - x[2 * r]! * x[2 * c + 1]!)
          expect(matrix[2 * (r * size + c)]).toBeCloseTo(re, 12)
          expect(matrix[2 * (r * size + c) + 1]).toBeCloseTo(im, 12)
        }
      }
    })

    it(`of order ${size} have the power along a vector, and the trace, of the whole matrix`, () => {
      const matrix = unpack(packed, size)
      const x = vectorOf(size)
      expect(powerAlong(packed, formOf(x))).toBeCloseTo(inner(x, times(matrix, x))[0], 9)
      const trace = parts.reduce((total, part) => total + inner(part, part)[0], 0)
      expect(traceOf(packed, size)).toBeCloseTo(trace, 12)
    })
  }
})
