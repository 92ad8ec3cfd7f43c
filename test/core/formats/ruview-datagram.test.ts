import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { BinOrders } from "../../../core/formats/bin-order.ts"
import { decodeRuviewDatagram, ruviewBinCounts, type RuviewFrame } from "../../../core/formats/ruview-datagram.ts"
import { espPairs, withSecondary } from "./esp32-buffers.ts"

interface Fields {
  readonly antennas?: number
  readonly bins?: number
  readonly mhz?: number
  readonly magic?: number
}

const datagram = ({ antennas = 1, bins = 64, mhz = 2462, magic = 0xc5110001 }: Fields = {}): Uint8Array => {
  const bytes = new Uint8Array(20 + 2 * antennas * bins)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, magic, true)
  view.setUint8(4, 7)
  view.setUint8(5, antennas)
  view.setUint16(6, bins, true)
  view.setUint32(8, mhz, true)
  view.setUint32(12, 4_000_000_000, true)
  view.setInt8(16, -55)
  view.setInt8(17, -95)
  for (let i = 0; i < antennas * bins; i++) {
    view.setInt8(20 + 2 * i, i % 100)
    view.setInt8(21 + 2 * i, -(i % 100))
  }
  return bytes
}

describe("RuView datagram", () => {
  it("becomes a frame of its node", () => {
    const { routerId, frame } = decodeRuviewDatagram(datagram(), 1_700_000_000_000_000) as RuviewFrame
    expect(routerId).toBe("node-7")
    expect(frame).toMatchObject({
      timestampUs: 1_700_000_000_000_000,
      sequence: 4_000_000_000,
      rssiDbm: -55,
      noiseFloorDbm: -95,
      transmitterId: "ap",
    })
    expect(frame.layout).toMatchObject({ receiveAntennas: 1, centerFrequencyHz: 2462e6, bandwidthHz: 20e6 })
    expect([...frame.layout.subcarrierIndices]).toEqual(Array.from({ length: 64 }, (_, i) => i - 32))
  })

  it.each([[1, 64], [2, 64], [1, 128], [1, 188], [1, 190], [4, 192], [1, 306]])(
    "reads the legacy field of %i antennas with %i bins, imaginary part first",
    (antennas, bins) => {
      const { frame } = decodeRuviewDatagram(datagram({ antennas, bins }), 0) as RuviewFrame
      const tones = frame.layout.subcarrierIndices
      expect(frame.csi).toHaveLength(2 * antennas * tones.length)
      for (let antenna = 0; antenna < antennas; antenna++) {
        tones.forEach((k, i) => {
          const number = (antenna * bins + (k + 64) % 64) % 100
          const at = 2 * (antenna * tones.length + i)
          expect([frame.csi[at]! + 0, frame.csi[at + 1]]).toEqual([0 - number, number])
        })
      }
    },
  )

  it("reads a frame in the chip's order with a secondary channel as the same frame without one", () => {
    const value = fc.tuple(fc.integer({ min: 3, max: 127 }), fc.integer({ min: -128, max: 127 }))
    fc.assert(fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom(...ruviewBinCounts),
      fc.array(value, { minLength: 64, maxLength: 64 }),
      (antennas, bins, values) => {
        const plain = datagram({ antennas, bins })
        const swapped = plain.slice()
        for (let antenna = 0; antenna < antennas; antenna++) {
          const at = 20 + 2 * antenna * bins
          const pairs = new Uint8Array(espPairs("centre-first", 26, (k) => values[k + 32]!, 0).buffer)
          plain.set(pairs, at)
          swapped.set(withSecondary(pairs), at)
        }
        const read = decodeRuviewDatagram(plain, 5) as RuviewFrame
        expect(decodeRuviewDatagram(swapped, 5)).toEqual(read)
        expect([...read.frame.csi.subarray(2 * 33, 2 * 33 + 2)]).toEqual(values[33])
      },
    ))
  })

  it("decides the order by node, and drops a frame that contradicts it", () => {
    const orders = new BinOrders()
    const of = (node: number, order: "centre-first" | "ascending" | null): Uint8Array => {
      const bytes = datagram()
      bytes[4] = node
      if (order !== null) bytes.set(new Uint8Array(espPairs(order, 26, (k) => [40 + k, 3], 0).buffer), 20)
      return bytes
    }
    const read = (bytes: Uint8Array) => decodeRuviewDatagram(bytes, 0, orders)
    const found = Array.from(
      { length: 8 },
      () => [read(of(1, "ascending")), read(of(2, "centre-first")), read(of(3, null))],
    )
    expect(found.map((three) => three.map((one) => "binOrder" in one ? one.binOrder : "fault"))).toEqual([
      ...Array.from({ length: 7 }, () => [null, null, null]),
      ["ascending", "centre-first", "unknown"],
    ])
    expect(read(of(1, "centre-first"))).toMatchObject({ offset: 0, reason: "bin-order" })
    expect(read(of(1, "ascending"))).toEqual(found[7]![0])
    expect(read(of(2, "centre-first"))).toEqual(found[7]![1])
    expect((read(of(2, "centre-first")) as RuviewFrame).frame.csi).toEqual((found[7]![0] as RuviewFrame).frame.csi)
  })

  it("uses the firmware's flag of 40 MHz if the guards are undecided", () => {
    const wide = datagram()
    wide.fill(5, 20)
    wide.set([9, 7], 20 + 2 * 1)
    expect([...(decodeRuviewDatagram(wide, 0) as RuviewFrame).frame.csi.subarray(2 * 33, 2 * 34)]).toEqual([7, 9])
    wide[19] = 1
    expect([...(decodeRuviewDatagram(wide, 0) as RuviewFrame).frame.csi.subarray(2, 4)]).toEqual([7, 9])
  })

  it.each([
    ["an empty one", new Uint8Array(0), "truncated"],
    ["noise", new Uint8Array(200).fill(0x5a), "not-a-record"],
    ["another magic", datagram({ magic: 0xc5110009 }), "not-a-record"],
    ["a kind that is not read", datagram({ magic: 0xc5110005 }), "unsupported-layout"],
    ["a header alone", datagram().subarray(0, 20), "truncated"],
    ["one cut off", datagram().subarray(0, 147), "truncated"],
    ["one too long", new Uint8Array([...datagram(), 0]), "value-count"],
    ["no antenna", datagram({ antennas: 0 }), "bad-field"],
    ["five antennas", datagram({ antennas: 5 }), "bad-field"],
    ["an unknown number of bins", datagram({ bins: 100 }), "unsupported-layout"],
    ["no Wi-Fi channel", datagram({ mhz: 900 }), "bad-field"],
  ])("names what is wrong with %s", (_, bytes, reason) => {
    expect(decodeRuviewDatagram(bytes, 0)).toMatchObject({ offset: 0, reason })
  })

  it("reads a datagram that is a part of a larger buffer", () => {
    const larger = new Uint8Array(300)
    larger.set(datagram(), 33)
    const frame = decodeRuviewDatagram(larger.subarray(33, 33 + 148), 0) as RuviewFrame
    expect(frame.routerId).toBe("node-7")
    expect(frame.frame.csi).toEqual((decodeRuviewDatagram(datagram(), 0) as RuviewFrame).frame.csi)
  })
})
