/** Packets of a room for the tests of the reducer. */
import type { CsiBatch } from "../../../core/formats/csi-batch.ts"
import type { Observation } from "../../../core/observation/observation.ts"
import type { Reducer } from "../../../core/reduction/reduce.ts"
import {
  batchOf,
  echoes,
  layoutOf,
  normal,
  type Packet,
  received,
  tones56,
  uniform,
  withNoise,
} from "../signal/channel.ts"

export const layout = layoutOf()
export const rows = 3

interface Course {
  readonly seconds: number
  readonly rateHz?: number
  readonly startUs?: number
  readonly transmitters?: ReadonlyArray<string>
  /** Amplitude of a moving echo, by time in seconds. */
  readonly echo?: (seconds: number) => number
  readonly seed?: number
}

/** Packets of a room with one echo of 11 Hz Doppler, with the offsets of a real receiver. */
export const packetsOf = (
  { seconds, rateHz = 100, startUs = 0, transmitters = ["tx"], echo = () => 0, seed = 1 }: Course,
) => {
  const random = uniform(seed)
  const rooms = transmitters.map((_, i) => echoes(uniform(100 + i), rows, tones56, 1))
  return Array.from({ length: seconds * rateHz }, (_, n): Packet => {
    const t = n / rateHz
    const room = rooms[n % rooms.length]!
    const moving = room.map((value, v) => {
      const angle = 2 * Math.PI * (11 * t - tones56[(v >> 1) % 56]! * 312_500 * 30e-9)
      return value + echo(t) * (v % 2 === 0 ? Math.cos(angle) : Math.sin(angle))
    })
    const offsets = { gain: 20 + 3 * random(), phase: 6.28 * random(), delaySeconds: 4e-8 * normal(random) }
    return {
      timestampUs: startUs + Math.round(t * 1e6),
      transmitterId: transmitters[n % rooms.length]!,
      sequence: n + 1,
      csi: received(withNoise(moving, random, 0.03), tones56, offsets),
    }
  })
}

export const batches = (packets: ReadonlyArray<Packet>, size = 37): Array<CsiBatch> => {
  const out: Array<CsiBatch> = []
  for (let at = 0; at < packets.length; at += size) out.push(batchOf(layout, packets.slice(at, at + size)))
  return out
}

export const reduce = (reducer: Reducer, packets: ReadonlyArray<Packet>): Array<Observation> => [
  ...batches(packets).flatMap((batch) => reducer.push(batch)),
]
