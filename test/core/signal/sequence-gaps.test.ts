import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { SequenceGaps } from "../../../core/signal/sequence-gaps.ts"

const lostIn = (sequences: ReadonlyArray<number>): number => {
  const gaps = new SequenceGaps()
  return sequences.reduce((lost, sequence) => lost + gaps.add(sequence), 0)
}

const range = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, i) => i)

describe("sequence gaps", () => {
  it.each<[string, ReadonlyArray<number>, number]>([
    ["none", [7, 8, 9], 0],
    ["two", [7, 10], 2],
    ["across the wrap of 32 bits", [2 ** 32 - 2, 1], 2],
    ["one that came after all", [7, 9, 8, 10], 0],
    ["the same number twice", [7, 7, 8], 0],
    ["a device that started anew", [50_000, 3, 4], 0],
    ["every second one after a device started anew", [...range(8000), ...range(200).map((n) => 2 * n)], 199],
    ["as many before a device started anew", [0, 801, ...range(2000)], 800],
    ["none of a short run that is repeated", [...range(50), ...range(50), 50], 0],
    ["a jump too far to be loss", [3, 50_000, 50_001], 0],
  ])("%s", (_, sequences, lost) => {
    expect(lostIn(sequences)).toBe(lost)
  })

  it("counts exactly the packets missing from a run", () => {
    fc.assert(fc.property(fc.array(fc.boolean(), { minLength: 2, maxLength: 300 }), (kept) => {
      const sequences = kept.flatMap((is, i) => is || i === 0 || i === kept.length - 1 ? [i + 1] : [])
      expect(lostIn(sequences)).toBe(kept.length - sequences.length)
    }))
  })

  it("detects a device without a counter", () => {
    const gaps = new SequenceGaps()
    gaps.add(0)
    expect(gaps.counts).toBe(false)
    gaps.add(1)
    expect(gaps.counts).toBe(true)
  })
})
