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
    expect(builder.flush()).toBeNull()
    expect(builder.add(frame({ timestampUs: 5 }))).toBeNull()
    expect(builder.add(frame({ timestampUs: 5 }))).toBeNull()
    expect(builder.add(frame({ timestampUs: 6 }, 2))).toMatchObject({ frameCount: 2, batchSequence: 1 })
    expect(builder.add(frame({ timestampUs: 4 }, 2))).toMatchObject({ frameCount: 1, batchSequence: 2 })
    for (let i = 1; i < 256; i++) expect(builder.add(frame({ timestampUs: 4 + i }, 2))).toBeNull()
    expect(builder.add(frame({ timestampUs: 999 }, 2))).toMatchObject({ frameCount: 256 })
  })

  it("copies what it is given and names each transmitter once", () => {
    const builder = new BatchBuilder({ routerId: "r", source: "live" })
    const csi = Float32Array.of(1, 2, 3, 4)
    builder.add(frame({ csi, transmitterId: "b" }))
    csi.fill(9)
    builder.add(frame({ transmitterId: "a" }))
    builder.add(frame({ transmitterId: "b" }))
    const batch = builder.flush()!
    expect([...batch.csi.slice(0, 4)]).toEqual([1, 2, 3, 4])
    expect(batch.transmitterIds).toEqual(["b", "a"])
    expect([...batch.transmitterIndex]).toEqual([0, 1, 0])
    builder.add(frame())
    expect(builder.flush()).toMatchObject({ transmitterIds: ["a"], batchSequence: 2 })
  })
})
