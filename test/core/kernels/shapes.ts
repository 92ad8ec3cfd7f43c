/** Parameters that the conformance suite calls kernels with: the smallest, odd ones, those past a workgroup or a tile, and random ones. */
import fc from "fast-check"
import type { Params } from "../../../core/kernels/kernel.ts"

interface Shapes {
  readonly edges: ReadonlyArray<Params>
  readonly random: fc.Arbitrary<Params>
}

const upTo = (max: number, min = 1) => fc.integer({ min, max })
const sizes = (max: number) => fc.integer({ min: 4, max }).map((bits) => 2 ** bits)

export const shapesOf: Readonly<Record<string, Shapes>> = {
  "complex-gemm": {
    edges: [
      { batch: 1, m: 1, k: 1, n: 1 },
      { batch: 3, m: 33, k: 17, n: 31 },
      { batch: 1, m: 65, k: 129, n: 34 },
    ],
    random: fc.record({ batch: upTo(4), m: upTo(50), k: upTo(50), n: upTo(50) }),
  },
  fft: {
    edges: [16, 32, 64, 128, 256, 512, 1024, 2048, 4096].map((size) => ({ batch: 3, size })),
    random: fc.record({ batch: upTo(70), size: sizes(8) }),
  },
  "back-projection": {
    edges: [
      { points: 1, links: 1, antennas: 1, tones: 1, snapshots: 1 },
      { points: 65, links: 3, antennas: 2, tones: 14, snapshots: 5 },
      { points: 130, links: 2, antennas: 3, tones: 56, snapshots: 1 },
    ],
    random: fc.record({ points: upTo(200), links: upTo(5), antennas: upTo(4), tones: upTo(40), snapshots: upTo(5) }),
  },
  "matched-field": {
    edges: [
      { points: 1, links: 1, entries: 2, antennas: 1 },
      { points: 65, links: 3, entries: 7, antennas: 2 },
      { points: 4096, links: 4, entries: 90, antennas: 4 },
    ],
    random: fc.record({ points: upTo(300), links: upTo(20), entries: upTo(80, 2), antennas: upTo(4) }),
  },
  "steered-spectra": {
    edges: [
      { links: 1, rows: 1, values: 1, places: 1, channels: 1, reach: 0 },
      { links: 2, rows: 33, values: 9, places: 5, channels: 5, reach: 4 },
      { links: 30, rows: 512, values: 12, places: 7, channels: 5, reach: 11 },
    ],
    random: fc.record({
      links: upTo(6),
      rows: upTo(70),
      values: upTo(20),
      places: upTo(20),
      channels: upTo(6),
      reach: upTo(12, 0),
    }),
  },
  dense: {
    edges: [
      { batch: 1, inputs: 1, outputs: 1, activation: 0 },
      { batch: 33, inputs: 17, outputs: 65, activation: 1 },
      { batch: 3, inputs: 130, outputs: 31, activation: 3 },
    ],
    random: fc.record({ batch: upTo(50), inputs: upTo(80), outputs: upTo(80), activation: upTo(3, 0) }),
  },
  "attention-pool": {
    edges: [
      { batch: 1, queries: 1, tokens: 1, heads: 1, width: 1 },
      { batch: 3, queries: 2, tokens: 65, heads: 3, width: 5 },
      { batch: 2, queries: 1, tokens: 200, heads: 2, width: 70 },
    ],
    random: fc.record({ batch: upTo(4), queries: upTo(4), tokens: upTo(140), heads: upTo(4), width: upTo(40) }),
  },
}
