/**
 * The CSI batch: many CSI frames of one receiver in one structure of arrays.
 *
 * Owns the common form of every source (datagram, file, gRPC stream, simulator) before it reaches a router
 * actor. Boundary: the decoders beside this file parse, and `protocols/grpc` has the wire format.
 *
 * Invariants:
 * 1. Every per-frame array has `frameCount` elements; `csi` has `frameCount x rx x tx x subcarriers x 2`.
 * 2. `timestampsUs` does not decrease within a batch.
 * 3. All frames of a batch share one layout: a decoder starts a new batch when the layout changes.
 */

/** The source of a value, from the packet to every answer. */
export type Source = "live" | "replay" | "simulated"

/** What is constant over a batch: antennas, subcarriers and the radio channel. */
export interface RadioLayout {
  /** Capture format or device family, e.g. `esp32-csi-tool`, `ruview`, `intel5300`, `simulated`. */
  readonly format: string
  readonly receiveAntennas: number
  readonly transmitAntennas: number
  /**
   * Logical subcarrier indices (tones relative to the channel centre), ascending: every tone of the record, including guards and centre
   * if it has them. `core/signal/tone-map.ts` removes the tones without a channel.
   */
  readonly subcarrierIndices: Int16Array
  /** Spacing of neighbouring indices: 312.5 kHz for 802.11n/ac, 78.125 kHz for 802.11ax. */
  readonly subcarrierSpacingHz: number
  /** Centre frequency; 0 if unknown. */
  readonly centerFrequencyHz: number
  readonly bandwidthHz: number
}

/** Complex values as they were recorded: whole numbers of 8 or 16 bits, or floats. */
export type Samples = Int8Array | Int16Array | Float32Array

/** CSI frames of one router (receiver), as a structure of arrays. */
export interface CsiBatch {
  readonly routerId: string
  /** Counts the batches of one stream from 1; acknowledgements name it. */
  readonly batchSequence: number
  readonly source: Source
  readonly layout: RadioLayout
  readonly frameCount: number
  /** Receive time of each frame, microseconds since the Unix epoch (or since the first record, from a decoder of a capture). */
  readonly timestampsUs: Float64Array
  /** The device's own packet counter; gaps are lost packets. 0 throughout when the device has none. */
  readonly sequences: Uint32Array
  /** Received signal strength; 0 if unknown. */
  readonly rssiDbm: Int8Array
  /** Noise floor; 0 if unknown. */
  readonly noiseFloorDbm: Int8Array
  /** Index into `transmitterIds` of the station that sent each frame. */
  readonly transmitterIndex: Uint16Array
  /** The transmitters: MAC addresses, with the kind of packet behind some (`transmission-kind.ts`), or node ids. */
  readonly transmitterIds: ReadonlyArray<string>
  /** Complex channel, interleaved (re, im), as [frame][rx][tx][subcarrier]. Raw units of the device, in its own type. */
  readonly csi: Samples
}

/** Limits of one frame. `values`: 8 x 8 antennas of the 500 tones of a feedback report, or 4 x 4 of a 160 MHz channel. */
export const frameLimits = { antennas: 8, subcarriers: 4096, values: 32_768 } as const

/** Complex values of one frame: rx x tx x subcarriers. */
export const valuesPerFrame = (layout: RadioLayout): number =>
  layout.receiveAntennas * layout.transmitAntennas * layout.subcarrierIndices.length

/** Whether two layouts describe the same channel, so that their frames may share a batch and a calibration. */
export const sameLayout = (a: RadioLayout, b: RadioLayout): boolean =>
  a === b ||
  (a.format === b.format &&
    a.receiveAntennas === b.receiveAntennas &&
    a.transmitAntennas === b.transmitAntennas &&
    a.subcarrierSpacingHz === b.subcarrierSpacingHz &&
    a.centerFrequencyHz === b.centerFrequencyHz &&
    a.bandwidthHz === b.bandwidthHz &&
    (a.subcarrierIndices === b.subcarrierIndices ||
      (a.subcarrierIndices.length === b.subcarrierIndices.length &&
        a.subcarrierIndices.every((k, i) => k === b.subcarrierIndices[i]))))
