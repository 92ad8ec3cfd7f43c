import { describe, expect, it } from "vitest"
import { type MotionReading, MotionWindow } from "../../../core/signal/motion-statistic.ts"
import { normal, uniform } from "./channel.ts"

const tones = 56

interface Course {
  readonly seconds: number
  readonly rateHz: number
  readonly noise: number
  /** Amplitude of an echo whose path changes by `hertz` wavelengths a second, at a time in seconds. */
  readonly echo: (seconds: number) => number
  readonly hertz: number
  /** Gain of the receiver, at a packet. */
  readonly gain?: (packet: number) => number
  /** Noise of neighbouring subcarriers is correlated. */
  readonly smooth?: boolean
}

/** The readings at the end of every hop. */
const run = (course: Course, seed: number): Array<MotionReading | null> => {
  const random = uniform(seed)
  const window = new MotionWindow(tones)
  const powers = new Float32Array(tones)
  const readings: Array<MotionReading | null> = []
  let hop = 0
  for (let packet = 0; packet < course.seconds * course.rateHz; packet++) {
    const t = packet / course.rateHz
    for (; hop < Math.floor(t * 10); hop++) readings.push(window.evaluate(hop))
    const gain = course.gain?.(packet) ?? 1
    let total = 0
    let re = 0
    let im = 0
    for (let k = 0; k < tones; k++) {
      if (course.smooth !== true || k % 4 === 0) {
        re = course.noise * normal(random)
        im = course.noise * normal(random)
      }
      const phase = 2 * Math.PI * (course.hertz * t + 0.02 * k)
      const echo = course.echo(t)
      powers[k] = gain * ((1 + re + echo * Math.cos(phase)) ** 2 + (im + echo * Math.sin(phase)) ** 2)
      total += powers[k]!
    }
    window.add(t * 1e6, hop, powers.map((power) => power * tones / total))
  }
  return readings
}

const sigmas = (readings: ReadonlyArray<MotionReading | null>): Array<number> =>
  readings.flatMap((reading) => reading === null ? [] : [reading.statistic / reading.sigma])

const rms = (values: ReadonlyArray<number>): number => Math.sqrt(values.reduce((s, v) => s + v * v, 0) / values.length)

describe("motion statistic", () => {
  const still = { seconds: 120, rateHz: 100, noise: 0.05, echo: () => 0, hertz: 0 }

  it.each([
    ["white noise", {}],
    ["noise that neighbouring subcarriers share", { smooth: true }],
    ["a gain that steps", { gain: (packet: number) => packet % 300 < 150 ? 1 : 2 }],
    ["few packets", { rateHz: 10 }],
    ["many packets", { rateHz: 500, seconds: 60 }],
  ])("stays within its noise floor in an empty room: %s", (_, over) => {
    const z = sigmas(run({ ...still, ...over }, 11))
    expect(z.length).toBeGreaterThan(500)
    expect(rms(z)).toBeGreaterThan(0.4)
    expect(rms(z)).toBeLessThan(1.6)
    expect(Math.max(...z)).toBeLessThan(4)
  })

  it("gives the noise floor of independent subcarriers", () => {
    const last = run(still, 12).at(-1)!
    expect(last.sigma).toBeCloseTo(1 / Math.sqrt(400 * (tones - 1)), 3)
    const shared = run({ ...still, smooth: true }, 12).at(-1)!
    expect(shared.sigma / last.sigma).toBeGreaterThan(1.6)
  })

  it("does not report bursts of interference as motion", () => {
    const random = uniform(13)
    let left = 0
    const noise = Array.from({ length: 12_000 }, () => {
      if (left-- <= 0) left = random() < 0.01 ? Math.floor(20 * random()) : 0
      return left > 0
    })
    const window = new MotionWindow(tones)
    const z: Array<number> = []
    for (let packet = 0; packet < noise.length; packet++) {
      const level = noise[packet]! ? 0.5 : 0.05
      const powers = Float32Array.from({ length: tones }, () => (1 + level * normal(random)) ** 2)
      const total = powers.reduce((sum, power) => sum + power, 0)
      const hop = Math.floor(packet / 10)
      window.add(packet * 10_000, hop, powers.map((power) => power * tones / total))
      if (packet % 10 === 9) z.push(...sigmas([window.evaluate(hop)]))
    }
    expect(Math.max(...z)).toBeLessThan(4)
  })

  it("rises within a second of a weak echo that moves, and falls when its window is over", () => {
    const readings = run({ ...still, echo: (t) => t > 30 && t < 60 ? 0.05 : 0, hertz: 12 }, 14)
    const at = (second: number) => sigmas([readings[second * 10 - 1]!])[0]!
    expect(at(30)).toBeLessThan(4)
    expect(at(32)).toBeGreaterThan(4)
    expect(at(59)).toBeGreaterThan(8)
    expect(at(66)).toBeLessThan(4)
  })

  it("detects an echo that moves as slowly as a breath", () => {
    const breathing = run({ ...still, echo: () => 0.1, hertz: 0.1 }, 15)
    expect(Math.min(...sigmas(breathing.slice(100)))).toBeGreaterThan(4)
  })

  it("reports from 50 pairs of packets on, and marks a window of full length", () => {
    const fast = run(still, 16)
    expect(fast.findIndex((reading) => reading !== null)).toBeLessThan(8)
    expect(fast.findIndex((reading) => reading?.slow != null)).toBeGreaterThan(22)
    expect(fast.findIndex((reading) => reading?.whole === true)).toBe(35)
    const slow = run({ ...still, rateHz: 1, seconds: 200 }, 16)
    expect(slow.findIndex((reading) => reading !== null)).toBe(500)
    expect(slow.at(-1)!.whole).toBe(true)
    expect(run({ ...still, rateHz: 0.9, seconds: 400 }, 16).every((reading) => reading === null)).toBe(true)
  })

  it.each([1, 3, 7, 10, 15, 20, 25, 50])("has a window of full length at %i packets/s, and keeps it", (rateHz) => {
    const whole = run({ ...still, rateHz, seconds: 120 }, 20).map((reading) => reading?.whole ?? false)
    expect(whole.indexOf(true)).toBeLessThan(rateHz < 7 ? 700 : 310)
    expect(whole.slice(whole.indexOf(true)).every(Boolean)).toBe(true)
  })

  it("does not mark a window as full that restarted after a silence", () => {
    const random = uniform(19)
    const window = new MotionWindow(tones)
    const send = (fromHop: number, hops: number): boolean => {
      let whole = false
      for (let hop = fromHop; hop < fromHop + hops; hop++) {
        for (let packet = 0; packet < 10; packet++) {
          const powers = Float32Array.from({ length: tones }, () => 1 + 0.1 * normal(random))
          window.add(hop * 1e5 + packet * 1e4, hop, powers)
        }
        whole = window.evaluate(hop)?.whole ?? false
      }
      return whole
    }
    expect(send(0, 50)).toBe(true)
    expect(send(5000, 10)).toBe(false)
    expect(send(5010, 30)).toBe(true)
  })

  it("has readings of a link that is heard in bursts, with silences longer than a burst", () => {
    const random = uniform(23)
    let window = new MotionWindow(tones)
    const readings = Array.from({ length: 6 }, (_, burst) => {
      const hop = 100 * burst
      if (window.isOutdated(hop)) window = new MotionWindow(tones)
      for (let packet = 0; packet < 30; packet++) {
        const powers = Float32Array.from({ length: tones }, () => 1 + 0.1 * normal(random))
        window.add(hop * 1e5 + packet * 3e3, hop, powers)
      }
      return window.evaluate(hop)
    })
    expect(readings.at(-1)).not.toBeNull()
  })

  it.each([50, 100])(
    "reports a lasting step of the response for hardly more than a window, at %i packets/s",
    (rateHz) => {
      const random = uniform(29)
      const window = new MotionWindow(tones)
      const [before, after] = [0, 1].map((seed) => {
        const draw = uniform(31 + seed)
        return Float32Array.from({ length: tones }, () => 0.5 + draw())
      }) as [Float32Array, Float32Array]
      const statistics: Array<number> = []
      for (let packet = 0; packet < 30 * rateHz; packet++) {
        const hop = Math.floor(10 * packet / rateHz)
        for (; statistics.length < hop;) statistics.push(window.evaluate(statistics.length)?.statistic ?? 0)
        const response = packet < 20 * rateHz ? before : after
        window.add(1e6 * packet / rateHz, hop, response.map((power) => power + 0.02 * normal(random)))
      }
      expect(Math.max(...statistics.slice(205, 230))).toBeGreaterThan(0.3)
      // The window of 4 s, and the seconds in which packets were pulled back to a mean of both.
      expect(Math.max(...statistics.slice(268))).toBeLessThan(0.05)
      expect(window.hasStepped(0.5)).toBe(false)
    },
  )

  it("pulls back the packets of a burst of less than a second", () => {
    const course = (burstS: number) => {
      const random = uniform(37)
      const window = new MotionWindow(tones)
      let largest = 0
      for (let packet = 0; packet < 2000; packet++) {
        const hop = Math.floor(packet / 10)
        if (packet % 10 === 0 && hop > 100) largest = Math.max(largest, window.evaluate(hop - 1)?.power ?? 0)
        else if (packet % 10 === 0 && hop > 0) window.evaluate(hop - 1)
        const burst = packet >= 1200 && packet < 1200 + 100 * burstS ? 0.5 : 0
        window.add(
          1e4 * packet,
          hop,
          Float32Array.from({ length: tones }, (_, k) => 1 + (k % 2 ? burst : -burst) + 0.02 * normal(random)),
        )
      }
      return largest
    }
    expect(course(0.9)).toBeLessThan(0.01)
    expect(course(2)).toBeGreaterThan(0.02)
  })

  it("gives the power of the motion over the window", () => {
    const readings = run({ ...still, seconds: 30, echo: () => 0.1, hertz: 7 }, 17)
    expect(readings.at(-1)!.power).toBeGreaterThan(0.007)
    expect(readings.at(-1)!.power).toBeLessThan(0.011)
    expect(run({ ...still, seconds: 30 }, 18).at(-1)!.power).toBeLessThan(1e-4)
  })
})
