import { expect, it } from "vitest"
import { hopUs } from "../../../core/observation/observation.ts"
import { readingPhaseUs } from "../../../core/vitals/reading-phase.ts"

it("spreads the links of a room over the hops of a second, always in the same way", () => {
  const nodes = Array.from({ length: 6 }, (_, i) => `node-${i + 1}`)
  const links = nodes.flatMap((router) =>
    nodes.filter((other) => other !== router).map((other) => [router, other] as const)
  )
  const phases = links.map(([router, other]) => readingPhaseUs(router, other))
  expect(links.map(([router, other]) => readingPhaseUs(router, other))).toEqual(phases)
  const inHop = Array.from({ length: 10 }, (_, hop) => phases.filter((phaseUs) => phaseUs === hop * hopUs).length)
  expect(inHop.reduce((sum, count) => sum + count, 0)).toBe(30)
  // Three links are the even share of a hop, out of thirty.
  expect(Math.max(...inHop)).toBeLessThanOrEqual(7)
})
