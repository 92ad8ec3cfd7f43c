import { describe, expect, it } from "vitest"
import { createCaptureDecoder, detectFormat } from "../../../core/formats/detect-format.ts"
import { joined } from "./damage.ts"
import { beamformingRecord } from "./intel-records.ts"
import {
  type BasicFields,
  basicSegment,
  type CsiFields,
  csiSegment,
  firmwareSegment,
  packet,
  picoScenesFrame,
  segment,
  signalMatrix,
  toneIndices,
} from "./picoscenes-frames.ts"

const decode = (bytes: Uint8Array) => {
  const decoder = createCaptureDecoder("picoscenes", { routerId: "r1", source: "replay" })
  const results = [decoder.push(bytes), decoder.end()]
  return {
    batches: results.flatMap(({ batches }) => batches),
    faults: results.flatMap(({ faults }) => faults),
    hardware: decoder.hardware,
  }
}

/** A report of an Intel 5300 with two receive chains and two streams, whose selection swaps the chains. */
const intelReport = beamformingRecord({ receive: 2, transmit: 2, value: (j, tone) => [10 * j + tone, -tone] })
  .subarray(23)
const intel: CsiFields = {
  device: 0x5300,
  tones: 30,
  receive: 2,
  transmit: 2,
  antennaSelection: 0b0001,
  data: intelReport,
}

const frame = (csi: CsiFields, basic: BasicFields = {}, ...others: ReadonlyArray<Uint8Array>): Uint8Array =>
  picoScenesFrame([basicSegment(basic), ...others, csiSegment(csi)], packet([1, 2, 3, 4, 5, 6]))

const ax = (tones: number, over: Partial<CsiFields> = {}): CsiFields => {
  const data = new Int16Array(2 * 2 * tones).map((_, i) => i - 100)
  return { device: 0x2000, version: 4, tones, receive: 2, data: new Uint8Array(data.buffer), ...over }
}

const usrp = (over: Partial<CsiFields> = {}, order: "C" | "R" = "C", values = [...Array(16).keys()]): CsiFields => ({
  device: 0x1234,
  tones: 4,
  transmit: 1,
  receive: 2,
  data: joined(toneIndices([-2, -1, 1, 2]), signalMatrix([4, 1, 2], values, { order })),
  ...over,
})

describe("PicoScenes", () => {
  it("reads an Intel 5300 as its own captures are read", () => {
    const { batches: [batch], faults, hardware } = decode(frame(intel))
    expect(faults).toEqual([])
    expect(hardware).toBe("Intel 5300 (PicoScenes)")
    expect(batch!.layout).toMatchObject({ receiveAntennas: 2, transmitAntennas: 2, centerFrequencyHz: 2412e6 })
    for (let chain = 0; chain < 2; chain++) {
      for (let tx = 0; tx < 2; tx++) {
        const at = 2 * ((1 - chain) * 2 + tx) * 30
        expect([batch!.csi[at + 6], batch!.csi[at + 7]]).toEqual([10 * (2 * chain + tx) + 3, -3])
      }
    }
  })

  it("reads a QCA9300: ten bits, imaginary part first, receive antennas within streams", () => {
    const data = new Uint8Array(420)
    let bit = 0
    const put = (value: number): void => {
      for (let i = 0; i < 10; i++, bit++) if ((value >> i) & 1) data[bit >> 3]! |= 1 << (bit & 7)
    }
    for (let tone = 0; tone < 56; tone++) {
      for (let rx = 0; rx < 3; rx++) {
        put(-tone)
        put(100 * rx + tone)
      }
    }
    const { batches: [batch], hardware } = decode(frame({ device: 0x9300, tones: 56, receive: 3, data }))
    expect(hardware).toBe("Atheros QCA9300 (PicoScenes)")
    for (let rx = 0; rx < 3; rx++) {
      for (let tone = 0; tone < 56; tone++) {
        const at = 2 * (56 * rx + tone)
        expect([batch!.csi[at], batch!.csi[at + 1]! + 0]).toEqual([100 * rx + tone, 0 - tone])
      }
    }
  })

  it("reads an AX200, whose time is in the firmware's header", () => {
    const times = [4_294_967_200, 104].map((clock) =>
      frame(ax(56), { version: 3, deviceTime: 0 }, firmwareSegment(clock))
    )
    const { batches: [batch], hardware } = decode(joined(...times))
    expect(hardware).toBe("Intel AX200 (PicoScenes)")
    expect([...batch!.timestampsUs]).toEqual([0, 200])
    expect([batch!.csi[0], batch!.csi[1]]).toEqual([-99, -100])
    expect(batch!.layout.subcarrierIndices).toHaveLength(56)
  })

  it("uses the host's time of an AX200 without the firmware's, else the previous time", () => {
    const host = decode(joined(
      frame(ax(56), { version: 4, hostTime: 7_000_000 }),
      frame(ax(56), { version: 4, hostTime: 9_500_000 }),
    ))
    expect([...host.batches[0]!.timestampsUs]).toEqual([0, 2500])
    const none = decode(joined(frame(ax(56), { version: 3, deviceTime: 5 }), frame(ax(56), { version: 3 })))
    expect([...none.batches[0]!.timestampsUs]).toEqual([0, 0])
  })

  it("uses the host's time of an AX200 whose firmware leaves its clock 0", () => {
    const { batches: [batch] } = decode(joined(
      frame(ax(52, { format: 0 }), { version: 4, hostTime: 7_000_000 }, firmwareSegment(0)),
      frame(ax(52, { format: 0 }), { version: 4, hostTime: 9_500_000 }, firmwareSegment(0)),
    ))
    expect([...batch!.timestampsUs]).toEqual([0, 2500])
  })

  it.each(["C", "R"] as const)("reads a software radio's matrix, ordered by %s", (order) => {
    const { batches: [batch], hardware } = decode(frame(usrp({}, order), { version: 2, deviceTime: 5_000_000 }))
    expect(hardware).toBe("USRP (PicoScenes)")
    expect([...batch!.layout.subcarrierIndices]).toEqual([-2, -1, 1, 2])
    const real = [...batch!.csi].filter((_, i) => i % 2 === 0)
    expect(real).toEqual(order === "C" ? [0, 2, 4, 6, 8, 10, 12, 14] : [0, 4, 8, 12, 2, 6, 10, 14])
  })

  it("reads every matrix of a segment as a frame of its own, with the radio's nanoseconds as time", () => {
    const matrix = signalMatrix([4, 1, 2, 3], [...Array(48).keys()], { type: "f32" })
    const csi = usrp({ version: 7, matrices: 3, data: matrix, after: toneIndices([-2, -1, 1, 2]) })
    const { batches: [batch] } = decode(joined(
      frame(csi, { version: 6, deviceTime: 1_000_000 }),
      frame(csi, { version: 6, deviceTime: 3_000_000 }),
    ))
    expect([...batch!.timestampsUs]).toEqual([0, 0, 0, 2000, 2000, 2000])
    expect([batch!.csi[0], batch!.csi[16], batch!.csi[32]]).toEqual([0, 16, 32])
  })

  it.each([
    [1, -90, 30, -60, -90],
    [2, -127, 30, 0, 0],
    [3, -95, -40, -40, -95],
    [4, -128, -40, -40, 0],
    [5, -95, -128, 0, -95],
    [6, -95, -40.4, -40, -95],
  ])("reads strength and noise of version %i", (version, noise, strength, rssiDbm, noiseFloorDbm) => {
    const { batches: [batch] } = decode(frame(intel, { version, noise, strength }))
    expect([batch!.rssiDbm[0], batch!.noiseFloorDbm[0]]).toEqual([rssiDbm, noiseFloorDbm])
  })

  it("names the transmitter if the packet contains it", () => {
    const segments = [basicSegment(), csiSegment(intel)]
    const { batches } = decode(joined(
      picoScenesFrame(segments, packet([1, 2, 3, 4, 5, 6])),
      picoScenesFrame(segments, packet([1, 2, 3, 4, 5, 6], 0xb4)),
      picoScenesFrame(segments, packet([1, 2, 3, 4, 5, 6], 0xd4)),
      picoScenesFrame(segments),
      picoScenesFrame(segments, packet([9, 2, 3, 4, 5, 6]), 2),
    ))
    const batch = batches[0]!
    const station = "01:02:03:04:05:06"
    expect([...batch.transmitterIndex].map((i) => batch.transmitterIds[i]))
      .toEqual([station, station, "ap", "ap", "09:02:03:04:05:06"])
  })

  it("counts packets by the numbers that their station gives them", () => {
    const segments = [basicSegment(), csiSegment(intel)]
    const numbered = [100, 101, 105].map((number) => {
      const mpdu = packet([1, 2, 3, 4, 5, 6])
      new DataView(mpdu.buffer).setUint16(22, number << 4, true)
      return picoScenesFrame(segments, mpdu)
    })
    const { batches: [batch] } = decode(joined(...numbered))
    const [first, second, third] = batch!.sequences
    expect([second! - first!, third! - second!]).toEqual([1, 4])
  })

  it("shifts the subcarriers by the segment's offset", () => {
    const { batches: [batch] } = decode(frame({ ...intel, indexOffset: -32 }))
    expect([batch!.layout.subcarrierIndices[0], batch!.layout.subcarrierIndices.at(-1)]).toEqual([-60, -4])
  })

  it.each([
    ["an unknown device", { ...intel, device: 0x4242 }, "unsupported-layout"],
    ["too few bytes", { ...intel, data: intelReport.subarray(1) }, "value-count"],
    ["tones the device does not have", { ...intel, tones: 31 }, "unsupported-layout"],
    ["no antenna", { ...intel, receive: 0 }, "bad-field"],
    ["a version to come", { ...intel, version: 8 }, "unsupported-layout"],
    ["a matrix of other dimensions", usrp({ receive: 1 }), "value-count"],
    [
      "subcarriers that do not ascend",
      usrp({ data: joined(toneIndices([1, 2, -2, -1]), signalMatrix([4, 1, 2], Array(16).fill(0))) }),
      "unsupported-layout",
    ],
    ["a value that is no number", usrp({}, "C", [...Array(15).fill(0), NaN]), "bad-value"],
    ["no matrix", usrp({ data: new Uint8Array(200) }), "unsupported-layout"],
  ])("rejects %s, and continues", (_, csi, reason) => {
    const good = frame(intel)
    const { batches, faults } = decode(joined(good, frame(csi), good))
    expect(batches.reduce((sum, { frameCount }) => sum + frameCount, 0)).toBe(2)
    expect(faults).toMatchObject([{ offset: good.length, reason }])
  })

  it("skips frames without CSI, and rejects a segment that exceeds its frame", () => {
    const bare = picoScenesFrame([segment("LegacyCSI", 1, new Uint8Array(50))])
    const broken = frame(intel)
    new DataView(broken.buffer).setUint32(11, 100_000, true)
    const { batches, faults } = decode(joined(bare, broken, frame(intel)))
    expect(batches).toMatchObject([{ frameCount: 1 }])
    expect(faults).toMatchObject([{ offset: bare.length, reason: "bad-field" }])
  })

  it("detects a capture by its first frame of any length within the bound", () => {
    const long = frame(intel, {}, segment("BasebandSignal", 1, new Uint8Array(200_000)))
    expect(detectFormat(long)).toBe("picoscenes")
    const tooLong = frame(intel)
    new DataView(tooLong.buffer).setUint32(0, 2 ** 24, true)
    expect(detectFormat(tooLong)).toBeNull()
    const { batches, faults } = decode(joined(long, tooLong, long))
    expect(batches.reduce((sum, { frameCount }) => sum + frameCount, 0)).toBe(2)
    expect(faults).toMatchObject([{ offset: long.length, reason: "not-a-record" }])
  })

  it("rejects a long frame whose segments disagree with its length", () => {
    const good = frame(intel)
    const wrong = frame(intel)
    new DataView(wrong.buffer).setUint32(0, 2 ** 20, true)
    const { batches, faults } = decode(joined(good, wrong, good, good))
    expect(batches.reduce((sum, { frameCount }) => sum + frameCount, 0)).toBe(3)
    expect(faults).toMatchObject([{ offset: good.length, reason: "not-a-record" }])
  })

  it("reports a last frame that is cut off", () => {
    const one = frame(intel)
    const { batches, faults } = decode(joined(one, one.subarray(0, one.length - 1)))
    expect(batches).toMatchObject([{ frameCount: 1 }])
    expect(faults).toMatchObject([{ offset: one.length, reason: "truncated" }])
  })
})
