import { describe, expect, it } from "vitest"
import { decodeBytes, decodeRecording, framesOf } from "../harness/decode.ts"
import { hasRecordings, recording } from "../harness/recordings.ts"

/** Frames by antennas and subcarriers, as "rx x tx x subcarriers". */
const layoutsOf = (name: string): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { frameCount, layout } of decodeRecording(name).batches) {
    const key = `${layout.receiveAntennas} x ${layout.transmitAntennas} x ${layout.subcarrierIndices.length}`
    counts[key] = (counts[key] ?? 0) + frameCount
  }
  return counts
}

/**
 * Mean difference of the amplitudes of neighbouring tones over the mean amplitude: 0.59 for unrelated complex normal values,
 * less for a channel.
 */
const roughness = (csi: Float32Array, tones: number): number => {
  const amplitudes = Float64Array.from({ length: csi.length / 2 }, (_, i) => Math.hypot(csi[2 * i]!, csi[2 * i + 1]!))
  let steps = 0
  let sum = 0
  for (const [i, amplitude] of amplitudes.entries()) {
    if (i % tones === tones - 1) continue
    steps += Math.abs(amplitudes[i + 1]! - amplitude)
    sum += amplitude
  }
  return steps / sum
}

const median = (values: ReadonlyArray<number>): number => [...values].sort((a, b) => a - b)[values.length >> 1]!

describe.skipIf(!hasRecordings("csikit/picoscenes"))("PicoScenes", () => {
  it.each([
    [
      "csikit/picoscenes/ax200_demo.csi",
      "Intel AX200 (PicoScenes)",
      { "2 x 1 x 56": 778, "2 x 1 x 52": 107 },
      [2412, 4.95],
    ],
    [
      "csikit/picoscenes/picoscenes_iwl5300_example.csi",
      "Intel 5300 (PicoScenes)",
      { "2 x 1 x 30": 99, "2 x 2 x 30": 12, "1 x 1 x 30": 1 },
      [2437, 10.4],
    ],
    [
      "csikit/picoscenes/picoscenes_iwl5300_example2.csi",
      "Intel 5300 (PicoScenes)",
      { "3 x 1 x 30": 840 },
      [2412, 5.29],
    ],
    [
      "csiread/rx_by_iwl5300.csi",
      "Intel 5300 (PicoScenes)",
      { "2 x 1 x 30": 368, "3 x 1 x 30": 11, "1 x 1 x 30": 3, "3 x 2 x 30": 1 },
      [2417, 40.59],
    ],
    ["csiread/rx_by_qca9300.csi", "Atheros QCA9300 (PicoScenes)", { "3 x 1 x 56": 1000 }, [5200, 0.88]],
    ["csiread/rx_by_usrpN210.csi", "USRP (PicoScenes)", { "1 x 1 x 52": 68, "1 x 1 x 56": 6 }, [2417, 16.84]],
  ])("%s: every frame, to the last byte", (name, hardware, layouts, [megahertz, durationS]) => {
    const decoded = decodeRecording(name)
    expect([decoded.format, decoded.hardware, decoded.faults]).toEqual(["picoscenes", hardware, []])
    expect(layoutsOf(name)).toEqual(layouts)
    for (const { layout } of decoded.batches) {
      expect(layout).toMatchObject({
        centerFrequencyHz: megahertz! * 1e6,
        bandwidthHz: 20e6,
        subcarrierSpacingHz: 312_500,
      })
    }
    const times = decoded.batches.flatMap(({ timestampsUs }) => [...timestampsUs])
    expect(times.every((us, i) => i === 0 || us >= times[i - 1]!)).toBe(true)
    expect(times.at(-1)! / 1e6).toBeCloseTo(durationS!, 1)
  })

  it.each([
    ["csikit/picoscenes/picoscenes_iwl5300_example.csi", 127],
    ["csikit/picoscenes/picoscenes_iwl5300_example2.csi", 127],
    ["csiread/rx_by_iwl5300.csi", 127],
    ["csiread/rx_by_qca9300.csi", 511],
    ["csikit/picoscenes/ax200_demo.csi", 2048],
    ["csiread/rx_by_usrpN210.csi", 1],
  ])("%s: a channel, smooth over its subcarriers, of values up to %d", (name, largest) => {
    const frames = framesOf(decodeRecording(name).batches)
    const peaks = frames.map(({ csi }) => csi.reduce((max, value) => Math.max(max, Math.abs(value)), 0))
    expect(Math.max(...peaks)).toBeLessThanOrEqual(largest + 1)
    const tones = ({ batch }: (typeof frames)[number]): number => batch.layout.subcarrierIndices.length
    expect(median(frames.map((frame) => roughness(frame.csi, tones(frame))))).toBeLessThan(0.3)
  })

  it("names the stations", () => {
    const stations = (name: string) =>
      new Set(decodeRecording(name).batches.flatMap(({ transmitterIds }) => transmitterIds))
    expect(stations("csiread/rx_by_qca9300.csi")).toEqual(new Set(["00:0e:8e:59:8a:de"]))
    // Acknowledgements do not say who sent them.
    expect(stations("csiread/rx_by_usrpN210.csi")).toEqual(new Set(["4c:ed:fb:a9:d7:72", "00:21:6a:b5:46:16", "ap"]))
  })

  it("delivers all whole frames of a capture that is cut off anywhere in its last one", () => {
    const bytes = recording("csiread/rx_by_qca9300.csi")
    for (const cut of [1, 400, 725]) {
      const { batches, faults } = decodeBytes(bytes.subarray(0, bytes.length - cut))
      expect(framesOf(batches)).toHaveLength(999)
      expect(faults).toMatchObject([{ reason: "truncated", offset: bytes.length - 730 }])
    }
  })
})
