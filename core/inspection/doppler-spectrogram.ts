/**
 * The Doppler spectrogram: the speed of reflectors over time.
 *
 * A path that shortens by v metres per second rotates the response by f = v / wavelength. For an echo off a body of
 * velocity V that is f = V . (u_tx + u_rx) / wavelength, u from the body to the nodes. So approaching bodies are on the
 * positive side of the dynamic response. A product of two antennas (`core/signal/csi-ratio.ts`) holds each echo on both
 * sides, because the echo of either antenna may be the conjugate one, so its sign is ambiguous.
 *
 * Slow time is sampled at the packet rate, so shifts beyond half of it alias. Boundary: the caller chooses the series and
 * resamples them onto a uniform grid.
 */
import { createTransform } from "../math/fourier.ts"
import { speedOfLightMps } from "../math/speed-of-light.ts"

/** Frames of the spectrogram per second of slow time. */
const frameRateHz = 10

interface Spectrogram {
  /** Middle of each frame, seconds after the series' first sample. */
  readonly timesS: Float64Array
  /** Doppler shift of each bin, Hz, ascending from -rate/2; the resolution is two bins (Hann). */
  readonly shiftsHz: Float64Array
  /** Mean power of the series, [frame][shift], in their units squared. */
  readonly power: Float64Array
  /** Shifts from here on alias: half the sample rate. */
  readonly unambiguousHz: number
}

/**
 * Speed towards both nodes at which a Doppler shift begins to alias at this sample rate: 1.36 m/s at 100 Hz and 5.5
 * GHz.
 */
export const unambiguousSpeedMps = (sampleRateHz: number, centerFrequencyHz: number): number =>
  sampleRateHz * speedOfLightMps / (4 * centerFrequencyHz)

/** Samples of a window, 32 to 128: half a second of slow time, over which a limb keeps its speed. */
export const dopplerWindow = (sampleRateHz: number): number =>
  2 ** Math.max(5, Math.min(7, Math.round(Math.log2(sampleRateHz / 2))))

/**
 * The spectrogram of complex series on a uniform grid of `sampleRateHz` (interleaved, [series][sample]), averaged over
 * the series. The mean of each series, its static part, is removed. Null when they are shorter than a window.
 */
export const spectrogram = (series: Float32Array, count: number, sampleRateHz: number): Spectrogram | null => {
  const samples = series.length / (2 * count)
  const size = dopplerWindow(sampleRateHz)
  if (!(samples >= size)) return null
  const hop = Math.max(1, Math.round(sampleRateHz / frameRateHz))
  const frames = Math.floor((samples - size) / hop) + 1
  const spectra = shortTimeSpectra(withoutMeans(series, count, samples), { count, samples, size, hop, frames })
  const power = new Float64Array(frames * size)
  // A Hann window sums to half its length and its square to 3/8: the mean square of a series is the sum over its bins.
  const scale = 1 / (count * size * size * 3 / 8)
  for (let row = 0; row < count; row++) {
    for (let frame = 0; frame < frames; frame++) {
      for (let bin = 0; bin < size; bin++) {
        const v = 2 * ((row * frames + frame) * size + bin)
        // Bins ascend from 0 Hz and continue at -rate/2; the output ascends from -rate/2.
        power[frame * size + (bin + size / 2) % size]! += scale * (spectra[v]! ** 2 + spectra[v + 1]! ** 2)
      }
    }
  }
  return {
    timesS: Float64Array.from({ length: frames }, (_, frame) => (frame * hop + size / 2) / sampleRateHz),
    shiftsHz: Float64Array.from({ length: size }, (_, bin) => (bin - size / 2) * sampleRateHz / size),
    power,
    unambiguousHz: sampleRateHz / 2,
  }
}

interface Frames {
  readonly count: number
  readonly samples: number
  readonly size: number
  readonly hop: number
  readonly frames: number
}

/** The short-time Fourier transform with a periodic Hann window, [series][frame][bin]. */
const shortTimeSpectra = (series: Float32Array, { count, frames, hop, samples, size }: Frames): Float32Array => {
  const transform = createTransform(size)
  const window = Float64Array.from({ length: size }, (_, n) => 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / size))
  const values = new Float64Array(2 * size)
  const out = new Float32Array(2 * count * frames * size)
  for (let row = 0; row < count; row++) {
    for (let frame = 0; frame < frames; frame++) {
      for (let n = 0; n < size; n++) {
        const from = 2 * (row * samples + frame * hop + n)
        values[2 * n] = window[n]! * series[from]!
        values[2 * n + 1] = window[n]! * series[from + 1]!
      }
      transform(values)
      out.set(values, 2 * size * (row * frames + frame))
    }
  }
  return out
}

const withoutMeans = (series: Float32Array, count: number, samples: number): Float32Array => {
  const out = series.slice()
  for (let part = 0; part < 2; part++) {
    for (let row = 0; row < count; row++) {
      let mean = 0
      for (let i = 0; i < samples; i++) mean += out[2 * (row * samples + i) + part]! / samples
      for (let i = 0; i < samples; i++) out[2 * (row * samples + i) + part]! -= mean
    }
  }
  return out
}
