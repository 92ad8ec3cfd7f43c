import { describe, expect, it } from "vitest"
import {
  beginMotion,
  mahalanobis,
  type MotionState,
  predictMotion,
  updateMotion,
} from "../../../core/tracking/kalman.ts"

const determinant = (s: MotionState): number => s.positionVariance * s.velocityVariance - s.covariance ** 2

describe("the Kalman filter of a person", () => {
  it("finds the velocity of straight motion and grows sure of it", () => {
    let state = beginMotion({ x: 1, y: 4, sigmaM: 0.15 })
    const first = state
    for (let step = 1; step <= 40; step++) {
      state = updateMotion(predictMotion(state, 0.1), { x: 1 + 0.08 * step, y: 4 - 0.05 * step, sigmaM: 0.15 })
    }
    expect(state.velocityX).toBeCloseTo(0.8, 1)
    expect(state.velocityY).toBeCloseTo(-0.5, 1)
    expect(state.x).toBeCloseTo(1 + 0.08 * 40, 1)
    expect(state.positionVariance).toBeLessThan(first.positionVariance)
    expect(state.velocityVariance).toBeLessThan(first.velocityVariance)
  })

  it("keeps a positive definite covariance, and less of it after a measurement", () => {
    let state = beginMotion({ x: 0, y: 0, sigmaM: 0.3 })
    for (let step = 0; step < 200; step++) {
      const predicted = predictMotion(state, step % 7 === 0 ? 1 : 0.1)
      state = updateMotion(predicted, { x: 0, y: 0, sigmaM: step % 5 === 0 ? 1 : 0.05 })
      expect(state.positionVariance).toBeLessThan(predicted.positionVariance)
      expect(determinant(state)).toBeGreaterThan(0)
    }
  })

  it("predicts in two steps what it predicts in one", () => {
    const state = updateMotion(predictMotion(beginMotion({ x: 1, y: 2, sigmaM: 0.2 }), 0.3), {
      x: 1.2,
      y: 2,
      sigmaM: 0.2,
    })
    const once = predictMotion(state, 0.5)
    const twice = predictMotion(predictMotion(state, 0.2), 0.3)
    for (const key of Object.keys(once) as ReadonlyArray<keyof MotionState>) {
      expect(twice[key]).toBeCloseTo(once[key], 12)
    }
  })

  it("measures distance in its own uncertainty", () => {
    const state = beginMotion({ x: 0, y: 0, sigmaM: 0.1 })
    const near = { x: 0.5, y: 0, sigmaM: 0.1 }
    expect(mahalanobis(state, near)).toBeGreaterThan(mahalanobis(predictMotion(state, 1), near))
    expect(mahalanobis(state, { ...near, x: 1 })).toBeCloseTo(4 * mahalanobis(state, near), 9)
    expect(mahalanobis(state, { ...near, x: 0 })).toBe(0)
  })
})
