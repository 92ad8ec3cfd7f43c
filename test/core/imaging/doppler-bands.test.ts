import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  type BandMoments,
  bandMomentsAt,
  createBandMoments,
  createBandPlan,
  samplesPerHopOf,
} from "../../../core/imaging/doppler-bands.ts"
import { addHop, createLinkWindow } from "../../../core/imaging/link-window.ts"
import { unpack } from "../../../core/imaging/packed-hermitian.ts"
import { createToneBasis, projectTones } from "../../../core/imaging/tone-basis.ts"
import { speedOfLightMps } from "../../../core/math/speed-of-light.ts"
import type { LinkObservation } from "../../../core/observation/observation.ts"
import { createRandom } from "../../../sim/randomness/random.ts"
import {
  antennas,
  centerFrequencyHz,
  evenly,
  fourNodes,
  hopS,
  linkObservationOf,
  tonesHz,
} from "../../harness/echoes.ts"

const basis = createToneBasis(tonesHz, 12)
const hops = 10
const samplesPerHop = samplesPerHopOf(centerFrequencyHz, hopS)
const plan = createBandPlan(hops, samplesPerHop, hopS, centerFrequencyHz)
const values = 2 * antennas * tonesHz.length
const [tx, rx] = [fourNodes.nodes[0]!, fourNodes.nodes[2]!]
/** One packet per sample: then samples are packets, and no mean attenuates fast changes. */
const timesS = evenly(samplesPerHop)
const empty = linkObservationOf({ points: [], packetTimesS: () => timesS }, tx, rx, 0)

/** Constant over antennas and tones; the phase of a path that grows at `pathMps` rotates backward. */
const toneAt = (pathMps: number, hop: number, amplitude = 1): LinkObservation => ({
  ...empty,
  dynamic: Float32Array.from({ length: timesS.length * values }, (_, i) => {
    const timeS = hop * hopS + timesS[Math.floor(i / values)]!
    const phase = (-2 * Math.PI * centerFrequencyHz * pathMps * timeS) / speedOfLightMps
    return amplitude * (i % 2 === 0 ? Math.cos(phase) : Math.sin(phase))
  }),
})

const noiseAt = (hop: number, seed: number, rms: number, packets = samplesPerHop): LinkObservation => {
  const random = createRandom(1000 * seed + hop, "noise")
  return {
    ...empty,
    packets,
    dynamic: Float32Array.from({ length: packets * values }, () => rms * random.normal()),
    dynamicTimesS: Float32Array.from(evenly(packets)),
    leadsRad: new Float32Array(0),
  }
}

const allHops = Array.from({ length: hops }, (_, hop) => hop)

const momentsOf = (
  linkAt: (hop: number) => LinkObservation,
  order: ReadonlyArray<number> = allHops,
  end = hops - 1,
): BandMoments => {
  const window = createLinkWindow(basis, antennas, hops, samplesPerHop)
  for (const hop of order) addHop(window, hop, linkAt(hop))
  return bandMomentsAt(window, plan, end, createBandMoments(window, plan))!
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, value) => total + value, 0)
const sizeOf = ({ mean }: BandMoments): number => mean.length / 2

/** The designed bands: pairs of the two directions from these speeds on. */
const edgesMps = [0.15, 0.45, 0.9, 1.4, 2]
const bandOf = (pathMps: number): number => {
  const above = edgesMps.filter((edge) => Math.abs(pathMps) >= edge).length
  return above === 0 ? 1 : 2 * above + (pathMps < 0 ? 0 : 1)
}

describe("the bands of a window", () => {
  it("hold the path changes of their speed, by direction", () => {
    const speed = fc.double({ min: -2.55, max: 2.55, noNaN: true })
      .filter((mps) => edgesMps.every((edge) => Math.abs(Math.abs(mps) - edge) > 0.1))
      .filter((mps) => Math.abs(mps) > 0.25)
    fc.assert(
      fc.property(speed, (mps) => {
        const { energies } = momentsOf((hop) => toneAt(mps, hop))
        const moving = energies.subarray(1)
        expect(moving.indexOf(Math.max(...moving)) + 1).toBe(bandOf(mps))
        expect(energies[bandOf(mps)]! / sum(moving)).toBeGreaterThan(0.8)
      }),
      { seed: 1, numRuns: 60 },
    )
  })

  it("hold at most a thousandth of the energy two bands away", () => {
    const { energies } = momentsOf((hop) => toneAt(-1.15, hop))
    for (const band of [1, 3, 2, 5, 7, 9, 11]) {
      expect(energies[band]! / energies[bandOf(-1.15)]!, `band ${band}`).toBeLessThan(1e-3)
    }
  })

  it("have the static part in the mean only", () => {
    const moments = momentsOf((hop) => toneAt(0, hop, 0.5))
    // A constant over the tones lies entirely in the basis.
    expect(moments.energies[0]).toBeCloseTo(0.25 * antennas * tonesHz.length, 4)
    expect(sum(moments.energies.subarray(1))).toBeLessThan(1e-9)
  })

  it("add up to the energy of the motion, each sample weighted by the taper", () => {
    for (const seed of [1, 2, 3]) {
      const linkAt = (hop: number) => noiseAt(hop, seed, 0.3)
      const moments = momentsOf(linkAt)
      const size = sizeOf(moments)
      const rows = allHops.flatMap((hop) =>
        timesS.map((_, t) => {
          const row = new Float64Array(2 * size)
          projectTones(basis, antennas, linkAt(hop).dynamic, t * values, row, 0)
          return row
        })
      )
      // The taper again, by its definition: Hann over the window.
      const weights = rows.map((_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / rows.length))
      const mean = Float64Array.from(
        rows[0]!,
        (_, v) => sum(rows.map((row, i) => weights[i]! * row[v]!)) / sum(weights),
      )
      const moving = sum(rows.map((row, i) => weights[i]! ** 2 * sum(row.map((value, v) => (value - mean[v]!) ** 2)))) /
        sum(weights.map((weight) => weight ** 2))
      expect(sum(moments.energies.subarray(1))).toBeCloseTo(moving, 9)
      expect(moments.energies[0]).toBeCloseTo(sum(mean.map((value) => value * value)), 9)
    }
  })

  it("have moments whose trace is their energy", () => {
    const { covariances, energies, mean } = momentsOf((hop) => noiseAt(hop, 4, 0.2))
    const size = mean.length / 2
    for (const [band, covariance] of covariances.entries()) {
      const matrix = unpack(covariance, size)
      expect(sum(Array.from({ length: size }, (_, r) => matrix[2 * (r * size + r)]!))).toBe(energies[band])
    }
  })
})

describe("the noise of bands", () => {
  it("is their energy without any echo, for few and for many packets", () => {
    for (const packets of [5, 15]) {
      const windows = Array.from({ length: 40 }, (_, seed) => momentsOf((hop) => noiseAt(hop, seed, 0.1, packets)))
      for (let band = 0; band < plan.bands; band++) {
        const energy = sum(windows.map(({ energies }) => energies[band]!))
        const noise = sum(windows.map((moments) => sizeOf(moments) * moments.noise[band]!))
        // The mean removes three quarters of the noise of the three slow bins: the part under its own taper.
        const expected = band === 1 ? 0.26 : 1
        expect(Math.abs(energy / noise / expected - 1), `band ${band} of ${packets} packets`).toBeLessThan(0.1)
      }
      const [first] = windows
      const perSample = (2 * 0.1 ** 2 * samplesPerHop) / packets
      expect(sum(first!.noise.subarray(1)) / perSample).toBeGreaterThan(0.9)
      expect(sum(first!.noise.subarray(1)) / perSample).toBeLessThan(1.1)
    }
  })
})

describe("hops that are late or missing", () => {
  it("give the same result when they are late", () => {
    const linkAt = (hop: number) => noiseAt(hop, 5, 0.2)
    const inOrder = momentsOf(linkAt)
    fc.assert(
      fc.property(fc.shuffledSubarray(allHops, { minLength: hops }), (order) => {
        expect(momentsOf(linkAt, order)).toEqual(inOrder)
      }),
      { seed: 2, numRuns: 10 },
    )
  })

  it("shift no other hop: a tone stays in its band and keeps its phase", () => {
    const missing = fc.subarray([1, 2, 3, 4, 5, 6, 7, 8], { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(missing, (hopsMissing) => {
        const { energies, spectrum } = momentsOf(
          (hop) => toneAt(-1.15, hop),
          allHops.filter((hop) => !hopsMissing.includes(hop)),
        )
        const whole = momentsOf((hop) => toneAt(-1.15, hop))
        const band = bandOf(-1.15)
        expect(energies.subarray(1).indexOf(Math.max(...energies.subarray(1))) + 1).toBe(band)
        // At the tone's bin the phase is that of the whole window: the remaining hops keep their positions.
        const length = whole.mean.length
        const bin = Math.round(1.15 / plan.binMps)
        const phaseOf = (of: Float64Array) => Math.atan2(of[bin * length + 1]!, of[bin * length]!)
        expect(Math.cos(phaseOf(spectrum) - phaseOf(whole.spectrum))).toBeGreaterThan(0.9)
      }),
      { seed: 3, numRuns: 20 },
    )
  })

  it("keep their position in the window, whatever their numbers", () => {
    const linkAt = (hop: number) => noiseAt(hop, 8, 0.2)
    for (const shift of [1, 6, 10, 137]) {
      const shifted = momentsOf((hop) => linkAt(hop - shift), allHops.map((hop) => hop + shift), hops - 1 + shift)
      for (const [i, value] of momentsOf(linkAt).spectrum.entries()) {
        expect(shifted.spectrum[i]).toBeCloseTo(value, 12)
      }
    }
  })

  it("do not count outside the window, and a window of three packets is null", () => {
    const linkAt = (hop: number) => noiseAt(hop, 6, 0.2)
    const order = [0, 1, 2, 13, 14, 15]
    const later = momentsOf(linkAt, order, 15)
    expect(later.packets).toBe(3 * samplesPerHop)
    expect(later).toEqual(momentsOf(linkAt, [13, 14, 15], 15))
    expect(momentsOf((hop) => noiseAt(hop, 7, 0.2, 1), [3, 4, 5])).toBeNull()
    expect(momentsOf((hop) => noiseAt(hop, 7, 0.2, 1), [3, 4, 5, 6])).not.toBeNull()
  })
})

describe("the samples of a hop", () => {
  it("distinguish the fastest walk from its alias, up to their bound", () => {
    for (const frequencyHz of [0.9e9, 2.437e9, 5.5e9]) {
      const samples = samplesPerHopOf(frequencyHz, hopS)
      const nyquistMps = (samples / hopS / 2) * (speedOfLightMps / frequencyHz)
      expect(nyquistMps, `${frequencyHz}`).toBeGreaterThanOrEqual(2.6)
      expect(nyquistMps, `${frequencyHz}`).toBeLessThan(6)
    }
    expect(samplesPerHopOf(60e9, hopS)).toBe(10)
    expect(samplesPerHopOf(0.1e9, hopS)).toBe(2)
  })
})
