import { describe, expect, it } from "vitest"
import { boxIouOf, oksOf } from "../../../sim/evaluation/detection.ts"
import { estimated, person, sequence, standingAt, valuesOf } from "./records.ts"

/** 17 keypoints on the edge of a box in the view. */
const boxed = (x: number, z: number, width: number, height: number): Array<number> =>
  Array.from({ length: 17 }, (_, i) => [x + (i % 2) * width, 0, z + (i % 3 === 0 ? 0 : height)]).flat()

describe("OKS", () => {
  it("is 1 at the truth, independent of depth", () => {
    const deeper = standingAt(0, 0).map((value, at) => at % 3 === 1 ? value + 2 : value)
    expect(oksOf(standingAt(0, 0), deeper)).toBe(1)
  })

  it("falls with distance over area and the joint's own tolerance", () => {
    // A box of 1 m x 0.5 m: area 0.5 m^2. The nose (sigma 0.026, kappa 0.052) is 0.05 m off, the others are right.
    const truth = boxed(0, 0, 1, 0.5)
    const off = truth.map((value, at) => at === 2 ? value + 0.05 : value)
    const nose = Math.exp(-(0.05 ** 2) / (2 * 0.5 * 0.052 ** 2))
    expect(oksOf(truth, off)).toBeCloseTo((16 + nose) / 17, 12)
  })
})

describe("box IoU", () => {
  it("is intersection over union in the view", () => {
    expect(boxIouOf(boxed(0, 0, 1, 2), boxed(0.5, 0, 1, 2))).toBeCloseTo(1 / 3, 12)
    expect(boxIouOf(boxed(0, 0, 1, 2), boxed(2, 0, 1, 2))).toBe(0)
  })
})

describe("average precision", () => {
  const truth = [person(1, 0, 0), person(2, 4, 0)]

  it("is the area under precision by recall", () => {
    const right = estimated(1, 0, 0, { score: 0.9 })
    // Half of the persons found: the recalls 0 to 0.50, 51 of 101 levels.
    const sure = valuesOf(sequence([{ truth, said: [right, estimated(2, 2, 0, { score: 0.8 })] }]))
    expect(sure["oks_ap"]).toBeCloseTo(51 / 101, 12)
    expect(sure["box_ap50"]).toBeCloseTo(51 / 101, 12)
    // The false one ranks first: precision is one half there.
    const unsure = valuesOf(sequence([{ truth, said: [right, estimated(2, 2, 0, { score: 0.95 })] }]))
    expect(unsure["oks_ap"]).toBeCloseTo(0.5 * 51 / 101, 12)
  })

  it("assigns a person to the estimate with the higher score", () => {
    const said = [estimated(1, 0, 0, { score: 0.9 }), estimated(2, 0, 0, { score: 0.8 })]
    // One right, one false below it: the false one costs nothing at full recall.
    expect(valuesOf(sequence([{ truth: [truth[0]!], said }]))["oks_ap"]).toBeCloseTo(1, 12)
    expect(valuesOf(sequence([{ truth, said }]))["oks_ap"]).toBeCloseTo(51 / 101, 12)
  })

  it("ranks over all hops together", () => {
    const hops = [
      { truth: [truth[0]!], said: [estimated(1, 0, 0, { score: 0.5 })] },
      { truth: [truth[0]!], said: [estimated(1, 2, 0, { score: 0.9 })] },
    ]
    // First a false one, then a right one: precision 1/2 up to a recall of 1/2.
    expect(valuesOf(sequence(hops))["oks_ap"]).toBeCloseTo(0.5 * 51 / 101, 12)
  })

  it("is null without a person and 0 without an estimate", () => {
    expect(valuesOf(sequence([{ truth: [], said: [estimated(1, 0, 0)] }]))["oks_ap"]).toBeNull()
    expect(valuesOf(sequence([{ truth, said: [] }]))["oks_ap"]).toBe(0)
  })
})
