import { describe, expect, it } from "vitest"
import { normals, uniform } from "../../../core/kernels/samples.ts"
import {
  beginMotion,
  likelihoodOf,
  mahalanobis,
  type Measurement,
  type MotionState,
  predictMotion,
  updateMotion,
  velocityDistance,
} from "../../../core/tracking/kalman.ts"

const determinant = (s: MotionState): number => s.positionVariance * s.velocityVariance - s.covariance ** 2
const seen = (x: number, y: number, sigmaM: number, velocity: Measurement["velocity"] = null): Measurement => ({
  x,
  y,
  sigmaM,
  velocity,
})

/** A person who moves by the filter's model, and the measurements. */
interface World {
  readonly measuresVelocity: boolean
  /** Correlation of an error with the previous one. */
  readonly correlation: number
  /** Variance of the errors, as a multiple of the reported one. */
  readonly inflation: number
}

const stepS = 0.1
const steps = 60
const sigmaM = 0.2
const sigmaMps = 0.15
const accelerationDensity = 0.5
const initialVelocitySigmaMps = 0.7

interface Axis {
  place: number
  velocity: number
  placeError: number
  velocityError: number
}

/** Normalised estimation error squared of the last state: chi-squared with four degrees of freedom where the filter is consistent. */
const errorOfRun = (seed: number, world: World): number => {
  const noise = normals(2 * 6 * (steps + 2), uniform(seed))
  let drawn = 0
  const normal = (): number => noise[drawn++]!
  const scale = Math.sqrt(world.inflation)
  const measured = (axes: readonly [Axis, Axis]): Measurement =>
    seen(
      axes[0].place + axes[0].placeError * sigmaM,
      axes[1].place + axes[1].placeError * sigmaM,
      sigmaM,
      world.measuresVelocity
        ? {
          x: axes[0].velocity + axes[0].velocityError * sigmaMps,
          y: axes[1].velocity + axes[1].velocityError * sigmaMps,
          sigmaMps,
        }
        : null,
    )
  const begin = (): Axis => ({
    place: 0,
    velocity: (world.measuresVelocity ? 1 : initialVelocitySigmaMps) * normal(),
    placeError: normal(),
    velocityError: normal(),
  })
  const advance = (axis: Axis): void => {
    // The integral of white acceleration over a step, and its own: one covariance matrix, by its Cholesky factor.
    const [a, b] = [normal(), normal()]
    const kick = Math.sqrt(accelerationDensity * stepS) * a
    axis.place += axis.velocity * stepS + kick * stepS / 2 + Math.sqrt(accelerationDensity * stepS ** 3 / 12) * b
    axis.velocity += kick
    const fresh = Math.sqrt(1 - world.correlation ** 2)
    axis.placeError = world.correlation * axis.placeError + fresh * scale * normal()
    axis.velocityError = world.correlation * axis.velocityError + fresh * scale * normal()
  }
  const axes = [begin(), begin()] as const
  let state = beginMotion(measured(axes))
  for (let step = 0; step < steps; step++) {
    axes.forEach(advance)
    state = updateMotion(predictMotion(state, stepS), measured(axes))
  }
  const { covariance, positionVariance, velocityVariance } = state
  const quadratic = (dp: number, dv: number): number =>
    (velocityVariance * dp * dp - 2 * covariance * dp * dv + positionVariance * dv * dv) / determinant(state)
  return quadratic(axes[0].place - state.x, axes[0].velocity - state.velocityX) +
    quadratic(axes[1].place - state.y, axes[1].velocity - state.velocityY)
}

const runs = 500
/** Mean over the runs; the sum is chi-squared with 4 * runs degrees of freedom, so this has a deviation of sqrt(8 / runs). */
const meanError = (world: World): number =>
  Array.from({ length: runs }, (_, i) => errorOfRun(1 + i, world)).reduce((sum, error) => sum + error, 0) / runs
const deviation = Math.sqrt(8 / runs)

describe("the Kalman filter of a person", () => {
  it("is consistent: its errors match its covariance within the bounds of chi-squared", () => {
    // A measurement counts as 0.3 of an independent one, so independent ones have correspondingly more variance.
    const world = { measuresVelocity: false, correlation: 0, inflation: 1 / 0.3 }
    expect(Math.abs(meanError(world) - 4)).toBeLessThan(3 * deviation)
  })

  it("is consistent with velocities, of which it rejects one in a hundred", () => {
    const world = { measuresVelocity: true, correlation: 0, inflation: 1 / 0.3 }
    expect(Math.abs(meanError(world) - 4)).toBeLessThan(3 * deviation)
  })

  it("is not overconfident where errors persist for some hops", () => {
    // Errors of this correlation carry (1 - 0.54) / (1 + 0.54) = 0.3 of the information of independent ones.
    for (const measuresVelocity of [false, true]) {
      const error = meanError({ measuresVelocity, correlation: 0.54, inflation: 1 })
      expect(error).toBeLessThan(4 + 3 * deviation)
      expect(error).toBeGreaterThan(2)
    }
  })

  it("finds the velocity of straight motion from places alone, with growing confidence", () => {
    const first = beginMotion(seen(1, 4, 0.15))
    let state = first
    for (let step = 1; step <= 40; step++) {
      state = updateMotion(predictMotion(state, 0.1), seen(1 + 0.08 * step, 4 - 0.05 * step, 0.15))
    }
    expect(Math.abs(state.velocityX - 0.8)).toBeLessThan(0.1)
    expect(Math.abs(state.velocityY + 0.5)).toBeLessThan(0.1)
    expect(Math.abs(state.x - (1 + 0.08 * 40))).toBeLessThan(0.05)
    expect(state.positionVariance).toBeLessThan(first.positionVariance * 2)
    expect(state.velocityVariance).toBeLessThan(first.velocityVariance)
  })

  it("adopts a measured velocity at once, and moves the place accordingly", () => {
    const before = predictMotion(beginMotion(seen(0, 0, 0.15)), 0.5)
    const place = seen(0, 0, 0.15)
    const without = updateMotion(before, place)
    const state = updateMotion(before, { ...place, velocity: { x: 1, y: 0, sigmaMps: 0.1 } })
    expect(state.velocityX).toBeGreaterThan(0.8)
    expect(state.x).toBeGreaterThan(without.x)
    expect(state.velocityVariance).toBeLessThan(without.velocityVariance)
    expect(state.positionVariance).toBeLessThan(without.positionVariance)
  })

  it("rejects a velocity that cannot be the person's", () => {
    let state = beginMotion(seen(0, 0, 0.15, { x: 0, y: 0, sigmaMps: 0.1 }))
    for (let step = 0; step < 20; step++) {
      state = updateMotion(predictMotion(state, 0.1), seen(0, 0, 0.15, { x: 0, y: 0, sigmaMps: 0.1 }))
    }
    const next = predictMotion(state, 0.1)
    const limb = seen(0, 0, 0.15, { x: 2, y: 0, sigmaMps: 0.1 })
    expect(updateMotion(next, limb)).toEqual(updateMotion(next, seen(0, 0, 0.15)))
    expect(likelihoodOf(next, limb)).toBeGreaterThan(0)
  })

  it("keeps a positive definite covariance, smaller after a measurement", () => {
    let state = beginMotion(seen(0, 0, 0.3))
    for (let step = 0; step < 200; step++) {
      const predicted = predictMotion(state, step % 7 === 0 ? 1 : 0.1)
      const velocity = step % 3 === 0 ? { x: 0, y: 0, sigmaMps: step % 2 === 0 ? 0.05 : 1 } : null
      state = updateMotion(predicted, seen(0, 0, step % 5 === 0 ? 1 : 0.05, velocity))
      expect(state.positionVariance).toBeLessThan(predicted.positionVariance)
      expect(determinant(state)).toBeGreaterThan(0)
    }
  })

  it("predicts the same in two steps as in one", () => {
    const state = updateMotion(predictMotion(beginMotion(seen(1, 2, 0.2)), 0.3), seen(1.2, 2, 0.2))
    const once = predictMotion(state, 0.5)
    const twice = predictMotion(predictMotion(state, 0.2), 0.3)
    for (const key of Object.keys(once) as ReadonlyArray<keyof MotionState>) {
      expect(twice[key]).toBeCloseTo(once[key], 12)
    }
  })

  it("measures distance in its own uncertainty", () => {
    const state = beginMotion(seen(0, 0, 0.1))
    const near = seen(0.5, 0, 0.1)
    expect(mahalanobis(state, near)).toBeGreaterThan(mahalanobis(predictMotion(state, 1), near))
    expect(mahalanobis(state, { ...near, x: 1 })).toBeCloseTo(4 * mahalanobis(state, near), 9)
    expect(mahalanobis(state, { ...near, x: 0 })).toBe(0)
    const moving = { ...near, velocity: { x: 0.5, y: 0, sigmaMps: 0.1 } }
    expect(velocityDistance(state, near)).toBe(0)
    expect(velocityDistance(state, { ...moving, velocity: { x: 1, y: 0, sigmaMps: 0.1 } }))
      .toBeCloseTo(4 * velocityDistance(state, moving), 9)
  })

  it("gives a nearer measurement a higher likelihood, in place and in velocity", () => {
    const state = beginMotion(seen(0, 0, 0.2, { x: 1, y: 0, sigmaMps: 0.2 }))
    const at = (x: number, vx: number) => likelihoodOf(state, seen(x, 0, 0.2, { x: vx, y: 0, sigmaMps: 0.2 }))
    expect(at(0, 1)).toBeGreaterThan(at(0.3, 1))
    expect(at(0.3, 1)).toBeGreaterThan(at(0.6, 1))
    expect(at(0, 1)).toBeGreaterThan(at(0, 0.5))
    expect(at(0, 0.5)).toBeGreaterThan(at(0, 0))
  })
})
