/**
 * The observation: what a router says about one hop (100 ms) of CSI, small enough to cross nodes ten times a second.
 *
 * Owns the shape that the router actor hands to its environment. Boundary: `core/reduction` computes it; what a
 * room makes of it is in `core/imaging` and `core/vitals`.
 */
import type { Source } from "../formats/csi-batch.ts"
import type { Vitals } from "./vitals.ts"

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
  /** Share of that power's variance which is slower than about 0.7 Hz, less that of white noise; null until 4 s are there. */
  readonly slowStatistic: number | null
  /** Standard deviation of `slowStatistic` when nothing slow moves; 0 while that is null. */
  readonly slowStatisticSigma: number
  /** Whether the window of these statistics is as long as is wanted: 4 s with 200 pairs of packets, or 30 s. */
  readonly windowWhole: boolean
  /**
   * Power of what moved in the trailing second over that of the static response; over the statistics' window where a second has
   * too few packets; null while that has too few as well.
   */
  readonly dynamicPower: number | null
  /**
   * Where the static residual of the last 5 s stands between the two sides of the calibration (logarithmic): 0 as in the empty
   * room, 1 as with somebody in it; null without both sides, or when they do not differ enough or hold no more.
   */
  readonly occupancy: number | null
  /** Rates of breathing and heart of whoever the link sees, read once a second; null with reasons where they cannot be told. */
  readonly vitals: Vitals
  /**
   * Sanitised dynamic response D^ of the hop's packets, divided by the rms of the static response: interleaved complex
   * [packet][rx][tone], tones as in `tonesHz`, first transmit stream; empty when the link has no reference yet. Its rows
   * are the packets that are no outliers; past 64 in a hop, neighbouring ones are averaged.
   */
  readonly dynamic: Float32Array
  /** When the packet of each row of `dynamic` came: seconds since the hop began; the mean time where packets were averaged. */
  readonly dynamicTimesS: Float32Array
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
  /** The frames have amplitudes alone, without a phase: nothing of delays or angles is in them. */
  readonly amplitudeOnly: boolean
  /** Frequency offsets from the centre of the tones kept in `dynamic`. */
  readonly tonesHz: Float32Array
  /** Packets per second over all links, in the trailing 4 s. */
  readonly packetRateHz: number
  /** Lost packets over sent packets from the device's counter, in the trailing 4 s; null when it has none. */
  readonly packetLoss: number | null
  readonly links: ReadonlyArray<LinkObservation>
}
