import { describe, expect, it } from "vitest"
import { createCaptureDecoder, detectFormat } from "../../../core/formats/detect-format.ts"
import { decodeBytes, framesOf } from "../../harness/decode.ts"
import { joined } from "./damage.ts"
import { beamformingRecord } from "./intel-records.ts"
import { emptyCell, intelPacket, matCells, matFile, matNumbers, matStruct, matText } from "./mat-files.ts"

const value = (rx: number, tx: number, tone: number) => [10 * rx + tx + tone, -1 - tone - rx] as const
const packet = (over: Partial<Parameters<typeof intelPacket>[0]> = {}) =>
  intelPacket({ receive: 3, transmit: 2, value, ...over })

/** The values of a packet as interleaved [rx][tx][tone]. */
const expected = (receive: number, transmit: number): ReadonlyArray<number> =>
  Array.from(
    { length: receive * transmit * 30 },
    (_, i) => value(Math.floor(i / 30 / transmit), Math.floor(i / 30) % transmit, i % 30),
  )
    .flat()

const messages = (file: Uint8Array): ReadonlyArray<string> => decodeBytes(file).faults.map(({ message }) => message)

describe("packets of the Intel 5300 tool in a MATLAB file", () => {
  it.each([false, true])("are read whatever their variable is called, compressed %s", (compressed) => {
    const others = [matText("filename", "walk.dat"), matNumbers("csi", [3, 30, 2], new Float64Array(180))]
    const cells = [packet({ timestamp: 1000, count: 65_535 }), packet({ timestamp: 21_000, count: 1, noise: -127 })]
    for (const name of ["csi_trace", "trace_of_a_walk"]) {
      const { batches, faults, format, hardware } = decodeBytes(
        matFile([...others, matCells(name, cells)], { compressed }),
      )
      expect([format, hardware, faults]).toEqual(["mat", "Intel 5300", []])
      expect(batches).toHaveLength(1)
      expect(batches[0]).toMatchObject({
        layout: {
          format: "intel5300",
          receiveAntennas: 3,
          transmitAntennas: 2,
          centerFrequencyHz: 0,
          bandwidthHz: 20e6,
        },
        transmitterIds: ["ap"],
      })
      expect([...batches[0]!.timestampsUs]).toEqual([0, 20_000])
      expect([...batches[0]!.sequences]).toEqual([65_535, 65_537])
      expect([...batches[0]!.noiseFloorDbm]).toEqual([-80, 0])
      expect([...framesOf(batches)[1]!.csi]).toEqual(expected(3, 2))
    }
  })

  it("are the frames of the tool's own file", () => {
    const fields = { receive: 2, transmit: 3, timestamp: 77, count: 9, rate: 0x900 }
    const recorded = decodeBytes(
      beamformingRecord({ ...fields, selection: 0b000100, value: (j, tone) => value(Math.floor(j / 3), j % 3, tone) }),
    ).batches[0]!
    const saved = decodeBytes(matFile([matCells("csi_trace", [packet(fields)])])).batches[0]!
    expect({ ...saved, csi: [...saved.csi] }).toEqual({ ...recorded, csi: [...recorded.csi] })
  })

  it.each(["i1", "f4", "f8"] as const)("have values in any type of the file: %s", (stored) => {
    const { batches } = decodeBytes(matFile([matCells("csi_trace", [packet({ stored })])]))
    expect([...batches[0]!.csi]).toEqual(expected(3, 2))
  })

  it("have a clock that wraps, also where it was saved as a signed number", () => {
    const cells = [4_294_967_286, -5, 5].map((timestamp) => packet({ timestamp }))
    expect([...decodeBytes(matFile([matCells("c", cells)])).batches[0]!.timestampsUs]).toEqual([0, 5, 15])
  })

  it("are read beside cells that are empty, and a damaged one is a fault", () => {
    const broken = [
      packet({ tones: 29 }),
      packet({ timestamp: 1e10 }),
      packet({ value: () => [NaN, 0] }),
      matStruct({ csi: matText("", "x") }),
      matNumbers("", [1, 1], [1]),
    ]
    const file = matFile([matCells("csi_trace", [emptyCell, packet(), ...broken, emptyCell, packet({ timestamp: 9 })])])
    const { batches, faults } = decodeBytes(file)
    expect([...batches[0]!.timestampsUs]).toEqual([0, 9])
    expect(faults.map(({ message, offset, reason }) => [offset, reason, message])).toEqual([
      [128, "unsupported-layout", "packet 3: csi is 2 x 3 x 29, not tx x rx x 30"],
      [128, "bad-field", "packet 4: timestamp_low is not a 32-bit counter"],
      [128, "bad-value", "packet 5: a value of csi is not finite"],
      [128, "bad-field", 'packet 6: "csi" has no numbers'],
      [128, "bad-field", "packet 7: it is damaged"],
    ])
  })

  it("in several variables are not mixed", () => {
    const file = matFile([matCells("walk", [packet()]), matCells("rest", [packet(), packet()])])
    expect(decodeBytes(file).batches).toEqual([])
    expect(messages(file)).toEqual(["several variables have packets: walk (1 x 1), rest (2 x 1). Save one of them"])
  })
})

describe("the neutral container as a MATLAB file", () => {
  /** Values of [frame, rx, tx, tone], the first index fastest. */
  const shape = [3, 2, 1, 4]
  const at = (i: number) => [i % 3, Math.floor(i / 3) % 2, Math.floor(i / 6)] as const
  const real = Array.from({ length: 24 }, (_, i) => at(i)).map(([frame, rx, tone]) => 100 * frame + 10 * rx + tone)
  const imaginary = real.map((n) => n + 1000)
  const times = matNumbers("timestamp_s", [3, 1], [5, 5.01, 5.02])
  const frameValues = (frame: number): ReadonlyArray<number> =>
    [0, 1].flatMap((rx) => [0, 1, 2, 3].map((tone) => 100 * frame + 10 * rx + tone))

  it.each([false, true])("has its values by frame, compressed %s", (compressed) => {
    for (const as of ["f8", "f4", "i2"] as const) {
      const csi = matNumbers("csi", shape, real, { as, imaginary })
      const { batches, faults, hardware } = decodeBytes(matFile([times, csi], { compressed }))
      expect([faults, hardware]).toEqual([[], null])
      expect([...batches[0]!.timestampsUs]).toEqual([0, 10_000, 20_000])
      expect(batches[0]!.layout).toMatchObject({ format: "mat", receiveAntennas: 2, transmitAntennas: 1 })
      framesOf(batches).forEach(({ csi }, frame) =>
        expect([...csi]).toEqual(frameValues(frame).flatMap((n) => [n, n + 1000]))
      )
    }
  })

  it("has amplitudes, and the tones and frequencies of its variables", () => {
    const { batches } = decodeBytes(matFile([
      matNumbers("csi", [2, 3], [1, 2, 3, 4, 5, 6]),
      matNumbers("timestamp_s", [1, 2], [0, 1]),
      matNumbers("subcarrier_index", [1, 3], [1, -1, 2], { stored: "i1" }),
      matNumbers("bandwidth_hz", [1, 1], [20e6], { stored: "u4" }),
      matNumbers("center_frequency_hz", [1, 1], [5.18e9]),
    ]))
    expect([...batches[0]!.csi]).toEqual([3, 0, 1, 0, 5, 0, 4, 0, 2, 0, 6, 0])
    expect(batches[0]!.layout).toMatchObject({ bandwidthHz: 20e6, centerFrequencyHz: 5.18e9 })
    expect([...batches[0]!.layout.subcarrierIndices]).toEqual([-1, 1, 2])
  })

  it("without times has those of the rate that the user gives, if its dimensions are certain", () => {
    const csi = matNumbers("csi", [4, 3], real.slice(0, 12), { imaginary: imaginary.slice(0, 12) })
    const { batches, faults } = decodeBytes(matFile([csi]), 50)
    expect(faults).toEqual([])
    expect([...batches[0]!.timestampsUs]).toEqual([0, 20_000, 40_000, 60_000])
    const wide = matFile([matNumbers("csi", [3, 4], real.slice(0, 12))])
    expect(decodeBytes(wide, 50)).toMatchObject({
      batches: [],
      faults: [{ message: expect.stringMatching(/transposed/) }],
    })
    // As many packets as a transmission has subcarriers, and not of such a number.
    const likeTones = matFile([matNumbers("csi", [242, 3, 200], new Float64Array(242 * 600))])
    expect(decodeBytes(likeTones, 50)).toMatchObject({
      batches: [],
      faults: [{ message: expect.stringMatching(/242 packets of 200 subcarriers or transposed/) }],
    })
  })

  it("says that a rate has no effect where the packets have times", () => {
    const files = [matFile([times, matNumbers("csi", shape, real)]), matFile([matCells("csi_trace", [packet()])])]
    for (const file of files) {
      expect(decodeBytes(file).faults).toEqual([])
      expect(decodeBytes(file, 50)).toMatchObject({
        batches: [],
        faults: [{ reason: "bad-field", message: "the file has times, so --rate has no effect. Leave it out" }],
      })
    }
  })

  it.each<[string, ReadonlyArray<Uint8Array>, string]>([
    ["a packet number", [matNumbers("t", [4, 1], [0, 1, 2, 3])], "the unit of the times in t is unknown"],
    ["milliseconds with fractions", [matNumbers("t", [4, 1], [0, 9.8, 20.1, 29.9])], "the unit of the times in t"],
    ["a clock in microseconds", [matNumbers("timestamp", [4, 1], [2e9, 2e9 + 1e4, 2e9 + 2e4, 2e9 + 3e4])], "unit"],
    ["the time between packets", [matNumbers("time", [1, 1], [0.02])], "time has one number, csi has 4 frames"],
    ["a date", [matText("time", "2024-05-01")], '"time" has no numbers'],
  ])("does not take %s for times, and reads it with a rate", (_, variables, problem) => {
    const file = matFile([matNumbers("csi", [4, 3], real.slice(0, 12)), ...variables])
    expect(decodeBytes(file)).toMatchObject({ batches: [], faults: [{ message: expect.stringContaining(problem) }] })
    expect(messages(file)[0]).toMatch(/: give --rate, .* or save the times in seconds as timestamp_s$/)
    const { batches, faults } = decodeBytes(file, 50)
    expect(faults).toEqual([])
    expect([...batches[0]!.timestampsUs]).toEqual([0, 20_000, 40_000, 60_000])
  })

  it("has the first times that can be used, and loses only the frames without one", () => {
    const variables = [
      matNumbers("csi", [4, 3], real.slice(0, 12)),
      matNumbers("local_timestamp", [4, 1], [2e9, 2e9 + 1e4, 2e9 + 2e4, 2e9 + 3e4]),
      matNumbers("t_us", [1, 1], [20_000]),
      matNumbers("timestamp", [4, 1], [NaN, 1.7e15, 1.7e15 + 10_000, 1.7e15 + 20_000]),
    ]
    const { batches, faults } = decodeBytes(matFile(variables))
    expect(faults).toMatchObject([{ message: "the time of frame 0 is not a number of seconds" }])
    expect([...batches[0]!.timestampsUs]).toEqual([0, 10_000, 20_000])
  })

  it.each<[string, ReadonlyArray<number>]>([
    ["timestamp_us", [1000, 11_000, 21_000]],
    ["Timestamps_ms", [1, 11, 21]],
    ["t", [0, 0.01, 0.02]],
    ["time", [1.7e9, 1.7e9 + 0.01, 1.7e9 + 0.02]],
    ["timestamp", [1.7e15, 1.7e15 + 10_000, 1.7e15 + 20_000]],
  ])("has times of other names, whose unit the name or the values show: %s", (name, values) => {
    const variables = [matNumbers("csi", [3, 4], real.slice(0, 12)), matNumbers(name, [1, 3], values)]
    const { batches, faults } = decodeBytes(matFile(variables))
    expect(faults).toEqual([])
    expect([...batches[0]!.timestampsUs]).toEqual([0, 10_000, 20_000])
  })

  it.each<[string, ReadonlyArray<number>, (frame: number, rx: number, tone: number) => number]>([
    ["packets x subcarriers x antennas", [5, 9, 2], (frame, rx, tone) => frame + 5 * (tone + 9 * rx)],
    ["subcarriers x antennas x packets", [9, 2, 5], (frame, rx, tone) => tone + 9 * (rx + 2 * frame)],
    ["antennas x subcarriers x packets", [2, 9, 5], (frame, rx, tone) => rx + 2 * (tone + 9 * frame)],
  ])("has dimensions in the order that only fits: %s", (_, sizes, index) => {
    const values = Array.from({ length: 90 }, (_, i) => i)
    const seconds = matNumbers("timestamp_s", [5, 1], [0, 1, 2, 3, 4])
    const { batches, faults } = decodeBytes(matFile([matNumbers("csi", sizes, values), seconds]))
    expect(faults).toEqual([])
    expect(batches[0]).toMatchObject({ frameCount: 5, layout: { receiveAntennas: 2, transmitAntennas: 1 } })
    framesOf(batches).forEach(({ csi }, frame) => {
      const wanted = [0, 1].flatMap((rx) => [...Array(9).keys()].flatMap((tone) => [index(frame, rx, tone), 0]))
      expect([...csi]).toEqual(wanted)
    })
  })

  it.each<[string, ReadonlyArray<Uint8Array>, RegExp]>([
    [
      "has no times",
      [matNumbers("csi", [3, 4], real.slice(0, 12))],
      /the file has no times: give --rate, the number of packets in a second/,
    ],
    [
      "has only the time between packets",
      [matNumbers("csi", [3, 4], real.slice(0, 12)), matNumbers("Ts", [1, 1], [0.01])],
      /Ts has one number, csi has 3 frames: give --rate, the number of packets in a second/,
    ],
    [
      "has times of an unknown unit",
      [matNumbers("csi", [3, 4], real.slice(0, 12)), matNumbers("t", [3, 1], [0, 1, 2])],
      /the unit of the times in t is unknown: give --rate, .* or save the times in seconds as timestamp_s/,
    ],
    [
      "has dimensions that cannot be told",
      [times, matNumbers("csi", [3, 9, 200], new Float64Array(5400))],
      /csi is 3 x 9 x 200, and 9 x 1 antennas are not 1 to 8 .* as packets x subcarriers x antennas$/,
    ],
    [
      "has antennas last in four dimensions",
      [times, matNumbers("csi", [3, 30, 3, 2], new Float64Array(540))],
      /csi is 3 x 30 x 3 x 2, and 30 x 3 antennas are not .* as packets x rx x tx x subcarriers$/,
    ],
    [
      "has other times",
      [times, matNumbers("csi", [2, 4], real.slice(0, 8))],
      /timestamp_s has shape 3, csi has 2 frames/,
    ],
    ["has real integers", [times, matNumbers("csi", [3, 4], real.slice(0, 12), { as: "i2" })], /csi has integers/],
    ["has text for times", [matText("timestamp_s", "abc"), matNumbers("csi", [3, 4], real.slice(0, 12))], /no numbers/],
    ["has fewer numbers than its size", [times, matNumbers("csi", [3, 4], [1])], /"csi" does not have its 12 numbers/],
  ])("is refused if it %s", (_, variables, message) => {
    const file = matFile(variables)
    expect(decodeBytes(file).batches).toEqual([])
    expect(messages(file)).toEqual([expect.stringMatching(message)])
  })
})

describe("an invalid MATLAB file", () => {
  const good = matFile([matText("filename", "walk.dat"), matCells("csi_trace", [packet(), packet()])], {
    compressed: true,
  })

  it("of another content names its variables", () => {
    const file = matFile([matText("note;", "x"), matCells("SET", [matNumbers("", [9, 1], new Float64Array(9))])])
    expect(messages(file)[0]).toMatch(
      /only note\? \(1 x 1\), SET \(1 x 1\)\. Supported are the packets of read_bf_file/,
    )
    expect(messages(matFile([]))[0]).toMatch(/has no variables/)
  })

  it("with big-endian numbers is refused", () => {
    expect(messages(matFile([packet()], { order: "MI" }))[0]).toMatch(/big-endian.*-v7/)
  })

  it("that is cut keeps the variables before the cut", () => {
    expect(messages(good.subarray(0, good.length - 20))).toEqual(["the file ends within a variable"])
    const trailing = joined(matFile([matCells("c", [packet()])]), good.subarray(128, good.length - 20))
    expect(decodeBytes(trailing)).toMatchObject({
      batches: [{ frameCount: 1 }],
      faults: [{ reason: "truncated", offset: 0 }],
    })
  })

  it("with a wrong checksum is refused", () => {
    const bytes = good.slice()
    bytes[bytes.length - 1]! ^= 1
    expect(messages(bytes)).toEqual(['the checksum of "csi_trace" is wrong'])
  })

  it("that unpacks to more than a hundred times its size is rejected before it is unpacked", () => {
    const zeros = matNumbers("csi_trace", [2 ** 24, 1], new Uint8Array(2 ** 24), { as: "u1" })
    // As cells, so that it is opened.
    zeros[16] = 1
    expect(messages(matFile([zeros], { compressed: true }))[0]).toMatch(/unpacks from \d+ to \d+ bytes, .*-v6/)
  })

  it("is distinguished from MATLAB 7.3", () => {
    expect(detectFormat(good)).toBe("mat")
    const newer = good.slice()
    newer.set(new TextEncoder().encode("MATLAB 7.3"))
    expect(detectFormat(newer)).toBeNull()
    expect(createCaptureDecoder("mat", { routerId: "r", source: "replay" }).hardware).toBeNull()
  })
})
