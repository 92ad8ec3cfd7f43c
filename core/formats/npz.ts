/**
 * The neutral container: a NumPy `.npz` archive, for CSI of any hardware.
 *
 * Owns the meaning of the arrays: `csi` [frame, rx, tx, subcarrier] (or without tx, or without antennas), complex, or real for
 * amplitudes only; `timestamp_s` [frame]; and optionally `subcarrier_index` [subcarrier] (integers in any order, relative to the
 * channel's centre), `center_frequency_hz` and `bandwidth_hz`. Frames keep the order of the file. Boundary: `npz-arrays.ts` reads
 * the arrays.
 *
 * A file with `csi_data` instead is one of ESPectre's data sets (`espectre-npz.ts`).
 *
 * Defaults: without indices, the tones of the OFDM transmission with this number, else adjacent subcarriers around the
 * centre. The spacing is the widest Wi-Fi spacing with which the indices fit the bandwidth.
 *
 * An archive has its directory at the end and its arrays in any order, so this decoder holds the whole file: it delivers
 * with `end`, and rejects files that need too much memory.
 */
import { BatchBuilder, type StreamIdentity, unknownTransmitterId } from "./batch-builder.ts"
import { type CsiBatch, frameLimits, type RadioLayout } from "./csi-batch.ts"
import { type CaptureDecoder, type DecodeResult, FaultLog } from "./decoder.ts"
import { DeviceClock } from "./device-clock.ts"
import { type EspectreFrames, espectreFrames, espectreLayout } from "./espectre-npz.ts"
import { LeapGuard } from "./leap-guard.ts"
import { u16, u32 } from "./little-endian.ts"
import type { NpyArray } from "./npy.ts"
import { bytesMax, NpzArrays } from "./npz-arrays.ts"
import { channelTonesOf } from "./npz-tones.ts"
import type { Refusal } from "./record-stream.ts"
import { type ZipEntry, zipLocalMagic } from "./zip.ts"

/** Maximum size of the decoded frames of a file, bytes: they are delivered at once. */
const framesBytesMax = 2 ** 29
/** Maximum time, seconds of any clock. */
const timeMaxS = 1e11

const bad = (message: string): Refusal => ({ reason: "bad-field", message })

/** The checked content of a file. */
interface Content {
  readonly csi: NpyArray
  /** Start of the frames in the file, and their distance; 0 if they are not contiguous. */
  readonly offset: number
  readonly frameBytes: number
  readonly timesS: ArrayLike<number>
  readonly layout: RadioLayout
  /** The file's column of each subcarrier of the layout. */
  readonly positions: ReadonlyArray<number>
  /** Dropped frames, and a warning about all others. */
  readonly refusals: EspectreFrames["refusals"]
  readonly doubt: Refusal | null
}

/** Decoder of one `.npz` file. */
export class NpzDecoder implements CaptureDecoder {
  readonly #builder: BatchBuilder
  readonly #faults = new FaultLog()
  #pieces: Array<Uint8Array> = []
  #bytes = 0
  #hardware: string | null = null

  constructor(identity: StreamIdentity) {
    this.#builder = new BatchBuilder(identity)
  }

  /** Known when the file has ended. */
  get hardware(): string | null {
    return this.#hardware
  }

  push(bytes: Uint8Array): DecodeResult {
    this.#bytes += bytes.length
    if (this.#bytes <= bytesMax) this.#pieces.push(bytes.slice())
    else this.#pieces = []
    return { batches: [], faults: [], faultsOmitted: 0 }
  }

  end(): DecodeResult {
    const bytes = this.#bytes
    if (bytes > bytesMax) {
      this.#faults.add(
        0,
        "too-long",
        `the file has more than ${bytesMax} bytes. Split the recording into several files`,
      )
    } else if (bytes > 0) {
      const file = joined(this.#pieces, bytes)
      this.#pieces = []
      const content = readContent(file)
      if ("reason" in content) this.#faults.add(0, content.reason, content.message)
      else this.#deliver(content)
    }
    this.#bytes = 0
    return { batches: this.#builder.take(), ...this.#faults.take() }
  }

  recycle(batch: CsiBatch): void {
    this.#builder.recycle(batch)
  }

  #deliver(content: Content): void {
    if (content.layout === espectreLayout) this.#hardware = "ESP32 (ESPectre)"
    const { frameBytes, layout, offset, timesS } = content
    const csi = new Float32Array(2 * layout.receiveAntennas * layout.transmitAntennas * layout.subcarrierIndices.length)
    if (content.doubt !== null) this.#faults.add(0, content.doubt.reason, content.doubt.message)
    const clock = new DeviceClock(Infinity)
    const frames = new LeapGuard((frame) => this.#builder.add(frame))
    let firstS: number | null = null
    for (let frame = 0; frame < timesS.length; frame++) {
      const at = offset + frame * frameBytes
      const timeS = timesS[frame]!
      const refusal = content.refusals.get(frame)
      if (refusal !== undefined) {
        this.#faults.add(at, refusal.reason, refusal.message)
      } else if (!(Math.abs(timeS) < timeMaxS)) {
        this.#faults.add(at, "bad-field", `the time of frame ${frame} is not a number of seconds`)
      } else if (!readFrame(content, frame, csi)) {
        this.#faults.add(at, "bad-value", `a value of frame ${frame} is not finite`)
      } else {
        firstS ??= timeS
        frames.add({
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
    frames.finish()
  }
}

const joined = (pieces: ReadonlyArray<Uint8Array>, bytes: number): Uint8Array => {
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** Reads the arrays of a file and checks them against each other. */
const readContent = (file: Uint8Array): Content | Refusal => {
  const archive = NpzArrays.in(file)
  if ("reason" in archive) return archive
  const entry = archive.entry("csi")
  if (entry === undefined) {
    return archive.entry("csi_data") === undefined ? archive.foreign() : readEspectre(archive)
  }
  const csi = archive.read("csi")
  const times = archive.read("timestamp_s")
  const indices = archive.readOptional("subcarrier_index")
  const bandwidth = archive.readOptional("bandwidth_hz")
  const center = archive.readOptional("center_frequency_hz")
  for (const part of [csi, times, indices, bandwidth, center]) if (part !== null && "reason" in part) return part
  return contentOf({ csi, times, indices, bandwidth, center } as Arrays, entry)
}

/** Reads a data set of ESPectre. */
const readEspectre = (archive: NpzArrays): Content | Refusal => {
  const data = archive.read("csi_data")
  if ("reason" in data) return data
  const durationMs = archive.read("duration_ms")
  if ("reason" in durationMs) return durationMs
  const tooMany = tooManyFrames(data.shape[0]!, espectreLayout.subcarrierIndices.length)
  if (tooMany !== null) return tooMany
  const frames = espectreFrames(data, durationMs)
  if ("reason" in frames) return frames
  const positions = Array.from(espectreLayout.subcarrierIndices, (_, i) => i)
  const { offset } = archive.entry("csi_data")!
  return { ...frames, offset, frameBytes: 0, layout: espectreLayout, positions }
}

/** Why the decoded frames do not fit into the memory for one file; null if they do. */
const tooManyFrames = (frames: number, values: number): Refusal | null => {
  const bytes = frames * values * 2 * Float32Array.BYTES_PER_ELEMENT
  if (!(bytes > framesBytesMax)) return null
  const message = `the ${frames} frames need ${bytes} bytes, more than the ${framesBytesMax} for one file. ` +
    "Split the recording into several files"
  return { reason: "too-long", message }
}

interface Arrays {
  readonly csi: NpyArray
  readonly times: NpyArray
  readonly indices: NpyArray | null
  readonly bandwidth: NpyArray | null
  readonly center: NpyArray | null
}

/** The only real number of an array, within 0 to 1 THz; NaN if invalid, null without an array. */
const frequencyOf = (array: NpyArray | null): number | null => {
  if (array === null) return null
  const hz = array.numbers.length === 1 ? array.numbers[0]! : NaN
  return hz >= 0 && hz <= 1e12 ? hz : NaN
}

const contentOf = ({ bandwidth, center, csi, indices, times }: Arrays, entry: ZipEntry): Content | Refusal => {
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
  const inPlace = !entry.deflated && !csi.fortranOrder
  return {
    csi,
    offset: entry.offset + (inPlace ? csi.offset : 0),
    frameBytes: inPlace && frames > 0 ? (entry.bytes - csi.offset) / frames : 0,
    timesS: times.numbers,
    layout: {
      format: "npz",
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
const readFrame = ({ csi, layout, positions }: Content, frame: number, out: Float32Array): boolean => {
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

/** Whether a capture begins like an archive of NumPy arrays. */
export const looksLikeNpz = (head: Uint8Array): boolean => {
  if (head.length < 30 || u32(head, 0) !== zipLocalMagic) return false
  return new TextDecoder().decode(head.subarray(30, 30 + u16(head, 26))).endsWith(".npy")
}
