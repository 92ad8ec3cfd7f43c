import { describe, expect, it } from "vitest"
import { MotionWindow } from "../../../core/signal/motion-statistic.ts"
import { normal, uniform } from "./channel.ts"

const tones = 52

interface Course {
  readonly rateHz?: number
  readonly seconds?: number
  /** Lines of the subcarriers' power: how fast, and their share of its variance. */
  readonly lines?: ReadonlyArray<{ readonly hertz: number; readonly share: number }>
  /** Share of lost packets. */
  readonly loss?: number
}

/** The slow statistic and its noise once a second, of powers with a variance of 0.01, of which noise has the share that lines do not. */
const run = ({ lines = [], loss = 0, rateHz = 100, seconds = 60 }: Course, seed: number) => {
  const random = uniform(seed)
  const window = new MotionWindow(tones)
  const noise = Math.sqrt(1 - lines.reduce((sum, { share }) => sum + share, 0))
  const readings: Array<{ readonly statistic: number; readonly sigma: number }> = []
  let second = 0
  for (let packet = 0; packet < seconds * rateHz; packet++) {
    const t = (packet + 0.3 * random()) / rateHz
    if (Math.floor(t) > second) {
      const reading = window.evaluate(++second * 10 - 1)
      if (reading?.slow != null) readings.push(reading.slow)
    }
    if (random() < loss) continue
    const powers = Float32Array.from({ length: tones }, (_, k) => {
      const moving = lines.reduce(
        (sum, { hertz, share }) => sum + Math.sqrt(2 * share) * Math.cos(2 * Math.PI * hertz * t + k),
        0,
      )
      return 1 + 0.1 * (moving + noise * normal(random))
    })
    window.add(t * 1e6, Math.floor(t * 10), powers)
  }
  return readings
}

const rms = (values: ReadonlyArray<number>): number => Math.sqrt(values.reduce((s, v) => s + v * v, 0) / values.length)
const mean = (values: ReadonlyArray<number>): number => values.reduce((s, v) => s + v, 0) / values.length
const sigmas = (readings: ReturnType<typeof run>): Array<number> =>
  readings.map(({ sigma, statistic }) => statistic / sigma)
const shares = (readings: ReturnType<typeof run>): Array<number> => readings.map(({ statistic }) => statistic)

describe("slow statistic", () => {
  it.each([
    ["100 packets/s", {}],
    ["10 packets/s", { rateHz: 10, seconds: 600 }],
    ["one packet a second", { rateHz: 1, seconds: 3600 }],
    ["losses", { loss: 0.3 }],
  ])("is 0 within its own noise for white noise: %s", (_, course) => {
    const z = sigmas(run(course, 3))
    expect(z.length).toBeGreaterThan(50)
    expect(rms(z)).toBeLessThan(1.3)
    expect(Math.max(...z)).toBeLessThan(4)
  })

  it.each([1, 1.5, 3, 7, 20, 60])("excludes a line of %f Hz", (hertz) => {
    const share = shares(run({ lines: [{ hertz, share: 0.8 }] }, 4))
    expect(Math.max(...share.map(Math.abs))).toBeLessThan(0.008)
  })

  it("excludes nearly all of the slowest ceiling fan's line, and most of it before the window is full", () => {
    const share = shares(run({ lines: [{ hertz: 0.8, share: 0.8 }] }, 5))
    expect(share[0]).toBeLessThan(0.8 * 0.05)
    expect(Math.max(...share.slice(1))).toBeLessThan(0.02)
  })

  it("includes most of a breath's share, whatever else moves", () => {
    const breath = { hertz: 0.25, share: 0.2 }
    for (const others of [[], [{ hertz: 12, share: 0.6 }]]) {
      const share = mean(shares(run({ lines: [breath, ...others] }, 6)).slice(20))
      expect(share).toBeGreaterThan(0.1)
      expect(share).toBeLessThan(0.2)
    }
  })

  it("is null before 2.4 s", () => {
    expect(run({ seconds: 3 }, 7)).toHaveLength(0)
  })
})
