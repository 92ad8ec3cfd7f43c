/**
 * The observation: what a router says about one hop (100 ms) of CSI, small enough to cross nodes ten times a second.
 *
 * Owns the shape that the router actor hands to its environment. Boundary: how it is computed is in `reduce.ts`; what a
 * room makes of it is in `core/imaging` and `core/vitals`.
 */
import type { Source } from "../formats/csi-batch.ts"

/** Length of a hop. Hop `h` covers event time [h, h + 1) x 100 ms since the Unix epoch. */
export const hopUs = 100_000

/** The hop that a receive time belongs to. */
export const hopOf = (timestampUs: number): number => Math.floor(timestampUs / hopUs)

/** One transmitter heard by one router during one hop. */
export interface LinkObservation {
  readonly transmitterId: string
  readonly packets: number
  /** Frames whose total power was an outlier (Hampel): left out of everything below but `rssiDbm`. */
  readonly outliers: number
  readonly rssiDbm: number
  /** Lag-one autocorrelation of the normalised subcarrier power over the trailing window; null until it is filled. */
  readonly motionStatistic: number | null
  /** Standard deviation of `motionStatistic` when nothing moves: 1/sqrt(N x effective tones); 0 while that is null. */
  readonly motionStatisticSigma: number
  /** Power of what moved in the trailing second over that of the static response; null without a reference. */
  readonly dynamicPower: number | null
  /**
   * Where the static residual of the last 5 s stands between the two sides of the calibration (logarithmic): 0 as in the empty
   * room, 1 as with somebody in it; null without both sides, or when they do not differ enough or hold no more.
   */
  readonly occupancy: number | null
  /**
   * Sanitised dynamic response D^ of the hop's packets, divided by the rms of the static response: interleaved complex
   * [packet][rx][tone], tones as in `tonesHz`, first transmit stream; empty when the link has no reference yet. Its rows
   * are the packets that are no outliers; past 64 in a hop, neighbouring ones are averaged.
   */
  readonly dynamic: Float32Array
}

/** What one router saw in one hop. */
export interface Observation {
  readonly routerId: string
  readonly hop: number
  readonly source: Source
  /** True when the static response comes from a timed calibration of the empty room, false when it is a running mean. */
  readonly calibrated: boolean
  readonly receiveAntennas: number
  readonly centerFrequencyHz: number
  /** Frequency offsets from the centre of the tones kept in `dynamic`. */
  readonly tonesHz: Float32Array
  /** Packets per second over all links, in the trailing 4 s. */
  readonly packetRateHz: number
  /** Lost packets over sent packets from the device's counter, in the trailing 4 s; null when it has none. */
  readonly packetLoss: number | null
  readonly links: ReadonlyArray<LinkObservation>
}
