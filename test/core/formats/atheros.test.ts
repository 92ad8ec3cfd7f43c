import { describe, expect, it } from "vitest"
import { createCaptureDecoder, detectFormat } from "../../../core/formats/detect-format.ts"
import { type AtherosFields, atherosRecord, qosPacket } from "./atheros-records.ts"
import { joined } from "./damage.ts"

const decode = (bytes: Uint8Array, pieceBytes = bytes.length) => {
  const decoder = createCaptureDecoder("atheros", { routerId: "r", source: "replay" })
  const results = []
  for (let at = 0; at < bytes.length; at += pieceBytes) results.push(decoder.push(bytes.slice(at, at + pieceBytes)))
  results.push(decoder.end())
  return { batches: results.flatMap((r) => r.batches), faults: results.flatMap((r) => r.faults) }
}

const one = (fields: AtherosFields) => decode(atherosRecord(fields)).batches[0]!

describe("Atheros", () => {
  it.each([[56, 1, 1], [56, 3, 2], [114, 3, 3], [114, 1, 2]])(
    "unpacks %i tones of %i x %i antennas, ten bits with their sign",
    (tones, receive, transmit) => {
      const value = (tone: number, rx: number, tx: number) => [511 - tone * 9, -512 + rx * 100 + tx] as const
      const { csi, layout } = one({ tones, receive, transmit, value })
      expect([layout.receiveAntennas, layout.transmitAntennas]).toEqual([receive, transmit])
      for (let rx = 0, v = 0; rx < receive; rx++) {
        for (let tx = 0; tx < transmit; tx++) {
          for (let tone = 0; tone < tones; tone++, v += 2) expect([csi[v], csi[v + 1]]).toEqual(value(tone, rx, tx))
        }
      }
    },
  )

  it("knows the subcarriers of 20 and 40 MHz", () => {
    const narrow = one({ tones: 56 }).layout
    const wide = one({ tones: 114, channelMHz: 5180 }).layout
    expect([...narrow.subcarrierIndices.slice(26, 30)]).toEqual([-2, -1, 1, 2])
    expect([narrow.subcarrierIndices[0], narrow.bandwidthHz, narrow.centerFrequencyHz]).toEqual([-28, 20e6, 2437e6])
    expect([...wide.subcarrierIndices.slice(55, 59)]).toEqual([-3, -2, 2, 3])
    expect([wide.subcarrierIndices.at(-1), wide.bandwidthHz, wide.centerFrequencyHz]).toEqual([58, 40e6, 5180e6])
  })

  it("fills time, counter, station and strength", () => {
    const { batches, faults } = decode(joined(
      atherosRecord({ clock: 4_294_967_290, packet: qosPacket(1, 0, 4095) }),
      atherosRecord({ clock: 4_294_967_299, packet: qosPacket(1, 0, 1), rssi: 128 }),
      atherosRecord({ clock: 20, packet: qosPacket(2, 5, 1), noise: 0xa0 }),
      atherosRecord({ clock: 30, packet: new Uint8Array(5) }),
    ))
    expect(faults).toEqual([])
    const [batch] = batches
    expect([...batch!.timestampsUs]).toEqual([0, 9, 26, 36])
    expect([...batch!.sequences]).toEqual([1, 3, 4, 4])
    expect(batch!.transmitterIds).toEqual(["02:00:00:00:00:01", "02:00:00:00:00:02", "ap"])
    expect([...batch!.transmitterIndex]).toEqual([0, 0, 1, 2])
    expect([...batch!.rssiDbm]).toEqual([-55, 0, -56, -55])
    expect([...batch!.noiseFloorDbm]).toEqual([0, 0, -96, 0])
  })

  it("reads headers of both byte orders to the same", () => {
    const captured = (big: boolean) =>
      joined(...[7, 8].map((clock) => atherosRecord({ big, clock, packet: qosPacket(1, 0, clock), receive: 2 })))
    expect(decode(joined(Uint8Array.of(0xff), captured(true)))).toEqual(decode(captured(false)))
  })

  describe("without a mark", () => {
    const big = (fields: AtherosFields) => atherosRecord({ big: true, ...fields })
    const without = big({ tones: 114, packet: new Uint8Array(1056), value: null })

    it("reads big-endian headers that lead from each to the next", () => {
      const captured = (big: boolean) =>
        joined(
          ...[5, 6, 7, 8].map((clock) => atherosRecord({ big, clock, packet: qosPacket(1, 0, clock), receive: 2 })),
        )
      expect(detectFormat(captured(true))).toBe("atheros")
      expect(decode(captured(true))).toEqual(decode(captured(false)))
    })

    it.each([1, 100, 1000])("gives the same in pieces of %i bytes, with records without CSI", (pieceBytes) => {
      const bytes = joined(without, big({ clock: 1 }), without, without, big({ clock: 5 }), without)
      expect(detectFormat(bytes)).toBe("atheros")
      const { batches, faults } = decode(bytes, pieceBytes)
      expect(faults).toEqual([])
      expect(batches.flatMap((batch) => [...batch.timestampsUs])).toEqual([0, 4])
    })

    it.each([
      ["two records", joined(big({}), big({}))],
      ["a third with too long a packet", joined(big({}), big({}), big({ packet: new Uint8Array(9000) }))],
      ["a third of the other byte order", joined(big({}), big({}), atherosRecord())],
      ["bytes between them", joined(big({}), Uint8Array.of(0), big({}), big({}))],
      ["records without CSI alone", joined(without, without, without)],
    ])("does not take %s for a capture", (_, bytes) => {
      expect(detectFormat(bytes)).toBeNull()
    })
  })

  it("detects the byte order by the header, not by a length that equals the mark", () => {
    // 140 bytes of CSI and 90 of the packet make a length of 0x00ff.
    const record = atherosRecord({ packet: new Uint8Array(90) })
    expect(record[0]).toBe(0xff)
    expect(decode(joined(record, record))).toMatchObject({ batches: [{ frameCount: 2 }], faults: [] })
  })

  it("skips records without CSI", () => {
    const bytes = joined(atherosRecord({ value: null, receive: 0 }), atherosRecord(), atherosRecord({ value: null }))
    expect(detectFormat(bytes)).toBe("atheros")
    expect(decode(bytes)).toMatchObject({ batches: [{ frameCount: 1 }], faults: [] })
    expect(detectFormat(atherosRecord({ value: null }))).toBeNull()
  })

  it.each([1, 7, 100, 1000])("gives the same in pieces of %i bytes", (pieceBytes) => {
    const bytes = joined(
      atherosRecord({ clock: 1 }),
      atherosRecord({ value: null, packet: new Uint8Array(700) }),
      atherosRecord({ clock: 5 }),
    )
    const { batches, faults } = decode(bytes, pieceBytes)
    expect(faults).toEqual([])
    expect(batches.flatMap((batch) => [...batch.csi])).toEqual(decode(bytes).batches.flatMap((batch) => [...batch.csi]))
    expect(batches.flatMap((batch) => [...batch.timestampsUs])).toEqual([0, 4])
  })

  it("reports a last record that is cut off, after all whole ones", () => {
    const record = atherosRecord()
    for (const left of [1, 26, 27, 100, record.length - 1]) {
      const { batches, faults } = decode(joined(record, record, record.subarray(0, left)))
      expect(batches).toMatchObject([{ frameCount: 2 }])
      expect(faults).toMatchObject([{ offset: 2 * record.length, reason: "truncated" }])
    }
  })

  it.each([
    ["tones that 802.11n does not have", { tones: 57 }],
    ["too many antennas", { receive: 4 }],
    ["no channel", { channelMHz: 1 }],
    ["a packet too long", { packet: new Uint8Array(9000) }],
  ])("loses one record alone that has %s", (_, fields) => {
    const { batches, faults } = decode(joined(atherosRecord(), atherosRecord(fields), atherosRecord()))
    expect(batches.reduce((sum, { frameCount }) => sum + frameCount, 0)).toBe(2)
    expect(faults).toMatchObject([{ offset: atherosRecord().length, reason: "not-a-record" }])
  })
})
