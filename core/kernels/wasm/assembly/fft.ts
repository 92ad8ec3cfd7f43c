/** Kernels `fft` and `stft`. A unit is one transform. */
import { transform, transformWork } from "./fourier.ts"

export function fft(
  batch: usize,
  size: usize,
  input: usize,
  output: usize,
  work: usize,
  begin: usize,
  end: usize,
): void {
  const row = size * 8
  for (let i = begin; i < end; i++) transform(input + i * row, 0, output + i * row, size, work)
}

export function fftUnits(batch: usize, size: usize): usize {
  return batch
}

export function fftWork(batch: usize, size: usize): f64 {
  return transformWork
}

export function fftCost(batch: usize, size: usize): f64 {
  return 3.5 * (batch as f64) * (size as f64) * (ctz(size) as f64)
}

function framesOf(samples: usize, size: usize, hop: usize): usize {
  return (samples - size) / hop + 1
}

export function stft(
  series: usize,
  samples: usize,
  size: usize,
  hop: usize,
  input: usize,
  output: usize,
  work: usize,
  begin: usize,
  end: usize,
): void {
  const window = work + transformWork
  for (let n: usize = 0; n < size; n++) {
    f32.store(window + n * 4, (0.5 - 0.5 * Math.cos(2 * Math.PI * (n as f64) / (size as f64))) as f32)
  }
  const frames = framesOf(samples, size, hop)
  const row = size * 8
  for (let i = begin; i < end; i++) {
    const first = (i / frames) * samples + (i % frames) * hop
    transform(input + first * 8, window, output + i * row, size, work)
  }
}

export function stftUnits(series: usize, samples: usize, size: usize, hop: usize): usize {
  return series * framesOf(samples, size, hop)
}

export function stftWork(series: usize, samples: usize, size: usize, hop: usize): f64 {
  return transformWork + size * 4
}

export function stftCost(series: usize, samples: usize, size: usize, hop: usize): f64 {
  return fftCost(stftUnits(series, samples, size, hop), size)
}
