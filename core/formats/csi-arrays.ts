/**
 * The neutral container: arrays of CSI of any hardware, in a file of NumPy or MATLAB.
 *
 * Owns the meaning of the arrays: `csi` [frame, rx, tx, subcarrier] (or without tx, or without antennas), complex, or real for
 * amplitudes only; `timestamp_s` [frame]; and optionally `subcarrier_index` [subcarrier] (integers in any order, relative to the
 * channel's centre), `center_frequency_hz` and `bandwidth_hz`. Frames keep the order of the file. Boundary: `npz.ts` and `mat.ts` read
 * the arrays.
 *
 * Defaults: without indices, the tones of the OFDM transmission with this number, else adjacent subcarriers around the
 * centre. The spacing is the widest Wi-Fi spacing with which the indices fit the bandwidth.
 */
import { unknownTransmitterId } from "./batch-builder.ts"
import { frameLimits, type RadioLayout } from "./csi-batch.ts"
import { DeviceClock } from "./device-clock.ts"
import { channelTonesOf } from "./npz-tones.ts"
import type { NumberArray } from "./number-array.ts"
import type { Refusal } from "./record-stream.ts"
import type { FileContent } from "./whole-file.ts"

/** Names of the arrays, for a message. */
export const arrayNames = "csi and timestamp_s, with optional subcarrier_index, bandwidth_hz and center_frequency_hz"

/** Maximum size of the decoded frames of a file, bytes: they are delivered at once. */
const framesBytesMax = 2 ** 29
/** Maximum time, seconds of any clock. */
const timeMaxS = 1e11

const bad = (message: string): Refusal => ({ reason: "bad-field", message })

/** The checked content of a file. */
export interface ArrayContent {
  readonly csi: NumberArray
  /** Start of the frames in the file, and their distance; 0 if they are not contiguous. */
  readonly offset: number
  readonly frameBytes: number
  readonly timesS: ArrayLike<number>
  readonly layout: RadioLayout
  /** The file's column of each subcarrier of the layout. */
  readonly positions: ReadonlyArray<number>
  /** Dropped frames, and a warning about all others. */
  readonly refusals: ReadonlyMap<number, Refusal>
  readonly doubt: Refusal | null
}

/** Passes on the frames of a file, and the faults of those that are dropped. */
export const deliver = (content: ArrayContent, out: FileContent): void => {
  const { frameBytes, layout, offset, timesS } = content
  const csi = new Float32Array(2 * layout.receiveAntennas * layout.transmitAntennas * layout.subcarrierIndices.length)
  if (content.doubt !== null) out.fault(0, content.doubt)
  const clock = new DeviceClock(Infinity)
  let firstS: number | null = null
  for (let frame = 0; frame < timesS.length; frame++) {
    const at = offset + frame * frameBytes
    const timeS = timesS[frame]!
    const refusal = content.refusals.get(frame)
    if (refusal !== undefined) {
      out.fault(at, refusal)
    } else if (!(Math.abs(timeS) < timeMaxS)) {
      out.fault(at, bad(`the time of frame ${frame} is not a number of seconds`))
    } else if (!readFrame(content, frame, csi)) {
      out.fault(at, { reason: "bad-value", message: `a value of frame ${frame} is not finite` })
    } else {
      firstS ??= timeS
      out.frame({
        layout,
        timestampUs: clock.at(Math.round((timeS - firstS) * 1e6)),
        sequence: 0,
        rssiDbm: 0,
        noiseFloorDbm: 0,
        transmitterId: unknownTransmitterId,
        csi,
      })
    }
  }
}

/** Why the decoded frames do not fit into the memory for one file; null if they do. */
export const tooManyFrames = (frames: number, values: number): Refusal | null => {
  const bytes = frames * values * 2 * Float32Array.BYTES_PER_ELEMENT
  if (!(bytes > framesBytesMax)) return null
  const message = `the ${frames} frames need ${bytes} bytes, more than the ${framesBytesMax} for one file. ` +
    "Split the recording into several files"
  return { reason: "too-long", message }
}

/** The arrays of a file, by their meaning. */
export interface CsiArrays {
  readonly csi: NumberArray
  readonly times: NumberArray
  readonly indices: NumberArray | null
  readonly bandwidth: NumberArray | null
  readonly center: NumberArray | null
}

/** The only real number of an array, within 0 to 1 THz; NaN if invalid, null without an array. */
const frequencyOf = (array: NumberArray | null): number | null => {
  if (array === null) return null
  const hz = array.numbers.length === 1 ? array.numbers[0]! : NaN
  return hz >= 0 && hz <= 1e12 ? hz : NaN
}

/**
 * Checks the arrays of a file against each other.
 *
 * @param format format of the batches
 * @param place where the frames are in the file
 */
export const contentOf = (
  { bandwidth, center, csi, indices, times }: CsiArrays,
  format: string,
  place: (frames: number) => Pick<ArrayContent, "offset" | "frameBytes">,
): ArrayContent | Refusal => {
  const { shape } = csi
  if (csi.integer) return bad("csi has integers; it must be complex, or real for amplitudes only")
  if (shape.length < 2 || shape.length > 4) {
    return bad(`csi has ${shape.length} dimensions, not [frame, rx, tx, subcarrier]`)
  }
  const frames = shape[0]!
  const receive = shape.length > 2 ? shape[1]! : 1
  const transmit = shape.length > 3 ? shape[2]! : 1
  const most = frameLimits.antennas
  if (receive < 1 || receive > most || transmit < 1 || transmit > most) {
    return { reason: "unsupported-layout", message: `${receive} x ${transmit} antennas, not 1 to ${most} on each side` }
  }
  if (times.complex || times.shape.length !== 1 || times.shape[0] !== frames) {
    return {
      reason: "value-count",
      message: `timestamp_s has shape ${times.shape.join(" x ")}, csi has ${frames} frames`,
    }
  }
  if (indices !== null && (indices.complex || indices.shape.length !== 1)) {
    return bad("subcarrier_index is not a list of integers")
  }
  const bandwidthHz = frequencyOf(bandwidth)
  const centerFrequencyHz = frequencyOf(center)
  if (Number.isNaN(bandwidthHz) || bandwidthHz === 0) return bad("bandwidth_hz is not one positive number")
  if (Number.isNaN(centerFrequencyHz)) return bad("center_frequency_hz is not one positive number")
  const tones = channelTonesOf(shape.at(-1)!, indices?.numbers ?? null, bandwidthHz)
  if ("reason" in tones) return tones
  const { positions, ...channel } = tones
  if (receive * transmit * positions.length > frameLimits.values) {
    return { reason: "unsupported-layout", message: `more than ${frameLimits.values} values in a frame` }
  }
  const tooMany = tooManyFrames(frames, receive * transmit * positions.length)
  if (tooMany !== null) return tooMany
  return {
    csi,
    ...place(frames),
    timesS: times.numbers,
    layout: {
      format,
      receiveAntennas: receive,
      transmitAntennas: transmit,
      ...channel,
      centerFrequencyHz: centerFrequencyHz ?? 0,
    },
    positions,
    refusals: new Map(),
    doubt: null,
  }
}

/** Reads a frame to interleaved [rx][tx][subcarrier]. Returns false if a value is not finite. */
const readFrame = ({ csi, layout, positions }: ArrayContent, frame: number, out: Float32Array): boolean => {
  const { complex, fortranOrder, numbers, shape } = csi
  const { receiveAntennas, transmitAntennas } = layout
  const frames = shape[0]!
  const columns = positions.length
  const stride = fortranOrder
    ? { frame: 1, rx: frames, tx: frames * receiveAntennas, column: frames * receiveAntennas * transmitAntennas }
    : { frame: receiveAntennas * transmitAntennas * columns, rx: transmitAntennas * columns, tx: columns, column: 1 }
  let to = 0
  for (let rx = 0; rx < receiveAntennas; rx++) {
    for (let tx = 0; tx < transmitAntennas; tx++) {
      const row = frame * stride.frame + rx * stride.rx + tx * stride.tx
      for (let i = 0; i < columns; i++, to += 2) {
        const from = row + positions[i]! * stride.column
        out[to] = complex ? numbers[2 * from]! : numbers[from]!
        out[to + 1] = complex ? numbers[2 * from + 1]! : 0
        if (!Number.isFinite(out[to]! + out[to + 1]!)) return false
      }
    }
  }
  return true
}
