/**
 * The observation: a router's report on one hop (100 ms) of CSI, small enough to cross nodes ten times a second.
 *
 * Owns the shape that the router actor sends to its environment. Boundary: `core/reduction` computes it; `core/imaging`
 * and `core/vitals` interpret it.
 */
import type { Source } from "../formats/csi-batch.ts"
import type { Vitals } from "./vitals.ts"

/** Length of a hop. Hop `h` covers event time [h, h + 1) x 100 ms since the Unix epoch. */
export const hopUs = 100_000

/** How many hops newer than a hop must have been reported before it is closed without the missing routers. */
export const latenessHopsMax = 3

/** A router names the hops that it left out up to this many after its last observation: 60 s. */
export const shedHopsMax = 600

/** The hop of a receive time. */
export const hopOf = (timestampUs: number): number => Math.floor(timestampUs / hopUs)

/** One transmitter, as received by one router during one hop. */
export interface LinkObservation {
  readonly transmitterId: string
  readonly packets: number
  /** Frames whose total power was an outlier (Hampel); excluded from all fields below except `rssiDbm`. */
  readonly outliers: number
  readonly rssiDbm: number
  /** Lag-one autocorrelation of the normalised subcarrier power over the trailing window; null until it is filled. */
  readonly motionStatistic: number | null
  /** Standard deviation of `motionStatistic` without motion: 1/sqrt(N x effective tones); 0 while that is null. */
  readonly motionStatisticSigma: number
  /** Share of that power's variance that is slower than about 0.7 Hz, less that of white noise; null before 2.4 s. */
  readonly slowStatistic: number | null
  /** Standard deviation of `slowStatistic` without slow motion; 0 while that is null. */
  readonly slowStatisticSigma: number
  /** Whether the window of these statistics has its full length: 4 s with 200 pairs of packets (100 from 10 packets/s on), or 30 s. */
  readonly windowWhole: boolean
  /**
   * Power of the motion in the trailing second over that of the static response. Over the statistics' window where a
   * second has too few packets; null where that has too few as well.
   */
  readonly dynamicPower: number | null
  /**
   * Position of the static residual of the last 5 s between the two sides of the calibration (logarithmic): 0 as in the
   * empty room, 1 as in the occupied room; null without both sides, or when they do not differ enough or are outdated.
   */
  readonly occupancy: number | null
  /**
   * Breathing and heart rate of the person that the link senses, read once a second; null with a reason where they are
   * unknown.
   */
  readonly vitals: Vitals
  /**
   * Sanitised dynamic response D^ of the hop's packets, divided by the rms of the static response: interleaved complex
   * [packet][rx][tone], tones as in `tonesHz`, first transmit stream; empty while the link has no reference. Its rows
   * are the packets without outliers; with more than 64 in a hop, neighbouring rows are averaged.
   */
  readonly dynamic: Float32Array
  /**
   * By how much each receive antenna leads the one before it on the direct path of the static response, radians; one
   * fewer than antennas, and empty while the link has no reference.
   */
  readonly leadsRad: Float32Array
  /** Time of the packet of each row of `dynamic`: seconds since the hop began; the mean time of averaged packets. */
  readonly dynamicTimesS: Float32Array
  /**
   * Event time, microseconds since the Unix epoch, at which the calibration ended that the static response comes from;
   * null when it is a running mean, or the calibration is outdated.
   */
  readonly calibratedAtUs: number | null
}

/** The observation of one router and one hop. */
export interface Observation {
  readonly routerId: string
  readonly hop: number
  readonly source: Source
  /** Whether the router has calibrated links, in this hop or not, and none of their calibrations is outdated. */
  readonly calibrated: boolean
  readonly receiveAntennas: number
  readonly centerFrequencyHz: number
  /** The frames have amplitudes only, so delays and angles are unavailable. */
  readonly amplitudeOnly: boolean
  /** Frequency offsets from the centre of the tones kept in `dynamic`. */
  readonly tonesHz: Float32Array
  /** Packets per second over all links, in the trailing 4 s. */
  readonly packetRateHz: number
  /** Lost packets over sent packets from the device's counter, in the trailing 4 s; null without a counter. */
  readonly packetLoss: number | null
  /**
   * Hops before this one, after the router's last observation, of which the router left all packets out, so that the service stays in real
   * time. At most `shedHopsMax`; absent: none.
   */
  readonly shedHops?: ReadonlyArray<number>
  readonly links: ReadonlyArray<LinkObservation>
}
