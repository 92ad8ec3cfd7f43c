import { describe, expect, it } from "vitest"
import type { Observation } from "../../../core/signal/observation.ts"
import { PresenceDetector, type PresenceReading } from "../../../core/vitals/presence.ts"

interface LinkState {
  readonly sigmas: number | null
  readonly dynamicPower?: number | null
}

const observation = (
  hop: number,
  links: ReadonlyArray<LinkState>,
  routerId = "r",
  packetRateHz = 100,
): Observation => ({
  routerId,
  hop,
  source: "simulated",
  calibrated: false,
  receiveAntennas: 1,
  centerFrequencyHz: 2.4e9,
  tonesHz: Float32Array.of(0),
  packetRateHz,
  packetLoss: null,
  links: links.map(({ sigmas, dynamicPower = 0.01 }, i) => ({
    transmitterId: `tx${i}`,
    packets: 10,
    outliers: 0,
    rssiDbm: -50,
    motionStatistic: sigmas === null ? null : sigmas * 0.01,
    motionStatisticSigma: sigmas === null ? 0 : 0.01,
    dynamicPower,
    occupancy: null,
    dynamic: new Float32Array(0),
  })),
})

/** Readings of the hops from `from` on, with one link whose evidence is a function of the hop. */
const run = (
  detector: PresenceDetector,
  hops: number,
  sigmas: (hop: number) => number | null,
  from = 0,
): Array<PresenceReading> =>
  Array.from({ length: hops }, (_, i) => {
    detector.add(observation(from + i, [{ sigmas: sigmas(from + i) }]))
    return detector.read(from + i)
  })

const present = (reading: PresenceReading | undefined): boolean | null => reading!.presence.present

describe("presence", () => {
  it("says nobody is there after enough quiet, more surely with time, and nothing before", () => {
    const readings = run(new PresenceDetector(), 600, (hop) => hop < 40 ? null : Math.sin(hop))
    expect(readings.slice(0, 100).every((r) => present(r) === null && r.presence.reason !== null)).toBe(true)
    expect(readings.slice(100).every((r) => present(r) === false && r.presence.reason === null)).toBe(true)
    expect(readings.at(-1)!.presence.confidence).toBeGreaterThan(readings[100]!.presence.confidence)
    expect(readings.slice(100).every((r) => r.motion === 0)).toBe(true)
  })

  it("says somebody is there at the third hop above 4 sigma, at once", () => {
    const readings = run(new PresenceDetector(), 110, (hop) => hop < 105 ? 0 : 8)
    expect(readings.slice(104, 109).map(present)).toEqual([false, false, false, true, true])
    expect(readings[108]!.presence.confidence).toBeCloseTo(0.8, 6)
    expect(readings[108]!.motion).toBeCloseTo(0.5, 6)
  })

  it("does not fall for single hops above the threshold", () => {
    const readings = run(new PresenceDetector(), 400, (hop) => hop % 5 < 2 ? 4.5 : 1)
    expect(readings.some((r) => present(r) === true)).toBe(false)
  })

  it("holds 20 s, kept up by what stays above 3 sigma, with falling confidence", () => {
    const detector = new PresenceDetector()
    const breathing = run(detector, 1200, (hop) => hop < 5 ? 9 : hop % 150 === 0 ? 3.2 : 1)
    expect(breathing.slice(3).every((r) => present(r) === true)).toBe(true)
    const quiet = run(detector, 300, () => 1, 1200)
    const last = quiet.findIndex((r) => present(r) === false)
    expect(last).toBe(51)
    expect(run(detector, 10, () => 1, 1500).every((r) => present(r) === false)).toBe(true)
    const fresh = new PresenceDetector()
    const held = run(fresh, 150, (hop) => hop < 10 ? 12 : 0).map((r) => r.presence.confidence)
    expect(held[100]).toBeLessThan(held[20]!)
    expect(held[100]).toBeGreaterThan(0.5)
  })

  it("names a packet rate that is too low, and a silence", () => {
    const detector = new PresenceDetector()
    for (let hop = 0; hop < 50; hop += 10) {
      detector.add(observation(hop, [{ sigmas: null }], "r", 1))
      expect(detector.read(hop).presence).toMatchObject({
        present: null,
        reason: expect.stringContaining("1.0 packets/s"),
      })
    }
    expect(detector.read(80)).toMatchObject({
      presence: { present: null, confidence: 0, reason: "no packets were received for 2 s" },
      motion: null,
    })
  })

  it("starts over after a silence, and does not when it was short and somebody was there", () => {
    const away = new PresenceDetector()
    run(away, 200, () => 0)
    expect(present(away.read(230))).toBeNull()
    expect(present(run(away, 20, () => 0, 231).at(-1))).toBeNull()
    const there = new PresenceDetector()
    run(there, 200, () => 9)
    expect(present(there.read(230))).toBeNull()
    expect(present(run(there, 1, () => 0, 231)[0])).toBe(true)
  })

  it("asks more of the best of many links, so that noise does not become presence", () => {
    const readings = (links: number, best: number) => {
      const detector = new PresenceDetector()
      return Array.from({ length: 120 }, (_, hop) => {
        const all = Array.from({ length: links }, (_, i) => ({ sigmas: i === 0 ? best : 0 }))
        detector.add(observation(hop, all.slice(0, links / 2), "a"))
        detector.add(observation(hop, all.slice(links / 2), "b"))
        return present(detector.read(hop))
      }).at(-1)
    }
    expect(readings(2, 4.3)).toBe(true)
    expect(readings(60, 4.3)).toBe(false)
    expect(readings(60, 5)).toBe(true)
  })

  it("takes motion from the strongest link that moves", () => {
    const detector = new PresenceDetector()
    for (let hop = 0; hop < 10; hop++) {
      detector.add(observation(hop, [
        { sigmas: 9, dynamicPower: 0.03 },
        { sigmas: 0, dynamicPower: 5 },
        { sigmas: 9, dynamicPower: null },
      ]))
      expect(detector.read(hop).motion).toBeCloseTo(0.75, 6)
    }
  })

  it("repeats itself for a hop that was read, and takes late observations of other routers", () => {
    const detector = new PresenceDetector()
    run(detector, 50, () => 9)
    const before = detector.read(49)
    detector.add(observation(49, [{ sigmas: 0 }], "late"))
    expect(detector.read(49)).toBe(before)
    expect(detector.read(20)).toBe(before)
    detector.add(observation(30, [{ sigmas: 0 }]))
    expect(present(detector.read(50))).toBe(true)
  })
})
