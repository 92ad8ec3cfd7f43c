import { describe, expect, it } from "vitest"
import { createCaptureDecoder, detectFormat } from "../../../core/formats/detect-format.ts"
import { joined } from "./damage.ts"
import { beamformingRecord, payloadRecord } from "./intel-records.ts"

const decode = (bytes: Uint8Array, chunk = bytes.length) => {
  const decoder = createCaptureDecoder("intel5300", { routerId: "r1", source: "replay" })
  const results = []
  for (let at = 0; at < bytes.length; at += chunk) results.push(decoder.push(bytes.slice(at, at + chunk)))
  results.push(decoder.end())
  return { batches: results.flatMap((r) => r.batches), faults: results.flatMap((r) => r.faults) }
}

const value = (j: number, tone: number) => [j * 10 + tone - 64, -(j * 10) - tone] as const
const record = (over: Partial<Parameters<typeof beamformingRecord>[0]> = {}) =>
  beamformingRecord({ receive: 3, transmit: 2, value, ...over })

describe("Intel 5300", () => {
  it("unpacks the values and puts each chain in the row of its antenna", () => {
    // Chains 0, 1, 2 are connected to antennas 2, 0, 1.
    const batch = decode(record({ selection: 0b010010 })).batches[0]!
    const antennaOfChain = [2, 0, 1]
    for (let chain = 0; chain < 3; chain++) {
      for (let tx = 0; tx < 2; tx++) {
        for (let tone = 0; tone < 30; tone++) {
          const at = 2 * ((antennaOfChain[chain]! * 2 + tx) * 30 + tone)
          const [re, im] = value(chain * 2 + tx, tone)
          expect([batch.csi[at], batch.csi[at + 1]]).toEqual([re, im << 24 >> 24])
        }
      }
    }
  })

  it("keeps the order of the chains when the selection names no permutation of the antennas", () => {
    const selected = decode(record({ receive: 2, selection: 0b000010 })).batches[0]!
    const plain = decode(record({ receive: 2, selection: 0b000100 })).batches[0]!
    expect(selected.csi).toEqual(plain.csi)
  })

  it("knows the subcarriers of 20 and 40 MHz", () => {
    const narrow = decode(record()).batches[0]!.layout
    const wide = decode(record({ rate: 0x900 })).batches[0]!.layout
    expect([...narrow.subcarrierIndices.slice(0, 3), ...narrow.subcarrierIndices.slice(13, 17)])
      .toEqual([-28, -26, -24, -2, -1, 1, 3])
    expect(narrow.subcarrierIndices.at(-1)).toBe(28)
    expect([...wide.subcarrierIndices.slice(13, 17)]).toEqual([-6, -2, 2, 6])
    expect([wide.subcarrierIndices[0], wide.subcarrierIndices.at(-1), wide.bandwidthHz]).toEqual([-58, 58, 40e6])
    expect([narrow.subcarrierIndices.length, wide.subcarrierIndices.length]).toEqual([30, 30])
  })

  it("fills time, counter, power and noise", () => {
    const bytes = joined(
      record({ timestamp: 4_294_967_290, count: 65_535 }),
      record({ timestamp: 4, count: 2, noise: -127 }),
    )
    const batch = decode(bytes).batches[0]!
    expect([...batch.timestampsUs]).toEqual([0, 10])
    expect([...batch.sequences]).toEqual([65_535, 65_538])
    expect([...batch.rssiDbm]).toEqual([-28, -28])
    expect([...batch.noiseFloorDbm]).toEqual([-80, 0])
    expect(batch.transmitterIds).toEqual(["ap"])
  })

  it.each([1, 7, 100, 1000])("gives the same in chunks of %i bytes", (chunk) => {
    const bytes = joined(
      record({ count: 1 }),
      payloadRecord(700),
      record({ count: 2, transmit: 1 }),
      record({ count: 3 }),
    )
    const whole = decode(bytes)
    const pieces = decode(bytes, chunk)
    expect(whole.batches.map((batch) => batch.frameCount)).toEqual([1, 1, 1])
    expect(pieces.batches.flatMap((batch) => [...batch.csi])).toEqual(whole.batches.flatMap((batch) => [...batch.csi]))
    expect(pieces.faults).toEqual([])
  })

  it("reads records with a stamp, as the variant for the WSR toolbox writes them, and names their sender", () => {
    const stamped = (count: number, last: number) => record({ count, sender: [0, 0x21, 0x6a, 0x30, 0xd2, last] })
    const bytes = joined(stamped(1, 0x3c), stamped(2, 0xe6), stamped(3, 0x3c))
    expect(detectFormat(bytes)).toBe("intel5300")
    const { batches, faults } = decode(bytes)
    expect(faults).toEqual([])
    expect(new Set(batches.flatMap(({ transmitterIds }) => transmitterIds)))
      .toEqual(new Set(["00:21:6a:30:d2:3c", "00:21:6a:30:d2:e6"]))
    const plain = decode(joined(record(), record(), record())).batches
    expect(batches.flatMap(({ csi }) => [...csi])).toEqual(plain.flatMap(({ csi }) => [...csi]))
  })

  describe("with little-endian lengths, as other programs write them", () => {
    const little = (count: number, transmit = 2) => record({ count, transmit, little: true })

    it.each([1, 7, 100, 10_000])("gives the same in chunks of %i bytes", (chunk) => {
      const bytes = joined(little(1), little(2, 1), little(3), payloadRecord(700, true), little(4))
      expect(detectFormat(bytes)).toBe("intel5300")
      const { batches, faults } = decode(bytes, chunk)
      const tool = decode(joined(record({ count: 1 }), record({ count: 2, transmit: 1 }), record(), record()))
      expect(faults).toEqual([])
      expect(batches.flatMap((batch) => [...batch.sequences])).toEqual([1, 2, 3, 4])
      expect(batches.flatMap((batch) => [...batch.csi])).toEqual(tool.batches.flatMap((batch) => [...batch.csi]))
    })

    it.each([
      ["two records", joined(little(1), little(2))],
      ["a third of the other byte order", joined(little(1), little(2), record())],
      ["bytes between them", joined(little(1), Uint8Array.of(0), little(2), little(3))],
    ])("does not take %s for a capture", (_, bytes) => {
      expect(detectFormat(bytes)).toBeNull()
    })
  })

  it("reports a last record that is cut off, after all whole ones", () => {
    const one = record()
    const { batches, faults } = decode(joined(one, one, one.subarray(0, 100)))
    expect(batches[0]!.frameCount).toBe(2)
    expect(faults).toEqual([{
      offset: 2 * one.length,
      reason: "truncated",
      message: "the capture ends within a record",
    }])
    expect(decode(joined(one, payloadRecord(50).subarray(0, 20))).faults).toMatchObject([{
      offset: one.length,
      reason: "truncated",
    }])
  })

  it("finds the next record after foreign bytes", () => {
    const one = record()
    const noise = new Uint8Array(77).fill(0xee)
    const { batches, faults } = decode(joined(one, noise, one, one))
    expect(batches.reduce((sum, batch) => sum + batch.frameCount, 0)).toBe(3)
    expect(faults).toMatchObject([{
      offset: one.length,
      reason: "not-a-record",
      message: "77 bytes are not a record of this format",
    }])
  })

  it("drops only one record if its header is contradictory", () => {
    const broken = record()
    broken[11] = 9
    const { batches, faults } = decode(joined(record(), broken, record()))
    expect(batches.reduce((sum, batch) => sum + batch.frameCount, 0)).toBe(2)
    expect(faults).toMatchObject([{ offset: broken.length, reason: "not-a-record" }])
  })
})
