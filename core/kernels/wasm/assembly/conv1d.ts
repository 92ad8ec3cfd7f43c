/**
 * Kernel `conv1d`. A unit is a sequence of the batch.
 *
 * A sequence is copied between zeros, so that the sum needs no bounds checks; a tile is 4 outputs at 8 times. Outputs beyond the last repeat the
 * last.
 */
import { activate } from "./activation.ts"
import { madd, storeFirst } from "./lanes.ts"

/** Bytes of a row of the copy: the sequence, the margins that the kernel reads, and the rest of a tile. */
function paddedRow(time: usize, width: usize, dilation: usize): usize {
  return (time + (width - 1) * dilation + 8) * 4
}

/** Sums at 8 times, of which `count` are within the sequence, with their bias through the activation. */
function store(y: usize, count: usize, a: v128, b: v128, bias: v128, kind: usize): void {
  storeFirst(y, activate(kind, f32x4.add(a, bias)), count)
  if (count > 4) storeFirst(y + 16, activate(kind, f32x4.add(b, bias)), count - 4)
}

export function conv1d(
  batch: usize,
  inputs: usize,
  outputs: usize,
  time: usize,
  width: usize,
  dilation: usize,
  causal: usize,
  activation: usize,
  x: usize,
  w: usize,
  b: usize,
  y: usize,
  work: usize,
  begin: usize,
  end: usize,
): void {
  const reach = (width - 1) * dilation
  const before = causal ? reach : reach / 2
  const row = paddedRow(time, width, dilation)
  const filter = inputs * width * 4
  memory.fill(work, 0, row * inputs)
  for (let sequence = begin; sequence < end; sequence++) {
    for (let input: usize = 0; input < inputs; input++) {
      memory.copy(work + input * row + before * 4, x + (sequence * inputs + input) * time * 4, time * 4)
    }
    for (let output: usize = 0; output < outputs; output += 4) {
      const o1 = min(output + 1, outputs - 1), o2 = min(output + 2, outputs - 1), o3 = min(output + 3, outputs - 1)
      const u1 = (o1 - output) * filter, u2 = (o2 - output) * filter, u3 = (o3 - output) * filter
      const own = y + sequence * outputs * time * 4
      for (let t: usize = 0; t < time; t += 8) {
        let a0 = f32x4.splat(0), a1 = a0, a2 = a0, a3 = a0, c0 = a0, c1 = a0, c2 = a0, c3 = a0
        let from = work + t * 4
        let weight = w + output * filter
        for (let input: usize = 0; input < inputs; input++) {
          let at = from
          for (const last = weight + width * 4; weight < last; weight += 4) {
            const p = v128.load(at), q = v128.load(at, 16)
            let u = v128.load32_splat(weight)
            a0 = madd(p, u, a0)
            c0 = madd(q, u, c0)
            u = v128.load32_splat(weight + u1)
            a1 = madd(p, u, a1)
            c1 = madd(q, u, c1)
            u = v128.load32_splat(weight + u2)
            a2 = madd(p, u, a2)
            c2 = madd(q, u, c2)
            u = v128.load32_splat(weight + u3)
            a3 = madd(p, u, a3)
            c3 = madd(q, u, c3)
            at += dilation * 4
          }
          from += row
        }
        const count = time - t
        store(own + (output * time + t) * 4, count, a0, c0, v128.load32_splat(b + output * 4), activation)
        store(own + (o1 * time + t) * 4, count, a1, c1, v128.load32_splat(b + o1 * 4), activation)
        store(own + (o2 * time + t) * 4, count, a2, c2, v128.load32_splat(b + o2 * 4), activation)
        store(own + (o3 * time + t) * 4, count, a3, c3, v128.load32_splat(b + o3 * 4), activation)
      }
    }
  }
}

export function conv1dUnits(
  batch: usize,
  inputs: usize,
  outputs: usize,
  time: usize,
  width: usize,
  dilation: usize,
  causal: usize,
  activation: usize,
): usize {
  return batch
}

export function conv1dWork(
  batch: usize,
  inputs: usize,
  outputs: usize,
  time: usize,
  width: usize,
  dilation: usize,
  causal: usize,
  activation: usize,
): f64 {
  return ((time as f64) + ((width - 1) as f64) * (dilation as f64) + 8) * 4 * (inputs as f64)
}

export function conv1dCost(
  batch: usize,
  inputs: usize,
  outputs: usize,
  time: usize,
  width: usize,
  dilation: usize,
  causal: usize,
  activation: usize,
): f64 {
  return (batch as f64) * (outputs as f64) * (time as f64) * (10 + (inputs as f64) * (width as f64))
}
