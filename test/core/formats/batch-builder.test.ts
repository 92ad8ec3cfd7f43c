import { describe, expect, it } from "vitest"
import { BatchBuilder, type CsiFrame } from "../../../core/formats/batch-builder.ts"
import type { CsiBatch } from "../../../core/formats/csi-batch.ts"

const frame = (over: Partial<CsiFrame> = {}, antennas = 1): CsiFrame => ({
  layout: {
    format: "test",
    receiveAntennas: antennas,
    transmitAntennas: 1,
    subcarrierIndices: Int16Array.of(-1, 1),
    subcarrierSpacingHz: 312_500,
    centerFrequencyHz: 2.4e9,
    bandwidthHz: 20e6,
  },
  timestampUs: 0,
  sequence: 1,
  rssiDbm: -50,
  noiseFloorDbm: -90,
  transmitterId: "a",
  csi: new Float32Array(4 * antennas).fill(antennas),
  ...over,
})

describe("batch builder", () => {
  it("ends a batch when the layout changes, when time steps back, and when it is full", () => {
    const builder = new BatchBuilder({ routerId: "r", source: "live" })
    expect(builder.take()).toEqual([])
    builder.add(frame({ timestampUs: 5 }))
    builder.add(frame({ timestampUs: 5 }))
    builder.add(frame({ timestampUs: 6 }, 2))
    builder.add(frame({ timestampUs: 4 }, 2))
    for (let i = 1; i <= 256; i++) builder.add(frame({ timestampUs: 4 + i }, 2))
    expect(builder.take().map(({ batchSequence, frameCount }) => [batchSequence, frameCount]))
      .toEqual([[1, 2], [2, 1], [3, 256], [4, 1]])
  })

  it("puts fewer frames into a batch when they are long", () => {
    const subcarrierIndices = Int16Array.from({ length: 4096 }, (_, i) => i)
    const long = { ...frame().layout, receiveAntennas: 4, transmitAntennas: 4, subcarrierIndices }
    const csi = new Float32Array(4 * 4 * 4096 * 2)
    const builder = new BatchBuilder({ routerId: "r", source: "live" })
    for (let i = 0; i < 20; i++) builder.add(frame({ layout: long, csi }))
    expect(builder.take().map(({ frameCount }) => frameCount)).toEqual([16, 4])
  })

  it("copies its input and names each transmitter once", () => {
    const builder = new BatchBuilder({ routerId: "r", source: "live" })
    const csi = Float32Array.of(1, 2, 3, 4)
    builder.add(frame({ csi, transmitterId: "b" }))
    csi.fill(9)
    builder.add(frame({ transmitterId: "a" }))
    builder.add(frame({ transmitterId: "b" }))
    const [batch] = builder.take()
    expect([...batch!.csi.slice(0, 4)]).toEqual([1, 2, 3, 4])
    expect(batch!.transmitterIds).toEqual(["b", "a"])
    expect([...batch!.transmitterIndex]).toEqual([0, 1, 0])
    builder.add(frame())
    expect(builder.take()).toMatchObject([{ transmitterIds: ["a"], batchSequence: 2 }])
  })

  it("keeps the type of the samples, and ends a batch where it changes", () => {
    const builder = new BatchBuilder({ routerId: "r", source: "live" })
    for (const csi of [Int16Array.of(1, -2, 3, 30_000), Int8Array.of(1, 2, 3, -4), Float32Array.of(0.5, 1, 2, 3)]) {
      builder.add(frame({ csi }))
      builder.add(frame({ csi }))
    }
    const batches = builder.take()
    expect(batches.map(({ csi }) => csi)).toEqual([
      Int16Array.of(1, -2, 3, 30_000, 1, -2, 3, 30_000),
      Int8Array.of(1, 2, 3, -4, 1, 2, 3, -4),
      Float32Array.of(0.5, 1, 2, 3, 0.5, 1, 2, 3),
    ])
  })

  it("reuses the memory of a batch only after it was returned", () => {
    const builder = new BatchBuilder({ routerId: "r", source: "live" })
    const batchOf = (value: number, frames = 100): CsiBatch => {
      for (let i = 0; i < frames; i++) builder.add(frame({ csi: new Float32Array(4).fill(value) }))
      return builder.take()[0]!
    }
    batchOf(0)
    const first = batchOf(1)
    const second = batchOf(2)
    expect(second.csi.buffer).not.toBe(first.csi.buffer)
    builder.recycle(first)
    builder.recycle(first)
    const third = batchOf(3)
    const fourth = batchOf(4)
    expect(third.csi.buffer).toBe(first.csi.buffer)
    expect(fourth.csi.buffer).not.toBe(third.csi.buffer)
    expect([second, third, fourth].map(({ csi }) => [csi.length, csi[0], csi.at(-1)]))
      .toEqual([[400, 2, 2], [400, 3, 3], [400, 4, 4]])
    builder.recycle(fourth)
    expect(batchOf(5, 200).csi).toEqual(new Float32Array(800).fill(5))
  })

  it("ignores returned memory of other builders", () => {
    const builder = new BatchBuilder({ routerId: "r", source: "live" })
    const other = new BatchBuilder({ routerId: "r", source: "live" })
    other.add(frame())
    const [foreign] = other.take()
    builder.recycle(foreign!)
    builder.add(frame({ csi: new Float32Array(4).fill(7) }))
    expect(builder.take()[0]!.csi.buffer).not.toBe(foreign!.csi.buffer)
    expect([...foreign!.csi]).toEqual([1, 1, 1, 1])
  })
})
