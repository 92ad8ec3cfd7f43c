import { describe, expect, it } from "vitest"
import { createCaptureDecoder, detectFormat } from "../../core/formats/detect-format.ts"
import { createTransform } from "../../core/math/fourier.ts"
import { once } from "../../core/math/once.ts"
import { createRatioPlan, liveBlocks, ratiosOf } from "../../core/signal/csi-ratio.ts"
import { createHampelState, isPowerOutlier } from "../../core/signal/hampel.ts"
import { UniformSeries, type UniformWindow } from "../../core/signal/resample.ts"
import { createToneMap, mapTones } from "../../core/signal/tone-map.ts"
import { estimateBreathing } from "../../core/vitals/breathing.ts"
import { summariseBreathing, summariseHeartRate } from "../../core/vitals/summary.ts"
import type { Vitals } from "../../core/observation/vitals.ts"
import { VitalsWindow } from "../../core/vitals/vitals-window.ts"
import { valuesPerFrame } from "../../core/formats/csi-batch.ts"
import { normal, uniform } from "../core/signal/channel.ts"
import { type PacketLog, readBreathSense } from "../../deploy/eval/recordings/breathsense.ts"
import { hasRecordings, recording, recordingFile } from "../harness/recordings.ts"

/** The packets of a capture's busiest transmitter that are no outliers. */
const packetsOf = (name: string): PacketLog => {
  const bytes = recording(name)
  const decoder = createCaptureDecoder(detectFormat(bytes)!, { routerId: "r", source: "replay" })
  const { batches } = decoder.push(bytes)
  const counts = new Map<string, number>()
  const senders = batches.flatMap((b) => Array.from(b.transmitterIndex, (index) => b.transmitterIds[index]!))
  for (const sender of senders) counts.set(sender, (counts.get(sender) ?? 0) + 1)
  const [busiest] = [...counts].sort(([, a], [, b]) => b - a)[0]!
  const hampel = createHampelState()
  const { layout } = createToneMap(batches[0]!.layout)
  const packets = batches.flatMap((batch) => {
    const map = createToneMap(batch.layout)
    return Array.from(batch.timestampsUs, (timestampUs, frame) => {
      const csi = new Float32Array(2 * valuesPerFrame(map.layout))
      const at = 2 * frame * valuesPerFrame(batch.layout)
      mapTones(map, batch.layout.subcarrierIndices.length, batch.csi, at, csi)
      return { timestampUs, csi, sender: batch.transmitterIds[batch.transmitterIndex[frame]!] }
    })
  }).filter(({ csi, sender }) => sender === busiest && csi.length === 2 * valuesPerFrame(layout))
    .filter(({ csi }) => !isPowerOutlier(hampel, csi.reduce((sum, value) => sum + value * value, 0)))
  return { layout, packets }
}

interface Playing {
  /** How much faster than recorded. */
  readonly speed?: number
  /** One packet in so many. */
  readonly every?: number
}

/** What is said of a log, second by second. */
const vitalsOf = ({ layout, packets }: PacketLog, { every = 1, speed = 1 }: Playing = {}): ReadonlyArray<Vitals> => {
  const window = new VitalsWindow(createRatioPlan(layout))
  const said: Array<Vitals> = []
  packets.forEach(({ csi, timestampUs }, i) => {
    const time = (timestampUs - packets[0]!.timestampUs) / speed
    while (time >= (said.length + 1) * 1e6) said.push(window.evaluate((said.length + 1) * 1e6, false))
    if (i % every === 0) window.add(time, csi, 0)
  })
  return said
}

const ratesOf = (said: ReadonlyArray<Vitals>): ReadonlyArray<number> =>
  said.flatMap(({ breathingRateBpm }) => breathingRateBpm ?? [])

/** The recording has this rate, and no second of it another. */
const expectRate = (said: ReadonlyArray<Vitals>, rateBpm: number, within: number, seconds: number): void => {
  expect(Math.abs(summariseBreathing(said).rateBpm! - rateBpm)).toBeLessThanOrEqual(within)
  expect(ratesOf(said).length).toBeGreaterThanOrEqual(seconds)
  for (const rate of ratesOf(said)) expect(Math.abs(rate - rateBpm)).toBeLessThanOrEqual(within)
}

const expectNoRate = (said: ReadonlyArray<Vitals>): void => {
  expect(ratesOf(said)).toEqual([])
  expect(said.every(({ heartRateBpm }) => heartRateBpm === null)).toBe(true)
  expect(summariseBreathing(said).rateBpm).toBeNull()
  expect(summariseBreathing(said).reason).toMatch(/\w/)
}

/** The log with some of its tones, or with more noise. */
const changed = ({ layout, packets }: PacketLog, change: (csi: Float32Array) => Float32Array): PacketLog => ({
  layout,
  packets: packets.map(({ csi, timestampUs }) => ({ timestampUs, csi: change(csi) })),
})

const halfOfTones = ({ layout, packets }: PacketLog, upper: boolean): PacketLog => {
  const tones = layout.subcarrierIndices.length
  const from = upper ? tones >> 1 : 0
  const indices = layout.subcarrierIndices.slice(from, from + (tones >> 1))
  return changed({ layout: { ...layout, subcarrierIndices: indices }, packets }, (csi) => {
    const rows = csi.length / (2 * tones)
    return Float32Array.from({ length: 2 * rows * indices.length }, (_, v) => {
      const row = Math.floor(v / (2 * indices.length))
      return csi[2 * (row * tones + from) + v % (2 * indices.length)]!
    })
  })
}

describe.skipIf(!hasRecordings("pulse_esp32"))("vital signs on recordings of one antenna", () => {
  const readBreathing = once(() => packetsOf("pulse_esp32/resp_6rpm.csv"))

  it("resp_6rpm: 6/min, by a person who lies still", () => {
    const said = vitalsOf(readBreathing())
    expectRate(said, 6, 0.5, 12)
    expect(summariseHeartRate(said).rateBpm).toBeNull()
  })

  it.each([4 / 3, 3 / 2])("resp_6rpm played %f times as fast", (speed) => {
    expectRate(vitalsOf(readBreathing(), { speed }), 6 * speed, 0.5, 8)
  })

  it.each([3, 11])("resp_6rpm with one packet in %i", (every) => {
    expectRate(vitalsOf(readBreathing(), { every }), 6, 0.5, 12)
  })

  it.each([false, true])("resp_6rpm over half of the subcarriers (upper: %s)", (upper) => {
    expectRate(vitalsOf(halfOfTones(readBreathing(), upper)), 6, 0.5, 12)
  })

  it("resp_6rpm in noise of its own strength: 6/min or nothing", () => {
    const random = uniform(1)
    const noisy = changed(readBreathing(), (csi) => csi.map((value) => value + 6 * normal(random)))
    for (const rate of ratesOf(vitalsOf(noisy))) expect(Math.abs(rate - 6)).toBeLessThanOrEqual(0.5)
  })

  it.each(["resp_vacio", "vacio_01", "mov_01"])("%s: no breathing at any time", (name) => {
    const log = packetsOf(`pulse_esp32/${name}.csv`)
    for (const every of [1, 3, 11]) expectNoRate(vitalsOf(log, { every }))
    for (const upper of [false, true]) expectNoRate(vitalsOf(halfOfTones(log, upper)))
  })
})

describe.skipIf(!hasRecordings("breathsense"))("vital signs on BreathSense's phantom", () => {
  it.each([6, 12, 20])("%i strokes a minute", (rateBpm) => {
    const log = readBreathSense(recordingFile(`breathsense/BPM${rateBpm}`))
    const said = vitalsOf(log)
    expectRate(said, rateBpm, 0.3, rateBpm < 8 ? 14 : 28)
    expect(summariseHeartRate(said).rateBpm).toBeNull()
    if (rateBpm > 6) expectRate(vitalsOf(log, { speed: 5 / 4 }), rateBpm * 5 / 4, 0.4, 15)
  })
})

describe.skipIf(!hasRecordings("jasmin_har"))("vital signs on recordings of daily life", () => {
  it.each(["log.console_test.position1", "noPersonFanRunning", "personDoingNormalActivity"])("%s: no rate", (name) => {
    expectNoRate(vitalsOf(packetsOf(`jasmin_har/${name}.csv`)))
  })
})

describe.skipIf(!hasRecordings("pulse_esp32"))("surrogates of empty rooms", () => {
  const samples = 512
  const transform = createTransform(samples)

  /** Series with the spectra and the common phases of the recorded ones, whose phases are turned at random alike. */
  const surrogate = (series: ReadonlyMap<number, Float64Array>, random: () => number): Map<number, Float64Array> => {
    const turns = Float64Array.from({ length: samples }, () => 2 * Math.PI * random())
    const out = new Map<number, Float64Array>()
    for (const [value, recorded] of series) {
      const spectrum = new Float64Array(2 * samples)
      recorded.forEach((x, i) => spectrum[2 * i] = x)
      transform(spectrum)
      // Turn the positive frequencies alone: the real part of what comes back is the series.
      const turned = new Float64Array(2 * samples)
      for (let k = 1; k < samples / 2; k++) {
        const re = 2 * (spectrum[2 * k]! * Math.cos(turns[k]!) - spectrum[2 * k + 1]! * Math.sin(turns[k]!)) / samples
        const im = 2 * (spectrum[2 * k]! * Math.sin(turns[k]!) + spectrum[2 * k + 1]! * Math.cos(turns[k]!)) / samples
        // The inverse transform is the transform of the conjugate, whose real part is the same.
        turned[2 * k] = re
        turned[2 * k + 1] = -im
      }
      transform(turned)
      out.set(value, Float64Array.from({ length: samples }, (_, i) => turned[2 * i]!))
    }
    return out
  }

  it.each(["resp_vacio", "vacio_01"])("%s: of 400, two at most have a rate", (name) => {
    const { layout, packets } = packetsOf(`pulse_esp32/${name}.csv`)
    const plan = createRatioPlan(layout)
    const values = new Float32Array(plan.values)
    const series = new UniformSeries(plan.values, 52)
    const endUs = packets[0]!.timestampUs + 52.5e6
    for (const { csi, timestampUs } of packets) {
      if (timestampUs < endUs && ratiosOf(plan, csi, 0, values)) series.add(timestampUs, values)
    }
    const window = series.read(endUs, 52) as UniformWindow
    const blocks = liveBlocks(plan, window.mean)
    const used = blocks.flatMap(({ at, length }) => Array.from({ length }, (_, i) => at + i))
    const recorded = new Map(used.map((value) => [value, window.series(value).slice(0, samples)]))
    const random = uniform(9)
    const trials = 400
    let answered = 0
    for (let trial = 0; trial < trials; trial++) {
      const made = surrogate(recorded, random)
      const last = (steps: number): UniformWindow => ({
        ...window,
        steps,
        series: (value) => made.get(value)!.slice(samples - steps),
        scatter: null,
      })
      if (
        estimateBreathing({ blocks, fast: last(300), slow: last(450), slowest: () => "not-filled" }).rateBpm !== null
      ) answered++
    }
    expect(answered / trials).toBeLessThanOrEqual(0.005)
  })
})
