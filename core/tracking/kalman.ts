/**
 * Kalman filter of one person's place and velocity on the floor plan, for one motion model.
 *
 * Both axes share one covariance, because measurements are equally uncertain along x and y. A window of CSI describes
 * its middle, so a filter runs at that time and `predictMotion` extrapolates it to the present. Boundary:
 * `person-motion.ts` combines walking and standing, `association.ts` assigns measurements to persons.
 */

/** Estimate at one time. Metres and metres per second; variances are per axis. */
export interface MotionState {
  readonly x: number
  readonly y: number
  readonly velocityX: number
  readonly velocityY: number
  readonly positionVariance: number
  readonly covariance: number
  readonly velocityVariance: number
}

/** A detected place, at the state's time. */
export interface Measurement {
  readonly x: number
  readonly y: number
  /** Standard deviation per axis, metres. */
  readonly sigmaM: number
  /** Velocity from the Doppler shifts, m/s; null when it is unknown. */
  readonly velocity: { readonly x: number; readonly y: number; readonly sigmaMps: number } | null
}

/** White acceleration of a walker who turns and stops, m^2/s^3. */
const accelerationDensity = 0.5

/** Initial spread of walking velocities per axis. */
const initialVelocitySigmaMps = 0.7

/**
 * Successive windows overlap and geometry errors persist for seconds, so measurement errors are correlated: each
 * measurement counts as this fraction of an independent one.
 */
const independence = 0.3

/**
 * A velocity beyond this distance from the prediction (99 % of chi-squared with two degrees of freedom) is that of a
 * limb.
 */
const velocityGate = 9.21

/** A state from a first measurement. */
export const beginMotion = ({ sigmaM, velocity, x, y }: Measurement): MotionState => ({
  x,
  y,
  velocityX: velocity?.x ?? 0,
  velocityY: velocity?.y ?? 0,
  positionVariance: sigmaM * sigmaM,
  covariance: 0,
  velocityVariance: velocity === null ? initialVelocitySigmaMps ** 2 : velocity.sigmaMps ** 2,
})

/** The state `elapsedS` later, at constant velocity with white acceleration of density `q`. */
export const predictMotion = (state: MotionState, elapsedS: number, q = accelerationDensity): MotionState => {
  const t = elapsedS
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

/** Squared Mahalanobis distance of a measured place: chi-squared with two degrees of freedom for the right person. */
export const mahalanobis = (state: MotionState, measurement: Measurement): number =>
  ((measurement.x - state.x) ** 2 + (measurement.y - state.y) ** 2) / innovationVariance(state, measurement)

/** The same for a measured velocity; 0 without one. */
export const velocityDistance = (state: MotionState, { velocity }: Measurement): number =>
  velocity === null ? 0 : ((velocity.x - state.velocityX) ** 2 + (velocity.y - state.velocityY) ** 2) /
    (state.velocityVariance + velocity.sigmaMps ** 2 / independence)

/**
 * The state after a measurement that differs by `dx`, `dy` from the prediction, with the variance of that difference.
 * `placePart` and `velocityPart` are the measurement's covariances with the place and the velocity.
 */
const corrected = (
  state: MotionState,
  placePart: number,
  velocityPart: number,
  variance: number,
  dx: number,
  dy: number,
): MotionState => {
  const placeGain = placePart / variance
  const velocityGain = velocityPart / variance
  return {
    x: state.x + placeGain * dx,
    y: state.y + placeGain * dy,
    velocityX: state.velocityX + velocityGain * dx,
    velocityY: state.velocityY + velocityGain * dy,
    positionVariance: state.positionVariance - placeGain * placePart,
    covariance: state.covariance - placeGain * velocityPart,
    velocityVariance: state.velocityVariance - velocityGain * velocityPart,
  }
}

const updatePlace = (state: MotionState, measurement: Measurement): MotionState => {
  const variance = innovationVariance(state, measurement)
  const { covariance, positionVariance, x, y } = state
  return corrected(state, positionVariance, covariance, variance, measurement.x - x, measurement.y - y)
}

const updateVelocity = (state: MotionState, velocity: NonNullable<Measurement["velocity"]>): MotionState => {
  const { covariance, velocityVariance, velocityX, velocityY } = state
  const variance = velocityVariance + velocity.sigmaMps ** 2 / independence
  return corrected(state, covariance, velocityVariance, variance, velocity.x - velocityX, velocity.y - velocityY)
}

/** The state after a measurement. */
export const updateMotion = (state: MotionState, measurement: Measurement): MotionState => {
  const placed = updatePlace(state, measurement)
  const { velocity } = measurement
  return velocity === null || velocityDistance(placed, measurement) > velocityGate
    ? placed
    : updateVelocity(placed, velocity)
}

/** Likelihood of a measurement, up to a factor common to all states: normal in place and, if measured, in velocity. */
export const likelihoodOf = (state: MotionState, measurement: Measurement): number => {
  const { velocity } = measurement
  const place = Math.exp(-mahalanobis(state, measurement) / 2) / innovationVariance(state, measurement)
  if (velocity === null) return place
  // An outlier carries no information about the motion.
  const distance = Math.min(velocityGate, velocityDistance(state, measurement))
  return (place * Math.exp(-distance / 2)) / (state.velocityVariance + velocity.sigmaMps ** 2 / independence)
}
