import { describe, expect, it } from "vitest"
import { shareAt } from "../../../core/kernels/explained-power.ts"
import { likelihoodOf, looks, rangeLawWeight } from "../../../core/kernels/likelihood.ts"
import { matchedField } from "../../../core/kernels/matched-field.ts"
import { uniform } from "../../../core/kernels/samples.ts"

describe("the likelihood of positions", () => {
  it.each([1, 63, 64, 65, 200])(
    "is the sum over %i links, also where every share is as large as it may be",
    (links) => {
      const sizes = { points: 5, links, entries: 8, antennas: 2 }
      const [tables, perLink, cells] = matchedField.sample(sizes, uniform(links)) as [
        Float32Array,
        Float32Array,
        Float32Array,
      ]
      for (const scale of [1, 1000]) {
        for (let i = 0; i < tables.length; i += 2) tables[i]! *= scale
        const likelihood = new Float64Array(sizes.points)
        likelihoodOf(sizes, { tables, perLink }, cells, likelihood)
        for (let point = 0; point < sizes.points; point++) {
          let [fit, sum, squares] = [0, 0, 0]
          for (let link = 0; link < links; link++) {
            const table = tables.subarray(link * 48, (link + 1) * 48)
            const cell = 4 * (link * sizes.points + point)
            fit -= looks * Math.log(1 - shareAt(table, 2, perLink[2 * link]!, cells, cell))
            const z = perLink[2 * link + 1]! + cells[cell + 3]!
            sum += z
            squares += z * z
          }
          const expected = fit - rangeLawWeight * (squares - sum ** 2 / links)
          expect(Math.abs(likelihood[point]! - expected)).toBeLessThan(1e-9 * Math.max(1, Math.abs(expected)))
        }
      }
    },
  )
})
