/**
 * Doppler spectra of links' echoes, steered to places: power by speed, and its gradients over the array and the band.
 *
 * Owns the definition of the spectra and their layout in a token. Boundary: rows and their windows are in
 * `echo-window.ts`, steering is in `steered-link.ts`, a kernel computes the bins, and `link-token.ts` combines spectra
 * and geometry into a token.
 *
 * Doppler bins are rates of the path's length in m/s, not hertz, so that bands share their meaning.
 */
import { type Computation, placed, type PlacedCall } from "../kernels/kernel.ts"
import { steeredSpectra } from "../kernels/steered-spectra.ts"
import type { EchoSeries } from "./echo-series.ts"
import { windowOf, writeWindow } from "./echo-window.ts"
import { channels, type SteeredLink, writeVectors } from "./steered-link.ts"

/** A Doppler spectrum of a token: bins from -`reach` to `reach`, `stepMps` apart, over the last `windowS`. */
interface Spectrum {
  readonly windowS: number
  readonly stepMps: number
  readonly reach: number
  /** Cross terms are taken at every n-th bin, up to this many bins from the middle. */
  readonly crossStep: number
  readonly crossReach: number
  /** Duration of an average before the transform: slow motion needs no finer rows. */
  readonly averageS: number
}

export const spectra: readonly [limbs: Spectrum, rest: Spectrum] = [
  { windowS: 0.32, stepMps: 0.38, reach: 11, crossStep: 2, crossReach: 10, averageS: 0 },
  { windowS: 1.28, stepMps: 0.1, reach: 4, crossStep: 2, crossReach: 2, averageS: 0.04 },
]

const binsOf = ({ reach }: Spectrum): number => 2 * reach + 1
const crossBinsOf = ({ crossReach, crossStep }: Spectrum): number => (2 * crossReach) / crossStep + 1
const crossChannels = channels - 1

/** Values of a spectrum: powers, then (re, im) of the cross terms. */
export const spectrumSize = (spectrum: Spectrum): number => binsOf(spectrum) + 2 * crossChannels * crossBinsOf(spectrum)

const powerFloor = 1e-7

/** Conversion of a power to its token value, and back. */
const tokenPower = (power: number): number => Math.log(power + powerFloor) / 4 + 1
export const spectrumPower = (value: number): number => Math.exp(4 * (value - 1))

/** One spectrum of steered links. */
export interface SpectrumBins {
  readonly spectrum: Spectrum
  /** [link][bin][channel], interleaved complex; 1 for a tone of amplitude 1. */
  readonly bins: Float32Array
  /** Rows of each link's window. */
  readonly rows: ReadonlyArray<number>
}

/**
 * A spectrum of steered links at the end of a hop. `places` holds the index in `links` of each, `vectors` their
 * steering.
 */
const callAt = (
  spectrum: Spectrum,
  links: ReadonlyArray<EchoSeries>,
  endS: number,
  values: number,
  vectors: Float32Array,
  places: Float32Array,
): { readonly call: PlacedCall; readonly found: SpectrumBins } => {
  const windows = links.map((series) => windowOf(series, spectrum, endS))
  const rows = Math.max(1, ...windows.map(({ length }) => length))
  const echoes = new Float32Array(2 * links.length * values * rows)
  const turns = new Float32Array(2 * links.length * rows)
  for (const [l, series] of links.entries()) {
    const arrays = { echoes, echoesAt: 2 * l * values * rows, turns, turnsAt: 2 * l * rows, rows }
    writeWindow(series, windows[l]!, spectrum, arrays)
  }
  const call = placed({
    kernel: steeredSpectra,
    params: { links: links.length, rows, values, places: places.length, channels, reach: spectrum.reach },
    inputs: [echoes, turns, vectors, places],
  })
  return { call, found: { spectrum, bins: call.output, rows: Array.from(places, (link) => windows[link]!.length) } }
}

/** The spectra of steered links at the end of a hop (`endS`), in the order of `spectra`; empty without links. */
export const spectraOf = function* (
  steered: ReadonlyArray<SteeredLink>,
  endS: number,
): Computation<ReadonlyArray<SpectrumBins>> {
  if (steered.length === 0) return []
  const links = [...new Set(steered.map(({ series }) => series))]
  const numbers = new Map(links.map((series, l) => [series, l]))
  const places = Float32Array.from(steered, ({ series }) => numbers.get(series)!)
  const values = Math.max(...links.map(({ width }) => width))
  const vectors = new Float32Array(2 * steered.length * channels * values)
  for (const [i, link] of steered.entries()) writeVectors(link, values, vectors, 2 * i * channels * values)
  const made = spectra.map((spectrum) => callAt(spectrum, links, endS, values, vectors, places))
  yield made.map(({ call }) => call)
  return made.map(({ found }) => found)
}

/**
 * Writes the powers and cross terms of steered link `i` to `out` from `at`. `range` is the law of the echo's amplitude;
 * powers are multiplied by its square.
 */
export const writeSpectrum = (
  { bins, spectrum }: SpectrumBins,
  i: number,
  range: number,
  out: Float32Array,
  at: number,
): void => {
  const { crossReach, crossStep, reach } = spectrum
  const count = binsOf(spectrum)
  const first = 2 * channels * count * i
  for (let bin = 0; bin < count; bin++) {
    const from = first + 2 * channels * bin
    const power = (bins[from]! ** 2 + bins[from + 1]! ** 2) * range * range
    out[at + bin] = tokenPower(power)
  }
  const crossAt = at + count
  let strongest = 1e-20
  let to = crossAt
  for (let b = -crossReach; b <= crossReach; b += crossStep) {
    const from = first + 2 * channels * (b + reach)
    const mRe = bins[from]!
    const mIm = bins[from + 1]!
    for (let c = 2; c < 2 * channels; c += 2) {
      const re = bins[from + c]! * mRe + bins[from + c + 1]! * mIm
      const im = bins[from + c + 1]! * mRe - bins[from + c]! * mIm
      strongest = Math.max(strongest, re * re + im * im)
      out[to++] = re
      out[to++] = im
    }
  }
  // Square roots keep the weak bins of limbs readable beside those of the torso.
  const scale = 1 / Math.sqrt(Math.sqrt(strongest))
  for (let value = crossAt; value < to; value += 2) {
    const size = Math.sqrt(Math.sqrt(out[value]! ** 2 + out[value + 1]! ** 2))
    const factor = size > 0 ? scale / size : 0
    out[value]! *= factor
    out[value + 1]! *= factor
  }
}
