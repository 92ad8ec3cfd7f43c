/** Made-up captures for the tests of `core/inspection`. All randomness comes from a seed. */
import type { CsiBatch, RadioLayout } from "../../../core/formats/csi-batch.ts"
import { Inspector } from "../../../core/inspection/inspector.ts"
import type { DecodeResult } from "../../../core/formats/decoder.ts"
import { echoes, layoutOf, normal, received, tones56, uniform } from "../signal/channel.ts"

interface CaptureOptions {
  readonly seconds: number
  readonly rateHz: number
  readonly layout?: RadioLayout
  readonly transmitterId?: string
  /** Doppler shift of the one echo that moves, or its phase by time in seconds; null: nothing moves. */
  readonly shiftHz?: number | ((seconds: number) => number) | null
  /** Times between which no packet comes, seconds. */
  readonly silence?: readonly [from: number, until: number]
  readonly seed?: number
}

/** A link with a packet phase, delay and gain of its own in each packet, over noise at -40 dB; in batches of 100 frames. */
export const capture = (options: CaptureOptions): ReadonlyArray<CsiBatch> => {
  const { layout = layoutOf(), rateHz, seconds, seed = 1, shiftHz = null, silence, transmitterId = "ap" } = options
  const random = uniform(seed)
  const rows = layout.receiveAntennas * layout.transmitAntennas
  const still = echoes(random, rows, tones56, 1)
  const moving = echoes(random, rows, tones56, 0.1)
  const times = Array.from({ length: Math.round(seconds * rateHz) }, (_, i) => i / rateHz)
    .filter((t) => silence === undefined || t < silence[0] || t >= silence[1])
  const frames = times.map((t) => {
    const turn = typeof shiftHz === "function" ? shiftHz(t) : shiftHz === null ? null : 2 * Math.PI * shiftHz * t
    const response = still.map((value, v) => {
      const other = moving[v % 2 === 0 ? v + 1 : v - 1]!
      const echo = turn === null
        ? moving[v]!
        : moving[v]! * Math.cos(turn) + (v % 2 === 0 ? -other : other) * Math.sin(turn)
      return value + echo + 0.01 * normal(random)
    })
    const packet = { gain: 10 + random(), phase: 2 * Math.PI * random(), delaySeconds: 1e-7 * random() }
    return received(response, tones56, packet)
  })
  return Array.from({ length: Math.ceil(times.length / 100) }, (_, n) => {
    const part = times.slice(100 * n, 100 * (n + 1))
    return {
      routerId: "r",
      batchSequence: n + 1,
      source: "replay",
      layout,
      frameCount: part.length,
      timestampsUs: Float64Array.from(part, (t) => t * 1e6),
      sequences: Uint32Array.from(part, (t) => 1 + Math.round(t * rateHz)),
      rssiDbm: new Int8Array(part.length),
      noiseFloorDbm: new Int8Array(part.length),
      transmitterIndex: new Uint16Array(part.length),
      transmitterIds: [transmitterId],
      csi: Float32Array.from(frames.slice(100 * n, 100 * n + part.length).flatMap((frame) => [...frame])),
    }
  })
}

export const decoded = (
  batches: ReadonlyArray<CsiBatch>,
  faults: DecodeResult["faults"] = [],
  faultsOmitted = 0,
): DecodeResult => ({ batches, faults, faultsOmitted })

export const inspected = (batches: ReadonlyArray<CsiBatch>) => {
  const inspector = new Inspector("r")
  inspector.add(decoded(batches))
  return inspector.finish()
}
