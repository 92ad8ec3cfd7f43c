/**
 * Kernel `matched-field`: the likelihood of a body at each point of a room's grid, over all links.
 *
 * Inputs: share tables [links][entries][2 antennas - 1][2]; per link [links][2] the prior of its share and the
 * logarithm of its echo's power; cells [links][points][4], each place in a table at least 0 and below entries - 1.
 * Output: [points]. The computation is that of `likelihood.ts`; `explained-power.ts` defines tables and cells.
 */
import { remainderWeight, shareMax } from "./explained-power.ts"
import type { Kernel } from "./kernel.ts"
import { likelihoodOf, type LikelihoodSizes, looks, rangeLawWeight } from "./likelihood.ts"
import { between, type Uniform } from "./samples.ts"
import { declare, dispatchOf, workgroupSize } from "./wgsl.ts"

type MatchedFieldParams = LikelihoodSizes & Readonly<Record<string, number>>

const reference: Kernel<MatchedFieldParams>["reference"] = (params, inputs, output) => {
  const [tables, perLink, cells] = inputs as [Float32Array, Float32Array, Float32Array]
  likelihoodOf(params, { tables, perLink }, cells, output)
}

const names = ["points", "links", "entries", "antennas"] as const

/** One invocation per point. */
const code = `
${declare(names, [["tables", "vec2f"], ["perLink", "vec2f"], ["cells", "vec4f"]], "f32")}
@compute @workgroup_size(${workgroupSize})
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) counts: vec3u,
    @builtin(local_invocation_index) lane: u32) {
  let point = groupIndex(id, counts) * ${workgroupSize}u + lane;
  if (point >= p.points) { return; }
  let width = 2u * p.antennas - 1u;
  var fit = 0.0;
  var sum = 0.0;
  var squares = 0.0;
  for (var link = 0u; link < p.links; link++) {
    let cell = cells[link * p.points + point];
    let own = perLink[link];
    let entry = min(u32(cell.x), p.entries - 2u);
    let rest = cell.x - f32(entry);
    let low = (link * p.entries + entry) * width;
    let high = low + width;
    // x: matched energy, y: energy of the steering vector.
    var energy = mix(tables[low], tables[high], rest);
    var turn = 2.0 * cell.yz;
    for (var i = 1u; i < width; i += 2u) {
      energy += turn.x * mix(tables[low + i], tables[high + i], rest) -
        turn.y * mix(tables[low + i + 1u], tables[high + i + 1u], rest);
      turn = vec2f(turn.x * cell.y - turn.y * cell.z, turn.x * cell.z + turn.y * cell.y);
    }
    energy = max(energy, vec2f(0));
    let share = min(${shareMax}, (energy.x + own.x) / (energy.y + ${remainderWeight}));
    fit -= ${looks}.0 * log(1.0 - share);
    let z = own.y + cell.w;
    sum += z;
    squares += z * z;
  }
  result[point] = fit - ${rangeLawWeight} * (squares - sum * sum / f32(p.links));
}
`

const gpujs = `function (p, tables, perLink, cells) {
  const points = p[0]
  const links = p[1]
  const entries = p[2]
  const antennas = p[3]
  const width = 4 * antennas - 2
  let fit = 0
  let sum = 0
  let squares = 0
  for (let link = 0; link < links; link++) {
    const cell = 4 * (link * points + this.thread.x)
    const stepRe = cells[cell + 1]
    const stepIm = cells[cell + 2]
    const entry = Math.floor(cells[cell])
    const rest = cells[cell] - entry
    const keep = 1 - rest
    const low = (link * entries + entry) * width
    const high = low + width
    let matched = keep * tables[low] + rest * tables[high]
    let left = keep * tables[low + 1] + rest * tables[high + 1]
    let re = 2 * stepRe
    let im = 2 * stepIm
    for (let lag = 1; lag < antennas; lag++) {
      const i = 4 * lag - 2
      matched += re * (keep * tables[low + i] + rest * tables[high + i])
        - im * (keep * tables[low + i + 2] + rest * tables[high + i + 2])
      left += re * (keep * tables[low + i + 1] + rest * tables[high + i + 1])
        - im * (keep * tables[low + i + 3] + rest * tables[high + i + 3])
      const next = re * stepRe - im * stepIm
      im = re * stepIm + im * stepRe
      re = next
    }
    const share = Math.min(${shareMax}, (Math.max(0, matched) + perLink[2 * link]) / (Math.max(0, left) + ${remainderWeight}))
    fit -= ${looks} * Math.log(1 - share)
    const z = perLink[2 * link + 1] + cells[cell + 3]
    sum += z
    squares += z * z
  }
  return fit - ${rangeLawWeight} * (squares - sum * sum / links)
}`

/** Tables, priors and cells with the values of a typical room. */
const sample = (params: MatchedFieldParams, random: Uniform): ReadonlyArray<Float32Array> => {
  const { antennas, entries, links, points } = params
  const width = 2 * antennas - 1
  const tables = new Float32Array(2 * links * entries * width)
  for (let i = 0; i < links * entries; i++) {
    for (let value = 0; value < width; value++) {
      const whole = value === 0 ? 0.4 + 0.6 * random() : (random() - 0.5) / antennas
      tables[2 * (i * width + value)] = whole * random()
      tables[2 * (i * width + value) + 1] = whole
    }
  }
  const cells = new Float32Array(4 * links * points)
  for (let i = 0; i < links * points; i++) {
    const angle = 2 * Math.PI * random()
    cells.set([(entries - 1.01) * random(), Math.cos(angle), Math.sin(angle), 2 * random() - 1], 4 * i)
  }
  return [tables, between(2 * links, random, 0, remainderWeight), cells]
}

export const matchedField: Kernel<MatchedFieldParams> = {
  name: "matched-field",
  params: names,
  inputs: ({ antennas, entries, links, points }) => {
    if (entries < 2) throw new RangeError(`matched-field: a table needs at least 2 path lengths, not ${entries}`)
    return [2 * links * entries * (2 * antennas - 1), 2 * links, 4 * links * points]
  },
  output: ({ points }) => points,
  reference,
  wgsl: { code, workgroups: ({ points }) => dispatchOf(points, workgroupSize) },
  gpujs,
  nrmseMax: 1e-5,
  trial: { points: 1024, links: 30, entries: 64, antennas: 3 },
  sample,
}
