/**
 * Common parts of the kernels' WebGPU programs: their bindings, and an e^{j angle} that is equal on every driver.
 */

/** Invocations of a workgroup, in programs that use one dimension. */
export const workgroupSize = 64

/** Largest dispatch per dimension that WebGPU guarantees. */
const dispatchMax = 65535

/** Workgroups for this number of items, in x and then in y. The program reads its number with `groupIndex`. */
export const dispatchOf = (items: number, itemsPerGroup = 1): readonly [number, number, number] => {
  const groups = Math.ceil(items / itemsPerGroup)
  const rows = Math.ceil(groups / dispatchMax)
  return [Math.ceil(groups / rows), rows, 1]
}

/**
 * Declares the parameters `p`, the inputs as read-only arrays and the output `result`, each with its element type, and
 * `groupIndex(id, counts)` for a program dispatched by `dispatchOf`.
 */
export const declare = (
  params: ReadonlyArray<string>,
  inputs: ReadonlyArray<readonly [name: string, type: string]>,
  output: string,
): string => `
struct Params { ${params.map((name) => `${name}: u32`).join(", ")} }
@group(0) @binding(0) var<uniform> p: Params;
${
  inputs.map(([name, type], i) => `@group(0) @binding(${i + 1}) var<storage, read> ${name}: array<${type}>;`).join("\n")
}
@group(0) @binding(${inputs.length + 1}) var<storage, read_write> result: array<${output}>;

fn groupIndex(id: vec3u, counts: vec3u) -> u32 { return id.y * counts.x + id.x; }
`

/** Product of complex numbers. */
export const complexProduct = `
fn mul(a: vec2f, b: vec2f) -> vec2f { return vec2f(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
`

/**
 * `cis(angle)`: (cos, sin) of an angle in radians. The built-in functions differ by driver, up to 1e-2 after a few dozen products; these
 * polynomials on [-pi/4, pi/4] (Taylor, error below 4e-8) do not. The angle is reduced with pi/2 in three parts (Cody and Waite).
 */
export const cis = `
fn cis(angle: f32) -> vec2f {
  let quarter = round(angle * 0.63661977236758134);
  let x = ((angle - quarter * 1.5703125) - quarter * 4.837512969970703e-4) - quarter * 7.54978995489188e-8;
  let y = x * x;
  let c = 1.0 + y * (-0.5 + y * (4.16666679084e-2 + y * (-1.3888889225e-3 + y * 2.48015809e-5)));
  let s = x + x * y * (-0.16666667163 + y * (8.3333337680e-3 + y * (-1.98412701e-4 + y * 2.755731922e-6)));
  let turned = (i32(quarter) & 1) == 1;
  let cosine = select(c, s, turned);
  let sine = select(s, c, turned);
  return vec2f(
    select(cosine, -cosine, ((i32(quarter) + 1) & 2) == 2),
    select(sine, -sine, (i32(quarter) & 2) == 2));
}
`
