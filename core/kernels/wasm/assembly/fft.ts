/** Kernel `fft`. A unit is one transform. */
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
  for (let i = begin; i < end; i++) transform(input + i * row, output + i * row, size, work)
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
