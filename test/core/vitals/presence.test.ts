import { describe, expect, it } from "vitest"
import type { Observation } from "../../../core/observation/observation.ts"
import { PresenceDetector, type PresenceReading } from "../../../core/vitals/presence.ts"
import { noVitals } from "../../harness/vitals.ts"

interface LinkState {
  readonly sigmas: number | null
  readonly dynamicPower?: number | null
  /** Share of the motion statistic that is slow; null while the window is too short to tell. */
  readonly slowShare?: number | null
  readonly whole?: boolean
  readonly occupancy?: number | null
  /** Confidence of the breath that the link hears. */
  readonly breath?: number
}

const sigma = 0.01

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
  amplitudeOnly: false,
  tonesHz: Float32Array.of(0),
  packetRateHz,
  packetLoss: null,
  links: links.map((
    { breath = 0, dynamicPower = 0.01, occupancy = null, sigmas, slowShare = 0.5, whole = true },
    i,
  ) => ({
    transmitterId: `tx${i}`,
    packets: 10,
    outliers: 0,
    rssiDbm: -50,
    motionStatistic: sigmas === null ? null : sigmas * sigma,
    motionStatisticSigma: sigmas === null ? 0 : sigma,
    slowStatistic: sigmas === null || slowShare === null ? null : slowShare * sigmas * sigma,
    slowStatisticSigma: sigma / 20,
    windowWhole: sigmas !== null && whole,
    dynamicPower,
    occupancy,
    vitals: { ...noVitals, breathingConfidence: breath },
    dynamic: new Float32Array(0),
    dynamicTimesS: new Float32Array(0),
  })),
})

/** Readings of the hops from `from` on, with one link whose evidence is a function of the hop. */
const run = (
  detector: PresenceDetector,
  hops: number,
  sigmas: (hop: number) => number | null,
  from = 0,
  state: Omit<LinkState, "sigmas"> = {},
): Array<PresenceReading> =>
  Array.from({ length: hops }, (_, i) => {
    detector.add(observation(from + i, [{ ...state, sigmas: sigmas(from + i) }]))
    return detector.read(from + i)
  })

const present = (reading: PresenceReading | undefined): boolean | null => reading!.presence.present

describe("presence", () => {
  it("says nobody is there after enough quiet, and nothing before", () => {
    const readings = run(new PresenceDetector(), 600, (hop) => hop < 40 ? null : Math.sin(hop))
    expect(readings.slice(0, 100).every((r) => present(r) === null && r.presence.reason !== null)).toBe(true)
    expect(readings.slice(100).every((r) => present(r) === false && r.presence.reason === null)).toBe(true)
    expect(readings.slice(100).every((r) => r.presence.confidence >= 0.5)).toBe(true)
    expect(readings.slice(100).every((r) => r.motion === 0)).toBe(true)
  })

  it("says somebody is there at the third hop above 4 sigma, at once", () => {
    const readings = run(new PresenceDetector(), 110, (hop) => hop < 105 ? 0 : 8)
    expect(readings.slice(104, 109).map(present)).toEqual([false, false, false, true, true])
    expect(readings[108]!.presence.confidence).toBeGreaterThan(0.95)
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

  it("takes what has nothing slow in it for a machine: no answer, and what moves is still measured", () => {
    const detector = new PresenceDetector()
    run(detector, 120, () => 0)
    const readings = run(detector, 400, () => 30, 120, { slowShare: 0.01 })
    expect(readings.slice(2).every((r) => present(r) === null && r.presence.reason!.includes("machine"))).toBe(true)
    expect(readings[300]!.motion).toBeCloseTo(0.5, 6)
    const joined = run(detector, 50, () => 32, 520, { slowShare: 0.08 })
    expect(present(joined.at(-1))).toBe(true)
    const alone = run(detector, 300, () => 30, 570, { slowShare: 0.01 })
    expect(alone.findIndex((r) => present(r) === null)).toBe(200)
  })

  it("takes packets that are regularly unlike the one before for a machine", () => {
    const readings = run(new PresenceDetector(), 200, () => -6, 0)
    expect(readings.slice(3).every((r) => r.presence.reason!.includes("machine"))).toBe(true)
  })

  it("remembers a machine for as long as a breath is read from", () => {
    const detector = new PresenceDetector()
    expect(run(detector, 100, () => 0).some(({ machine }) => machine)).toBe(false)
    run(detector, 50, () => -6, 100)
    const later = run(detector, 600, () => 0, 150)
    expect(later.findIndex(({ machine }) => !machine)).toBe(450)
    // Somebody who comes in does not make it stop.
    run(detector, 50, () => 12, 750)
    expect(run(detector, 5, () => -6, 800).at(-1)).toMatchObject({ presence: { present: true }, machine: true })
  })

  it("does not guess between a body and a machine where too little is known", () => {
    const readings = run(new PresenceDetector(), 200, () => 5, 0, { slowShare: null })
    expect(readings.slice(3).every((r) => present(r) === null && r.presence.reason!.includes("cannot be told"))).toBe(
      true,
    )
  })

  it("stays while a breath is heard, begins with a strong one, and never denies somebody whose breath is heard", () => {
    const still = new PresenceDetector()
    run(still, 100, () => 9)
    expect(run(still, 600, () => 1, 100, { breath: 0.6 }).every((r) => present(r) === true)).toBe(true)
    expect(present(run(still, 230, () => 1, 700).at(-1))).toBe(false)
    const strong = run(new PresenceDetector(), 200, () => 1, 0, { breath: 0.9 })
    expect(strong.slice(3).every((r) => present(r) === true)).toBe(true)
    const weak = run(new PresenceDetector(), 200, () => 1, 0, { breath: 0.6 })
    expect(weak.every((r) => present(r) === null && r.presence.reason !== null)).toBe(true)
  })

  it("claims no absence from a window that is too short", () => {
    const readings = run(new PresenceDetector(), 300, () => 0, 0, { whole: false })
    expect(readings.every((r) => present(r) === null && r.motion === 0)).toBe(true)
  })

  it("holds for minutes where the static response is as with somebody there, and never begins with that", () => {
    const detector = new PresenceDetector()
    const before = run(detector, 300, () => 0, 0, { occupancy: 0.9 })
    expect(before.slice(60).every((r) => present(r) === null && r.presence.reason!.includes("calibrated"))).toBe(true)
    run(detector, 10, () => 9, 300, { occupancy: 0.9 })
    const still = run(detector, 7000, () => 0, 310, { occupancy: 0.9 })
    expect(still.findIndex((r) => present(r) !== true)).toBe(6000)
    expect(present(run(detector, 1, () => 0, 7310, { occupancy: 0.1 })[0])).toBe(false)
  })

  it("names a packet rate at which nothing can be said yet, and a silence", () => {
    const detector = new PresenceDetector()
    for (let hop = 0; hop < 50; hop += 10) {
      detector.add(observation(hop, [{ sigmas: null }], "r", 1))
      expect(detector.read(hop).presence).toMatchObject({
        present: null,
        reason: expect.stringContaining("1.0 packets/s"),
      })
    }
    expect(detector.read(140)).toMatchObject({
      presence: { present: null, confidence: 0, reason: "no packets are received" },
      motion: null,
    })
  })

  it("waits for the next packet of a link that sends few, and not of one that sends many", () => {
    const slow = new PresenceDetector()
    for (let hop = 0; hop < 600; hop += 15) {
      slow.add(observation(hop, [{ sigmas: 0 }], "r", 0.7))
      slow.read(hop)
    }
    expect([present(slow.read(660)), present(slow.read(760))]).toEqual([false, null])
    const fast = new PresenceDetector()
    run(fast, 200, () => 0)
    expect([present(fast.read(219)), present(fast.read(220))]).toEqual([false, null])
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
