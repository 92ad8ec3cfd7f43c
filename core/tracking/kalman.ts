/**
 * Kalman filter of one person's place and velocity on the floor plan.
 *
 * Constant velocity with white acceleration noise; both axes share one covariance because measurements are as uncertain
 * along x as along y. A window of CSI describes its middle, so a filter runs at that moment and `predictMotion` brings
 * it to the present. Boundary: which measurement belongs to which state is in `association.ts`, and when a track begins
 * and ends is not decided here.
 */

/** Estimate at one moment. Metres and metres per second; variances are per axis. */
export interface MotionState {
  readonly x: number
  readonly y: number
  readonly velocityX: number
  readonly velocityY: number
  readonly positionVariance: number
  readonly covariance: number
  readonly velocityVariance: number
}

/** A place that was seen, at the state's moment. */
export interface Measurement {
  readonly x: number
  readonly y: number
  /** Standard deviation per axis, metres. */
  readonly sigmaM: number
}

/**
 * Density of the acceleration noise, m^2/s^3. With it the variance agrees with the errors of walkers in a simulated
 * room of four nodes (8 x 4 m), and exceeds them in the easier one of five nodes (6 x 5 m).
 */
const accelerationDensity = 0.2

/** Spread of walking velocities per axis, for a person just seen. */
const initialVelocitySigmaMps = 0.7

/**
 * Successive windows overlap, so their errors are alike: each counts as this fraction of an independent measurement.
 */
const independence = 0.7

/** A state from a first measurement. */
export const beginMotion = ({ x, y, sigmaM }: Measurement): MotionState => ({
  x,
  y,
  velocityX: 0,
  velocityY: 0,
  positionVariance: sigmaM * sigmaM,
  covariance: 0,
  velocityVariance: initialVelocitySigmaMps ** 2,
})

/** The state `elapsedS` later. */
export const predictMotion = (state: MotionState, elapsedS: number): MotionState => {
  const t = elapsedS
  const q = accelerationDensity
  return {
    x: state.x + t * state.velocityX,
    y: state.y + t * state.velocityY,
    velocityX: state.velocityX,
    velocityY: state.velocityY,
    positionVariance: state.positionVariance + 2 * t * state.covariance + t * t * state.velocityVariance +
      (q * t ** 3) / 3,
    covariance: state.covariance + t * state.velocityVariance + (q * t * t) / 2,
    velocityVariance: state.velocityVariance + q * t,
  }
}

const innovationVariance = (state: MotionState, { sigmaM }: Measurement): number =>
  state.positionVariance + (sigmaM * sigmaM) / independence

/** Squared Mahalanobis distance of a measurement: chi-squared with two degrees of freedom for the right person. */
export const mahalanobis = (state: MotionState, measurement: Measurement): number =>
  ((measurement.x - state.x) ** 2 + (measurement.y - state.y) ** 2) / innovationVariance(state, measurement)

/** The state after a measurement. */
export const updateMotion = (state: MotionState, measurement: Measurement): MotionState => {
  const variance = innovationVariance(state, measurement)
  const positionGain = state.positionVariance / variance
  const velocityGain = state.covariance / variance
  const dx = measurement.x - state.x
  const dy = measurement.y - state.y
  return {
    x: state.x + positionGain * dx,
    y: state.y + positionGain * dy,
    velocityX: state.velocityX + velocityGain * dx,
    velocityY: state.velocityY + velocityGain * dy,
    positionVariance: state.positionVariance * (1 - positionGain),
    covariance: state.covariance * (1 - positionGain),
    velocityVariance: state.velocityVariance - velocityGain * state.covariance,
  }
}
