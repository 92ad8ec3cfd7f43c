/**
 * PicoScenes captures (`.csi`), of every device of PicoScenes.
 *
 * Owns the segments beside the CSI: time and strength. Boundary: `picoscenes-frame.ts` finds frames, `picoscenes-csi.ts` reads the CSI
 * segment. Segments with the CSI of the legacy preamble, baseband signals and others are skipped.
 *
 * Time is the device's own: microseconds of the network cards, nanoseconds of software radios, and the firmware's clock in the
 * `MVMExtra` segment of the AX200 and AX210, whose time in `RxSBasic` is mostly 0. A frame without any of these has the host's time
 * of reception if the capture has it, else the time of the previous frame: a capture without times has no duration.
 */
import type { CsiFrame } from "./batch-builder.ts"
import { DeviceClock } from "./device-clock.ts"
import { i8, u32, u64 } from "./little-endian.ts"
import { MacNames } from "./mac-address.ts"
import { senderOf } from "./packet-sender.ts"
import { type Family, layoutOf, readCsiSegment, readCsiValues, SampleSpace } from "./picoscenes-csi.ts"
import { type Frame, frameAt, frameBytesMax, partsOf, type Segment } from "./picoscenes-frame.ts"
import { frame, type RecordReader, type Refusal, type Step } from "./record-stream.ts"
import { wholeDbm } from "./signal-strength.ts"
import { StationCounter } from "./station-counter.ts"

/** Wrap of clocks of 64 bits: beyond what a capture lasts, and within what a double counts exactly. */
const clockWrapUs = 2 ** 52

/** Reads PicoScenes captures. `sequences` counts packets as `StationCounter` does. */
export class PicoScenesReader implements RecordReader {
  readonly recordBytesMax = frameBytesMax
  readonly #devices = new Set<string>()
  readonly #firmwareClock = new DeviceClock()
  readonly #clock = new DeviceClock(clockWrapUs)
  readonly #names = new MacNames()
  readonly #counter = new StationCounter()
  readonly #space = new SampleSpace()
  #latestUs = 0

  get hardware(): string | null {
    return this.#devices.size === 0 ? null : `${[...this.#devices].join(", ")} (PicoScenes)`
  }

  take(bytes: Uint8Array, at: number, end: number, add: (frame: CsiFrame) => void): Step {
    const length = frameAt(bytes, at, end)
    return typeof length === "number" ? frame(length, this.#read(bytes, at, at + length, add)) : length
  }

  #read(bytes: Uint8Array, at: number, end: number, add: (frame: CsiFrame) => void): Refusal | null {
    const parts = partsOf(bytes, at, end)
    if ("reason" in parts) return parts
    // A packet without measured CSI.
    if (parts.csi === null) return null
    const segment = readCsiSegment(bytes, parts.csi.at, parts.csi.end, parts.csi.version)
    if ("reason" in segment) return segment
    const values = readCsiValues(bytes, segment, this.#space)
    if ("reason" in values) return values
    this.#devices.add(segment.device.name)
    const sender = senderOf(bytes, parts.packetAt, end, this.#names)
    const common = {
      layout: layoutOf(segment, values.subcarrierIndices),
      timestampUs: this.#timeOf(bytes, parts, segment.device.family),
      sequence: this.#counter.at(sender.transmitterId, sender.trafficClass, sender.sequenceControl),
      ...strengthOf(bytes, parts.basic),
      transmitterId: sender.transmitterId,
    }
    const valuesPerMatrix = values.csi.length / segment.matrices
    for (let from = 0; from < values.csi.length; from += valuesPerMatrix) {
      add({ ...common, csi: values.csi.subarray(from, from + valuesPerMatrix) })
    }
    return null
  }

  #timeOf(bytes: Uint8Array, frame: Frame, family: Family): number {
    const firmwareUs = family === "iwlmvm" ? firmwareTimeUs(bytes, frame.firmware) : null
    if (firmwareUs !== null) return this.#latestUs = this.#firmwareClock.at(firmwareUs)
    const us = basicTimeUs(bytes, frame.basic, family)
    return us === null ? this.#latestUs : this.#latestUs = this.#clock.at(us)
  }
}

/** Positions of the noise floor and the strength in `RxSBasic`, by version. Until version 2 the strength is relative to the noise floor. */
const strengthAt: Readonly<Record<number, { readonly noise: number; readonly strength: number }>> = {
  1: { noise: 21, strength: 22 },
  2: { noise: 23, strength: 24 },
  3: { noise: 27, strength: 28 },
  4: { noise: 35, strength: 36 },
  5: { noise: 37, strength: 38 },
  6: { noise: 37, strength: 41 },
}
const floatVersion = 6
const absoluteVersion = 3
const hostTimeVersion = 4

/** Values of an unknown noise floor. */
const noiseUnknownDbm: ReadonlySet<number> = new Set([-128, -127, 0])

const strengthOf = (
  bytes: Uint8Array,
  segment: Segment | null,
): { readonly rssiDbm: number; readonly noiseFloorDbm: number } => {
  const places = segment === null ? undefined : strengthAt[segment.version]
  const width = segment?.version === floatVersion ? 4 : 1
  if (segment === null || places === undefined || segment.at + places.strength + width > segment.end) {
    return { rssiDbm: 0, noiseFloorDbm: 0 }
  }
  const read = (at: number): number => {
    if (width === 1) return i8(bytes, segment.at + at)
    const value = new DataView(bytes.buffer, bytes.byteOffset + segment.at + at, width).getFloat32(0, true)
    return Number.isNaN(value) ? 0 : wholeDbm(value)
  }
  const noise = read(places.noise)
  const noiseFloorDbm = noiseUnknownDbm.has(noise) ? 0 : noise
  const strength = read(places.strength)
  if (segment.version >= absoluteVersion) return { rssiDbm: strength === -128 ? 0 : strength, noiseFloorDbm }
  return { rssiDbm: noiseFloorDbm === 0 ? 0 : wholeDbm(noiseFloorDbm + strength), noiseFloorDbm }
}

/**
 * The firmware's clock in `MVMExtra`, after the two bytes of its header's length. The header is that of FeitCSI. Some
 * firmware leaves the clock 0.
 */
const firmwareClockAt = 2 + 88

const firmwareTimeUs = (bytes: Uint8Array, segment: Segment | null): number | null => {
  if (segment === null || segment.end - segment.at < firmwareClockAt + 4) return null
  const us = u32(bytes, segment.at + firmwareClockAt)
  return us === 0 ? null : us
}

/** Positions of the device's time and, in later versions, the host's time (nanoseconds) in `RxSBasic`. */
const deviceTimeAt = 2
const hostTimeAt = 10

/** The used time of `RxSBasic`: the host's for the AX200 and AX210, else the device's. */
const basicTimeUs = (bytes: Uint8Array, segment: Segment | null, family: Family): number | null => {
  const at = family === "iwlmvm" ? hostTimeAt : deviceTimeAt
  if (segment === null || segment.end - segment.at < at + 8) return null
  if (family === "iwlmvm" && segment.version < hostTimeVersion) return null
  const ticks = u64(bytes, segment.at + at)
  const us = family === "iwlmvm" || family === "sdr" ? Math.floor(ticks / 1000) : ticks
  return us < clockWrapUs ? us : us % clockWrapUs
}
