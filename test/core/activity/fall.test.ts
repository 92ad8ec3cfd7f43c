/** Falls and other movements, from synthetic heights with noise. The results hold for these series only: no recording of a fall was used. */
import { describe, expect, it } from "vitest"
import {
  createFallDetector,
  type Fall,
  fallSeverity,
  fallThresholds,
  impactSeverity,
} from "../../../core/activity/fall.ts"
import { createRecoveryWatch } from "../../../core/activity/recovery.ts"
import {
  everyNth,
  fallOf,
  getUp,
  hardNegatives,
  lyingOnFloor,
  type NoiseOptions,
  type Part,
  samplesOf,
  standing,
  walking,
} from "./movements.ts"

const seeds = Array.from({ length: 25 }, (_, seed) => seed)

const fallsOf = (parts: ReadonlyArray<Part>, options: NoiseOptions, sensitivity = 0.5): ReadonlyArray<Fall> => {
  const detector = createFallDetector(fallThresholds(sensitivity))
  return samplesOf(parts, options).flatMap((sample) => detector.step(sample) ?? [])
}

const foundIn = (parts: ReadonlyArray<Part>, options: Omit<NoiseOptions, "seed">, sensitivity = 0.5): number =>
  seeds.filter((seed) => fallsOf(parts, { seed, ...options }, sensitivity).length > 0).length

describe("a fall", () => {
  it.each([[0.5, 24], [0.7, 23], [0.9, 18]])("of %f s is found once, at its impact, in %i of 25", (seconds, least) => {
    for (const before of [standing(4), walking(4)]) {
      const found = seeds.map((seed) => fallsOf([before, fallOf(seconds), lyingOnFloor(10)], { seed }))
      expect(found.filter((falls) => falls.length === 1).length).toBeGreaterThanOrEqual(least)
      expect(found.every((falls) => falls.length <= 1)).toBe(true)
      for (const { impactS, confidence } of found.flat()) {
        expect(Math.abs(impactS - 4 - seconds)).toBeLessThanOrEqual(0.5)
        expect(confidence).toBeGreaterThan(0.5)
      }
    }
  })

  it("is confirmed within 3 s of the impact", () => {
    const detector = createFallDetector(fallThresholds(0.5))
    const confirmedS = samplesOf([standing(4), fallOf(0.6), lyingOnFloor(8)], { seed: 3 })
      .find((sample) => detector.step(sample) !== null)?.timeS
    expect(confirmedS! - 4.6).toBeLessThanOrEqual(3.1)
  })

  it("is found by the estimator's activities, where heights are not measured", () => {
    const falls = fallsOf([standing(4), fallOf(0.8), lyingOnFloor(8)], { seed: 1, heights: false, sure: 0.8 })
    expect(falls).toHaveLength(1)
    expect(falls[0]!.impactMps).toBeNull()
  })

  it("is not reported of a person whose track begins with it, as that of a reflection does", () => {
    const options = { seed: 1, heights: false, sure: 0.8 }
    expect(fallsOf([fallOf(0.8), lyingOnFloor(8)], options)).toEqual([])
    expect(fallsOf([standing(1), fallOf(0.8), lyingOnFloor(8)], options)).toHaveLength(1)
  })

  it("is not reported without heights and activities", () => {
    expect(fallsOf([walking(4), fallOf(0.6), lyingOnFloor(20)], { seed: 1, heights: false })).toEqual([])
  })

  it("is reported for a track lost while lying low, but not for one lost on the feet", () => {
    const lostAfter = (parts: ReadonlyArray<Part>): Fall | null => {
      const detector = createFallDetector(fallThresholds(0.5))
      for (const sample of samplesOf(parts, { seed: 5 })) expect(detector.step(sample)).toBeNull()
      return detector.lost()
    }
    const lost = lostAfter([standing(4), fallOf(0.6), lyingOnFloor(1)])
    expect(lost).not.toBeNull()
    expect(lost!.confidence).toBeLessThan(0.7)
    expect(lostAfter([standing(4), fallOf(0.6), { ...getUp, seconds: 0.5 }, standing(0.6)])).toBeNull()
    expect(lostAfter([standing(4)])).toBeNull()
  })

  it("is not reported of a person who has walked out of the room, whatever the estimator reports then", () => {
    const foundWhere = (left: boolean) => {
      const detector = createFallDetector(fallThresholds(0.5))
      const samples = [
        ...samplesOf([walking(4)], { seed: 2 }),
        ...samplesOf([walking(4), fallOf(0.6), lyingOnFloor(8)], { seed: 2 }).slice(40),
      ]
      const found = samples.map((sample, i) => detector.step({ ...sample, left: left && i >= 40 }))
      return [found.some((fall) => fall !== null), detector.lost() !== null]
    }
    expect(foundWhere(false)).toEqual([true, false])
    expect(foundWhere(true)).toEqual([false, false])
  })
})

describe("with hops left out", () => {
  const foundOf = (parts: ReadonlyArray<Part>, n: number): number =>
    seeds.filter((seed) => {
      const detector = createFallDetector(fallThresholds(0.5))
      // Each seed has another phase of the samples.
      const samples = samplesOf(parts, { seed, sure: 0.8 }).slice(seed % n)
      return everyNth(samples, n).some((sample) => detector.step(sample) !== null)
    }).length

  it.each([1, 2, 3, 4, 5])("a fall is found with one hop in %i", (n) => {
    for (const seconds of [0.5, 0.7, 0.9]) {
      expect(foundOf([walking(4), fallOf(seconds), lyingOnFloor(8)], n)).toBeGreaterThanOrEqual(24)
    }
  })

  it.each([2, 3, 4, 5])("other movements are no falls with one hop in %i, in 23 of 25", (n) => {
    for (const parts of Object.values(hardNegatives)) expect(foundOf([walking(4), ...parts], n)).toBeLessThanOrEqual(2)
  })

  it("one sample of falling is no fall where the person was low before, or is up afterwards", () => {
    const glimpse: Part = { seconds: 0.5, state: "falling", toM: 0.15 }
    expect(foundOf([lyingOnFloor(4), glimpse, lyingOnFloor(8)], 5)).toBe(0)
    expect(foundOf([walking(4), { ...glimpse, toM: 0.9 }, standing(8)], 5)).toBe(0)
  })
})

describe("other movements", () => {
  it.each(Object.entries(hardNegatives))("%s", (_, parts) => {
    for (const before of [standing(4), walking(4)]) {
      expect(foundIn([before, ...parts], { heightSigmaM: 0.08 })).toBeLessThanOrEqual(1)
      // Also where the estimator reports activities.
      expect(foundIn([before, ...parts], { heightSigmaM: 0.08, sure: 0.7 })).toBeLessThanOrEqual(1)
    }
  })

  it("a drop to the floor into sitting, with an estimator of activities; without one it is a fall", () => {
    const sits: ReadonlyArray<Part> = [
      standing(4),
      { seconds: 0.7, state: "sitting", toM: 0.12, how: "falling" },
      { seconds: 8, state: "sitting", toM: 0.12 },
    ]
    expect(foundIn(sits, { sure: 0.8 })).toBe(0)
    expect(foundIn(sits, {})).toBeGreaterThanOrEqual(20)
    // An observed fall counts, also when the person sits up right after it.
    expect(foundIn([standing(4), fallOf(0.7), { seconds: 8, state: "sitting", toM: 0.12 }], { sure: 0.9 }))
      .toBeGreaterThanOrEqual(20)
  })

  it("an hour of walking about and sitting down", () => {
    const round: ReadonlyArray<Part> = [walking(10), standing(5), ...hardNegatives["sits down fast"]!, getUp]
    const hour = Array.from({ length: 60 }, () => [...round, walking(30)]).flat()
    expect(fallsOf(hour, { seed: 9, heightSigmaM: 0.1 })).toEqual([])
  })
})

describe("sensitivity", () => {
  it("lowers every threshold", () => {
    const [least, most] = [fallThresholds(0), fallThresholds(1)]
    expect(least).toMatchObject({ descentMpsMin: 1.2, dropMMin: 0.6, lowMMax: 0.3, settleS: 3 })
    expect(most.descentMpsMin).toBeCloseTo(0.6)
    expect(most.dropMMin).toBeCloseTo(0.4)
    expect(most.lowMMax).toBeCloseTo(0.4)
    expect(most.fallingProbabilityMin).toBeCloseTo(0.4)
    expect(most.settleS).toBe(1)
  })

  it("finds more slow falls, and more false ones", () => {
    const slow = [standing(4), fallOf(1), lyingOnFloor(8)]
    const found = [0, 0.5, 1].map((sensitivity) => foundIn(slow, {}, sensitivity))
    expect(found).toEqual([...found].sort((a, b) => a - b))
    expect(found[2]! - found[0]!).toBeGreaterThan(15)
    const purpose = [standing(4), ...hardNegatives["lies down on the floor on purpose"]!]
    expect(foundIn(purpose, {}, 1)).toBeGreaterThan(foundIn(purpose, {}, 0.5))
  })
})

describe("getting up", () => {
  const upAt = (parts: ReadonlyArray<Part>, options: Omit<NoiseOptions, "seed"> = {}): number | null => {
    const watch = createRecoveryWatch(fallThresholds(0.5).lowMMax)
    for (const sample of samplesOf(parts, { seed: 2, ...options })) {
      const label = sample.activity === null ? "unknown" : sample.activity.standing > 0.5 ? "standing" : "lying"
      const atS = watch.step(sample, label)
      if (atS !== null) return atS
    }
    return null
  }

  it("is detected by the height, and dated at its beginning", () => {
    expect(upAt([lyingOnFloor(10), getUp, standing(4)])).toBeGreaterThan(10.5)
    expect(upAt([lyingOnFloor(10), getUp, standing(4)])).toBeLessThan(13)
  })

  it("is detected by the activity where no height is measured", () => {
    expect(upAt([lyingOnFloor(10), standing(4)], { heights: false, sure: 0.8 })).toBeCloseTo(10.1, 1)
  })

  it("is not sitting up on the floor, and not lying for long", () => {
    const sitsUp = { seconds: 20, state: "sitting", toM: 0.22 } as const
    expect(upAt([lyingOnFloor(5), sitsUp])).toBeNull()
    expect(upAt([lyingOnFloor(60)])).toBeNull()
  })
})

describe("the severity of a fall", () => {
  it("grows with the time on the floor, and by one level with a hard impact", () => {
    expect([0, 10, 30, 120].map((floorS) => fallSeverity(floorS, 1.5))).toEqual(["low", "medium", "high", "critical"])
    expect([0, 10, 30, 120].map((floorS) => fallSeverity(floorS, 3))).toEqual([
      "medium",
      "high",
      "critical",
      "critical",
    ])
    expect(fallSeverity(0, null)).toBe("low")
    expect([null, 1, 2, 3].map(impactSeverity)).toEqual([null, "low", "medium", "high"])
  })
})
