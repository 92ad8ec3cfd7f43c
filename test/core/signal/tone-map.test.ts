import { describe, expect, it } from "vitest"
import { createToneMap, mapTones } from "../../../core/signal/tone-map.ts"
import { layoutOf } from "./channel.ts"

const whole = (tones: number): Int16Array => Int16Array.from({ length: tones }, (_, i) => i - tones / 2)

describe("tone map", () => {
  it.each([
    ["esp32-csi-tool", 64, 20e6, 51, 26],
    ["ruview", 64, 20e6, 51, 26],
    ["nexmon", 64, 20e6, 56, 28],
    ["nexmon", 128, 40e6, 114, 58],
    ["nexmon", 256, 80e6, 242, 122],
    ["nexmon", 512, 160e6, 484, 250],
  ])(
    "%s with %i tones of %d Hz: %i of them carry a channel, the last at %i",
    (format, tones, bandwidthHz, used, last) => {
      const map = createToneMap(layoutOf({ format, bandwidthHz, subcarrierIndices: whole(tones) }))
      const indices = [...map.layout.subcarrierIndices]
      expect(indices).toHaveLength(used)
      expect([indices[0], indices.at(-1), indices.includes(0)]).toEqual([-last, last, false])
      expect(indices).toEqual([...map.positions!].map((i) => i - tones / 2))
    },
  )

  it.each([
    ["feitcsi", 312_500, 20e6, 28, 52, [7, 21]],
    ["picoscenes-iwlmvm", 312_500, 20e6, 28, 52, [7, 21]],
    ["feitcsi", 78_125, 20e6, 122, 236, [22, 48, 90, 116]],
  ])(
    "leaves the pilots of %s with %d Hz spacing out",
    (format, subcarrierSpacingHz, bandwidthHz, last, used, pilots) => {
      const subcarrierIndices = Int16Array.from({ length: 2 * last + 1 }, (_, i) => i - last).filter((index) =>
        index !== 0
      )
      const { layout } = createToneMap(layoutOf({ format, subcarrierSpacingHz, bandwidthHz, subcarrierIndices }))
      expect(layout.subcarrierIndices).toHaveLength(used)
      for (const pilot of pilots) expect(layout.subcarrierIndices).not.toContain(pilot)
    },
  )

  it("leaves other formats unchanged", () => {
    for (const format of ["npz", "simulated", "intel5300"]) {
      expect(createToneMap(layoutOf({ format }))).toMatchObject({ positions: null })
    }
  })

  it("selects the tones of every antenna of a frame", () => {
    const layout = layoutOf({ format: "nexmon", receiveAntennas: 2, subcarrierIndices: whole(64) })
    const map = createToneMap(layout)
    const csi = Float32Array.from({ length: 3 * 256 }, (_, v) => v)
    const out = new Float32Array(2 * 2 * 56)
    mapTones(map, 64, csi, 256, out)
    const at = (row: number, tone: number) => 256 + 2 * (64 * row + tone + 32)
    expect([out[0], out[1]]).toEqual([at(0, -28), at(0, -28) + 1])
    expect([out[2 * 56], out[2 * 56 + 111]]).toEqual([at(1, -28), at(1, 28) + 1])
    mapTones(createToneMap(layoutOf({ receiveAntennas: 1 })), 56, csi, 112, out)
    expect([...out.subarray(0, 112)]).toEqual([...csi.subarray(112, 224)])
  })
})
