import { describe, expect, it } from "vitest"
import { decodeBytes, type DecodedFrame, decodeRecording, framesOf } from "../harness/decode.ts"
import { complexArray, hasRecordings, recording } from "../harness/recordings.ts"

/** The measurements of each payload: a frame's rows, which came one after the other, in the order of the transform. */
const payloadsOf = (frames: ReadonlyArray<DecodedFrame>): ReadonlyArray<Float32Array> =>
  frames.flatMap(({ batch, csi }) => {
    const row = 2 * batch.layout.subcarrierIndices.length
    return Array.from({ length: csi.length / row }, (_, i) => {
      const ascending = csi.subarray(i * row, (i + 1) * row)
      const payload = new Float32Array(row)
      payload.set(ascending.subarray(row / 2))
      payload.set(ascending.subarray(0, row / 2), row / 2)
      return payload
    })
  })

const reference = (name: string): ReadonlyArray<Float32Array> => {
  const { shape: [frames, tones], values } = complexArray(`csikit/golden/${name}.csi_buff.npy`)
  return Array.from({ length: frames! }, (_, i) => values.subarray(2 * tones! * i, 2 * tones! * (i + 1)))
}

const captureHeadBytes = 24
const recordBytes = 16 + 1084

describe.skipIf(!hasRecordings("csikit/golden"))("Nexmon against the reference outputs", () => {
  it.each([
    ["example_4358", 4],
    ["example_4366c0", 293],
    ["example_4339", 1000],
  ])("%s: every value of the first %2$i measurements", (name, count) => {
    const bytes = recording(`csikit/nexmon/${name}.pcap`)
    const { batches, faults } = decodeBytes(bytes.subarray(0, captureHeadBytes + count * recordBytes))
    expect(faults).toEqual([])
    const payloads = payloadsOf(framesOf(batches))
    const wanted = reference(name)
    expect([payloads.length, wanted.length]).toEqual([count, count])
    payloads.forEach((payload, n) => {
      if (payload.some((value, i) => value !== wanted[n]![i])) expect(n).toBe("as the reference")
    })
  })

  it("example_43455c0: every measurement that the reference has", () => {
    const { batches, faults } = decodeRecording("csikit/nexmon/example_43455c0.pcap")
    expect(faults).toEqual([])
    const payloads = new Set(payloadsOf(framesOf(batches)).map((payload) => payload.join()))
    // The reference leaves out 18 packets with four bytes behind the datagram, and has zeros at its end instead.
    const wanted = reference("example_43455c0").filter((values) => values.some((value) => value !== 0))
    expect([payloads.size, wanted.length]).toEqual([566, 548])
    expect(wanted.filter((values) => !payloads.has(values.join()))).toEqual([])
  })
})

describe.skipIf(!hasRecordings("csikit/nexmon"))("Nexmon captures", () => {
  it.each([
    ["csikit/nexmon/example_4339.pcap", "BCM4339", 950, [1, 3], 5210e6, 13],
    ["csikit/nexmon/example_43455c0.pcap", "BCM43455c0", 566, [1, 1], 5210e6, 0],
    ["csikit/nexmon/example_4358.pcap", "BCM4358", 1, [2, 2], 5775e6, 0],
    ["csikit/nexmon/example_4366c0.pcap", "BCM4366c0", 293, [1, 1], 5530e6, 0],
    ["csikit/nexmon/example_4366c0_oldheader.pcap", "BCM43455c0", 858, [1, 1], 5210e6, 932],
    ["csikit/nexmon/walk_1597159475.pcap", "BCM43455c0", 343, [1, 1], 5210e6, 2],
    ["csiread/example.pcap", "BCM4358", 1, [2, 2], 5775e6, 0],
  ])("%s is read to its last byte", (name, chip, count, antennas, centerFrequencyHz, lost) => {
    const { batches, faults, format, hardware } = decodeRecording(name)
    expect(faults).toEqual([])
    expect([format, hardware]).toEqual(["nexmon", `Broadcom ${chip} (Nexmon)`])
    const frames = framesOf(batches)
    expect(frames).toHaveLength(count)
    let counter = 0
    for (const { batch, csi, i } of frames) {
      const { layout } = batch
      expect([layout.receiveAntennas, layout.transmitAntennas]).toEqual(antennas)
      expect([layout.subcarrierIndices.length, layout.centerFrequencyHz, layout.bandwidthHz])
        .toEqual([256, centerFrequencyHz, 80e6])
      expect(csi.some((value) => value !== 0)).toBe(true)
      counter = Math.max(counter, batch.sequences[i]!)
    }
    // Where no packet has a number, the counter says nothing.
    const numbered = frames.filter(({ batch, i }) => batch.sequences[i]! > 0)
    expect(counter === 0 ? 0 : counter - new Set(numbered.map(({ batch, i }) => batch.sequences[i])).size).toBe(lost)
  })

  it("gives each packet of example_4339 the time of its first payload", () => {
    const view = new DataView(recording("csikit/nexmon/example_4339.pcap").buffer)
    const timeUs = (record: number): number => {
      const at = captureHeadBytes + record * recordBytes
      return view.getUint32(at, true) * 1e6 + view.getUint32(at + 4, true)
    }
    framesOf(decodeRecording("csikit/nexmon/example_4339.pcap").batches).forEach(({ batch, i }, n) => {
      expect(batch.timestampsUs[i]).toBe(timeUs(3 * n) - timeUs(0))
    })
  })

  it("keeps the beacons of a station apart from its acknowledgements, whose channel differs by more than its mean power", () => {
    const frames = framesOf(decodeRecording("csikit/nexmon/walk_1597159475.pcap").batches)
    const profileOf = (isBeacon: boolean): Float64Array => {
      const chosen = frames.filter(({ batch, i }) =>
        batch.transmitterIds[batch.transmitterIndex[i]!]!.includes("/") === isBeacon
      )
      const tones = Array.from({ length: 100 }, (_, k) => k + 10)
      const mean = new Float64Array(tones.length)
      for (const { csi } of chosen) {
        const powers = tones.map((k) => csi[2 * k]! ** 2 + csi[2 * k + 1]! ** 2)
        const total = powers.reduce((sum, power) => sum + power, 0)
        powers.forEach((power, k) => mean[k]! += power * tones.length / total / chosen.length)
      }
      return mean
    }
    const [beacons, others] = [profileOf(true), profileOf(false)]
    expect(beacons.reduce((sum, power, k) => sum + (power - others[k]!) ** 2, 0) / beacons.length).toBeGreaterThan(0.3)
  })

  it("has the strength and the station of the branch with the long header", () => {
    const { batches } = decodeRecording("csikit/nexmon/example_4366c0_oldheader.pcap")
    expect([...new Set(batches.flatMap(({ transmitterIds }) => transmitterIds))]).toEqual([
      "34:e8:94:bd:e1:cc",
      "34:e8:94:bd:e1:cc/basic",
    ])
    const strengths = batches.flatMap(({ rssiDbm }) => [...rssiDbm])
    expect([Math.min(...strengths), Math.max(...strengths)]).toEqual([-76, -60])
  })

  it.each([1, 500, 1083, 1099])("delivers all whole records before %i bytes of a last one are missing", (cut) => {
    const bytes = recording("csikit/nexmon/walk_1597159475.pcap")
    const { batches, faults } = decodeBytes(bytes.subarray(0, bytes.length - cut))
    expect(framesOf(batches)).toHaveLength(342)
    expect(faults).toMatchObject([{ reason: "truncated", offset: bytes.length - recordBytes }])
  })
})
