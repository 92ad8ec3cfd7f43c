import { describe, expect, it } from "vitest"
import type { CsiFrame } from "../../../core/formats/batch-builder.ts"
import { NexmonReader } from "../../../core/formats/nexmon.ts"
import { nexmonPayload, type PayloadFields, toneOf } from "./nexmon-records.ts"

/** Gives the payloads to a reader, at 0, 10, 20 ... microseconds, and says what became of each, and of the end. */
const take = (payloads: ReadonlyArray<Uint8Array>) => {
  const reader = new NexmonReader()
  const frames: Array<CsiFrame> = []
  const add = (frame: CsiFrame) => frames.push({ ...frame, csi: frame.csi.slice() })
  const refusals = payloads.map((bytes, i) => reader.take(bytes, 0, bytes.length, 10 * i, add))
  refusals.push(reader.finish(add))
  return { frames, hardware: reader.hardware, refusals: refusals.filter((refusal) => refusal !== null) }
}

const one = (fields: PayloadFields): CsiFrame => take([nexmonPayload(fields)]).frames[0]!

/** A payload whose real parts say which core and stream it is of. */
const marked = (core: number, stream: number, fields: PayloadFields = {}): Uint8Array =>
  nexmonPayload({ word: () => 10 * core + stream, ...fields, core, stream })

/** The real parts of the first tones of each row, and the antennas. */
const rowsOf = ({ csi, layout }: CsiFrame) => ({
  antennas: [layout.receiveAntennas, layout.transmitAntennas],
  marks: Array.from({ length: csi.length / 128 }, (_, row) => csi[128 * row]),
})

describe("Nexmon payload", () => {
  it.each([64, 128, 256, 512])("delivers all %i tones, from the lowest up", (tones) => {
    const { csi, layout } = one({ tones })
    expect([...layout.subcarrierIndices]).toEqual(Array.from({ length: tones }, (_, i) => i - tones / 2))
    expect(layout.bandwidthHz).toBe(tones / 64 * 20e6)
    for (let i = 0; i < tones; i++) {
      const k = toneOf(i, tones)
      const at = 2 * (k + tones / 2)
      expect([csi[at], csi[at + 1]]).toEqual([k, 1000 + i])
    }
  })

  it("reads values from any byte", () => {
    const aligned = one({ tones: 128, number: 7 })
    for (const offset of [1, 2, 3]) {
      const payload = nexmonPayload({ tones: 128, number: 7 })
      const bytes = new Uint8Array(payload.length + 8).fill(0x55)
      bytes.set(payload, offset)
      const frames: Array<CsiFrame> = []
      const reader = new NexmonReader()
      reader.take(bytes.subarray(offset), 0, payload.length, 0, () => {})
      reader.finish((frame) => frames.push(frame))
      expect(frames[0]!.csi).toEqual(aligned.csi)
    }
  })

  it.each(
    [
      ["silent", { rssiDbm: 0, sequence: 1 }],
      ["short", { rssiDbm: -50, sequence: 1 }],
      ["long", { rssiDbm: -50, sequence: 1 }],
    ] as const,
  )("reads the %s header", (header, expected) => {
    expect(one({ header })).toMatchObject({ ...expected, noiseFloorDbm: 0, transmitterId: "aa:01:02:03:04:ff" })
  })

  it.each([
    [0xd024, 64, 5180e6],
    [0xe02a, 256, 5210e6],
    [0xd826, 128, 5190e6],
    [0xe832, 512, 5250e6],
    [0x1006, 64, 2437e6],
    [0x100e, 64, 2484e6],
    // No channel of the band, another bandwidth than the values have, no bandwidth, no band.
    [0x1024, 64, 0],
    [0xe02a, 64, 0],
    [0xc024, 64, 0],
    [0x5024, 64, 0],
  ])("knows the centre of channel specification %i with %i tones", (chanspec, tones, centerFrequencyHz) => {
    expect(one({ chanspec, tones }).layout.centerFrequencyHz).toBe(centerFrequencyHz)
  })

  it.each([
    [0x01, "Broadcom BCM4339 (Nexmon)"],
    [0x03, "Broadcom BCM4358 (Nexmon)"],
    [0xdead, "Broadcom BCM4358 (Nexmon)"],
    [0x65, "Broadcom BCM43455c0 (Nexmon)"],
    [0x6a, "Broadcom BCM4366c0 (Nexmon)"],
  ])("knows chip %i", (chip, hardware) => {
    expect(take([nexmonPayload({ chip })]).hardware).toBe(hardware)
  })

  it.each([
    ["an empty one", new Uint8Array(0), "truncated"],
    ["half a header", nexmonPayload().subarray(0, 17), "truncated"],
    ["noise", new Uint8Array(274).fill(0x5a), "not-a-record"],
    ["no values", nexmonPayload().subarray(0, 18), "value-count"],
    ["a value too few", nexmonPayload().subarray(0, 270), "value-count"],
    ["another chip", nexmonPayload({ chip: 0x99 }), "unsupported-layout"],
    ["a core that no chip has", nexmonPayload({ core: 4 }), "bad-field"],
    ["a stream that no chip has", nexmonPayload({ stream: 7 }), "bad-field"],
  ])("names what is wrong with %s", (_, bytes, reason) => {
    const { frames, refusals } = take([bytes])
    expect(frames).toEqual([])
    expect(refusals).toMatchObject([{ reason }])
  })
})

describe("Nexmon packets", () => {
  it("joins the payloads of a packet to [core][stream]", () => {
    const pairs = [[0, 0], [0, 1], [1, 0], [1, 1]] as const
    const packets = [1, 2, 3].flatMap((number) => pairs.map(([core, stream]) => marked(core, stream, { number })))
    const { frames, refusals } = take(packets)
    expect(refusals).toEqual([])
    expect(frames.map(rowsOf)).toEqual(Array(3).fill({ antennas: [2, 2], marks: [0, 1, 10, 11] }))
    expect(frames.map(({ timestampUs }) => timestampUs)).toEqual([0, 40, 80])
  })

  it("takes payloads that were recorded twice once, one by one or packet by packet", () => {
    const pairs = [[0, 0], [1, 0]] as const
    const packets = [1, 2, 3].map((number) =>
      pairs.map(([core, stream]) => marked(core, stream, { number, word: (i) => 10 * core + i * number }))
    )
    const once = take(packets.flat()).frames.map(({ csi, sequence }) => ({ csi, sequence }))
    for (const twice of [packets.flat().flatMap((one) => [one, one]), packets.flatMap((one) => [...one, ...one])]) {
      const { frames, refusals } = take(twice)
      expect(refusals).toEqual([])
      expect(frames.map(({ csi, sequence }) => ({ csi, sequence }))).toEqual(once)
    }
    const counterless = [1, 2].map((value) => marked(0, 0, { word: () => value }))
    expect(take(counterless).frames).toHaveLength(2)
  })

  it("sorts payloads by row, for any order of arrival", () => {
    const { frames } = take([marked(2, 1), marked(0, 1), marked(2, 0), marked(0, 0)])
    expect(frames.map(rowsOf)).toEqual([{ antennas: [2, 2], marks: [0, 1, 20, 21] }])
  })

  it("delivers a packet with its last payload, once the pairs are known", () => {
    const reader = new NexmonReader()
    const seen: Array<number> = []
    const give = (bytes: Uint8Array) => {
      const before = seen.length
      reader.take(bytes, 0, bytes.length, 0, ({ sequence }) => seen.push(sequence))
      return seen.slice(before)
    }
    const delivered = [1, 2, 3].flatMap((number) => [give(marked(0, 0, { number })), give(marked(1, 0, { number }))])
    expect(delivered).toEqual([[], [], [1], [2], [], [3]])
  })

  it("keeps the packets of stations apart that have no numbers", () => {
    const blockAcknowledgement = { frameControl: 0x94, number: 0 }
    const payloads = Array.from(
      { length: 6 },
      (_, i) => marked(0, 0, { ...blockAcknowledgement, mac: [0, 0, 0, 0, 0, i % 2] }),
    )
    const { frames, refusals } = take(payloads)
    expect(refusals).toEqual([])
    expect(frames.map(({ transmitterId }) => transmitterId.at(-1))).toEqual(["0", "1", "0", "1", "0", "1"])
    expect(frames.map(({ sequence }) => sequence)).toEqual([0, 0, 0, 0, 0, 0])
  })

  it("has a link for each kind of packet that a station transmits in another way, the most frequent with the name of the station", () => {
    const [beacon, response, plain, qos, acknowledgement] = [0x80, 0x50, 0x08, 0x88, 0x94]
    const reader = new NexmonReader()
    let number = 0
    /** The kinds behind the names of packets, one every `everyMs` from a time. */
    const names = (kinds: ReadonlyArray<number>, fromS = 0, everyMs = 10, header: "short" | "silent" = "short") => {
      const found: Array<string> = []
      kinds.forEach((frameControl, i) => {
        const bytes = marked(0, 0, { frameControl, number: ++number % 4096, header })
        reader.take(
          bytes,
          0,
          bytes.length,
          fromS * 1e6 + i * everyMs * 1e3,
          ({ transmitterId }) => found.push(transmitterId.split("/")[1] ?? "station"),
        )
      })
      return found
    }
    const many = (kind: number, count: number) => Array.from({ length: count }, () => kind)
    // The first packet waits for another stream of its station.
    expect(names([beacon, response, plain, qos, acknowledgement, beacon]).slice(-5))
      .toEqual(["station", "station", "qos", "control", "station"])
    expect(new Set(names(many(acknowledgement, 110), 1).slice(10))).toEqual(new Set(["station"]))
    // Decided: neither a burst nor equal shares exchange the names.
    expect(new Set(names(many(qos, 1000), 10))).toEqual(new Set(["qos"]))
    expect(new Set(names(many(beacon, 400).flatMap((kind) => [kind, acknowledgement]), 21))).toEqual(
      new Set(["basic", "station"]),
    )
    // Only a silence does.
    expect(names(many(beacon, 100), 30, 1000).at(-1)).toBe("station")
    expect(names([acknowledgement], 131)).toEqual(["control"])
    // Older firmware does not name the kind.
    expect(new Set(names([beacon, qos, acknowledgement], 140, 10, "silent"))).toEqual(new Set(["station"]))
  })

  it("does not wait for ever for a stream that a station no longer sends", () => {
    const two = [marked(0, 0), marked(0, 1)]
    const { frames } = take([...two, marked(0, 0, { number: 2 }), marked(0, 0, { number: 3 })])
    expect(frames.map((frame) => rowsOf(frame).antennas)).toEqual([[1, 2], [1, 1], [1, 1]])
  })

  it("waits for a stream from the packet on that had it first", () => {
    const late = [1, 2, 3].flatMap((number) =>
      number === 1 ? [marked(0, 0)] : [0, 1].map((s) => marked(0, s, { number }))
    )
    const { frames, refusals } = take(late)
    expect(frames.map((frame) => rowsOf(frame).antennas)).toEqual([[1, 1], [1, 1], [1, 2]])
    expect(refusals).toMatchObject([{ reason: "value-count" }])
  })

  it("drops a packet whose cores have different streams, with a fault", () => {
    const broken = [marked(0, 0), marked(0, 1), marked(1, 0)]
    const whole = [0, 1].flatMap((core) => [0, 1].map((stream) => marked(core, stream, { number: 2 })))
    const { frames, refusals } = take([...broken, ...whole])
    expect(frames.map(({ timestampUs }) => timestampUs)).toEqual([30])
    expect(refusals).toMatchObject([{ reason: "value-count" }])
  })

  it("counts on over wraps, lost packets and several stations; retries do not count", () => {
    const of = (station: number, number: number, value = 0) =>
      marked(0, 0, { number, mac: [0, 0, 0, 0, 0, station], word: () => value })
    const { frames } = take([of(1, 4094), of(2, 7), of(1, 4095), of(1, 1), of(2, 8), of(2, 8, 1), of(1, 0), of(1, 2)])
    expect(frames.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 5, 6, 6, 5, 7])
  })
})
