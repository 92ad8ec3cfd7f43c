import { deflateSync } from "fflate"
import { describe, expect, it } from "vitest"
import type { BinOrder } from "../../../core/formats/bin-order.ts"
import { createCaptureDecoder, detectFormat } from "../../../core/formats/detect-format.ts"
import { createToneMap } from "../../../core/signal/tone-map.ts"
import { decodeBytes, framesOf } from "../../harness/decode.ts"
import { npyBytes, npzBytes } from "../../harness/npz.ts"
import { espPairs } from "./esp32-buffers.ts"
import { espectreFile, npzFile } from "./npz-files.ts"

/** Value of a frame's row and column, by which every place can be reported. */
const valueAt = (frame: number, rx: number, tx: number, tone: number): readonly [number, number] => [
  1000 * frame + 100 * rx + 10 * tx + tone,
  -(frame + tone / 8),
]

const shape = [3, 2, 2, 4] as const

/** Every place of the array, in the order of a file. */
const places = (fortranOrder: boolean): ReadonlyArray<readonly [number, number, number, number]> => {
  const axes = fortranOrder ? [3, 2, 1, 0] : [0, 1, 2, 3]
  let all: ReadonlyArray<ReadonlyArray<number>> = [[0, 0, 0, 0]]
  for (const axis of axes) {
    all = all.flatMap((place) => Array.from({ length: shape[axis]! }, (_, i) => place.with(axis, i)))
  }
  return all as ReadonlyArray<readonly [number, number, number, number]>
}

const times = npyBytes([5, 5.01, 5.02], { type: "<f8", shape: [3] })

const expectValues = (file: Uint8Array, complex = true): void => {
  const { batches, faults } = decodeBytes(file)
  expect(faults).toEqual([])
  const frames = framesOf(batches)
  expect(frames).toHaveLength(3)
  frames.forEach(({ csi }, frame) => {
    let at = 0
    for (let rx = 0; rx < 2; rx++) {
      for (let tx = 0; tx < 2; tx++) {
        for (let tone = 0; tone < 4; tone++, at += 2) {
          const [re, im] = valueAt(frame, rx, tx, tone)
          expect([csi[at], csi[at + 1]]).toEqual([re, complex ? im : 0])
        }
      }
    }
  })
}

describe("npz", () => {
  it.each(["<c8", ">c8", "<c16", ">c16"])("reads %s in both orders, stored and deflated", (type) => {
    for (const fortranOrder of [false, true]) {
      const numbers = places(fortranOrder).flatMap((place) => valueAt(...place))
      const csi = npyBytes(numbers, { type, shape, fortranOrder })
      expectValues(npzBytes({ csi, timestamp_s: times }))
      expectValues(npzBytes({ note: npyBytes([1], { type: "<f8", shape: [] }), timestamp_s: times, csi }, true))
    }
  })

  it.each(["<f4", ">f4", "<f8", ">f8"])("reads amplitudes of %s as values without a phase", (type) => {
    const amplitudes = places(false).map((place) => valueAt(...place)[0])
    expectValues(npzBytes({ csi: npyBytes(amplitudes, { type, shape }), timestamp_s: times }), false)
  })

  it("keeps time from the first frame, and begins a new batch where it steps back", () => {
    const file = npzBytes({
      csi: npyBytes(new Float32Array(5 * 4), { type: "<c8", shape: [5, 2] }),
      timestamp_s: npyBytes([1.7e9, 1.7e9 + 0.25, 1.7e9 + 0.125, NaN, 1.7e9 + 0.5], { type: "<f8", shape: [5] }),
    })
    const { batches, faults, hardware } = decodeBytes(file)
    expect(batches.map(({ timestampsUs }) => [...timestampsUs])).toEqual([[0, 250_000], [125_000, 500_000]])
    expect(hardware).toBeNull()
    expect(faults).toMatchObject([{ reason: "bad-field", message: "the time of frame 3 is not a number of seconds" }])
    expect(batches[0]).toMatchObject({ layout: { format: "npz", receiveAntennas: 1, transmitAntennas: 1 } })
  })

  it("continues where time steps back by more than a second, and corrects one time that is far ahead", () => {
    const file = npzBytes({
      csi: npyBytes(new Float32Array(7 * 4), { type: "<c8", shape: [7, 2] }),
      timestamp_s: npyBytes([1.7e9, 1.7e9 + 0.25, 1.8e9, 1.7e9 + 0.5, 0, 0.25, 1000], { type: "<f8", shape: [7] }),
    })
    const [batch] = decodeBytes(file).batches
    expect([...batch!.timestampsUs]).toEqual([0, 250_000, 250_000, 500_000, 500_000, 750_000, 1000_500_000])
  })

  it("drops frames with values that are not finite, and reports their position", () => {
    const numbers = new Array<number>(4 * 2 * 3).fill(1)
    numbers[7] = NaN
    numbers[13] = Infinity
    const timestamp_s = npyBytes([0, 1, 2, 3], { type: "<f4", shape: [4] })
    const file = npzBytes({ csi: npyBytes(numbers, { type: "<c8", shape: [4, 1, 3] }), timestamp_s })
    const { batches, faults } = decodeBytes(file)
    expect(batches[0]!.frameCount).toBe(2)
    const first = new DataView(file.buffer)
    expect(faults.map(({ reason }) => reason)).toEqual(["bad-value", "bad-value"])
    expect(first.getFloat32(faults[0]!.offset + 4, true)).toBeNaN()
    expect(first.getFloat32(faults[1]!.offset + 4, true)).toBe(Infinity)
  })

  it("puts the columns in the order of their indices", () => {
    const { batches } = decodeBytes(npzBytes({
      csi: npyBytes([0, 0, 1, 0, -2, 0, -1, 0], { type: "<c8", shape: [1, 4] }),
      timestamp_s: npyBytes([0], { type: "<f8", shape: [1] }),
      subcarrier_index: npyBytes([0, 1, -2, -1], { type: "<i8", shape: [4] }),
      bandwidth_hz: npyBytes([20e6], { type: "<f8", shape: [] }),
      center_frequency_hz: npyBytes([5.18e9], { type: "<f8", shape: [1] }),
    }))
    expect([...batches[0]!.layout.subcarrierIndices]).toEqual([-2, -1, 0, 1])
    expect([...batches[0]!.csi]).toEqual([-2, 0, -1, 0, 0, 0, 1, 0])
    expect(batches[0]!.layout).toMatchObject({
      subcarrierSpacingHz: 312_500,
      bandwidthHz: 20e6,
      centerFrequencyHz: 5.18e9,
    })
  })

  it.each([
    [56, null, null, 312_500, 20e6, -28],
    [114, null, null, 312_500, 40e6, -58],
    [242, null, null, 312_500, 80e6, -122],
    [242, null, 20e6, 78_125, 20e6, -122],
    [484, null, 40e6, 78_125, 40e6, -244],
    [30, null, null, 312_500, 20e6, -15],
    [100, null, 20e6, 78_125, 20e6, -50],
    [64, [-32, 31], 20e6, 312_500, 20e6, -32],
    [3, [-122, 122], 20e6, 78_125, 20e6, -122],
    [2, [-28, 28], null, 312_500, 20e6, -28],
    [2, [-2000, 2000], null, 312_500, 0, -2000],
  ])("%i tones, indices %o, %o Hz: spacing %i", (count, ends, bandwidthHz, spacingHz, channelHz, first) => {
    const [low, high] = ends ?? [0, 0]
    const indices = Array.from({ length: count }, (_, i) => i === count - 1 ? high! : low! + i)
    const file = npzBytes({
      csi: npyBytes(new Float32Array(2 * count), { type: "<c8", shape: [1, count] }),
      timestamp_s: npyBytes([0], { type: "<f8", shape: [1] }),
      ...(ends === null ? {} : { subcarrier_index: npyBytes(indices, { type: "<i2", shape: [count] }) }),
      ...(bandwidthHz === null ? {} : { bandwidth_hz: npyBytes([bandwidthHz], { type: "<f4", shape: [] }) }),
    })
    const { layout } = decodeBytes(file).batches[0]!
    expect(layout).toMatchObject({ subcarrierSpacingHz: spacingHz, bandwidthHz: channelHz })
    expect(layout.subcarrierIndices[0]).toBe(first)
    expect(layout.subcarrierIndices).toHaveLength(count)
  })
})

describe("an npz without timestamp_s", () => {
  const csi = npyBytes(new Float32Array(24), { type: "<c8", shape: [4, 3] })
  const withTime = (numbers: ReadonlyArray<number>, shape: ReadonlyArray<number>) =>
    npzBytes({ csi, time: npyBytes(numbers, { type: "<f8", shape }) })

  it("is read at the given rate if its times are one number, or text", () => {
    const text = new TextEncoder().encode("{'descr': '<U10', 'fortran_order': False, 'shape': ()")
    const named = npyBytes([1], { type: "<f8", shape: [] })
    named.set(text, 10)
    for (const file of [withTime([0.02], []), npzBytes({ csi, timestamp: named })]) {
      expect(decodeBytes(file)).toMatchObject({ batches: [], faults: [{ message: expect.stringContaining("--rate") }] })
      expect([...decodeBytes(file, 50).batches[0]!.timestampsUs]).toEqual([0, 20_000, 40_000, 60_000])
    }
  })

  it("does not take milliseconds with fractions for seconds", () => {
    expect(decodeBytes(withTime([0, 9.8, 20.1, 30.3], [4]))).toMatchObject({
      batches: [],
      faults: [{ message: expect.stringContaining("the unit of the times in time is unknown") }],
    })
    expect([...decodeBytes(withTime([5.5, 5.51, NaN, 5.53], [4])).batches[0]!.timestampsUs]).toEqual([
      0,
      10_000,
      30_000,
    ])
  })
})

describe("a data set of ESPectre", () => {
  const value = (frame: number) => (k: number) => [40 + k + frame, 10 - k] as const
  const buffers = (order: BinOrder, outermost: number, frames = 5): ReadonlyArray<Int8Array> =>
    Array.from({ length: frames }, (_, frame) => espPairs(order, outermost, value(frame), 0))

  it.each(
    [
      ["centre-first", 26],
      ["centre-first", 28],
      ["centre-first", 29],
      ["ascending", 26],
      ["ascending", 28],
    ] as const,
  )("is read in the order of its chip (%s, subcarriers to %i), spread over its duration", (order, outermost) => {
    for (const deflated of [false, true]) {
      const file = espectreFile(buffers(order, outermost), { deflated, durationMs: 400 })
      const { batches, faults, format, hardware } = decodeBytes(file)
      expect([format, hardware, faults]).toEqual(["npz", "ESP32 (ESPectre)", []])
      const [batch] = batches
      expect([...batch!.timestampsUs]).toEqual([0, 100_000, 200_000, 300_000, 400_000])
      expect(batch!.layout).toMatchObject({ format: "espectre", bandwidthHz: 20e6, centerFrequencyHz: 0 })
      framesOf(batches).forEach(({ csi }, frame) => {
        batch!.layout.subcarrierIndices.forEach((k, i) => {
          const wanted = k !== 0 && Math.abs(k) <= outermost ? value(frame)(k) : [0, 0]
          expect([csi[2 * i], csi[2 * i + 1]]).toEqual([...wanted])
        })
      })
      expect(createToneMap(batch!.layout).layout.subcarrierIndices).toHaveLength(51)
    }
  })

  it("has times, so a rate has no effect", () => {
    const file = espectreFile([new Int8Array(128).map((_, i) => 10 + i % 100)])
    expect(decodeBytes(file, 50)).toMatchObject({
      batches: [],
      faults: [{ message: expect.stringContaining("--rate") }],
    })
  })

  it("drops the frames that contradict the others", () => {
    const odd = buffers("centre-first", 28, 1)
    const { batches, faults } = decodeBytes(espectreFile([...odd, ...buffers("ascending", 28)]))
    expect(batches[0]!.frameCount).toBe(5)
    expect(faults).toMatchObject([{ reason: "bin-order", message: expect.stringContaining("frame 0") }])
  })

  it("without guards is read in the order of most chips, and reports this as a fault", () => {
    const { batches, faults } = decodeBytes(espectreFile([new Int8Array(128).map((_, i) => 10 + i % 100)]))
    expect([...batches[0]!.csi.subarray(64, 68)]).toEqual([11, 10, 13, 12])
    expect(faults).toMatchObject([{
      offset: 0,
      reason: "assumed-order",
      message: expect.stringContaining("is assumed"),
    }])
  })

  it.each([
    [
      "of another width",
      espectreFile(buffers("ascending", 28), { columns: 114 }),
      "unsupported-layout",
      "int8 [frame, 128]",
    ],
    [
      "that lasts no time that is one",
      espectreFile(buffers("ascending", 28), { durationMs: NaN }),
      "bad-field",
      "duration_ms",
    ],
    [
      "without a duration",
      npzBytes({ csi_data: npyBytes(new Int8Array(128), { type: "|i1", shape: [1, 128] }) }),
      "bad-field",
      'no array "duration_ms"',
    ],
  ])("%s is one fault, and no frame", (_, file, reason, message) => {
    expect(decodeBytes(file)).toMatchObject({
      batches: [],
      faults: [{ offset: 0, reason, message: expect.stringContaining(message) }],
    })
  })
})

const good = {
  csi: npyBytes(new Float32Array(12), { type: "<c8", shape: [3, 2] }),
  timestamp_s: times,
}

/** A file whose directory announces a size for its first entry that is not true. */
const announcing = (file: Uint8Array, bytes: number): Uint8Array => {
  const copy = file.slice()
  const view = new DataView(copy.buffer)
  view.setUint32(view.getUint32(copy.length - 6, true) + 24, bytes, true)
  return copy
}

const withHeader = (text: string): Uint8Array => {
  const npy = good.csi.slice()
  npy.set(new TextEncoder().encode(text), 10)
  return npy
}

describe("an invalid npz", () => {
  it.each([
    ["cut off", npzBytes(good).subarray(0, -30), "truncated"],
    ["without csi", npzBytes({ timestamp_s: times }), "bad-field"],
    ["without times", npzBytes({ csi: good.csi }), "bad-field"],
    ["with fewer times", npzBytes({ ...good, timestamp_s: npyBytes([1], { type: "<f8", shape: [1] }) }), "value-count"],
    [
      "with integers as csi",
      npzBytes({ ...good, csi: npyBytes([1, 2, 3, 4, 5, 6], { type: "<i2", shape: [3, 2] }) }),
      "bad-field",
    ],
    [
      "of one dimension",
      npzBytes({ ...good, csi: npyBytes(new Float32Array(6), { type: "<c8", shape: [3] }) }),
      "bad-field",
    ],
    ["of nine antennas", npzFile({ frames: 2, rx: 9, tones: 4 }), "unsupported-layout"],
    ["of one subcarrier", npzFile({ frames: 2, tones: 1 }), "value-count"],
    ["of 4097 subcarriers", npzFile({ frames: 1, tones: 4097 }), "value-count"],
    ["of 8 x 8 x 1024 values", npzFile({ frames: 1, rx: 8, tx: 8, tones: 1024 }), "unsupported-layout"],
    ["of objects", npzBytes({ ...good, csi: withHeader("{'descr': '|O', 'fortran_order'") }), "bad-field"],
    [
      "of 10^12 values",
      npzBytes({ ...good, csi: withHeader("{'descr': '<c8', 'fortran_order': False, 'shape': (1000000000000, 2)") }),
      "value-count",
    ],
    ["whose array is none", npzBytes({ ...good, csi: new Uint8Array(100) }), "not-a-record"],
    [
      "with indices twice",
      npzBytes({ ...good, subcarrier_index: npyBytes([1, 1], { type: "<i8", shape: [2] }) }),
      "bad-field",
    ],
    [
      "with an index that is none",
      npzBytes({ ...good, subcarrier_index: npyBytes([0.5, 1], { type: "<f8", shape: [2] }) }),
      "bad-field",
    ],
    [
      "with too few indices",
      npzBytes({ ...good, subcarrier_index: npyBytes([1], { type: "<i8", shape: [1] }) }),
      "value-count",
    ],
    [
      "with tones outside of its channel",
      npzBytes({
        ...good,
        subcarrier_index: npyBytes([-600, 600], { type: "<i8", shape: [2] }),
        bandwidth_hz: npyBytes([20e6], { type: "<f8", shape: [] }),
      }),
      "bad-field",
    ],
    [
      "without a bandwidth",
      npzBytes({ ...good, bandwidth_hz: npyBytes([0], { type: "<f8", shape: [] }) }),
      "bad-field",
    ],
    [
      "without a centre",
      npzBytes({ ...good, center_frequency_hz: npyBytes([NaN], { type: "<f8", shape: [] }) }),
      "bad-field",
    ],
    ["that announces 3 GB", announcing(npzBytes(good, true), 3e9), "too-long"],
    ["that announces more than deflate can make", announcing(npzBytes(good, true), 2e8), "too-long"],
    ["that announces less than it has", announcing(npzBytes(good, true), 100), "bad-field"],
    ["that announces less than is stored", announcing(npzBytes(good), 100), "bad-field"],
  ])("%s is one fault, and no frame", (_, file, reason) => {
    const { batches, faults } = decodeBytes(file)
    expect(batches).toEqual([])
    expect(faults).toMatchObject([{ offset: 0, reason }])
  })

  it("with other arrays has a fault that lists the supported ones", () => {
    const names = ["amplitude", "label\u0007", ...Array.from({ length: 9 }, (_, i) => `extra_${i}`)]
    const file = npzBytes(Object.fromEntries(names.map((name) => [name, times])))
    expect(decodeBytes(file).faults).toEqual([{
      offset: 0,
      reason: "bad-field",
      message:
        'the file has no array "csi", only amplitude, label?, extra_0, extra_1, extra_2, extra_3, extra_4, extra_5 and others. ' +
        "Supported are csi and timestamp_s, with optional subcarrier_index, bandwidth_hz and center_frequency_hz; " +
        "or csi_data and duration_ms of ESPectre",
    }])
  })

  it("is detected by its checksum", () => {
    const file = npzBytes(good)
    file[file.indexOf(0x93) + 140]! ^= 1
    expect(decodeBytes(file)).toMatchObject({ batches: [], faults: [{ reason: "bad-value" }] })
  })

  it("that unpacks far beyond its size is abandoned", () => {
    const bomb = deflateSync(new Uint8Array(2 ** 26))
    const file = npzBytes({ csi: bomb, timestamp_s: times })
    const view = new DataView(file.buffer)
    // The entry is stored as it is, and then called deflated.
    view.setUint16(view.getUint32(file.length - 6, true) + 10, 8, true)
    expect(decodeBytes(file)).toMatchObject({ batches: [], faults: [{ offset: 0, reason: "bad-field" }] })
  })

  it("that unpacks to more than a hundred times its size is rejected before it is unpacked, unless it is small", () => {
    const zeros = (frames: number) => {
      const header = npyBytes([], { type: "|i1", shape: [frames, 128] })
      const csi = new Uint8Array(header.length + 128 * frames)
      csi.set(header)
      return npzBytes({ csi_data: csi, duration_ms: npyBytes([1000], { type: "<f8", shape: [] }) }, true)
    }
    expect(decodeBytes(zeros(150_000))).toMatchObject({
      batches: [],
      faults: [{ reason: "too-long", message: expect.stringMatching(/more than 100 times its size.*numpy\.savez/) }],
    })
    expect(decodeBytes(zeros(1000)).batches.reduce((sum, { frameCount }) => sum + frameCount, 0)).toBe(1000)
  })

  it("whose arrays unpack to more than is held, all together, is rejected", () => {
    const file = npzBytes(good)
    const view = new DataView(file.buffer)
    const directory = view.getUint32(file.length - 6, true)
    const second = directory + 46 + view.getUint16(directory + 28, true) + view.getUint16(directory + 30, true)
    view.setUint32(second + 24, 2 ** 28, true)
    expect(decodeBytes(file)).toMatchObject({ batches: [], faults: [{ offset: 0, reason: "too-long" }] })
  })

  it("with more frames than are held is rejected", () => {
    const csi_data = npyBytes([], { type: "|i1", shape: [2 ** 21, 0] })
    const file = npzBytes({ csi_data, duration_ms: npyBytes([1000], { type: "<f8", shape: [] }) })
    expect(decodeBytes(file)).toMatchObject({
      batches: [],
      faults: [{ reason: "too-long", message: expect.stringContaining("Split the recording") }],
    })
  })

  it("that is too large is not held", () => {
    const decoder = createCaptureDecoder("npz", { routerId: "r", source: "replay" })
    const piece = new Uint8Array(2 ** 24)
    for (let i = 0; i < 17; i++) decoder.push(piece)
    expect(decoder.end()).toMatchObject({ batches: [], faults: [{ offset: 0, reason: "too-long" }] })
  })

  it("is distinguished from other archives and other captures", () => {
    expect(detectFormat(npzBytes(good))).toBe("npz")
    expect(detectFormat(Uint8Array.of(0x50, 0x4b, 3, 4))).toBeNull()
  })
})
