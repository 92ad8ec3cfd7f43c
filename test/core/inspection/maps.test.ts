import { describe, expect, it } from "vitest"
import type { CsiBatch } from "../../../core/formats/csi-batch.ts"
import type { DopplerMap } from "../../../core/inspection/doppler-map.ts"
import { PictureMaps } from "../../../core/inspection/picture-maps.ts"
import { strongestPath } from "../../../core/signal/delay-angle.ts"
import { layoutOf } from "../signal/channel.ts"
import { timeColumns } from "../../../core/inspection/time-columns.ts"
import { capture, inspected } from "./captures.ts"

const mapsOf = (batches: ReadonlyArray<CsiBatch>) => {
  const maps = new PictureMaps(inspected(batches))
  for (const batch of batches) maps.add(batch)
  return maps.finish()
}

const shiftOf = (map: DopplerMap, bin: number): number => (bin / map.bins - 0.5) * 2 * map.frequencyMaxHz

/** The shift with the most power in a column, away from 0 Hz. */
const strongestHz = (map: DopplerMap, column: number): number => {
  const bins = Array.from({ length: map.bins }, (_, bin) => bin).filter((bin) => Math.abs(shiftOf(map, bin)) > 3)
  const best = bins.reduce((a, b) => map.decibelsAt(column, b) > map.decibelsAt(column, a) ? b : a)
  return shiftOf(map, best)
}

describe("time columns", () => {
  it("fill the span, no shorter than asked for and no more than allowed", () => {
    expect(timeColumns({ fromUs: 5, untilUs: 105 }, 30, 100)).toEqual({ fromUs: 5, columnUs: 100 / 3, count: 3 })
    expect(timeColumns({ fromUs: 0, untilUs: 1000 }, 1, 10)).toEqual({ fromUs: 0, columnUs: 100, count: 10 })
    expect(timeColumns({ fromUs: 0, untilUs: 1 }, 10, 10).count).toBe(1)
  })
})

describe("the maps of a picture", () => {
  it("show a moving echo at its Doppler shift, with its sign", () => {
    for (const shiftHz of [-12, 20]) {
      const { doppler } = mapsOf(capture({ seconds: 20, rateHz: 100, shiftHz }))
      const columns = [10, 40, 70, 100]
      for (const column of columns) expect(Math.abs(strongestHz(doppler!, column) - shiftHz)).toBeLessThan(2)
    }
  })

  it("measure the echo's power over the static one", () => {
    const { doppler } = mapsOf(capture({ seconds: 20, rateHz: 100, shiftHz: 20 }))
    let power = 0
    for (let bin = 0; bin < doppler!.bins; bin++) power += 10 ** (doppler!.decibelsAt(50, bin) / 10)
    // An echo of a tenth of the amplitude; alignment and the mean over neighbouring subcarriers take some of it.
    expect(10 * Math.log10(power)).toBeGreaterThan(-25)
    expect(10 * Math.log10(power)).toBeLessThan(-18)
  })

  it("leave a gap blank, and nothing else", () => {
    const { amplitude, doppler, span } = mapsOf(capture({ seconds: 20, rateHz: 100, silence: [8, 12] }))
    expect(span).toEqual({ unit: "s", length: expect.closeTo(19.99) })
    const blank = (count: number, isBlank: (column: number) => boolean) =>
      Array.from({ length: count }, (_, column) => isBlank(column) ? column * 20 / count : -1).filter((s) => s >= 0)
    const silent = blank(amplitude.columns.count, (column) => Number.isNaN(amplitude.decibelsAt(column, 5)))
    expect(Math.min(...silent)).toBeGreaterThanOrEqual(7.98)
    expect(Math.max(...silent)).toBeLessThanOrEqual(12.02)
    expect(silent.length / amplitude.columns.count).toBeCloseTo(0.2, 1)
    const unheard = blank(doppler!.columns.count, (column) => Number.isNaN(doppler!.decibelsAt(column, 5)))
    expect(unheard.filter((s) => s > 1 && s < 19).every((s) => s > 7 && s < 13)).toBe(true)
    expect(unheard.some((s) => s > 9 && s < 11)).toBe(true)
  })

  it("show the amplitude in dB of raw units", () => {
    const batches = capture({ seconds: 2, rateHz: 100 })
    const { amplitude } = mapsOf(batches)
    const { csi } = batches[0]!
    expect(amplitude.decibelsAt(0, 7)).toBeCloseTo(20 * Math.log10(Math.hypot(csi[14]!, csi[15]!)), 0)
  })

  it("show a capture without time by its frames", () => {
    const still = capture({ seconds: 1, rateHz: 40 }).map((batch) => ({
      ...batch,
      timestampsUs: new Float64Array(batch.frameCount),
    }))
    const { amplitude, doppler, span } = mapsOf(still)
    expect(doppler).toBeNull()
    expect(span).toEqual({ unit: "frames", length: 40 })
    expect(Number.isFinite(amplitude.decibelsAt(39, 0))).toBe(true)
    const narrow = capture({ seconds: 1, rateHz: 30, layout: layoutOf({ bandwidthHz: 40e6 }) }).map((batch) => ({
      ...batch,
      timestampsUs: new Float64Array(batch.frameCount),
    }))
    // The axis counts the frames of all layouts.
    expect(mapsOf([...narrow, ...still]).span).toEqual({ unit: "frames", length: 70 })
  })

  it("have paths where there are antennas and a phase", () => {
    const paths = mapsOf(capture({ seconds: 3, rateHz: 50 })).paths!
    // The strongest echo of the made channel comes first; the response's own delay lies within 100 ns of it.
    expect(Math.abs(strongestPath(paths.matched).delayS)).toBeLessThan(100e-9)
    expect(paths.music.power.every((power) => power > 0)).toBe(true)
    const one = layoutOf({ receiveAntennas: 1 })
    expect(mapsOf(capture({ seconds: 3, rateHz: 50, layout: one })).paths).toBeNull()
    const feedback = layoutOf({ format: "beamforming-feedback" })
    expect(mapsOf(capture({ seconds: 3, rateHz: 50, layout: feedback })).paths).toBeNull()
  })

  it("say when packets are too few for any spectrum", () => {
    expect(mapsOf(capture({ seconds: 1, rateHz: 20 })).doppler!.isEmpty).toBe(true)
  })
})
