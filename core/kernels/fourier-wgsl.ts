/**
 * The Fourier transform as a WebGPU program, which the kernel `fft` completes with a function that loads one value.
 *
 * Stockham's transform of radix 4, with one step of radix 2 where the size is not a power of 4 (Govindaraju et al. 2008). Values stay in
 * registers. Between steps the invocations exchange them through workgroup memory, first the real and then the imaginary parts, so that
 * 4096 points fit into the 16 KB that every device has. A workgroup transforms 1024 points at once: one row of that size, or several shorter ones.
 */
import { transformSizeMax } from "../math/fourier.ts"
import { cis, complexProduct, dispatchOf } from "./wgsl.ts"

const lanes = 256
/** Least number of points of a workgroup: one butterfly of four for each invocation. */
const pointsMin = 4 * lanes
/** Butterflies of an invocation at the largest size. */
const butterfliesMax = transformSizeMax / pointsMin

export const transformWorkgroups = (rows: number, size: number): readonly [number, number, number] =>
  dispatchOf(rows, Math.max(1, pointsMin / size))

/** Loads the four elements of each butterfly into `v`. */
const loadElements = (rows: string): string =>
  `\
  for (var n = 0u; n < butterflies; n++) {
    let j = n * ${lanes}u + lane;
    let row = firstRow + j / quarter;
    for (var r = 0u; r < 4u; r++) {
      v[n][r] = load(min(row, ${rows} - 1u), j % quarter + r * quarter);
    }
  }
`

/** One step of radix 4 on `v`, or of radix 2 where only a factor of 2 remains. */
const transformStep = `\
    // The remaining factor is 4 or more, or 2: then a butterfly holds two pairs.
    let pairs = span * 2u == size;
    for (var n = 0u; n < butterflies; n++) {
      let j = (n * ${lanes}u + lane) % quarter;
      if (pairs) {
        // Elements r and r + 2 are half the size apart.
        let t0 = mul(v[n][2], cis(-3.14159265358979 * f32(j) / f32(span)));
        let t1 = mul(v[n][3], cis(-3.14159265358979 * f32(j + quarter) / f32(span)));
        let x0 = v[n][0];
        let x1 = v[n][1];
        v[n][0] = x0 + t0; v[n][2] = x0 - t0;
        v[n][1] = x1 + t1; v[n][3] = x1 - t1;
      } else {
        let angle = -1.570796326794897 * f32(j % span) / f32(span);
        let x0 = v[n][0];
        let x1 = mul(v[n][1], cis(angle));
        let x2 = mul(v[n][2], cis(2.0 * angle));
        let x3 = mul(v[n][3], cis(3.0 * angle));
        let a = x0 + x2;
        let b = x0 - x2;
        let c = x1 + x3;
        let d = vec2f(x1.y - x3.y, x3.x - x1.x);
        v[n][0] = a + c; v[n][1] = b + d; v[n][2] = a - c; v[n][3] = b - d;
      }
    }
`

/** Redistributes `v` over the invocations between two steps. */
const exchangeElements = `\
    for (var part = 0u; part < 2u; part++) {
      for (var n = 0u; n < butterflies; n++) {
        let j = n * ${lanes}u + lane;
        let at = (j / quarter) * size + ((j % quarter) / span) * 4u * span + j % span;
        for (var r = 0u; r < 4u; r++) { exchange[at + r * span] = v[n][r][part]; }
      }
      workgroupBarrier();
      for (var n = 0u; n < butterflies; n++) {
        let j = n * ${lanes}u + lane;
        let at = (j / quarter) * size + j % quarter;
        for (var r = 0u; r < 4u; r++) { v[n][r][part] = exchange[at + r * quarter]; }
      }
      workgroupBarrier();
    }
`

/** Stores `v` in the output. */
const storeElements = (rows: string): string =>
  `\
  for (var n = 0u; n < butterflies; n++) {
    let j = n * ${lanes}u + lane;
    let row = firstRow + j / quarter;
    if (row < ${rows}) {
      for (var r = 0u; r < 4u; r++) { result[row * size + j % quarter + r * quarter] = v[n][r]; }
    }
  }
`

/**
 * The program's `main`.
 *
 * @param rows WGSL for the number of rows that are transformed
 * @param load WGSL of a function `load(row: u32, i: u32) -> vec2f`
 */
export const transformProgram = (rows: string, load: string): string => `
${complexProduct}${cis}${load}
var<workgroup> exchange: array<f32, ${transformSizeMax}>;

@compute @workgroup_size(${lanes})
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) counts: vec3u,
    @builtin(local_invocation_index) lane: u32) {
  let size = p.size;
  let points = max(size, ${pointsMin}u);
  let quarter = size / 4u;
  let butterflies = points / ${pointsMin}u;
  let firstRow = groupIndex(id, counts) * (points / size);
  var v: array<array<vec2f, 4>, ${butterfliesMax}>;

${loadElements(rows)}
  var span = 1u;
  loop {
${transformStep}    if (pairs || span * 4u == size) { break; }

${exchangeElements}    span *= 4u;
  }

${storeElements(rows)}}
`
