import { describe, expect, it } from "vitest"
import { BatchReduction } from "../../../actors/router/batch-reduction.ts"
import type { Source } from "../../../core/formats/csi-batch.ts"
import { hopOf, hopUs, type Observation, shedHopsMax } from "../../../core/observation/observation.ts"
import { exampleBatch } from "../../protocols/grpc/batches.ts"

const startUs = 1_700_000_000 * 1_000_000

/** The batch of a hop. */
const batchOf = (hop: number, source: Source = "live") => ({
  ...exampleBatch("r", hop, { frameCount: 10, startUs: startUs + hop * hopUs }),
  source,
})

/** Reduces the batch of a hop in time. */
const reducing = (reduction: BatchReduction) => (hop: number) =>
  reduction.reduce(batchOf(hop), (startUs + hop * hopUs) / 1000).observations

/** The hop of an observation, and those that it names as left out. */
const namedBy = ({ hop, shedHops }: Observation) => [hop - hopOf(startUs), shedHops?.map((one) => one - hopOf(startUs))]

/** Which of the hops 0 to 19 a router leaves out that has just seen a hop in time, and gets them all two seconds late. */
const leftOut = (source: Source): ReadonlyArray<number> => {
  const reduction = new BatchReduction("r")
  const nowMsOf = (hop: number) => (startUs + hop * hopUs) / 1000
  reduction.isOvertaken(batchOf(-1, source), batchOf(-1, source), nowMsOf(0))
  const waiting = Array.from({ length: 20 }, (_, hop) => batchOf(hop, source))
  return waiting.flatMap((batch, hop) => reduction.isOvertaken(batch, waiting.at(-1)!, nowMsOf(40)) ? [hop] : [])
}

describe("a router's batches that waited", () => {
  it("are left out when they are old, but for the newest and the hop that it completes", () => {
    expect(leftOut("live")).toEqual(Array.from({ length: 18 }, (_, hop) => hop))
  })

  it("are named by the first observation after them, but for hops of which packets were reduced", () => {
    const reduction = new BatchReduction("r")
    const reduce = reducing(reduction)
    const before = [reduce(0), reduce(1)].flat()
    for (const hop of [0, 1, 2, 3, 4, 5]) reduction.leaveOut(batchOf(hop))
    expect([before, reduce(5), reduce(6), reduce(7)].flat().map(namedBy))
      .toEqual([[0, undefined], [1, undefined], [5, [2, 3, 4]], [6, undefined]])
    for (const hop of [8, 9]) reduction.leaveOut(batchOf(hop))
    expect([reduce(10), reduction.endLastHop()].flat().map(namedBy)).toEqual([[7, undefined], [10, [8, 9]]])
  })

  it("are named as far as they are soon after the last observation, whatever times they have", () => {
    const reduction = new BatchReduction("r")
    const reduce = reducing(reduction)
    reduce(0)
    reduce(1)
    const hops = Array.from({ length: 1_000 }, (_, i) => [-i, 10 * (i + 1)]).flat()
    reduction.leaveOut({ ...batchOf(0), timestampsUs: Float64Array.from(hops, (hop) => startUs + hop * hopUs) })
    expect([reduce(20_000), reduce(20_001)].flat().map(namedBy)).toEqual([
      [1, undefined],
      [20_000, Array.from({ length: shedHopsMax / 10 }, (_, i) => 10 * (i + 1))],
    ])
  })

  it("are all reduced in a replay", () => {
    expect(leftOut("replay")).toEqual([])
  })
})

describe("a batch that arrives after a later one", () => {
  it("counts as late for the first time, and as repeated after that", () => {
    const reduction = new BatchReduction("r")
    const nowMs = startUs / 1000
    reduction.reduce(batchOf(1), nowMs)
    expect(reduction.isTaken(batchOf(1))).toBe(true)
    expect(reduction.isTaken(batchOf(0))).toBe(false)
    expect(reduction.reduce(batchOf(0), nowMs).dropped.late).toBe(10)
    expect(reduction.isTaken(batchOf(0))).toBe(true)
    expect(reduction.lastEventMs).toBe(batchOf(1).timestampsUs.at(-1)! / 1000)
    expect(reduction.endLastHop().map(({ hop }) => hop)).toEqual([hopOf(startUs) + 1])
  })
})

describe("the clock of a router", () => {
  /** The lag of its clock after two seconds, of which the last packets arrive this late. */
  const lagAfter = (behindMs: number, lateMs: number) => {
    const reduction = new BatchReduction("r")
    for (let hop = 0; hop < 20; hop++) {
      const endMs = (startUs + (hop + 1) * hopUs) / 1000
      reduction.reduce(batchOf(hop), endMs + behindMs + (hop < 10 ? 0 : (hop - 9) * lateMs / 10))
    }
    return reduction.clockLagMs!
  }

  it("is not wrong by the delay of a queue of late packets", () => {
    expect(new BatchReduction("r").clockLagMs).toBeNull()
    expect(lagAfter(0, 5_000) - lagAfter(0, 0)).toBeLessThan(10)
  })

  it("is wrong by what its earliest packets are behind, too", () => {
    for (const lateMs of [0, 5_000]) {
      expect(lagAfter(800, lateMs) - lagAfter(0, 0)).toBeCloseTo(800, -1)
      expect(lagAfter(-800, lateMs) - lagAfter(0, 0)).toBeCloseTo(-800, -1)
    }
  })
})
