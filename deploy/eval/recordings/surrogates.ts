/**
 * Surrogates of receivers that nobody recorded: a capture as another chip, driver or network would have delivered it.
 *
 * Each changes one property of the packets (rate, bursts, subcarriers, clock, gain, resolution, noise) and keeps what was in
 * the room. They are a stress test: a figure that holds on the recordings and not on a surrogate belongs to their receiver.
 */
import type { CsiBatch } from "../../../core/formats/csi-batch.ts"
import { createRandom, type Random } from "../../../sim/randomness/random.ts"

type Batches = ReadonlyArray<CsiBatch>

interface Surrogate {
  readonly name: string
  readonly of: (batches: Batches, random: Random) => Batches
}

/** The packets of all batches for which `keeps` is true; it is called once for each, in order. */
const packetsOf = (batches: Batches, keeps: (timeS: number) => boolean): Batches => {
  const startUs = batches[0]!.timestampsUs[0]!
  return batches.map((batch) => {
    const length = batch.csi.length / batch.frameCount
    const kept = Array.from(batch.timestampsUs.keys()).filter((i) => keeps((batch.timestampsUs[i]! - startUs) / 1e6))
    const csi = new Float32Array(kept.length * length)
    kept.forEach((frame, i) => csi.set(batch.csi.subarray(frame * length, (frame + 1) * length), i * length))
    return {
      ...batch,
      frameCount: kept.length,
      csi,
      timestampsUs: Float64Array.from(kept, (i) => batch.timestampsUs[i]!),
      sequences: Uint32Array.from(kept, (i) => batch.sequences[i]!),
      rssiDbm: Int8Array.from(kept, (i) => batch.rssiDbm[i]!),
      noiseFloorDbm: Int8Array.from(kept, (i) => batch.noiseFloorDbm[i]!),
      transmitterIndex: Uint16Array.from(kept, (i) => batch.transmitterIndex[i]!),
    }
  }).filter(({ frameCount }) => frameCount > 0)
}

/** Subcarriers for which `keeps` is true, of each antenna. */
const subcarriersOf = (batches: Batches, keeps: (index: number, place: number) => boolean): Batches =>
  batches.map((batch) => {
    const { subcarrierIndices } = batch.layout
    const places = Array.from(subcarrierIndices.keys()).filter((place) => keeps(subcarrierIndices[place]!, place))
    const rows = batch.csi.length / (2 * subcarrierIndices.length)
    const csi = new Float32Array(2 * rows * places.length)
    for (let row = 0, to = 0; row < rows; row++) {
      for (const place of places) {
        const from = 2 * (row * subcarrierIndices.length + place)
        csi[to++] = batch.csi[from]!
        csi[to++] = batch.csi[from + 1]!
      }
    }
    return {
      ...batch,
      csi,
      layout: { ...batch.layout, subcarrierIndices: Int16Array.from(places, (place) => subcarrierIndices[place]!) },
    }
  })

/** Each value by a function of itself, its time and the place of its subcarrier (0..1). `next` begins a packet. */
const valuesOf = (
  batches: Batches,
  next: (timeS: number) => void,
  value: (value: number, place: number) => number,
): Batches => {
  const startUs = batches[0]!.timestampsUs[0]!
  return batches.map((batch) => {
    const length = batch.csi.length / batch.frameCount
    const tones = batch.layout.subcarrierIndices.length
    const csi = new Float32Array(batch.csi.length)
    for (let at = 0; at < csi.length; at++) {
      if (at % length === 0) next((batch.timestampsUs[at / length]! - startUs) / 1e6)
      csi[at] = value(batch.csi[at]!, ((at >> 1) % tones) / tones)
    }
    return { ...batch, csi }
  })
}

/** Amplitude of a capture: rms of |H| over the values that are not 0. */
const amplitudeOf = (batches: Batches): number => {
  const { csi } = batches[0]!
  let power = 0
  let values = 0
  for (const value of csi) {
    power += value * value
    if (value !== 0) values++
  }
  return Math.sqrt(2 * power / Math.max(1, values))
}

const noisy = (batches: Batches, random: Random, level: number, share: number): Batches => {
  const sigma = level * amplitudeOf(batches) / Math.SQRT2
  let disturbed = false
  const next = () => {
    disturbed = random.uniform() < share
  }
  return valuesOf(batches, next, (value) => disturbed && value !== 0 ? value + sigma * random.normal() : value)
}

/** A response with a ripple over the subcarriers, of a strength and phase that `stateAt` gives at the start of a packet. */
const rippled = (batches: Batches, stateAt: (timeS: number) => readonly [strength: number, phase: number]): Batches => {
  let state: readonly [number, number] = [0, 0]
  const next = (timeS: number) => {
    state = stateAt(timeS)
  }
  return valuesOf(batches, next, (value, place) => value * (1 + state[0] * Math.sin(2 * Math.PI * place + state[1])))
}

const stepsOf = (batches: Batches, random: Random): Batches => {
  let step = -1
  let state: readonly [number, number] = [0, 0]
  return rippled(batches, (timeS) => {
    if (Math.floor(timeS / 10) !== step) {
      step = Math.floor(timeS / 10)
      state = [0.06 * random.normal(), 2 * Math.PI * random.uniform()]
    }
    return state
  })
}

const gainsOf = (batches: Batches, random: Random): Batches => {
  let gain = 1
  const next = () => {
    if (random.uniform() < 0.02) gain = 10 ** (6 * (random.uniform() - 0.5) / 20)
  }
  return valuesOf(batches, next, (value) => Math.round(value * gain))
}

const surrogates: ReadonlyArray<Surrogate> = [
  {
    name: "one packet in three",
    of: (batches) => {
      let count = 0
      return packetsOf(batches, () => count++ % 3 === 0)
    },
  },
  { name: "half of the packets lost", of: (batches, random) => packetsOf(batches, () => random.uniform() < 0.5) },
  { name: "bursts of 1.5 s in 3 s", of: (batches) => packetsOf(batches, (timeS) => timeS % 3 < 1.5) },
  {
    name: "times up to 8 ms off",
    of: (batches, random) =>
      batches.map((batch) => ({
        ...batch,
        timestampsUs: batch.timestampsUs.map((timeUs) => timeUs + 8000 * random.uniform()).sort(),
      })),
  },
  { name: "one subcarrier in four", of: (batches) => subcarriersOf(batches, (_, place) => place % 4 === 1) },
  { name: "a third of the band", of: (batches) => subcarriersOf(batches, (index) => index > -27 && index < -8) },
  { name: "gain steps of up to 3 dB", of: gainsOf },
  {
    name: "amplitudes of six steps",
    of: (batches) => {
      const step = amplitudeOf(batches) / 6
      return valuesOf(batches, () => {}, (value) => Math.round(value / step))
    },
  },
  { name: "noise at -14 dB", of: (batches, random) => noisy(batches, random, 0.2, 1) },
  { name: "interference in 3 % of the packets", of: (batches, random) => noisy(batches, random, 0.5, 0.03) },
  { name: "a response that steps by 6 % every 10 s", of: stepsOf },
  {
    name: "a response that drifts by 3 %",
    of: (batches) => rippled(batches, (timeS) => [0.03 * Math.sin(2 * Math.PI * timeS / 120), 1]),
  },
]

export const surrogateNames: ReadonlyArray<string> = surrogates.map(({ name }) => name)

/** A capture's packets as a surrogate has them; the same for the same name of the capture. */
export const surrogateOf = (name: string, capture: string, batches: Batches): Batches =>
  surrogates.find((surrogate) => surrogate.name === name)!.of(batches, createRandom(1, `${name} ${capture}`))
