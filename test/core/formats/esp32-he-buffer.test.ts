import { describe, expect, it } from "vitest"
import { detectFormat } from "../../../core/formats/detect-format.ts"
import { Esp32CsvReader } from "../../../core/formats/esp32-csv.ts"
import { LineRecords } from "../../../core/formats/line-records.ts"
import { RecordStream } from "../../../core/formats/record-stream.ts"
import { createToneMap } from "../../../core/signal/tone-map.ts"
import { bytesOf, heConsoleLine } from "./esp32-lines.ts"

const decode = (text: string) => {
  const decoder = new RecordStream(new LineRecords(new Esp32CsvReader()), { routerId: "r1", source: "replay" })
  const results = [decoder.push(bytesOf(text)), decoder.end()]
  return {
    batches: results.flatMap(({ batches }) => batches),
    faults: results.flatMap(({ faults }) => faults),
  }
}

/**
 * The values of a buffer whose subcarriers from `centre` to `outermost` have a signal: k is (imaginary, real) = (k, 40).
 *
 * @param lowest the first subcarrier of the ascending order
 */
const buffer = (lowest: number, bins: number, centre: number, outermost: number, ascending: boolean): Array<number> => {
  const first = ascending ? 0 : -lowest
  return Array.from({ length: bins }, (_, i) => lowest + (i + first) % bins)
    .flatMap((k) => Math.abs(k) >= centre && Math.abs(k) <= outermost ? [k, 40] : [0, 0])
}

const forms = [
  ["a C5, legacy", -26, 53, 1, 26],
  ["a C5, HT20", -28, 57, 1, 28],
  ["a C6, 20 MHz", -32, 64, 1, 28],
  ["a C5, HT40", -58, 117, 2, 58],
  ["a C6, HT40", -64, 128, 2, 58],
] as const

describe("the console of the ESP32-C5 and C6", () => {
  it.each(forms.flatMap((form) => [[...form, true], [...form, false]] as const))(
    "reads the buffer of %s from subcarrier %i, %i bins, ascending: %6$s",
    (_, lowest, bins, centre, outermost, ascending) => {
      const line = heConsoleLine(buffer(lowest, bins, centre, outermost, ascending))
      expect(detectFormat(bytesOf(line))).toBe("esp32-csi-tool")
      const { batches, faults } = decode(`${line}\n`)
      expect(faults).toEqual([])
      const { csi, layout } = batches[0]!
      expect([...layout.subcarrierIndices]).toEqual(Array.from({ length: bins }, (_, i) => lowest + i))
      expect(layout.bandwidthHz).toBe(bins > 64 ? 40e6 : 20e6)
      for (const [i, k] of layout.subcarrierIndices.entries()) {
        const signal = Math.abs(k) >= centre && Math.abs(k) <= outermost
        expect([csi[2 * i], csi[2 * i + 1]]).toEqual(signal ? [40, k] : [0, 0])
      }
    },
  )

  it("uses the subcarriers of 40 MHz, and at 20 MHz those of the legacy field but the first", () => {
    const used = forms.map(([, lowest, bins, centre, outermost]) => {
      const { batches: [batch] } = decode(`${heConsoleLine(buffer(lowest, bins, centre, outermost, true))}\n`)
      const { subcarrierIndices } = createToneMap(batch!.layout).layout
      return [subcarrierIndices.length, subcarrierIndices.at(-1)]
    })
    expect(used).toEqual([[51, 26], [51, 26], [51, 26], [114, 58], [114, 58]])
  })

  describe("legacy fields of 12 bits", () => {
    const even = Array.from({ length: 27 }, (_, i) => 2 * i - 26).filter((k) => k !== 0)
    /** As the console prints a part: the low byte with its sign, and the four bits above it. */
    const printed = (part: number) => [(part << 24) >> 24, (part >> 8) & 15]
    const wide = (scale: number) => even.flatMap((k) => [...printed(scale * k), ...printed(-300 - k)])
    const line = (scale: number) => `${heConsoleLine([...wide(scale), 0, 0])}\n`
    const bytes = `${heConsoleLine(buffer(-26, 53, 1, 26, true).map((value) => value === 40 ? -40 : value))}\n`

    it("are read as the 26 even subcarriers", () => {
      const { batches, faults } = decode(line(70) + line(-1))
      expect(faults).toEqual([])
      const { csi, frameCount, layout } = batches[0]!
      expect([...layout.subcarrierIndices]).toEqual(even)
      expect(frameCount).toBe(2)
      expect([...csi]).toEqual([70, -1].flatMap((scale) => even.flatMap((k) => [-300 - k, scale * k])))
      expect(createToneMap(layout).positions).toBeNull()
    })

    it("are not taken for the bytes of a receiver of 8 bits, nor those for them", () => {
      const layouts = (text: string) =>
        decode(text).batches.map(({ frameCount, layout }) => [layout.subcarrierIndices.length, frameCount])
      expect(layouts(bytes + line(70))).toEqual([[53, 2]])
      expect(layouts(bytes + line(70).repeat(64))).toEqual([[53, 64], [26, 1]])
    })
  })

  it("fills the header fields", () => {
    const values = buffer(-64, 128, 2, 58, true)
    const { batches: [batch] } = decode([1000, 11_000].map((clock) => `${heConsoleLine(values, clock)}\n`).join(""))
    expect([...batch!.timestampsUs]).toEqual([0, 10_000])
    expect([...batch!.rssiDbm]).toEqual([-38, -38])
    expect([...batch!.noiseFloorDbm]).toEqual([-97, -97])
    expect(batch!.transmitterIds).toEqual(["1a:00:00:00:00:00"])
    expect(batch!.layout.centerFrequencyHz).toBe(2462e6)
  })

  it("keeps the order of its receiver where a buffer does not show it, and drops a contradiction", () => {
    const shown = heConsoleLine(buffer(-64, 128, 2, 58, true))
    const silent = heConsoleLine(Array.from({ length: 256 }, () => 7))
    const other = heConsoleLine(buffer(-64, 128, 2, 58, false))
    const { batches, faults } = decode([...Array(8).fill(shown), silent, other].join("\n") + "\n")
    expect(batches[0]!.frameCount).toBe(9)
    expect(faults.map(({ reason }) => reason)).toEqual(["bin-order"])
  })

  it("warns once of an order that no buffer shows", () => {
    const silent = heConsoleLine(Array.from({ length: 114 }, () => 7))
    const { batches, faults } = decode(`${silent}\n`.repeat(20))
    expect(batches[0]!.frameCount).toBe(20)
    expect(faults).toMatchObject([{ reason: "assumed-order", message: expect.stringContaining("0 to 28, -28 to -1") }])
  })

  it("rejects buffers of other lengths", () => {
    const { faults } = decode(`${heConsoleLine(Array.from({ length: 490 }, () => 7))}\n`)
    expect(faults).toMatchObject([{ reason: "value-count", message: "490 CSI values, not 106, 114, 128, 234, 256" }])
  })
})
