import { describe, expect, it } from "vitest"
import { emptyWindowSums, PairSums, type PairWindow, type WindowSums } from "../../../core/signal/pair-sums.ts"
import { uniform } from "./channel.ts"

const values = 5

const emptySums = (): WindowSums => emptyWindowSums(values)

/** The same from the slots themselves. */
const summedAnew = (sums: PairSums, { count }: PairWindow): WindowSums => {
  const total = emptySums()
  for (let back = 0; back < count; back++) {
    for (let k = 0; k < values; k++) {
      const i = sums.slotAt(back) * values + k
      total.products[k]! += sums.products[i]!
      total.sums[k]! += sums.sums[i]!
      total.squares[k]! += sums.squares[i]!
    }
  }
  return total
}

const packet = (random: () => number): Float32Array => Float32Array.from({ length: values }, () => random() - 0.5)

describe("pair sums", () => {
  it("cover 4 s and 200 pairs within 30 s, and longer only for 50 pairs", () => {
    const windowAt = (pairsPerHop: number, everyHops: number, hops: number) => {
      const sums = new PairSums(values)
      const random = uniform(3)
      for (let hop = 0; hop < hops; hop += everyHops) {
        for (let i = 0; i < pairsPerHop; i++) sums.add(hop, packet(random), packet(random), i === 0)
      }
      const { hops: length, pairs, whole } = sums.upTo(hops - 1)
      return { length, pairs, whole }
    }
    expect(windowAt(10, 1, 1000)).toEqual({ length: 40, pairs: 400, whole: true })
    expect(windowAt(10, 1, 30)).toEqual({ length: 30, pairs: 300, whole: false })
    expect(windowAt(3, 1, 1000)).toEqual({ length: 67, pairs: 201, whole: true })
    expect(windowAt(1, 1, 100)).toEqual({ length: 100, pairs: 100, whole: true })
    expect(windowAt(1, 1, 98)).toMatchObject({ whole: false })
    expect(windowAt(1, 3, 3000)).toMatchObject({ pairs: 100, whole: true })
    expect(windowAt(1, 40, 3000)).toMatchObject({ pairs: 51, whole: true })
  })

  it("tell a step from motion by its share of the variance, whatever is constant", () => {
    const shareOf = (value: (hop: number, k: number) => number) => {
      const random = uniform(9)
      const sums = new PairSums(values)
      const at = (hop: number) =>
        Float32Array.from({ length: values }, (_, k) => k < 2 ? 3 : value(hop, k) + 0.01 * (random() - 0.5))
      for (let hop = 0; hop < 40; hop++) for (let i = 0; i < 5; i++) sums.add(hop, at(hop), at(hop), i === 0)
      return sums.stepShare(sums.upTo(39))
    }
    expect(shareOf((hop) => hop < 12 ? 0 : 1)).toBeGreaterThan(0.95)
    expect(shareOf((hop, k) => Math.sin(hop + k))).toBeLessThan(0.3)
    expect(shareOf(() => 0)).toBeLessThan(0.2)
  })

  it("follow the window at any packet rate", () => {
    const random = uniform(7)
    const sums = new PairSums(values)
    let widest = 0
    let narrowest = Infinity
    for (let hop = 0; hop < 4000; hop++) {
      // Busy, quiet and silent stretches, so that the window grows at both ends, shrinks and restarts.
      const busy = [12, 0.3, 2, 0, 30, 0.05][Math.floor(hop / 230) % 6]!
      for (let i = 0; i < busy + random() - 0.5; i++) sums.add(hop, packet(random), packet(random), random() < 0.1)
      const window = sums.upTo(hop)
      if (window.pairs === 0 || hop % 7 === 3) continue
      const total = emptySums()
      sums.total(window, total)
      const anew = summedAnew(sums, window)
      for (const name of ["products", "sums", "squares"] as const) {
        for (let k = 0; k < values; k++) expect(total[name][k]).toBeCloseTo(anew[name][k]!, 9)
      }
      widest = Math.max(widest, window.hops)
      narrowest = Math.min(narrowest, window.hops)
    }
    expect(widest).toBeGreaterThan(200)
    expect(narrowest).toBeLessThan(10)
  })
})
