import { describe, expect, it } from "vitest"
import { createCaptureDecoder, detectFormat } from "../../../core/formats/detect-format.ts"
import { joined } from "./damage.ts"
import { feitCsiRecord } from "./feitcsi-records.ts"

const decode = (bytes: Uint8Array) => {
  const decoder = createCaptureDecoder("feitcsi", { routerId: "r1", source: "replay" })
  const results = [decoder.push(bytes), decoder.end()]
  return {
    batches: results.flatMap(({ batches }) => batches),
    faults: results.flatMap(({ faults }) => faults),
    hardware: decoder.hardware,
  }
}

const ht20 = { format: 2, width: 0, tones: 56 }

describe("FeitCSI", () => {
  it.each([
    ["legacy", 1, 0, 52, 26, 312_500],
    ["HT 20 MHz", 2, 0, 56, 28, 312_500],
    ["HT 40 MHz", 2, 1, 114, 58, 312_500],
    ["VHT 80 MHz", 3, 2, 242, 122, 312_500],
    ["VHT 160 MHz", 3, 3, 484, 250, 312_500],
    ["HE 20 MHz", 4, 0, 242, 122, 78_125],
    ["HE 40 MHz", 4, 1, 484, 244, 78_125],
    ["HE 80 MHz", 4, 2, 996, 500, 78_125],
    ["HE 160 MHz", 4, 3, 1992, 1012, 78_125],
  ])("knows the tones of %s", (_, format, width, tones, last, spacingHz) => {
    const bytes = feitCsiRecord({ format, width, tones })
    expect(detectFormat(bytes)).toBe("feitcsi")
    const { batches: [batch], faults } = decode(bytes)
    const { bandwidthHz, subcarrierIndices, subcarrierSpacingHz } = batch!.layout
    expect(faults).toEqual([])
    expect([subcarrierIndices.length, subcarrierIndices[0], subcarrierIndices.at(-1)]).toEqual([tones, -last, last])
    expect([subcarrierSpacingHz, bandwidthHz]).toEqual([spacingHz, 20e6 * 2 ** width])
    expect(subcarrierIndices.every((index, i) => index === -subcarrierIndices[tones - 1 - i]!)).toBe(true)
  })

  it("reads the imaginary part before the real one, stream by stream", () => {
    const { batches: [batch] } = decode(
      feitCsiRecord({ ...ht20, transmit: 2, value: (j, tone) => [1000 * j + tone - 32_768, 32_767 - 100 * j - tone] }),
    )
    expect([batch!.layout.receiveAntennas, batch!.layout.transmitAntennas]).toEqual([2, 2])
    for (let j = 0; j < 4; j++) {
      for (let tone = 0; tone < 56; tone++) {
        const at = 2 * (56 * j + tone)
        expect([batch!.csi[at], batch!.csi[at + 1]]).toEqual([1000 * j + tone - 32_768, 32_767 - 100 * j - tone])
      }
    }
  })

  it("skips the fillers between the halves of 160 MHz", () => {
    const value = (_: number, tone: number) => [tone, 0] as const
    const { batches: [batch] } = decode(feitCsiRecord({ format: 3, width: 3, tones: 498, receive: 1, value }))
    const read = batch!.csi.filter((_, i) => i % 2 === 0)
    expect(read).toHaveLength(484)
    expect([read[241], read[242], read[483]]).toEqual([241, 256, 497])
  })

  it("knows reports without pilots", () => {
    const { batches: [batch] } = decode(feitCsiRecord({ ...ht20, tones: 52 }))
    const indices = [...batch!.layout.subcarrierIndices]
    expect([-28, -21, -7, 0, 7, 21, 28].map((index) => indices.includes(index)))
      .toEqual([true, false, false, false, false, false, true])
  })

  it("fills time, power, station and channel", () => {
    const { batches: [batch], hardware } = decode(joined(
      feitCsiRecord({ ...ht20, clock: 4_294_967_000, attenuations: [60, 60], centerKhz: 2_412_000 }),
      feitCsiRecord({ ...ht20, clock: 300, attenuations: [0, 41], centerKhz: 2_412_000 }),
      feitCsiRecord({ ...ht20, clock: 400, receive: 2, centerKhz: 2_412_000, mac: [1, 2, 3, 4, 5, 6] }),
    ))
    expect([...batch!.timestampsUs]).toEqual([0, 596, 696])
    expect([...batch!.rssiDbm]).toEqual([-57, -41, 0])
    expect(batch!.transmitterIds).toEqual(["00:16:ea:12:34:56", "01:02:03:04:05:06"])
    expect(batch!.layout.centerFrequencyHz).toBe(2412e6)
    expect(hardware).toBe("Intel AX200/AX210 (FeitCSI)")
    expect(decode(feitCsiRecord({ ...ht20, centerKhz: 1 })).batches[0]!.layout.centerFrequencyHz).toBe(0)
  })

  it("rejects a record whose tones do not fit a transmission, and continues", () => {
    const odd = feitCsiRecord({ ...ht20, tones: 57 })
    const { batches, faults } = decode(joined(feitCsiRecord(ht20), odd, feitCsiRecord(ht20)))
    expect(batches.reduce((sum, { frameCount }) => sum + frameCount, 0)).toBe(2)
    expect(faults).toEqual([{
      offset: feitCsiRecord(ht20).length,
      reason: "unsupported-layout",
      message: "57 subcarriers do not fit a transmission with the rate flags 0xc200",
    }])
  })

  it("reports a last record that is cut off, after all whole ones", () => {
    const one = feitCsiRecord(ht20)
    const { batches, faults } = decode(joined(one, one, one.subarray(0, 300)))
    expect(batches[0]!.frameCount).toBe(2)
    expect(faults).toMatchObject([{ offset: 2 * one.length, reason: "truncated" }])
  })
})
