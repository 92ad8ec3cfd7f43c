import { describe, expect, it } from "vitest"
import { BatchBuilder, type CsiFrame } from "../../../core/formats/batch-builder.ts"

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

  it("copies what it is given and names each transmitter once", () => {
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
})
