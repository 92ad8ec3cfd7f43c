import { describe, expect, it } from "vitest"
import { detectFormat } from "../../../core/formats/detect-format.ts"
import { RecordStream } from "../../../core/formats/record-stream.ts"
import { NexmonReader } from "../../../core/formats/nexmon.ts"
import { PcapReader } from "../../../core/formats/pcap.ts"
import { joined } from "./damage.ts"
import { type Captured, linkTypes, nexmonPayload, pcap, pcapng, udpPacket } from "./nexmon-records.ts"

const decode = (bytes: Uint8Array, pieceBytes = bytes.length) => {
  const decoder = new RecordStream(new PcapReader(new NexmonReader()), { routerId: "r", source: "replay" })
  const results = []
  for (let at = 0; at < bytes.length; at += pieceBytes) results.push(decoder.push(bytes.slice(at, at + pieceBytes)))
  results.push(decoder.end())
  const batches = results.flatMap((result) => result.batches)
  return {
    faults: results.flatMap(({ faults }) => faults),
    timestampsUs: batches.flatMap((batch) => [...batch.timestampsUs]),
    sequences: batches.flatMap((batch) => [...batch.sequences]),
    values: batches.flatMap((batch) => [...batch.csi]),
  }
}

const second = 1_700_000_000_000_000
const packet = udpPacket(nexmonPayload())
const captured: ReadonlyArray<Captured> = [1, 2, 5].map((number) => ({
  us: second + 999_990 + 7 * number,
  packet: udpPacket(nexmonPayload({ number })),
}))
const containers = { pcap, pcapng }

describe.each(["pcap", "pcapng"] as const)("%s", (name) => {
  const capture = containers[name]

  it.each([[true, false], [true, true], [false, false], [false, true]])(
    "is read with little-endian %s and nanoseconds %s",
    (little, nanoseconds) => {
      const { faults, sequences, timestampsUs, values } = decode(capture(captured, { little, nanoseconds }))
      expect(faults).toEqual([])
      expect(timestampsUs).toEqual([0, 7, 28])
      expect(sequences).toEqual([1, 2, 5])
      expect(values).toHaveLength(3 * 128)
    },
  )

  it.each([1, 13, 100])("gives the same in pieces of %i bytes", (pieceBytes) => {
    const bytes = capture(captured)
    expect(decode(bytes, pieceBytes)).toEqual(decode(bytes))
  })

  it.each(["ethernet", "vlan", "any", "any-2"] as const)("finds datagrams behind the header of link %s", (link) => {
    const packet = udpPacket(nexmonPayload(), { link, ipOptions: 3, trailer: 4 })
    const { faults, sequences } = decode(capture([{ us: second, packet }], { linkType: linkTypes[link] }))
    expect(faults).toEqual([])
    expect(sequences).toEqual([1])
  })

  it("skips other packets than datagrams to the port", () => {
    const arp = new Uint8Array(60).fill(8)
    const others = [
      udpPacket(nexmonPayload(), { port: 53 }),
      udpPacket(nexmonPayload(), { fragment: 1 }),
      arp,
      packet.subarray(0, 30),
      new Uint8Array(0),
      new Uint8Array(200_000),
    ]
    const packets = [...others, packet].map((packet, i) => ({ us: second + i, packet }))
    const { faults, timestampsUs } = decode(capture(packets), 5000)
    expect(faults).toEqual([])
    expect(timestampsUs).toEqual([0])
  })

  it("is detected by its packets, not by the container", () => {
    const other = { us: second, packet: udpPacket(nexmonPayload(), { port: 53 }) }
    const wrong = { us: second, packet: udpPacket(new Uint8Array(274)) }
    expect(detectFormat(capture([other, wrong, captured[0]!]))).toBe("nexmon")
    expect(detectFormat(capture([other, wrong]))).toBeNull()
    expect(detectFormat(capture([]))).toBeNull()
  })

  it("reports unsupported link types", () => {
    const { faults, sequences } = decode(capture([{ us: second, packet }], { linkType: 127 }))
    expect(sequences).toEqual([])
    expect(faults).toMatchObject([{ reason: "unsupported-layout" }])
  })

  it("reports a payload without CSI, and continues", () => {
    const wrong = udpPacket(new Uint8Array(274).fill(0x5a))
    const bytes = capture([captured[0]!, { us: second, packet: wrong }, captured[1]!])
    const { faults, sequences } = decode(bytes)
    expect(sequences).toEqual([1, 2])
    expect(faults).toMatchObject([{ reason: "not-a-record" }])
  })

  it("continues where the clock was set back: with an older file after the first, too", () => {
    const dayUs = 86_400_000_000
    const older = captured.map(({ packet, us }) => ({ packet, us: us - dayUs }))
    const times = [0, 7, 28, 28, 35, 56]
    expect(decode(joined(capture(captured), capture(older))).timestampsUs).toEqual(times)
    expect(decode(capture([...captured, ...older])).timestampsUs).toEqual(times)
  })

  it("counts time from the first packet that is used", () => {
    const wrong = udpPacket(new Uint8Array(274).fill(0x5a))
    expect(decode(capture([{ us: second, packet: wrong }, ...captured])).timestampsUs).toEqual([0, 7, 28])
  })

  it("reports a last record that is cut off, after all whole ones", () => {
    const bytes = capture(captured)
    const lastFrom = capture(captured.slice(0, 2)).length
    for (let cut = 1; cut < bytes.length - lastFrom; cut += 17) {
      const { faults, sequences } = decode(bytes.subarray(0, bytes.length - cut), 1000)
      expect(sequences).toEqual([1, 2])
      expect(faults).toMatchObject([{ offset: lastFrom, reason: "truncated" }])
    }
  })

  it("finds the next packet after foreign bytes", () => {
    const from = capture(captured.slice(0, 1)).length
    const bytes = capture(captured)
    const { faults, sequences } = decode(
      joined(bytes.subarray(0, from), new Uint8Array(77).fill(0xee), bytes.subarray(from)),
    )
    expect(sequences).toEqual([1, 2, 5])
    expect(faults).toMatchObject([{ offset: from, reason: "not-a-record" }])
  })

  it("continues with a second capture of another kind after the first", () => {
    const other = name === "pcap" ? pcapng : pcap
    const { faults, sequences } = decode(joined(capture(captured), other(captured, { little: false })))
    expect(faults).toEqual([])
    expect(sequences).toEqual([1, 2, 5, 1, 2, 5])
  })
})

describe("pcapng", () => {
  it("skips packets of an interface that was not announced", () => {
    const section = pcapng([]).subarray(0, 28)
    const packets = pcapng(captured).subarray(pcapng([]).length)
    expect(decode(joined(section, packets))).toMatchObject({ faults: [], sequences: [] })
  })
})
