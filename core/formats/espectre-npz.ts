/**
 * ESPectre's data sets: a NumPy `.npz` of the buffers that an ESP32 delivered (ESPectre, "ML_DATA_COLLECTION.md", format version 1.0).
 *
 * Owns the meaning of its arrays: `csi_data` int8 [frame, 128], 64 bins as the chip writes them, the imaginary part first;
 * `duration_ms`, one number; others describe the file and are not read. The bins are those of the legacy or of the HT training field of
 * 20 MHz. Their order depends on the chip and the channel and is derived from the guard bins of all frames (`bin-order.ts`). The file has
 * no times of frames: frames are spread evenly over the duration.
 */
import { binOf, type BinOrder, binOrderOfPairs, contradictedOrder, unknownOrder } from "./bin-order.ts"
import type { RadioLayout } from "./csi-batch.ts"
import type { NumberArray } from "./number-array.ts"
import type { Refusal } from "./record-stream.ts"
import { legacyBins, subcarrierSpacing11nHz } from "./wifi-channel.ts"

const bins = legacyBins.length
/** Maximum duration of a recording. */
const durationMsMax = 1e12

export const espectreLayout: RadioLayout = {
  format: "espectre",
  receiveAntennas: 1,
  transmitAntennas: 1,
  subcarrierIndices: legacyBins,
  subcarrierSpacingHz: subcarrierSpacing11nHz,
  centerFrequencyHz: 0,
  bandwidthHz: 20e6,
}

/** The frames of a data set, as arrays of the neutral container. */
interface EspectreFrames {
  readonly csi: NumberArray
  readonly timesS: Float64Array
  /** Dropped frames. */
  readonly refusals: ReadonlyMap<number, Refusal>
  /** A warning about all frames; null if none. */
  readonly doubt: Refusal | null
}

/** Reads the arrays of a data set. */
export const espectreFrames = (data: NumberArray, duration: NumberArray): EspectreFrames | Refusal => {
  const { fortranOrder, numbers, shape } = data
  if (!(numbers instanceof Int8Array) || fortranOrder || shape.length !== 2 || shape[1] !== 2 * bins) {
    const message = `csi_data has shape ${shape.join(" x ")}; read is int8 [frame, ${2 * bins}] in C order`
    return { reason: "unsupported-layout", message }
  }
  const durationMs = duration.complex || duration.numbers.length !== 1 ? NaN : Number(duration.numbers[0])
  if (!(durationMs >= 0 && durationMs <= durationMsMax)) {
    return { reason: "bad-field", message: "duration_ms is not one number of milliseconds" }
  }
  const frames = shape[0]!
  const shown = Array.from({ length: frames }, (_, frame) => binOrderOfPairs(numbers, frame * 2 * bins))
  const order = mostShown(shown)
  const refusals = new Map<number, Refusal>()
  shown.forEach((one, frame) => {
    if (one !== null && one !== order) refusals.set(frame, contradictedOrder(`frame ${frame}`))
  })
  return {
    csi: { ...data, shape: [frames, bins], complex: true, numbers: ordered(numbers, frames, order ?? "centre-first") },
    timesS: Float64Array.from(
      { length: frames },
      (_, frame) => frames > 1 ? (frame * durationMs) / 1000 / (frames - 1) : 0,
    ),
    refusals,
    doubt: order === null && frames > 0 ? unknownOrder("csi_data") : null,
  }
}

/** The order that most frames show; null if none shows one. */
const mostShown = (shown: ReadonlyArray<BinOrder | null>): BinOrder | null => {
  const count = (order: BinOrder): number => shown.reduce((sum, one) => sum + (one === order ? 1 : 0), 0)
  const ascending = count("ascending")
  const centreFirst = count("centre-first")
  if (ascending + centreFirst === 0) return null
  return ascending > centreFirst ? "ascending" : "centre-first"
}

/** The values as (real, imaginary) by ascending subcarrier. */
const ordered = (numbers: ArrayLike<number>, frames: number, order: BinOrder): Int8Array => {
  const out = new Int8Array(frames * 2 * bins)
  for (let at = 0; at < out.length; at += 2 * bins) {
    for (let i = 0; i < bins; i++) {
      const from = at + 2 * binOf(i - bins / 2, order)
      out[at + 2 * i] = numbers[from + 1]!
      out[at + 2 * i + 1] = numbers[from]!
    }
  }
  return out
}
