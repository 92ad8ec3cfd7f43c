import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { normals, uniform } from "../../../core/kernels/samples.ts"
import type { Measurement } from "../../../core/tracking/kalman.ts"
import {
  beginPerson,
  missPerson,
  motionOf,
  type PersonMotion,
  predictHops,
  predictPerson,
  updatePerson,
} from "../../../core/tracking/person-motion.ts"

const hopS = 0.1
const sigmaM = 0.15
const sigmaMps = 0.15

const seen = (x: number, y: number, vx: number, vy: number): Measurement => ({
  x,
  y,
  sigmaM,
  velocity: { x: vx, y: vy, sigmaMps },
})

/** A walk along x at these speeds, one a hop; a hop at 0 is not detected. Calls back after every hop. */
const walk = (
  person: PersonMotion,
  fromX: number,
  speeds: ReadonlyArray<number>,
  after: (person: PersonMotion, x: number, hop: number) => void,
  seed: number,
): { readonly person: PersonMotion; readonly x: number } => {
  const noise = normals(4 * speeds.length, uniform(seed))
  let [next, x] = [person, fromX]
  speeds.forEach((speed, hop) => {
    x += speed * hopS
    const [dx, dy, du, dv] = noise.subarray(4 * hop, 4 * hop + 4) as unknown as [number, number, number, number]
    const predicted = predictPerson(next, hopS)
    next = speed === 0
      ? missPerson(predicted)
      : updatePerson(predicted, seen(x + sigmaM * dx, sigmaM * dy, speed + sigmaMps * du, sigmaMps * dv))
    after(next, x, hop)
  })
  return { person: next, x }
}
const times = (count: number, speed: number): ReadonlyArray<number> => new Array<number>(count).fill(speed)
const nothing = (): void => {}
const seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]

describe("the motion of a person", () => {
  it("follows a walker: walking, near the place, with the velocity", () => {
    for (const seed of seeds) {
      walk(beginPerson(seen(0, 0, 1, 0)), 0, times(60, 1), (person, x, hop) => {
        if (hop < 10) return
        const motion = motionOf(person)
        expect(person.standingProbability).toBeLessThan(0.1)
        expect(Math.hypot(motion.x - x, motion.y)).toBeLessThan(0.3)
        expect(Math.abs(motion.velocityX - 1)).toBeLessThan(0.3)
      }, seed)
    }
  })

  it("classifies an undetected person as standing within two seconds, near the stop, and keeps them there", () => {
    for (const seed of seeds) {
      const walked = walk(beginPerson(seen(0, 0, 1, 0)), 0, times(50, 1), nothing, seed)
      walk(walked.person, walked.x, times(300, 0), (person, x, hop) => {
        if (hop < 20) return
        const motion = motionOf(person)
        expect(person.standingProbability).toBeGreaterThan(0.8)
        expect(Math.abs(motion.x - x)).toBeLessThan(1)
        expect(Math.hypot(motion.velocityX, motion.velocityY)).toBeLessThan(0.2)
      }, seed)
    }
  })

  it("stops nearer to the place when the stop is detected", () => {
    for (const seed of seeds) {
      const walked = walk(beginPerson(seen(0, 0, 1, 0)), 0, times(50, 1), nothing, seed)
      const slowed = walk(walked.person, walked.x, [0.8, 0.6, 0.4, 0.2, 0.1], nothing, seed + 100)
      const { person, x } = walk(slowed.person, slowed.x, times(100, 0), nothing, seed)
      expect(Math.abs(motionOf(person).x - x)).toBeLessThan(0.45)
    }
  })

  it("classifies a starting person as walking within a second", () => {
    for (const seed of seeds) {
      const walked = walk(beginPerson(seen(0, 0, 1, 0)), 0, times(50, 1), nothing, seed)
      const slowed = walk(walked.person, walked.x, [0.8, 0.6, 0.4, 0.2, 0.1], nothing, seed + 100)
      const stood = walk(slowed.person, slowed.x, times(200, 0), nothing, seed)
      walk(stood.person, stood.x, times(40, -1), (person, x, hop) => {
        if (hop < 10) return
        const motion = motionOf(person)
        expect(person.standingProbability).toBeLessThan(0.2)
        expect(Math.abs(motion.velocityX + 1)).toBeLessThan(0.35)
        expect(Math.abs(motion.x - x)).toBeLessThan(0.4)
      }, seed + 200)
    }
  })

  it("loses certainty of an undetected walker's place, and hardly of a standing person's", () => {
    const { person } = walk(beginPerson(seen(0, 0, 1, 0)), 0, times(50, 1), nothing, 1)
    const later = predictPerson(person, 3)
    expect(later.walking.positionVariance).toBeGreaterThan(10 * person.walking.positionVariance)
    const stood = walk(person, 5, times(100, 0), nothing, 1).person
    const still = predictPerson(stood, 3)
    expect(still.standing.positionVariance).toBeLessThan(2 * stood.standing.positionVariance)
  })

  it("is one state between the two, with their spread about it", () => {
    const { person } = walk(beginPerson(seen(0, 0, 1, 0)), 0, [...times(30, 1), ...times(6, 0)], nothing, 1)
    const { standing, standingProbability: p, walking } = person
    const motion = motionOf(person)
    expect(motion.x).toBeCloseTo(p * standing.x + (1 - p) * walking.x, 12)
    expect(motion.velocityX).toBeCloseTo((1 - p) * walking.velocityX, 12)
    expect(motion.positionVariance).toBeGreaterThan(
      p * standing.positionVariance + (1 - p) * walking.positionVariance,
    )
  })

  it("is unchanged in no time, and without measurements tends to the share of time that people stand", () => {
    const { person } = walk(beginPerson(seen(0, 0, 1, 0)), 0, times(20, 1), nothing, 1)
    const now = predictPerson(person, 0)
    expect(now.standingProbability).toBeCloseTo(person.standingProbability, 12)
    expect(motionOf(now).x).toBeCloseTo(motionOf(person).x, 12)
    // They stop 0.4 times a second while they walk, and start 0.3 times a second while they stand.
    for (const standingProbability of [0.001, 0.999]) {
      let later: PersonMotion = { ...person, standingProbability }
      for (let hop = 0; hop < 300; hop++) later = predictPerson(later, hopS)
      expect(later.standingProbability).toBeCloseTo(0.4 / 0.7, 2)
    }
  })

  it("is the same after one step of several hops as after one step of each, for as long as anything is predicted", () => {
    const { person } = walk(beginPerson(seen(0, 0, 1, 0)), 0, times(20, 1), nothing, 1)
    for (const standingProbability of [0.001, 0.01, 0.5, 0.999]) {
      const from = { ...person, standingProbability }
      expect(predictHops(from, hopS)).toEqual(predictPerson(from, hopS))
      let hopByHop: PersonMotion = from
      for (let hop = 1; hop <= 100; hop++) {
        hopByHop = predictPerson(hopByHop, hopS)
        if (hop > 1) expect(predictHops(from, hop * hopS)).toEqual(hopByHop)
      }
      expect(predictHops(predictHops(from, 0.2), 0.4)).toEqual(predictHops(from, 0.6))
      expect(predictHops(from, 3_600)).toEqual(hopByHop)
    }
  })

  it("does not turn a walker into a standing person, nor the other way round, by time alone", () => {
    const { person } = walk(beginPerson(seen(0, 0, 1, 0)), 0, times(20, 1), nothing, 1)
    const after = (standingProbability: number, elapsedS: number) =>
      predictHops({ ...person, standingProbability }, elapsedS)
    for (const elapsedS of [2, 5, 10, 60]) {
      expect(after(0.01, elapsedS).standingProbability).toBeLessThan(0.6)
      expect(after(0.999, elapsedS).standingProbability).toBeGreaterThan(0.55)
    }
    // Where the walker has stopped is not known.
    expect(after(0.01, 5).standing.positionVariance).toBeGreaterThan(10 * person.standing.positionVariance)
  })

  it("stays within its bounds with any measurements", () => {
    const place = fc.double({ min: -20, max: 20, noNaN: true })
    const speed = fc.double({ min: -3, max: 3, noNaN: true })
    const measurement: fc.Arbitrary<Measurement> = fc.record({
      x: place,
      y: place,
      sigmaM: fc.double({ min: 0.02, max: 2, noNaN: true }),
      velocity: fc.option(
        fc.record({ x: speed, y: speed, sigmaMps: fc.double({ min: 0.05, max: 1, noNaN: true }) }),
      ),
    })
    const hops = fc.array(
      fc.record({ elapsedS: fc.constantFrom(0, 0.1, 0.1, 0.5, 5), measured: fc.option(measurement) }),
      { maxLength: 60 },
    )
    fc.assert(
      fc.property(measurement, hops, (first, sequence) => {
        let person = beginPerson(first)
        for (const { elapsedS, measured } of sequence) {
          const predicted = predictHops(person, elapsedS)
          person = measured === null ? missPerson(predicted) : updatePerson(predicted, measured)
          expect(person.standingProbability).toBeGreaterThanOrEqual(0.001)
          expect(person.standingProbability).toBeLessThanOrEqual(0.999)
          for (const state of [person.standing, person.walking, motionOf(person)]) {
            expect(Object.values(state).every(Number.isFinite)).toBe(true)
            expect(state.positionVariance).toBeGreaterThan(0)
            expect(state.positionVariance * state.velocityVariance).toBeGreaterThan(state.covariance ** 2)
          }
          expect([person.standing.velocityX, person.standing.velocityY]).toEqual([0, 0])
        }
      }),
      { seed: 1, numRuns: 200 },
    )
  })
})
