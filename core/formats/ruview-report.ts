/**
 * RuView node reports: the results that an ESP32 node computes from the CSI and sends beside it.
 *
 * Owns the layouts of the vitals (magic 0xC5110002), the feature vector (0003) and the feature state (0006); the firmware's headers
 * `edge_processing.h` and `rv_feature_state.h` define them, and feature vectors agree with the vitals of the same second in a
 * recording. All integers and floats are little-endian.
 *
 * A report is the device's own estimate, from one link without calibration. It is shown to the operator as such and not used in
 * any estimate. An unknown rate is null; the device sends 0 for it.
 */
import { crc32 } from "./crc32.ts"
import { i8, u16, u32, u64 } from "./little-endian.ts"
import type { Refusal } from "./record-stream.ts"

/** The device's vitals, about one per second. */
interface DeviceVitals {
  readonly kind: "vitals"
  readonly presence: boolean
  readonly motion: boolean
  readonly fall: boolean
  readonly persons: number
  /** Variance of the phase, in the device's units. */
  readonly motionEnergy: number
  readonly presenceScore: number
  readonly breathingRateBpm: number | null
  readonly heartrateBpm: number | null
  readonly rssiDbm: number
  /** Time since the device started. */
  readonly uptimeMs: number
}

/** The device's feature vector, about one per second: its vitals, each clipped at the top of its scale. */
interface DeviceFeatures {
  readonly kind: "features"
  readonly sequence: number
  /** At most 10, as is the motion energy, in the units of `DeviceVitals`. */
  readonly presenceScore: number
  readonly motionEnergy: number
  /** At most 30. */
  readonly breathingRateBpm: number | null
  /** At most 120. */
  readonly heartrateBpm: number | null
  /** At most 1 rad². */
  readonly phaseVariance: number
  readonly persons: number
  readonly fall: boolean
  /** -100 to 0. */
  readonly rssiDbm: number
  readonly uptimeMs: number
}

/** The device's compact state, up to ten per second. Scores and confidences are 0 to 1. */
interface DeviceState {
  readonly kind: "state"
  readonly sequence: number
  /** The capture profile of the device. */
  readonly profile: number
  readonly motionScore: number
  /** Null while the device marks it as invalid; so are the rates. */
  readonly presenceScore: number | null
  readonly breathingRateBpm: number | null
  readonly breathingConfidence: number
  readonly heartrateBpm: number | null
  readonly heartrateConfidence: number
  readonly anomalyScore: number
  /** Drift of the static channel from the device's baseline. */
  readonly environmentShiftScore: number
  readonly coherence: number
  readonly degraded: boolean
  readonly calibrating: boolean
  readonly recalibrationAdvised: boolean
  /** 0 if unknown. */
  readonly rssiDbm: number
  readonly uptimeMs: number
}

export type DeviceReport = DeviceVitals | DeviceFeatures | DeviceState

interface Layout {
  readonly name: string
  readonly bytes: number
  /** Positions of the floats, all of which must be finite. */
  readonly floatsAt: number
  readonly floats: number
  readonly read: (bytes: Uint8Array, floats: ReadonlyArray<number>) => DeviceReport
}

const rate = (perMinute: number): number | null => perMinute > 0 ? perMinute : null

const readVitals: Layout["read"] = (bytes, [motionEnergy, presenceScore]) => ({
  kind: "vitals",
  presence: (bytes[5]! & 1) !== 0,
  fall: (bytes[5]! & 2) !== 0,
  motion: (bytes[5]! & 4) !== 0,
  breathingRateBpm: rate(u16(bytes, 6) / 100),
  heartrateBpm: rate(u32(bytes, 8) / 10_000),
  rssiDbm: i8(bytes, 12),
  persons: bytes[13]!,
  motionEnergy: motionEnergy!,
  presenceScore: presenceScore!,
  uptimeMs: u32(bytes, 24),
})

const readFeatures: Layout["read"] = (bytes, [presence, motion, breathing, heart, variance, persons, fall, rssi]) => ({
  kind: "features",
  sequence: u16(bytes, 6),
  presenceScore: 10 * presence!,
  motionEnergy: 10 * motion!,
  breathingRateBpm: rate(30 * breathing!),
  heartrateBpm: rate(120 * heart!),
  phaseVariance: variance!,
  persons: Math.round(4 * persons!),
  fall: fall! > 0.5,
  rssiDbm: Math.round(100 * rssi!) - 100,
  uptimeMs: Math.floor(u64(bytes, 8) / 1000),
})

const stateFlag = {
  presenceValid: 1,
  breathingValid: 2,
  heartrateValid: 4,
  degraded: 32,
  calibrating: 64,
  advised: 128,
}

const readState: Layout["read"] = (
  bytes,
  [motion, presence, breathing, breathingConfidence, heart, heartConfidence, anomaly, shift, coherence],
) => {
  const flags = u16(bytes, 52)
  return {
    kind: "state",
    sequence: u16(bytes, 6),
    profile: bytes[5]!,
    motionScore: motion!,
    presenceScore: (flags & stateFlag.presenceValid) === 0 ? null : presence!,
    breathingRateBpm: (flags & stateFlag.breathingValid) === 0 ? null : rate(breathing!),
    breathingConfidence: breathingConfidence!,
    heartrateBpm: (flags & stateFlag.heartrateValid) === 0 ? null : rate(heart!),
    heartrateConfidence: heartConfidence!,
    anomalyScore: anomaly!,
    environmentShiftScore: shift!,
    coherence: coherence!,
    degraded: (flags & stateFlag.degraded) !== 0,
    calibrating: (flags & stateFlag.calibrating) !== 0,
    recalibrationAdvised: (flags & stateFlag.advised) !== 0,
    rssiDbm: i8(bytes, 54),
    uptimeMs: Math.floor(u64(bytes, 8) / 1000),
  }
}

const state: Layout = { name: "feature state", bytes: 60, floatsAt: 16, floats: 9, read: readState }

const layouts: ReadonlyMap<number, Layout> = new Map([
  [0xc5110002, { name: "vitals", bytes: 32, floatsAt: 16, floats: 2, read: readVitals }],
  [0xc5110003, { name: "feature vector", bytes: 48, floatsAt: 16, floats: 8, read: readFeatures }],
  [0xc5110006, state],
])

/** Datagrams of the firmware that are not used. */
const unread: ReadonlyMap<number, string> = new Map([
  [0xc5110004, "vitals fused with a radar"],
  [0xc5110005, "compressed CSI"],
  [0xc5118100, "a message of the nodes' mesh"],
  [0xc511a110, "a clock of the nodes' mesh"],
])

/** Reads the report in a datagram of at least four bytes, or returns why it cannot be used. */
export const readRuviewReport = (bytes: Uint8Array): DeviceReport | Refusal => {
  const magic = u32(bytes, 0)
  const layout = layouts.get(magic)
  if (layout === undefined) {
    const name = unread.get(magic)
    if (name !== undefined) return { reason: "unsupported-layout", message: `${name} is not supported` }
    const begins = magic.toString(16).toUpperCase().padStart(8, "0")
    return { reason: "not-a-record", message: `the datagram begins with 0x${begins}, which is not a RuView magic` }
  }
  if (bytes.length !== layout.bytes) {
    const message = `${bytes.length} bytes, a ${layout.name} has ${layout.bytes}`
    return { reason: bytes.length < layout.bytes ? "truncated" : "value-count", message }
  }
  if (layout === state && crc32(bytes.subarray(0, layout.bytes - 4)) !== u32(bytes, layout.bytes - 4)) {
    return { reason: "bad-value", message: `the checksum of the ${layout.name} is wrong` }
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const floats = Array.from({ length: layout.floats }, (_, i) => view.getFloat32(layout.floatsAt + 4 * i, true))
  if (!floats.every(Number.isFinite)) {
    return { reason: "bad-value", message: `a value of the ${layout.name} is not finite` }
  }
  return layout.read(bytes, floats)
}
