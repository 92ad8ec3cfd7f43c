import { describe, expect, it } from "vitest"
import { type JsonCsi, jsonCsiFrame } from "../../../core/formats/json-csi.ts"

/** Antenna `a`, column `c` is `100 a + c + i`. */
const packet = (antennas: number, subcarriers: number, over: Partial<JsonCsi> = {}): JsonCsi => ({
  timestampUs: 1e15,
  antennas: Array.from(
    { length: antennas },
    (_, a) => Array.from({ length: subcarriers }, (_, c) => ({ real: 100 * a + c, imag: 1 })),
  ),
  subcarrierIndices: null,
  bandwidthHz: null,
  centerFrequencyHz: 0,
  transmitterId: "ap",
  sequence: 0,
  rssiDbm: -40,
  ...over,
})

const read = (of: JsonCsi) => {
  const frame = jsonCsiFrame(of)
  if ("reason" in frame) throw new Error(frame.message)
  const { layout } = frame
  const tones = layout.subcarrierIndices.length
  return {
    layout,
    indices: Array.from(layout.subcarrierIndices),
    rows: Array.from(
      { length: layout.receiveAntennas },
      (_, a) => Array.from({ length: tones }, (_, t) => frame.csi[2 * (a * tones + t)]),
    ),
  }
}

describe("CSI as plain numbers", () => {
  it("has the tones of the transmission with this number of tones", () => {
    const { indices, layout, rows } = read(packet(2, 56))
    expect([indices[0], indices[27], indices[28], indices[55]]).toEqual([-28, -1, 1, 28])
    expect(layout).toMatchObject({ receiveAntennas: 2, transmitAntennas: 1, bandwidthHz: 20e6, format: "json" })
    expect([rows[0]![0], rows[1]![55]]).toEqual([0, 155])
    expect(read(packet(1, 52)).indices.at(-1)).toBe(26)
    expect(read(packet(1, 242, { bandwidthHz: 20e6 })).layout.subcarrierSpacingHz).toBe(78_125)
  })

  it("removes the guards and the centre of a whole transform", () => {
    const { indices, layout, rows } = read(packet(1, 64))
    expect([indices.length, indices[0], indices.includes(0), indices.at(-1)]).toEqual([52, -26, false, 26])
    expect(layout.bandwidthHz).toBe(20e6)
    // Column 32 is the centre.
    expect([rows[0]![0], rows[0]!.at(-1)]).toEqual([6, 58])
    expect(read(packet(1, 256)).indices).toHaveLength(242)
  })

  it("has the indices of its client, in ascending order", () => {
    const { indices, rows } = read(packet(1, 3, { subcarrierIndices: [5, -5, 1] }))
    expect(indices).toEqual([-5, 1, 5])
    expect(rows).toEqual([[1, 2, 0]])
  })

  it("is rejected if the tones do not fit", () => {
    for (
      const wrong of [
        packet(1, 3, { subcarrierIndices: [1, 2] }),
        packet(1, 3, { subcarrierIndices: [1, 2, 2] }),
        packet(1, 3, { subcarrierIndices: [1, 2, 9000], bandwidthHz: 20e6 }),
        packet(9, 56),
        packet(1, 1),
        packet(0, 0),
      ]
    ) expect(jsonCsiFrame(wrong)).toHaveProperty("reason")
  })
})
