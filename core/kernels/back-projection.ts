/**
 * Kernel `back-projection`: the normalised matched field of a grid of points over uniformly spaced tones.
 *
 * Inputs: dynamic responses [links][snapshots][antennas][tones] complex; steering [links][points][2]: the phase that a point's path
 * adds per tone and per antenna, radians. Output: [points], the sum over links of
 *
 *   rho = sum over snapshots |sum_a e^{j a psi} sum_k D_ak e^{j k theta}|^2 / (antennas tones sum |D|^2)
 *
 * with theta the phase per tone, psi that per antenna: rho is 1 if all energy of a link fits the point. A link without energy adds 0.
 * The sum over tones uses Horner's scheme in e^{j theta}.
 */
import type { Kernel } from "./kernel.ts"
import { between, normals, type Uniform } from "./samples.ts"
import { cis, complexProduct, declare, dispatchOf, workgroupSize } from "./wgsl.ts"

interface BackProjectionParams extends Readonly<Record<string, number>> {
  readonly points: number
  readonly links: number
  readonly antennas: number
  readonly tones: number
  readonly snapshots: number
}

const reference: Kernel<BackProjectionParams>["reference"] = (params, [dynamic, steering], output) => {
  const { antennas, links, points, snapshots, tones } = params
  const length = 2 * snapshots * antennas * tones
  const sums = new Float64Array(points)
  for (let link = 0; link < links; link++) {
    const own = dynamic!.subarray(link * length, (link + 1) * length)
    const energy = own.reduce((sum, value) => sum + value * value, 0)
    if (!(energy > 0)) continue
    for (let point = 0; point < points; point++) {
      const theta = steering![2 * (link * points + point)]!
      const psi = steering![2 * (link * points + point) + 1]!
      const matched = matchedEnergy(own, params, theta, psi)
      sums[point]! += matched / (antennas * tones * energy)
    }
  }
  output.set(sums)
}

/** Sum over snapshots of |sum_a e^{j a psi} sum_k D_ak e^{j k theta}|^2. */
const matchedEnergy = (
  dynamic: Float32Array,
  { antennas, snapshots, tones }: BackProjectionParams,
  theta: number,
  psi: number,
): number => {
  const [cosTheta, sinTheta, cosPsi, sinPsi] = [Math.cos(theta), Math.sin(theta), Math.cos(psi), Math.sin(psi)]
  let energy = 0
  for (let snapshot = 0; snapshot < snapshots; snapshot++) {
    let re = 0
    let im = 0
    for (let antenna = antennas - 1; antenna >= 0; antenna--) {
      let rowRe = 0
      let rowIm = 0
      for (let tone = tones - 1; tone >= 0; tone--) {
        const at = 2 * ((snapshot * antennas + antenna) * tones + tone)
        const turned = rowRe * cosTheta - rowIm * sinTheta + dynamic[at]!
        rowIm = rowRe * sinTheta + rowIm * cosTheta + dynamic[at + 1]!
        rowRe = turned
      }
      const turned = re * cosPsi - im * sinPsi + rowRe
      im = re * sinPsi + im * cosPsi + rowIm
      re = turned
    }
    energy += re * re + im * im
  }
  return energy
}

const names = ["points", "links", "antennas", "tones", "snapshots"] as const

/** One invocation per point. All read the same response at once; the workgroup sums a link's energy. */
const code = `
${declare(names, [["dynamic", "vec2f"], ["steering", "vec2f"]], "f32")}
${complexProduct}${cis}
const size = ${workgroupSize}u;
var<workgroup> partial: array<f32, ${workgroupSize}>;

@compute @workgroup_size(${workgroupSize})
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) counts: vec3u,
    @builtin(local_invocation_index) lane: u32) {
  let point = groupIndex(id, counts) * size + lane;
  let length = p.snapshots * p.antennas * p.tones;
  var score = 0.0;
  for (var link = 0u; link < p.links; link++) {
    let at = link * length;
    var own = 0.0;
    for (var i = lane; i < length; i += size) { own += dot(dynamic[at + i], dynamic[at + i]); }
    partial[lane] = own;
    workgroupBarrier();
    var energy = 0.0;
    for (var i = 0u; i < size; i++) { energy += partial[i]; }
    workgroupBarrier();

    let phases = steering[link * p.points + min(point, p.points - 1u)];
    let tone = cis(phases.x);
    let antenna = cis(phases.y);
    var matched = 0.0;
    for (var snapshot = 0u; snapshot < p.snapshots; snapshot++) {
      var sum = vec2f(0);
      for (var a = p.antennas; a > 0u; a--) {
        let first = at + (snapshot * p.antennas + a - 1u) * p.tones;
        var row = vec2f(0);
        for (var k = p.tones; k > 0u; k--) { row = mul(row, tone) + dynamic[first + k - 1u]; }
        sum = mul(sum, antenna) + row;
      }
      matched += dot(sum, sum);
    }
    if (energy > 0.0) { score += matched / (f32(p.antennas * p.tones) * energy); }
  }
  if (point < p.points) { result[point] = score; }
}
`

const gpujs = `function (p, dynamic, steering) {
  const points = p[0]
  const links = p[1]
  const antennas = p[2]
  const tones = p[3]
  const snapshots = p[4]
  let score = 0
  for (let link = 0; link < links; link++) {
    const theta = steering[2 * (link * points + this.thread.x)]
    const psi = steering[2 * (link * points + this.thread.x) + 1]
    const cosTheta = Math.cos(theta)
    const sinTheta = Math.sin(theta)
    const cosPsi = Math.cos(psi)
    const sinPsi = Math.sin(psi)
    let matched = 0
    let energy = 0
    for (let snapshot = 0; snapshot < snapshots; snapshot++) {
      let re = 0
      let im = 0
      for (let antenna = 0; antenna < antennas; antenna++) {
        const first = 2 * ((link * snapshots + snapshot) * antennas + antennas - 1 - antenna) * tones
        let rowRe = 0
        let rowIm = 0
        for (let tone = 0; tone < tones; tone++) {
          const at = first + 2 * (tones - 1 - tone)
          const valueRe = dynamic[at]
          const valueIm = dynamic[at + 1]
          const nextRe = rowRe * cosTheta - rowIm * sinTheta + valueRe
          rowIm = rowRe * sinTheta + rowIm * cosTheta + valueIm
          rowRe = nextRe
          energy += valueRe * valueRe + valueIm * valueIm
        }
        const sumRe = re * cosPsi - im * sinPsi + rowRe
        im = re * sinPsi + im * cosPsi + rowIm
        re = sumRe
      }
      matched += re * re + im * im
    }
    if (energy > 0) {
      score += matched / (antennas * tones * energy)
    }
  }
  return score
}`

/** Responses of one body each and noise, seen from a grid of phases. */
const sample = (params: BackProjectionParams, random: Uniform): ReadonlyArray<Float32Array> => {
  const { antennas, links, points, snapshots, tones } = params
  const dynamic = normals(2 * links * snapshots * antennas * tones, random, 0.2)
  const steering = between(2 * links * points, random, -2, 2)
  for (let link = 0; link < links; link++) {
    const theta = steering[2 * link * points]!
    const psi = steering[2 * link * points + 1]!
    for (let i = 0; i < snapshots * antennas * tones; i++) {
      const phase = -theta * (i % tones) - psi * (Math.floor(i / tones) % antennas)
      dynamic[2 * (link * snapshots * antennas * tones + i)]! += Math.cos(phase)
      dynamic[2 * (link * snapshots * antennas * tones + i) + 1]! += Math.sin(phase)
    }
  }
  return [dynamic, steering]
}

export const backProjection: Kernel<BackProjectionParams> = {
  name: "back-projection",
  params: names,
  inputs: ({ antennas, links, points, snapshots, tones }) => [
    2 * links * snapshots * antennas * tones,
    2 * links * points,
  ],
  output: ({ points }) => points,
  reference,
  wgsl: { code, workgroups: ({ points }) => dispatchOf(points, workgroupSize) },
  gpujs,
  nrmseMax: 1e-4,
  trial: { points: 1024, links: 30, antennas: 3, tones: 14, snapshots: 4 },
  sample,
}
