/**
 * The dimensions of an array of CSI.
 *
 * Owns the reading of a frame, and the order of the dimensions, as files have them:
 *
 * - [frame, subcarrier]; [frame, rx, subcarrier]; [frame, rx, tx, subcarrier];
 * - [frame, subcarrier, rx], where only the last one can be antennas;
 * - the frames last instead of first, where only the last dimension has as many elements as there are times.
 *
 * Without times, the frames are first. Then an array that may be transposed is refused: one of fewer frames than subcarriers, or one whose
 * number of frames is a usual number of subcarriers, and its number of subcarriers is not.
 */
import { frameLimits, type RadioLayout } from "./csi-batch.ts"
import type { NumberArray } from "./number-array.ts"
import type { Refusal } from "./record-stream.ts"

/** Places of the dimensions in the shape; null for one that the array lacks. */
interface Axes {
  readonly frame: number | null
  readonly rx: number | null
  readonly tx: number | null
  readonly column: number
}

/** Distances of neighbouring values in each dimension, values. */
export type Strides = Readonly<Record<keyof Axes, number>>

const { antennas: antennasMax } = frameLimits
/** Numbers of subcarriers of receivers: those of a transmission, all bins, and those that the Intel 5300 and the ESP32-C5 report. */
const usualColumns: ReadonlyArray<number> = [30, 52, 53, 56, 57, 64, 114, 117, 128, 242, 256, 484, 512, 996]

/** The dimensions of an array of this shape. `times` is the number of times; null without times. */
export const axesOf = (shape: ReadonlyArray<number>, times: number | null): Axes | Refusal => {
  const dimensions = shape.join(" x ")
  if (shape.length < 2 || shape.length > 4) {
    const message = `csi has ${shape.length} dimensions, not [frame, rx, tx, subcarrier]`
    return { reason: "bad-field", message }
  }
  const last = shape.length - 1
  const frame = times !== null && shape[0] !== times && shape[last] === times ? last : 0
  const [first, second, third] = shape.map((_, axis) => axis).filter((axis) => axis !== frame) as [
    number,
    number,
    number,
  ]
  const axes: Axes = shape.length === 2
    ? { frame, rx: null, tx: null, column: first }
    : shape.length === 4
    ? { frame, rx: first, tx: second, column: third }
    : shape[first]! > antennasMax && shape[second]! <= antennasMax
    ? { frame, rx: second, tx: null, column: first }
    : { frame, rx: first, tx: null, column: second }
  const { columns, frames, receiveAntennas, transmitAntennas } = sizesOf(shape, axes)
  const areAntennas = (count: number): boolean => count >= 1 && count <= antennasMax
  if (!areAntennas(receiveAntennas) || !areAntennas(transmitAntennas)) {
    const message = `csi is ${dimensions}, and ${receiveAntennas} x ${transmitAntennas} antennas are not 1 to ` +
      `${antennasMax} on each side. Save it as ${
        shape.length === 4 ? "packets x rx x tx x subcarriers" : "packets x subcarriers x antennas"
      }`
    return { reason: "unsupported-layout", message }
  }
  const mayBeTransposed = frames < columns || (usualColumns.includes(frames) && !usualColumns.includes(columns))
  if (times === null && mayBeTransposed) {
    const message =
      `csi is ${dimensions}, which may be ${frames} packets of ${columns} subcarriers or transposed. Save it as ` +
      "packets x subcarriers x antennas with timestamp_s"
    return { reason: "unsupported-layout", message }
  }
  return axes
}

/** The sizes of the dimensions. */
export const sizesOf = (shape: ReadonlyArray<number>, { column, frame, rx, tx }: Axes) => ({
  frames: frame === null ? 1 : shape[frame]!,
  receiveAntennas: rx === null ? 1 : shape[rx]!,
  transmitAntennas: tx === null ? 1 : shape[tx]!,
  columns: shape[column]!,
})

/** The distances of values in the array's numbers. */
export const stridesOf = ({ fortranOrder, shape }: NumberArray, { column, frame, rx, tx }: Axes): Strides => {
  const strideOf = (axis: number | null): number =>
    axis === null
      ? 0
      : (fortranOrder ? shape.slice(0, axis) : shape.slice(axis + 1)).reduce((product, size) => product * size, 1)
  return { frame: strideOf(frame), rx: strideOf(rx), tx: strideOf(tx), column: strideOf(column) }
}

/** Reads a frame to interleaved [rx][tx][subcarrier], the subcarriers from these columns. Returns false if a value is not finite. */
export const readFrame = (
  { complex, numbers }: NumberArray,
  strides: Strides,
  { receiveAntennas, transmitAntennas }: Pick<RadioLayout, "receiveAntennas" | "transmitAntennas">,
  columns: ReadonlyArray<number>,
  frame: number,
  out: Float32Array,
): boolean => {
  let to = 0
  for (let rx = 0; rx < receiveAntennas; rx++) {
    for (let tx = 0; tx < transmitAntennas; tx++) {
      const row = frame * strides.frame + rx * strides.rx + tx * strides.tx
      for (let i = 0; i < columns.length; i++, to += 2) {
        const from = row + columns[i]! * strides.column
        out[to] = complex ? numbers[2 * from]! : numbers[from]!
        out[to + 1] = complex ? numbers[2 * from + 1]! : 0
        if (!Number.isFinite(out[to]! + out[to + 1]!)) return false
      }
    }
  }
  return true
}
