import { describe, expect, it } from "vitest"
import { estimated, person, sequence, valuesOf } from "./records.ts"

const at = (x: number) => [person(1, x, 0)]

describe("MOTA and IDF1", () => {
  it("are 1 for a track that is always present", () => {
    const values = valuesOf(sequence([0, 1, 2].map((x) => ({ truth: at(x), said: [estimated(7, x + 0.2, 0)] }))))
    expect(values).toMatchObject({ mota: 1, idf1: 1 })
  })

  it("count a switch of identity once, and its cost to the better track", () => {
    const values = valuesOf(sequence([5, 5, 6, 6].map((id) => ({ truth: at(0), said: [estimated(id, 0, 0)] }))))
    // 4 persons, 1 switch; the better track has 2 of 4 persons and of 4 estimates.
    expect(values["mota"]).toBeCloseTo(1 - 1 / 4, 12)
    expect(values["idf1"]).toBeCloseTo(2 * 2 / (4 + 4), 12)
  })

  it("count a switch over a gap too", () => {
    const said = [[estimated(5, 0, 0)], [], [estimated(6, 0, 0)]]
    // 3 persons, 1 missed, 1 switch.
    expect(valuesOf(sequence(said.map((said) => ({ truth: at(0), said }))))["mota"]).toBeCloseTo(1 / 3, 12)
  })

  it("count an estimate beyond the gate as a miss and a false estimate", () => {
    const values = valuesOf(sequence([0, 0, 0, 0.51].map((x) => ({ truth: at(0), said: [estimated(1, x, 0)] }))))
    expect(values["mota"]).toBeCloseTo(1 - 2 / 4, 12)
    expect(values["idf1"]).toBeCloseTo(2 * 3 / (4 + 4), 12)
  })

  it("keep a match within the gate, even when another track comes nearer", () => {
    const values = valuesOf(sequence([
      { truth: at(0), said: [estimated(1, 0.4, 0)] },
      { truth: at(0), said: [estimated(1, 0.4, 0), estimated(2, 0.1, 0)] },
    ]))
    // 2 persons, 1 false, no switch.
    expect(values["mota"]).toBeCloseTo(1 / 2, 12)
  })

  it("assign tracks to persons with the best total", () => {
    // Track 1 is with A for 2 hops and with B for 3, track 2 with A for 3: B gets track 1, A track 2.
    const [a, b] = [person(1, 0, 0), person(2, 5, 0)]
    const hops = [0, 0, 5, 5, 5].map((x, hop) => ({
      truth: [a, b],
      said: [estimated(1, x, 0), ...(hop < 2 ? [] : [estimated(2, 0, 0)])],
    }))
    expect(valuesOf(sequence(hops))["idf1"]).toBeCloseTo(2 * 6 / (10 + 8), 12)
  })

  it("can be below 0, and are null without a person", () => {
    const hops = [{ truth: at(0), said: [estimated(1, 3, 0), estimated(2, 4, 0)] }]
    expect(valuesOf(sequence(hops))["mota"]).toBe(-2)
    expect(valuesOf(sequence([{ truth: [], said: [estimated(1, 0, 0)] }]))).toMatchObject({
      mota: null,
      idf1: null,
      hota: null,
    })
  })
})

describe("HOTA", () => {
  it("counts the thresholds that the similarity reaches", () => {
    // Similarity 0.7: 14 of the 19 thresholds from 0.05 to 0.95.
    const hops = [0, 1, 2].map((x) => ({ truth: at(x), said: [estimated(1, x + 0.3, 0)] }))
    expect(valuesOf(sequence(hops))["hota"]).toBeCloseTo(14 / 19, 12)
  })

  it("is the root of detection times association", () => {
    // Found in 3 of 4 hops, one false track: DetA 3 / 5; the three are 3 of 4 hops of either: AssA 3 / 4.
    const hops = [0, 0, 0, 3].map((x, i) => ({ truth: at(0), said: [estimated(i < 3 ? 1 : 2, x, 0)] }))
    expect(valuesOf(sequence(hops))["hota"]).toBeCloseTo(Math.sqrt(3 / 5 * 3 / 4), 12)
    // Always found, by two tracks in turn of two hops each: AssA 2 / (4 + 2 - 2).
    const switched = [1, 1, 2, 2].map((id) => ({ truth: at(0), said: [estimated(id, 0, 0)] }))
    expect(valuesOf(sequence(switched))["hota"]).toBeCloseTo(Math.sqrt(1 / 2), 12)
  })

  it("pairs by the whole sequence when two are equally near", () => {
    // In the last hop both persons stand between both tracks; only the earlier hops distinguish them.
    const hops = [0, 0, 0].map(() => ({
      truth: [person(1, 0, 0), person(2, 4, 0)],
      said: [estimated(2, 4, 0), estimated(1, 0, 0)],
    }))
    const last = { truth: [person(1, 2, 0), person(2, 2, 0)], said: [estimated(2, 2, 0), estimated(1, 2, 0)] }
    expect(valuesOf(sequence([...hops, last]))["hota"]).toBeCloseTo(1, 12)
  })
})
