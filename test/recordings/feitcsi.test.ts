import { describe, expect, it } from "vitest"
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import { decodeBytes, decodeRecording, framesOf } from "../harness/decode.ts"
import { hasRecordings, recording } from "../harness/recordings.ts"

const file = (name: string): string => `csikit/feitcsi/${name}.csi`

/** Pilots, which the devices leave without a channel; IEEE 802.11-2020, 19.3.11.10 and 802.11ax-2021, 27.3.2.4. */
const pilots: Readonly<Record<string, ReadonlyArray<number>>> = {
  HT20_2452: [7, 21],
  HT40_2452: [11, 25, 53],
  VHT20_5500: [7, 21],
  VHT40_5500: [11, 25, 53],
  VHT80_5500: [11, 39, 75, 103],
  HESU20_5500: [22, 48, 90, 116],
  HESU40_5500: [10, 36, 78, 104, 144, 170, 212, 238],
  HESU80_5500: [24, 92, 158, 226, 266, 334, 400, 468],
}

/** Mean power of each tone over all frames and antennas. */
const powers = (batches: ReadonlyArray<CsiBatch>): Float64Array => {
  const tones = batches[0]!.layout.subcarrierIndices.length
  const sums = new Float64Array(tones)
  for (const { csi } of batches) {
    for (let v = 0; v < csi.length; v += 2) sums[(v / 2) % tones]! += csi[v]! ** 2 + csi[v + 1]! ** 2
  }
  return sums
}

type Complex = readonly [re: number, im: number]

const rotated = ([re, im]: Complex, phase: number): Complex => [
  re * Math.cos(phase) - im * Math.sin(phase),
  re * Math.sin(phase) + im * Math.cos(phase),
]

/** The channel over the band without gaps: its mean delay removed, the silent tones and the centre filled in linearly. */
const filled = (indices: Int16Array, values: Float32Array): ReadonlyArray<Complex> => {
  let steps: Complex = [0, 0]
  for (let i = 0; i + 1 < indices.length; i++) {
    if (indices[i + 1]! - indices[i]! > 1) continue
    const [re, im, nextRe, nextIm] = values.subarray(2 * i, 2 * i + 4)
    steps = [steps[0] + nextRe! * re! + nextIm! * im!, steps[1] + nextIm! * re! - nextRe! * im!]
  }
  const step = Math.atan2(steps[1], steps[0])
  const known = [...indices].flatMap((index, i): ReadonlyArray<readonly [number, Complex]> => {
    const value: Complex = [values[2 * i]!, values[2 * i + 1]!]
    return Math.hypot(...value) === 0 ? [] : [[index, rotated(value, -step * index)]]
  })
  return known.flatMap(([index, value], i) => {
    const [next, after] = known[i + 1] ?? [index + 1, value]
    return Array.from({ length: next - index }, (_, j): Complex => {
      const share = j / (next - index)
      return [value[0] + share * (after[0] - value[0]), value[1] + share * (after[1] - value[1])]
    })
  })
}

/** Power of the impulse response at a delay in units of 1 over the bandwidth. A Hann window keeps the side lobes of the peak out. */
const powerAt = (channel: ReadonlyArray<Complex>, delay: number): number => {
  const { length } = channel
  let sum: Complex = [0, 0]
  channel.forEach((value, i) => {
    const weight = 1 - Math.cos((2 * Math.PI * (i + 0.5)) / length)
    const [re, im] = rotated(value, (2 * Math.PI * i * delay) / length)
    sum = [sum[0] + weight * re, sum[1] + weight * im]
  })
  return sum[0] ** 2 + sum[1] ** 2
}

/** Power up to 32 units of delay after the strongest path over the power as long before it, beyond the width of the path itself. */
const powerAfterOverBefore = (channel: ReadonlyArray<Complex>): number => {
  const near = Array.from({ length: 21 }, (_, i) => i - 10)
  const powersNear = near.map((delay) => powerAt(channel, delay))
  const strongest = near[powersNear.indexOf(Math.max(...powersNear))]!
  const sum = (sign: number): number =>
    Array.from({ length: 29 }, (_, i) => powerAt(channel, strongest + sign * (i + 4))).reduce((a, b) => a + b, 0)
  return sum(1) / sum(-1)
}

describe.skipIf(!hasRecordings("csikit/feitcsi"))("FeitCSI", () => {
  it.each([
    ["HT20_2452", 48, 56, 2452, 20],
    ["HT40_2452", 34, 114, 2462, 40],
    ["VHT20_5500", 28, 56, 5500, 20],
    ["VHT40_5500", 26, 114, 5510, 40],
    ["VHT80_5500", 40, 242, 5530, 80],
    ["VHT160_5500", 35, 484, 5570, 160],
    ["HESU20_5500", 28, 242, 5500, 20],
    ["HESU40_5500", 26, 484, 5510, 40],
    ["HESU80_5500", 28, 996, 5530, 80],
    ["HESU160_5500", 26, 1992, 5570, 160],
  ])("%s: %i frames of %i subcarriers around %i MHz, to the last byte", (name, frames, tones, megahertz, width) => {
    const { batches, faults, format, hardware } = decodeRecording(file(name))
    expect([format, hardware, faults]).toEqual(["feitcsi", "Intel AX200/AX210 (FeitCSI)", []])
    expect(framesOf(batches)).toHaveLength(frames)
    for (const { layout, transmitterIds } of batches) {
      expect(layout.subcarrierIndices).toHaveLength(tones)
      expect(transmitterIds).toEqual(["00:16:ea:12:34:56"])
      expect(layout).toMatchObject({
        receiveAntennas: 2,
        transmitAntennas: 1,
        centerFrequencyHz: megahertz * 1e6,
        bandwidthHz: width * 1e6,
      })
    }
    const times = batches.flatMap(({ timestampsUs }) => [...timestampsUs])
    expect(times.every((us, i) => i === 0 || us > times[i - 1]!)).toBe(true)
    // About 12 beacons and bursts between them.
    expect(times.at(-1)! / 1e6).toBeGreaterThan(1.5)
    expect(times.at(-1)! / 1e6).toBeLessThan(3)
  })

  it.each(Object.keys(pilots))("%s: its tones without a channel are the pilots", (name) => {
    const { batches } = decodeRecording(file(name))
    const power = powers(batches)
    const usual = [...power].sort((a, b) => a - b)[power.length >> 1]!
    const silent = [...batches[0]!.layout.subcarrierIndices].filter((_, i) => power[i]! < 1e-3 * usual)
    expect(silent).toEqual([...pilots[name]!.map((index) => -index).reverse(), ...pilots[name]!])
  })

  it.each(Object.keys(pilots))("%s: the channel goes on over the centre", (name) => {
    const { batches } = decodeRecording(file(name))
    const { subcarrierIndices } = batches[0]!.layout
    const power = powers(batches)
    const above = subcarrierIndices.findIndex((index) => index > 0)
    expect(Math.abs(10 * Math.log10(power[above]! / power[above - 1]!))).toBeLessThan(2)
  })

  it.each(["HESU80_5500", "HESU160_5500"])("%s: echoes come after the direct path, not before it", (name) => {
    for (const { batch, csi } of framesOf(decodeRecording(file(name)).batches).slice(0, 8)) {
      const tones = batch.layout.subcarrierIndices
      for (const antenna of [0, 1]) {
        const channel = filled(tones, csi.subarray(2 * tones.length * antenna, 2 * tones.length * (antenna + 1)))
        expect(powerAfterOverBefore(channel)).toBeGreaterThan(3)
      }
    }
  })

  it("delivers all whole records of a capture that is cut off anywhere in its last one", () => {
    const bytes = recording(file("HT20_2452"))
    for (const cut of [1, 447, 448, 700]) {
      const { batches, faults } = decodeBytes(bytes.subarray(0, bytes.length - cut))
      expect(framesOf(batches)).toHaveLength(47)
      expect(faults).toMatchObject([{ reason: "truncated", offset: bytes.length - 720 }])
    }
  })
})
