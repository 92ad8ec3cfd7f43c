/** Synthetic channels for the tests of `core/signal`. All randomness comes from a seed. */
import type { CsiBatch, RadioLayout } from "../../../core/formats/csi-batch.ts"

/** Uniform numbers in [0, 1): mulberry32. */
export const uniform = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
}

export const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

/** Subcarriers -28..-1, 1..28. */
export const tones56 = Int16Array.from({ length: 56 }, (_, i) => i < 28 ? i - 28 : i - 27)

export const layoutOf = (over: Partial<RadioLayout> = {}): RadioLayout => ({
  format: "test",
  receiveAntennas: 3,
  transmitAntennas: 1,
  subcarrierIndices: tones56,
  subcarrierSpacingHz: 312_500,
  centerFrequencyHz: 5.5e9,
  bandwidthHz: 20e6,
  ...over,
})

/** A response of several echoes within 100 ns, [row][tone] interleaved. */
export const echoes = (random: () => number, rows: number, tones: Int16Array, strength: number): Float32Array => {
  const response = new Float32Array(2 * rows * tones.length)
  for (let echo = 0; echo < 5; echo++) {
    const delaySeconds = echo === 0 ? 0 : 1e-7 * random()
    for (let row = 0; row < rows; row++) {
      const phase = 2 * Math.PI * random()
      tones.forEach((k, i) => {
        const angle = phase - 2 * Math.PI * k * 312_500 * delaySeconds
        const amplitude = strength / (1 + echo)
        response[2 * (row * tones.length + i)]! += amplitude * Math.cos(angle)
        response[2 * (row * tones.length + i) + 1]! += amplitude * Math.sin(angle)
      })
    }
  }
  return response
}

/** A response as a receiver reports it: delayed, rotated and scaled. */
export const received = (
  response: Float32Array,
  tones: Int16Array,
  packet: { readonly gain: number; readonly phase: number; readonly delaySeconds: number },
): Float32Array => {
  const out = new Float32Array(response.length)
  for (let v = 0; v < response.length; v += 2) {
    const k = tones[(v / 2) % tones.length]!
    const angle = -(packet.phase + 2 * Math.PI * k * 312_500 * packet.delaySeconds)
    const re = packet.gain * Math.cos(angle)
    const im = packet.gain * Math.sin(angle)
    out[v] = response[v]! * re - response[v + 1]! * im
    out[v + 1] = response[v]! * im + response[v + 1]! * re
  }
  return out
}

export const withNoise = (response: Float32Array, random: () => number, deviation: number): Float32Array =>
  response.map((value) => value + deviation * normal(random))

/** One packet of a stream. */
export interface Packet {
  readonly timestampUs: number
  readonly transmitterId?: string
  readonly sequence?: number
  readonly rssiDbm?: number
  readonly csi: Float32Array
}

export const batchOf = (layout: RadioLayout, packets: ReadonlyArray<Packet>): CsiBatch => {
  const transmitterIds = [...new Set(packets.map((packet) => packet.transmitterId ?? "tx"))]
  const length = packets[0]?.csi.length ?? 0
  const csi = new Float32Array(packets.length * length)
  packets.forEach((packet, i) => csi.set(packet.csi, i * length))
  return {
    routerId: "router",
    batchSequence: 1,
    source: "simulated",
    layout,
    frameCount: packets.length,
    timestampsUs: Float64Array.from(packets, (packet) => packet.timestampUs),
    sequences: Uint32Array.from(packets, (packet) => packet.sequence ?? 0),
    rssiDbm: Int8Array.from(packets, (packet) => packet.rssiDbm ?? -50),
    noiseFloorDbm: new Int8Array(packets.length).fill(-95),
    transmitterIndex: Uint16Array.from(packets, (packet) => transmitterIds.indexOf(packet.transmitterId ?? "tx")),
    transmitterIds,
    csi,
  }
}
