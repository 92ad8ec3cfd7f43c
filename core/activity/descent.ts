/**
 * The descent of one person's pelvis: its recent downward speed and distance.
 *
 * Owns the window of recent samples. Boundary: `fall.ts` decides whether a descent is a fall. Invariants: at most
 * `samplesMax` samples and `windowS` seconds are kept; a value with missing samples is null.
 */
import { meanOf } from "../math/mean.ts"
import type { TrackSample } from "./sample.ts"

/** Length of the memory: the height before a fall, and the longest fall. */
const windowS = 4
const samplesMax = 128
/**
 * The velocity is the slope of the heights over this time: long enough to average noise, short enough for a fall of
 * 0.45 to 1.0 s.
 */
const slopeS = 0.6
const slopePointsMin = 4
/** Memory of the maximum speed of a descent: the longest fall and the time to lie still. */
const peakS = 1.5
/** The height after a descent is the mean over this time. */
const nowS = 0.3
/** The height before it is the mean over ages from `peakS` to this. */
const beforeS = 3.5

interface Descent {
  /** Maximum downward velocity of the last 1.5 s, over 0.6 s. */
  readonly peakMps: number
  /**
   * Maximum of the velocity less its standard deviation, because the maximum of many noisy slopes is biased upwards.
   */
  readonly surePeakMps: number
  /** Height before minus height now; null when the height before is unknown. */
  readonly dropM: number | null
  readonly heightM: number
}

export interface DescentWindow {
  readonly add: (sample: TrackSample) => void
  /** Null without heights and vertical velocities. */
  readonly read: () => Descent | null
  /** The kept samples from `timeS` on. */
  readonly since: (timeS: number) => ReadonlyArray<TrackSample>
  readonly clear: () => void
}

/** Least squares slope of heights over time and its standard deviation. */
const slope = (
  samples: ReadonlyArray<TrackSample>,
): { readonly velocityMps: number; readonly sigmaMps: number } | null => {
  const points = samples.flatMap(({ pelvis, timeS }) => pelvis === null ? [] : [{ timeS, ...pelvis }])
  if (points.length < slopePointsMin) return null
  const meanS = meanOf(points.map(({ timeS }) => timeS))!
  const spread = points.reduce((sum, { timeS }) => sum + (timeS - meanS) ** 2, 0)
  if (spread === 0) return null
  const velocityMps = points.reduce((sum, { heightM, timeS }) => sum + (timeS - meanS) * heightM, 0) / spread
  return { velocityMps, sigmaMps: meanOf(points.map(({ sigmaM }) => sigmaM))! / Math.sqrt(spread) }
}

interface Downward {
  readonly downMps: number
  readonly sigmaMps: number
}

/**
 * Downward velocity now: the slope and the measured velocity weighted by their inverse variances; null without either.
 */
const downward = (trailing: ReadonlyArray<TrackSample>): Downward | null => {
  const measured = trailing.at(-1)?.vertical ?? null
  const fitted = slope(trailing)
  const parts = [measured, fitted].flatMap((part) => part === null ? [] : [part])
  if (parts.length === 0) return null
  const weights = parts.map(({ sigmaMps }) => 1 / Math.max(sigmaMps, 0.01) ** 2)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const upMps = parts.reduce((sum, { velocityMps }, i) => sum + velocityMps * weights[i]!, 0) / total
  return { downMps: -upMps, sigmaMps: 1 / Math.sqrt(total) }
}

const heightsOf = (samples: ReadonlyArray<TrackSample>): ReadonlyArray<number> =>
  samples.flatMap(({ pelvis }) => pelvis === null ? [] : [pelvis.heightM])

/** Mean height of these samples; null without one. */
export const meanHeightM = (samples: ReadonlyArray<TrackSample>): number | null => meanOf(heightsOf(samples))

export const createDescentWindow = (): DescentWindow => {
  let samples: ReadonlyArray<TrackSample> = []
  let speeds: ReadonlyArray<Downward & { readonly timeS: number }> = []

  const since = (timeS: number) => samples.filter((sample) => sample.timeS >= timeS)

  return {
    since,
    add: (sample) => {
      const { timeS } = sample
      samples = [...since(timeS - windowS), sample].slice(-samplesMax)
      const now = downward(since(timeS - slopeS - 1e-6))
      const kept = speeds.filter((speed) => timeS - speed.timeS <= peakS)
      speeds = (now === null ? kept : [...kept, { timeS, ...now }]).slice(-samplesMax)
    },
    read: () => {
      const now = samples.at(-1)
      if (now === undefined || speeds.length === 0) return null
      const heightM = meanHeightM(since(now.timeS - nowS))
      if (heightM === null) return null
      const earlier = samples.filter(({ timeS }) => now.timeS - timeS > peakS && now.timeS - timeS <= beforeS)
      const beforeM = meanHeightM(earlier)
      return {
        peakMps: Math.max(...speeds.map(({ downMps }) => downMps)),
        surePeakMps: Math.max(...speeds.map(({ downMps, sigmaMps }) => downMps - sigmaMps)),
        dropM: beforeM === null ? null : beforeM - heightM,
        heightM,
      }
    },
    clear: () => {
      samples = []
      speeds = []
    },
  }
}
