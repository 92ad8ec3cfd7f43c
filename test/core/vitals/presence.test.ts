import { describe, expect, it } from "vitest"
import type { Observation } from "../../../core/observation/observation.ts"
import { PresenceDetector, type PresenceReading } from "../../../core/vitals/presence.ts"
import { noVitals } from "../../harness/vitals.ts"

interface LinkState {
  readonly sigmas: number | null
  readonly dynamicPower?: number | null
  /** Share of the motion statistic that is slow; null while the window is too short. */
  readonly slowShare?: number | null
  readonly whole?: boolean
  readonly occupancy?: number | null
  /** Confidence of the link's breathing rate. */
  readonly breath?: number
}

const sigma = 0.01
/** With the dynamic power below, an echo level of -2: a decade above the threshold of an unknown site. */
const strong = 51
/** Dynamic power whose echo level with the same sigmas is between an empty room's and a body's. */
const weakPower = 4e-4

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
    vitals: breath === 0
      ? noVitals
      : { ...noVitals, breathingRateBpm: 14, breathingConfidence: breath, breathingReason: null },
    dynamic: new Float32Array(0),
    dynamicTimesS: new Float32Array(0),
    leadsRad: new Float32Array(0),
    calibratedAtUs: null,
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
  it("is false after enough quiet, and unknown before", () => {
    const readings = run(new PresenceDetector(), 600, (hop) => hop < 40 ? null : Math.sin(hop))
    expect(readings.slice(0, 60).every((r) => present(r) === null && r.presence.reason !== null)).toBe(true)
    expect(readings.slice(60).every((r) => present(r) === false && r.presence.reason === null)).toBe(true)
    expect(readings.slice(60).every((r) => r.presence.confidence >= 0.5)).toBe(true)
    expect(readings.slice(60).every((r) => r.motion === 0)).toBe(true)
  })

  it("is true at the fifth hop of strong motion, and unknown in between", () => {
    const readings = run(new PresenceDetector(), 111, (hop) => hop < 105 ? 0 : strong)
    expect(readings.slice(104, 111).map(present)).toEqual([false, null, null, null, null, true, true])
    expect(readings[109]!.presence.confidence).toBeGreaterThan(0.95)
    expect(readings[109]!.motion).toBeCloseTo(0.5, 6)
  })

  it("ignores short bursts", () => {
    const readings = run(new PresenceDetector(), 400, (hop) => hop % 25 < 4 ? strong : 1)
    expect(readings.some((r) => present(r) === true)).toBe(false)
  })

  it("does not report noise that is significant, but weak: absent, and unknown in between", () => {
    const weak = run(new PresenceDetector(), 400, () => 20, 0, { dynamicPower: 1e-4 })
    expect(weak.slice(20).every((r) => present(r) === false)).toBe(true)
    const between = run(new PresenceDetector(), 400, () => strong, 0, { dynamicPower: weakPower })
    expect(between.every((r) => present(r) === null && r.presence.reason !== null)).toBe(true)
  })

  it("holds 7 s with falling confidence, and is unknown for 2 minutes more", () => {
    const detector = new PresenceDetector()
    run(detector, 60, () => strong)
    const quiet = run(detector, 1500, () => 1, 60)
    expect(quiet.findIndex((r) => present(r) === null)).toBe(69)
    expect(quiet.findIndex((r) => present(r) === false)).toBe(199 + 1200)
    expect(quiet[65]!.presence.confidence).toBeLessThan(quiet[20]!.presence.confidence)
    expect(quiet[65]!.presence.confidence).toBeGreaterThan(0.5)
  })

  it("holds for as long as the evidence lasted, after weak or short evidence", () => {
    const detector = new PresenceDetector()
    run(detector, 10, () => strong)
    const quiet = run(detector, 200, () => 1, 10)
    expect(quiet.findIndex((r) => present(r) === null)).toBe(39)
    expect(quiet.findIndex((r) => present(r) === false)).toBe(39 + 48)
  })

  it("is extended by motion too weak to begin with", () => {
    const detector = new PresenceDetector()
    run(detector, 60, () => strong)
    const weak = run(detector, 1200, () => strong, 60, { dynamicPower: weakPower })
    expect(weak.every((r) => present(r) === true)).toBe(true)
  })

  it("attributes motion without a slow part to a machine: unknown, with motion still measured", () => {
    const detector = new PresenceDetector()
    run(detector, 120, () => 0)
    const readings = run(detector, 400, () => strong, 120, { slowShare: 0.01 })
    expect(readings.slice(2).every((r) => present(r) === null && r.presence.reason!.includes("machine"))).toBe(true)
    expect(readings[300]!.motion).toBeCloseTo(0.5, 6)
    const joined = run(detector, 60, () => strong, 520, { slowShare: 0.08 })
    expect(present(joined.at(-1))).toBe(true)
    const alone = run(detector, 300, () => strong, 580, { slowShare: 0.01 })
    expect(alone.findIndex((r) => present(r) === null)).toBe(69)
  })

  it("attributes packets that regularly differ from the previous one to a machine", () => {
    const readings = run(new PresenceDetector(), 200, () => -12, 0)
    expect(readings.slice(3).every((r) => r.presence.reason!.includes("machine"))).toBe(true)
  })

  it("does not take the faint pattern of a receiver for a machine", () => {
    const readings = run(new PresenceDetector(), 200, () => -6, 0)
    expect(readings.slice(60).every((r) => present(r) === false)).toBe(true)
  })

  it("keeps a machine for the length of a breathing window", () => {
    const detector = new PresenceDetector()
    expect(run(detector, 100, () => 0).some(({ machine }) => machine)).toBe(false)
    run(detector, 50, () => -12, 100)
    const later = run(detector, 600, () => 0, 150)
    expect(later.findIndex(({ machine }) => !machine)).toBe(450)
    // A person who enters does not end it.
    run(detector, 50, () => strong, 750)
    expect(run(detector, 5, () => -12, 800).at(-1)).toMatchObject({ presence: { present: true }, machine: true })
  })

  it("does not choose between a body and a machine with too little data", () => {
    const readings = run(new PresenceDetector(), 200, () => strong, 0, { slowShare: null })
    expect(readings.slice(3).every((r) => present(r) === null && r.presence.reason!.includes("not clear yet"))).toBe(
      true,
    )
  })

  it("lasts while a breath is measured, begins with a strong one or one of some seconds, and is never false with a breath", () => {
    const still = new PresenceDetector()
    run(still, 100, () => strong)
    expect(run(still, 600, () => 1, 100, { breath: 0.6 }).every((r) => present(r) === true)).toBe(true)
    expect(present(run(still, 230, () => 1, 700).at(-1))).toBeNull()
    const breathing = run(new PresenceDetector(), 200, () => 1, 0, { breath: 0.9 })
    expect(breathing.slice(20).every((r) => present(r) === true)).toBe(true)
    const weak = run(new PresenceDetector(), 200, () => 1, 0, { breath: 0.6 })
    expect(weak.slice(0, 40).every((r) => present(r) === null && r.presence.reason !== null)).toBe(true)
    expect(weak.slice(60).every((r) => present(r) === true)).toBe(true)
  })

  it("does not begin with breaths of less than three seconds, nor with one beside a machine", () => {
    const brief = new PresenceDetector()
    for (let at = 0; at < 500; at += 50) {
      expect(run(brief, 25, () => 1, at, { breath: 0.6 }).some((r) => present(r) === true)).toBe(false)
      run(brief, 25, () => 1, at + 25)
    }
    const machine = new PresenceDetector()
    run(machine, 50, () => strong, 0, { slowShare: 0 })
    expect(run(machine, 200, () => 1, 50, { breath: 0.6 }).some((r) => present(r) === true)).toBe(false)
  })

  it("is false from a window that is not filled only where it is clearly quiet, the sooner the quieter it is", () => {
    const falseAt = (sigmas: number, dynamicPower: number, everyHops = 1) => {
      const detector = new PresenceDetector()
      for (let hop = 0; hop < 1000; hop++) {
        if (hop % everyHops === 0) detector.add(observation(hop, [{ sigmas, dynamicPower, whole: false }]))
        if (present(detector.read(hop)) === false) return hop
      }
      return null
    }
    // Levels of a hundredth, a thirtieth and a tenth of the power of a body.
    expect([5e-4, 1.5e-3, 5e-3].map((power) => falseAt(2, power))).toEqual([20, 26, null])
    // Significant motion must be weaker, because in strong noise the level of a body is low.
    expect([1e-4, 1e-5].map((power) => falseAt(8, power))).toEqual([null, 19])
    // Hops without packets say nothing.
    expect(falseAt(2, 5e-4, 10)).toBe(200)
  })

  it("holds for minutes where the static response is that of the occupied room, and never begins with it", () => {
    const detector = new PresenceDetector()
    const before = run(detector, 300, () => 0, 0, { occupancy: 0.9 })
    expect(before.slice(60).every((r) => present(r) === null && r.presence.reason!.includes("calibrated"))).toBe(true)
    run(detector, 60, () => strong, 300, { occupancy: 0.9 })
    const still = run(detector, 8000, () => 0, 360, { occupancy: 0.9 })
    expect(Math.abs(still.findIndex((r) => present(r) !== true) - 6000)).toBeLessThan(2)
    expect(present(run(detector, 1, () => 0, 8360, { occupancy: 0.1 })[0])).toBe(false)
  })

  it("names an insufficient packet rate, and a silence", () => {
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

  it("waits for the next packet of a slow link, and not of a fast one", () => {
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

  it("keeps a breathing rate over the hops in which its link has no packet, until the link falls silent", () => {
    const detector = new PresenceDetector()
    const rateOf = (hop: number, links: ReadonlyArray<LinkState>) => {
      detector.add(observation(hop, links))
      return detector.read(hop).vitals.breathingRateBpm
    }
    const busy = { sigmas: 0 }
    for (let hop = 0; hop < 100; hop++) {
      expect(rateOf(hop, hop % 2 === 0 ? [busy, { sigmas: 0, breath: 0.9 }] : [busy])).toBe(14)
    }
    expect(rateOf(110, [busy])).toBe(14)
    expect(rateOf(130, [busy])).toBeNull()
  })

  it("restarts after a silence, but not after a short one during presence", () => {
    const away = new PresenceDetector()
    run(away, 200, () => 0)
    expect(present(away.read(230))).toBeNull()
    expect(present(run(away, 9, () => 0, 231, { whole: false }).at(-1))).toBeNull()
    const there = new PresenceDetector()
    run(there, 200, () => strong)
    expect(present(there.read(230))).toBeNull()
    expect(present(run(there, 1, () => 0, 231)[0])).toBe(true)
  })

  it("is not true after a silence without new evidence, however long the silence", () => {
    for (const silentHops of [61, 80, 120, 250, 1_000, 36_000]) {
      const detector = new PresenceDetector()
      run(detector, 200, () => strong)
      const quiet = run(detector, 300, () => 0, 200 + silentHops)
      expect(quiet.some((r) => present(r) === true)).toBe(false)
      // A person of two minutes ago may keep still; one of an hour ago is no reason to doubt.
      expect(quiet.filter(({ presence }) => presence.reason?.includes("shortly before")).length > 0)
        .toBe(silentHops < 1_400)
      expect(present(quiet.at(-1))).toBe(silentHops < 1_400 ? null : false)
      // New evidence is enough.
      expect(present(run(detector, 5, () => strong, 500 + silentHops).at(-1))).toBe(true)
    }
    // A link with a packet every 1.5 s is not silent when one is missing.
    const slow = new PresenceDetector()
    for (let hop = 0; hop < 1_500; hop += 15) run(slow, 1, () => strong, hop)
    expect(present(run(slow, 1, () => 0, 1_485 + 100)[0])).toBe(true)
  })

  it("is the same whether or not the hops without packets are read", () => {
    const state = (hop: number): LinkState => ({
      sigmas: hop % 700 < 90 ? strong : Math.sin(hop),
      slowShare: hop % 1_100 < 50 ? 0.01 : 0.5,
      breath: hop % 900 > 850 ? 0.6 : 0,
    })
    for (const stride of [1, 2, 4, 15]) {
      const [every, some] = [new PresenceDetector(), new PresenceDetector()]
      let decided = 0
      for (let hop = 0; hop < 9_000; hop++) {
        // Silences of 1 s, 3 s, 7 s, ...
        const isSilent = [10, 30, 70, 150, 700].some((hops, i) =>
          hop % 2_500 > 400 * i + 300 && hop % 2_500 < 400 * i + 300 + hops
        )
        if (hop % stride === 0 && !isSilent) {
          for (const detector of [every, some]) detector.add(observation(hop, [state(hop)]))
          expect(some.read(hop)).toEqual(every.read(hop))
          if (every.read(hop).presence.present !== null) decided++
        } else every.read(hop)
      }
      expect(decided).toBeGreaterThan(80)
    }
  })

  it("raises the threshold for the best of many links, so that noise does not become presence", () => {
    const readings = (links: number, best: number) => {
      const detector = new PresenceDetector()
      return Array.from({ length: 120 }, (_, hop) => {
        const all = Array.from({ length: links }, (_, i) => ({ sigmas: i === 0 ? best : 0, dynamicPower: 0.1 }))
        detector.add(observation(hop, all.slice(0, links / 2), "a"))
        detector.add(observation(hop, all.slice(links / 2), "b"))
        return present(detector.read(hop))
      }).at(-1)
    }
    expect(readings(2, 4.3)).toBe(true)
    expect(readings(60, 4.3)).toBe(false)
    expect(readings(60, 5)).toBe(true)
  })

  it("takes motion from the strongest moving link", () => {
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

  it("returns the last decision for an earlier hop, and takes late observations of other routers", () => {
    const detector = new PresenceDetector()
    run(detector, 50, () => strong)
    const before = detector.read(49)
    detector.add(observation(49, [{ sigmas: 0 }], "late"))
    expect(detector.read(49)).toBe(before)
    expect(detector.read(20)).toBe(before)
    detector.add(observation(30, [{ sigmas: 0 }]))
    expect(present(detector.read(50))).toBe(true)
  })
})
