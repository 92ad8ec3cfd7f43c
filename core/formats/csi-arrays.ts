/**
 * The neutral container: arrays of CSI of any hardware, in a file of NumPy or MATLAB.
 *
 * Owns the meaning of the arrays: `csi` (`csi-axes.ts`), complex, or real for amplitudes only; `timestamp_s` [frame], or the first times of another
 * name that are one for each frame and have a unit; and optionally `subcarrier_index` [subcarrier] (integers in any order, relative to the channel's centre),
 * `center_frequency_hz` and `bandwidth_hz`. Frames keep the order of the file. Boundary: `npz.ts` and `mat.ts` read the arrays.
 *
 * Defaults: without such times, the rate that the user gives makes them; without a rate, the file is refused. Without indices, the tones of
 * the OFDM transmission with this number, else adjacent subcarriers around the centre. The spacing is the widest Wi-Fi spacing with which the
 * indices fit the bandwidth.
 */
import { unknownTransmitterId } from "./batch-builder.ts"
import { axesOf, readFrame, sizesOf, type Strides, stridesOf } from "./csi-axes.ts"
import { frameLimits, type RadioLayout } from "./csi-batch.ts"
import { DeviceClock } from "./device-clock.ts"
import { channelTonesOf } from "./npz-tones.ts"
import type { NumberArray } from "./number-array.ts"
import type { Refusal } from "./record-stream.ts"
import { normalised, timeNamesIn } from "./table-columns.ts"
import { unitOfName, unitOfValues } from "./table-time.ts"
import type { FileContent, GivenRate } from "./whole-file.ts"

/** The array of times that goes before times of other names. */
export const timesName = "timestamp_s"
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
  readonly strides: Strides
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
    } else if (!readFrame(content.csi, content.strides, layout, content.positions, frame, csi)) {
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

/** The names of a file's arrays that may be times, the best first. Beside `timestamp_s` there are no others. */
export const timesNamesIn = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (names.includes(timesName)) return [timesName]
  const plain = names.map(normalised)
  return timeNamesIn(plain).map((name) => names[plain.indexOf(name)]!)
}

/** An array that may be times, or why it cannot be read. */
interface NamedArray {
  readonly name: string
  readonly array: NumberArray | Refusal
}

/** The arrays of a file, by their meaning. */
export interface CsiArrays {
  readonly csi: NumberArray
  /** What may be times, the best first. */
  readonly times: ReadonlyArray<NamedArray>
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

/** What to do for a file without times that can be used. */
const timesAdvice =
  "give --rate, the number of packets in a second, to inspect, replay or convert, or save the times in seconds as timestamp_s"

/** The times in an array in seconds, for csi of this shape. Their unit is that of their name, else the one that the values show. */
const timesOf = ({ array, name }: NamedArray, shape: ReadonlyArray<number>): ArrayLike<number> | Refusal => {
  if ("reason" in array) return name === timesName ? array : bad(`${array.message}: ${timesAdvice}`)
  const { complex, numbers } = array
  const isList = !complex && array.shape.length === 1 && [shape[0], shape.at(-1)].includes(numbers.length)
  if (!isList) {
    const size = numbers.length === 1 ? "one number" : `shape ${array.shape.join(" x ")}`
    const problem = `${name} has ${size}, csi has ${shape[0]} frames`
    return { reason: "value-count", message: name === timesName ? problem : `${problem}: ${timesAdvice}` }
  }
  const values = Float64Array.from(numbers)
  const unit = unitOfName(normalised(name)) ?? unitOfValues(values)
  if (unit === null) return bad(`the unit of the times in ${name} is unknown: ${timesAdvice}`)
  return unit === 1e6 ? values : values.map((value) => value * unit / 1e6)
}

/** The times of a file in seconds, or why it has none. */
const timesIn = ({ csi, times }: CsiArrays): ArrayLike<number> | Refusal => {
  const read = times.map((one) => timesOf(one, csi.shape))
  return read.find((one) => !("reason" in one)) ?? read[0] ?? bad(`the file has no times: ${timesAdvice}`)
}

/** The subcarriers and frequencies of `columns` columns. */
const channelOf = ({ bandwidth, center, indices }: CsiArrays, columns: number) => {
  if (indices !== null && (indices.complex || indices.shape.length !== 1)) {
    return bad("subcarrier_index is not a list of integers")
  }
  const bandwidthHz = frequencyOf(bandwidth)
  const centerFrequencyHz = frequencyOf(center)
  if (Number.isNaN(bandwidthHz) || bandwidthHz === 0) return bad("bandwidth_hz is not one positive number")
  if (Number.isNaN(centerFrequencyHz)) return bad("center_frequency_hz is not one positive number")
  const tones = channelTonesOf(columns, indices?.numbers ?? null, bandwidthHz)
  return "reason" in tones ? tones : { ...tones, centerFrequencyHz: centerFrequencyHz ?? 0 }
}

/**
 * Checks the arrays of a file against each other.
 *
 * @param format format of the batches
 * @param rate frames in a second of a file without times
 * @param place where the frames are in the file if each is contiguous
 */
export const contentOf = (
  arrays: CsiArrays,
  format: string,
  rate: GivenRate,
  place: (frames: number) => Pick<ArrayContent, "offset" | "frameBytes">,
): ArrayContent | Refusal => {
  const { csi } = arrays
  if (csi.integer) return bad("csi has integers; it must be complex, or real for amplitudes only")
  const times = timesIn(arrays)
  const hasTimes = !("reason" in times)
  const rateHz = hasTimes || arrays.times[0]?.name === timesName ? null : rate()
  if (!hasTimes && rateHz === null) return times
  const axes = axesOf(csi.shape, hasTimes ? times.length : null)
  if ("reason" in axes) return axes
  const { columns, frames, receiveAntennas, transmitAntennas } = sizesOf(csi.shape, axes)
  const channel = channelOf(arrays, columns)
  if ("reason" in channel) return channel
  const { positions, ...tones } = channel
  if (receiveAntennas * transmitAntennas * columns > frameLimits.values) {
    return { reason: "unsupported-layout", message: `more than ${frameLimits.values} values in a frame` }
  }
  const tooMany = tooManyFrames(frames, receiveAntennas * transmitAntennas * columns)
  if (tooMany !== null) return tooMany
  const timesS = hasTimes ? times : Float64Array.from({ length: frames }, (_, frame) => frame / rateHz!)
  const { frameBytes, offset } = place(frames)
  return {
    csi,
    strides: stridesOf(csi, axes),
    offset,
    frameBytes: axes.frame === 0 ? frameBytes : 0,
    timesS,
    layout: { format, receiveAntennas, transmitAntennas, ...tones },
    positions,
    refusals: new Map(),
    doubt: null,
  }
}
