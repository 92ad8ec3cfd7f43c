import { describe, expect, it } from "vitest"
import type { SiteGeometry } from "../../core/imaging/geometry.ts"
import { clockErrorUs, createClock } from "../../sim/impairments/clock.ts"
import { createFrontEnd } from "../../sim/impairments/front-end.ts"
import { createGainControl, followedGain } from "../../sim/impairments/gain-control.ts"
import { drawImpairments, type Impairments, unimpaired } from "../../sim/impairments/impairments.ts"
import { createReceiver, signalStrengthDbm } from "../../sim/impairments/receiver.ts"
import { surveySite } from "../../sim/impairments/survey.ts"
import { createGaps, createLoss, createSchedule } from "../../sim/impairments/traffic.ts"
import { createField, type Field } from "../../sim/radio/field.ts"
import { createTones, type Tones } from "../../sim/radio/tones.ts"
import { createRandom } from "../../sim/randomness/random.ts"
import { nodesAt, radioAt, range } from "./radio-room.ts"

const tones = createTones(radioAt(2.437e9))
const antennas = 3
const perfect = { offsetUs: 0, driftPpm: 0, oscillatorPpm: 0 } as const

/** A channel of equal amplitudes. */
const flat = (of: Tones = tones): Field => {
  const field = createField(of, antennas)
  field.re.fill(1e-4)
  return field
}

const receiverOf = (changes: Partial<Impairments>, of: Tones = tones, oscillatorPpm = 0, seed = 1) =>
  createReceiver(
    of,
    antennas,
    { ...unimpaired, ...changes },
    [flat(of), null],
    [perfect, { ...perfect, oscillatorPpm }],
    1,
    createRandom(seed, "hardware"),
    createRandom(seed, "noise"),
  )

/** `count` frames of the flat channel, 10 ms apart. */
const framesOf = (
  receiver: ReturnType<typeof receiverOf>,
  count: number,
  of: Tones = tones,
): ReadonlyArray<Float32Array> =>
  range(0, count - 1, 1).map((f) => {
    const frame = new Float32Array(2 * antennas * of.indices.length)
    receiver.receive(0, flat(of), f / 100, frame, 0)
    return frame
  })

const phaseAt = (frame: Float32Array, value: number): number => Math.atan2(frame[2 * value + 1]!, frame[2 * value]!)
const wrap = (rad: number): number => rad - 2 * Math.PI * Math.round(rad / (2 * Math.PI))
const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, v) => sum + v, 0) / values.length
const deviation = (values: ReadonlyArray<number>): number => {
  const middle = mean(values)
  return Math.sqrt(mean(values.map((v) => (v - middle) ** 2)))
}
/** Delay of a frame, nanoseconds, from its edges' phases: they are less than half a turn apart within 27 ns. */
const delayNsOf = (frame: Float32Array): number => {
  const { indices, spacingHz } = tones
  const turn = wrap(phaseAt(frame, 34) - phaseAt(frame, 20))
  return (-turn / (2 * Math.PI * spacingHz * (indices[34]! - indices[20]!))) * 1e9
}
/** Power of the residual of the best fit of one complex value, over that value's power: 1 / SNR of a flat channel. */
const roughness = (frame: Float32Array): number => {
  const count = frame.length / 2
  let re = 0, im = 0, power = 0
  for (let i = 0; i < frame.length; i += 2) {
    re += frame[i]! / count
    im += frame[i + 1]! / count
    power += (frame[i]! ** 2 + frame[i + 1]! ** 2) / count
  }
  return (power - re * re - im * im) / (re * re + im * im)
}

describe("a receiver", () => {
  it("reports whole numbers of eight bits with the peak where gain control puts it", () => {
    for (const frame of framesOf(receiverOf({ fullScale: [0.5, 0.5] }), 20)) {
      expect([...frame].every((value) => Number.isInteger(value) && Math.abs(value) <= 127)).toBe(true)
      const peak = Math.max(
        ...range(0, frame.length / 2 - 1, 1).map((i) => Math.hypot(frame[2 * i]!, frame[2 * i + 1]!)),
      )
      expect(peak).toBeGreaterThan(0.47 * 127)
      expect(peak).toBeLessThan(0.53 * 127)
    }
  })

  it("clips what is beyond full scale", () => {
    const receiver = receiverOf({ fullScale: [1, 1] })
    const strong = flat()
    strong.re.fill(1e-3)
    const frame = new Float32Array(2 * strong.re.length)
    receiver.receive(0, strong, 0, frame, 0)
    expect(Math.max(...frame.map(Math.abs))).toBe(127)
    expect(strong.re[0]).toBe(1e-3)
  })

  it("turns each packet by any phase, the same for all antennas", () => {
    const frames = framesOf(receiverOf({}), 400)
    const phases = frames.map((frame) => phaseAt(frame, 0))
    for (const quarter of [-Math.PI, -Math.PI / 2, 0, Math.PI / 2]) {
      const share = phases.filter((phase) => phase >= quarter && phase < quarter + Math.PI / 2).length / 400
      expect(share).toBeGreaterThan(0.15)
      expect(share).toBeLessThan(0.35)
    }
    for (const frame of frames) {
      expect(Math.abs(wrap(phaseAt(frame, 0) - phaseAt(frame, 2 * tones.indices.length)))).toBeLessThan(0.05)
    }
  })

  it("detects packets late and early by the given deviation, within 200 ns", () => {
    const delays = framesOf(receiverOf({ timingSigmaNs: 45 }), 600).map(delayNsOf)
    expect(deviation(delays)).toBeGreaterThan(40)
    expect(deviation(delays)).toBeLessThan(50)
    expect(Math.max(...framesOf(receiverOf({ timingSigmaNs: 1000 }), 50).map((f) => Math.abs(delayNsOf(f)))))
      .toBeLessThan(205)
  })

  it("shifts sampling by the difference of two oscillators over the preamble", () => {
    const delays = framesOf(receiverOf({}, tones, 40), 200).map(delayNsOf)
    expect(mean(delays)).toBeCloseTo(40e-6 * 36e3, 0)
    expect(Math.abs(mean(delays) - 1.44)).toBeLessThan(0.3)
    expect(Math.abs(mean(framesOf(receiverOf({}), 200).map(delayNsOf)))).toBeLessThan(0.3)
  })

  it("adds the noise of its SNR, less for means of neighbouring tones", () => {
    const noise = (snrDb: number, of: Tones): number =>
      10 * Math.log10(mean(framesOf(receiverOf({ snrDb }, of), 200, of).map(roughness)))
    expect(noise(20, tones)).toBeCloseTo(-20, 0)
    const grouped = createTones(radioAt(2.437e9, 20, "802.11n", 14))
    expect(noise(20, grouped) - noise(20, tones)).toBeCloseTo(-10 * Math.log10(4), 0)
  })

  it("has interference in the given share of its packets", () => {
    const rough = framesOf(receiverOf({ snrDb: 30, interferenceRate: 0.1, interferenceDb: 15 }), 1000).map(roughness)
    const share = rough.filter((value) => value > 0.01).length / 1000
    expect(share).toBeGreaterThan(0.06)
    expect(share).toBeLessThan(0.14)
  })

  it("repeats with its streams, and receives only from known transmitters", () => {
    expect(framesOf(receiverOf({ snrDb: 20 }), 5)).toEqual(framesOf(receiverOf({ snrDb: 20 }), 5))
    expect(() => receiverOf({}).receive(1, flat(), 0, new Float32Array(2), 0)).toThrow("has no empty response")
  })

  it("reports its signal strength in whole dBm", () => {
    expect(signalStrengthDbm(flat(), 15)).toBe(-65)
    expect(signalStrengthDbm(createField(tones, 1), 15)).toBe(-127)
  })
})

describe("gain control", () => {
  it("moves in steps at random times, within its range", () => {
    const level = createGainControl(
      { ...unimpaired, fullScale: [0.3, 1], gainStepDb: 3, gainStepSeconds: 5 },
      createRandom(2, "gain"),
    )
    const levelsDb = range(0, 2000, 0.1).map((timeS) => 20 * Math.log10(level(timeS)))
    const steps = levelsDb.slice(1).map((value, i) => Math.abs(value - levelsDb[i]!)).filter((step) => step > 0)
    expect(Math.min(...levelsDb)).toBeGreaterThanOrEqual(20 * Math.log10(0.3) - 1e-9)
    expect(Math.max(...levelsDb)).toBeLessThanOrEqual(1e-9)
    expect(steps.length).toBeGreaterThan(300)
    expect(steps.length).toBeLessThan(500)
    expect(Math.max(...steps)).toBeGreaterThan(2)
    // Two steps may come within one sample.
    expect(steps.filter((step) => step <= 3).length / steps.length).toBeGreaterThan(0.97)
  })
})

describe("the front end", () => {
  const factorsOf = (changes: Partial<Impairments>, seed: number) => {
    const { im, re } = createFrontEnd(tones, antennas, { ...unimpaired, ...changes }, createRandom(seed, "hardware"))
    return Array.from(re, (value, i) => ({ gain: Math.hypot(value, im[i]!), phase: Math.atan2(im[i]!, value) }))
  }

  it("changes nothing without impairments", () => {
    for (const { gain, phase } of factorsOf({}, 1)) {
      expect(gain).toBeCloseTo(1, 9)
      expect(phase).toBeCloseTo(0, 9)
    }
  })

  it("ripples by the given peak, smoothly over the tones", () => {
    const factors = factorsOf({ rippleDb: 1, rippleRad: 0.2 }, 2).slice(0, tones.indices.length)
    const levels = factors.map(({ gain }) => 20 * Math.log10(gain))
    expect(Math.max(...levels.map(Math.abs))).toBeGreaterThan(0.6)
    expect(Math.max(...levels.map(Math.abs))).toBeLessThanOrEqual(1 + 1e-9)
    expect(Math.max(...factors.map(({ phase }) => Math.abs(phase)))).toBeLessThanOrEqual(0.2 + 1e-9)
    levels.slice(1).forEach((level, i) => expect(Math.abs(level - levels[i]!)).toBeLessThan(0.4))
  })

  it("bends amplitude and phase by the mismatch of I and Q, and is not linear in the tone", () => {
    const factors = factorsOf({ iqGainDb: 1.5, iqPhaseRad: 0.08 }, 3).slice(0, tones.indices.length)
    const levels = factors.map(({ gain }) => 20 * Math.log10(gain))
    expect(Math.max(...levels) - Math.min(...levels)).toBeGreaterThan(0.5)
    expect(Math.max(...levels.map(Math.abs))).toBeLessThan(2.5)
    const phases = factors.map(({ phase }) => phase)
    const bends = phases.slice(2).map((phase, i) => phase - 2 * phases[i + 1]! + phases[i]!)
    expect(Math.max(...bends.map(Math.abs))).toBeGreaterThan(1e-4)
  })

  it("has a random antenna phase at boot unless calibrated, and always the phase of the synthesiser", () => {
    const phases = (changes: Partial<Impairments>): ReadonlyArray<number> =>
      range(1, 60, 1).map((seed) => factorsOf(changes, seed)[tones.indices.length]!.phase)
    const free = phases({ antennasCalibrated: false })
    expect(deviation(free)).toBeGreaterThan(1.3)
    expect(deviation(phases({ antennaPhaseSigmaRad: 0.1 }))).toBeLessThan(0.14)
    const turns = phases({ pllStates: 4 }).map((phase) => phase / (Math.PI / 2))
    for (const turn of turns) expect(Math.abs(turn - Math.round(turn))).toBeLessThan(1e-9)
    expect(new Set(turns.map((turn) => ((Math.round(turn) % 4) + 4) % 4)).size).toBe(4)
  })
})

describe("clocks, surveys and traffic", () => {
  it("clocks are off by an offset and drift", () => {
    const clocks = range(1, 200, 1).map((seed) =>
      createClock({ ...unimpaired, clockOffsetMs: 3, clockDriftPpm: 2, oscillatorPpm: 20 }, createRandom(seed, "clock"))
    )
    expect(deviation(clocks.map(({ offsetUs }) => offsetUs))).toBeGreaterThan(2500)
    expect(deviation(clocks.map(({ offsetUs }) => offsetUs))).toBeLessThan(3500)
    expect(clocks.every(({ driftPpm, oscillatorPpm }) => Math.abs(driftPpm) <= 2 && Math.abs(oscillatorPpm) <= 20))
      .toBe(true)
    expect(clockErrorUs({ offsetUs: 100, driftPpm: -2, oscillatorPpm: 0 }, 3600e6)).toBeCloseTo(100 - 7200, 6)
  })

  it("surveys err by centimetres and degrees, and stay in the room", () => {
    const site: SiteGeometry = {
      size: [6, 5, 3],
      nodes: nodesAt(range(1, 300, 1).map((i) => [i % 3 === 0 ? 0.01 : 3, 2, 1])),
    }
    const reported = surveySite(
      site,
      { ...unimpaired, surveySigmaM: 0.04, surveyYawSigmaRad: 0.08 },
      createRandom(1, "survey"),
    )
    const errors = reported.nodes.map(({ position }, i) => position[1] - site.nodes[i]!.position[1])
    expect(deviation(errors)).toBeGreaterThan(0.034)
    expect(deviation(errors)).toBeLessThan(0.046)
    expect(reported.nodes.every(({ position }) => position[0] >= 0)).toBe(true)
    const yaws = reported.nodes.map(({ arrayAxis }) => Math.atan2(-arrayAxis[0], arrayAxis[1]))
    expect(deviation(yaws)).toBeGreaterThan(0.065)
    expect(deviation(yaws)).toBeLessThan(0.095)
    for (const { arrayAxis } of reported.nodes) expect(Math.hypot(...arrayAxis)).toBeCloseTo(1, 12)
    expect(surveySite(site, unimpaired, createRandom(1, "survey"))).toEqual(site)
  })

  it("nodes take turns, late by their wait", () => {
    const next = createSchedule(4, 25, 2, createRandom(1, "schedule"))
    const sent = range(0, 3999, 1).map(next)
    expect(sent.slice(0, 5).map(({ transmitter }) => transmitter)).toEqual([0, 1, 2, 3, 0])
    const waits = sent.map(({ timeS }, i) => timeS - i / 100)
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...waits)).toBeLessThanOrEqual(0.009 + 1e-9)
    expect(mean(waits)).toBeGreaterThan(0.0018)
    expect(mean(waits)).toBeLessThan(0.0022)
  })

  it("packets are lost in bursts", () => {
    const isLost = createLoss(0.1, 4, createRandom(1, "loss"))
    const lost = range(0, 49_999, 1).map(() => isLost())
    const share = lost.filter(Boolean).length / lost.length
    const bursts = lost.filter((now, i) => now && lost[i - 1] !== true).length
    expect(share).toBeGreaterThan(0.09)
    expect(share).toBeLessThan(0.11)
    expect((share * lost.length) / bursts).toBeGreaterThan(3.6)
    expect((share * lost.length) / bursts).toBeLessThan(4.4)
  })

  it("random sites have impairments within the ranges of devices", () => {
    const drawn = range(1, 200, 1).map((seed) => drawImpairments(createRandom(seed, "impairments")))
    const within = (key: keyof Impairments, low: number, high: number): void => {
      const values = drawn.map((one) => one[key] as number)
      expect(Math.min(...values)).toBeGreaterThanOrEqual(low)
      expect(Math.max(...values)).toBeLessThanOrEqual(high)
      expect(Math.max(...values) - Math.min(...values)).toBeGreaterThan(0.7 * (high - low))
    }
    within("timingSigmaNs", 30, 60)
    within("gainStepDb", 0.5, 3)
    within("gainStepSeconds", 1, 60)
    within("iqGainDb", 0.3, 1.5)
    within("snrDb", 15, 35)
    within("jitterMs", 1, 5)
    within("lossRate", 0.01, 0.2)
    within("surveySigmaM", 0.02, 0.05)
    expect(new Set(drawn.map(({ pllStates }) => pllStates))).toEqual(new Set([1, 2, 4]))
    expect(new Set(drawn.map(({ antennasCalibrated }) => antennasCalibrated)).size).toBe(2)
  })
})

describe("cheap hardware", () => {
  it("follows the level in whole steps, or not at all", () => {
    expect(followedGain(10 ** 0.34, 0)).toBe(1)
    expect(20 * Math.log10(followedGain(10 ** 0.34, 2))).toBeCloseTo(-4, 9)
    expect(20 * Math.log10(followedGain(10 ** -0.09, 2))).toBeCloseTo(0, 9)
    const receiver = receiverOf({ gainFollowsDb: 1 })
    const strong = flat()
    strong.re.fill(4e-4)
    const frame = new Float32Array(2 * strong.re.length)
    receiver.receive(0, strong, 0, frame, 0)
    const level = Math.hypot(frame[0]!, frame[1]!) / 127
    expect(level).toBeGreaterThan(0.65)
    expect(level).toBeLessThan(0.75)
  })

  it("has chains of different gain, constant for a boot", () => {
    const gains = (seed: number) => {
      const { im, re } = createFrontEnd(
        tones,
        antennas,
        { ...unimpaired, chainGainSigmaDb: 3 },
        createRandom(seed, "h"),
      )
      return range(0, antennas - 1, 1).map((a) =>
        Math.hypot(re[a * tones.indices.length]!, im[a * tones.indices.length]!)
      )
    }
    expect(gains(1)).toEqual(gains(1))
    expect(deviation(range(1, 200, 1).flatMap(gains).map((gain) => 20 * Math.log10(gain)))).toBeCloseTo(3, 0)
  })

  it("pauses as often and as long as given", () => {
    const isPaused = createGaps(6, 2, createRandom(1, "gaps"))
    const times = range(0, 20_000, 0.1).map(isPaused)
    const share = times.filter(Boolean).length / times.length
    const pauses = times.filter((paused, i) => paused && times[i - 1] === false).length
    // 10 s between pauses of 2 s.
    expect(share).toBeGreaterThan(0.14)
    expect(share).toBeLessThan(0.19)
    expect(pauses / 20_000).toBeGreaterThan(0.07)
    expect(createGaps(0, 2, createRandom(1, "gaps"))(1)).toBe(false)
  })

  it("is disturbed in a part of the band only", () => {
    const hit = (frame: Float32Array): number =>
      range(0, tones.indices.length - 1, 1).filter((k) =>
        Math.abs(Math.hypot(frame[2 * k]!, frame[2 * k + 1]!) - 89) > 4
      ).length
    const part = framesOf(receiverOf({ interferenceRate: 1, interferenceDb: 55, interferenceBand: 0.25 }), 100).map(hit)
    const whole = framesOf(receiverOf({ interferenceRate: 1, interferenceDb: 55 }), 100).map(hit)
    expect(Math.max(...part)).toBeLessThanOrEqual(tones.indices.length / 4 + 1)
    expect(mean(whole)).toBeGreaterThan(2.5 * mean(part))
  })
})
