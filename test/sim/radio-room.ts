/** Helpers of the radio tests: rooms, nodes, point scatterers, and searches for peaks. */
import type { RadioNode, Vector3 } from "../../core/imaging/geometry.ts"
import { type Air, indoorAir } from "../../sim/radio/air.ts"
import { createField, type Field } from "../../sim/radio/field.ts"
import type { Mover } from "../../sim/radio/mover.ts"
import { createScene, type Scene } from "../../sim/radio/scene.ts"
import { createTones, type RadioSettings } from "../../sim/radio/tones.ts"
import { createRandom, type Random, uniformIn } from "../../sim/randomness/random.ts"
import { type MaterialName, materialNames } from "../../sim/rooms/materials.ts"
import { furnish, type RoomDescription } from "../../sim/rooms/room.ts"

export const speedOfLightMps = 299_792_458

/** Only the straight path between upright antennas. */
export const freeSpace: Air = {
  ...indoorAir,
  diffusePaths: [0, 0],
  specularPower: [0, 0],
  breakpointM: [1000, 1000],
  tiltRad: [0, 0],
}

export const boxRoom = (size: Vector3, material: MaterialName = "concrete"): RoomDescription => ({
  size,
  surfaces: { west: material, east: material, south: material, north: material, floor: material, ceiling: material },
  openings: [],
  furniture: [],
})

export const radioAt = (
  centerFrequencyHz: number,
  bandwidthMhz = 20,
  standard: RadioSettings["standard"] = "802.11n",
  subcarriers: RadioSettings["subcarriers"] = "all",
): RadioSettings => ({ centerFrequencyHz, bandwidthMhz, standard, subcarriers })

export const nodesAt = (places: ReadonlyArray<Vector3>, arrayAxis: Vector3 = [0, 1, 0]): ReadonlyArray<RadioNode> =>
  places.map((position, i) => ({ nodeId: `n${i}`, position, arrayAxis }))

/** A scene of nodes in free space. */
export const openScene = (places: ReadonlyArray<Vector3>, radio: RadioSettings, antennas = 1): Scene =>
  createScene(
    boxRoom([20, 20, 5]),
    nodesAt(places),
    createTones(radio),
    antennas,
    (name) => createRandom(1, name),
    { air: freeSpace, bounces: 0 },
  )

/** A mover of one scatterer without a shadow or an aspect. */
export const pointMover = (rcsM2 = 0.5): Mover => ({
  rcsM2: Float64Array.of(rcsM2),
  points: new Float64Array(3),
  shadow: null,
  aspect: null,
  headingRad: 0,
  solids: null,
  attenuationDb: 0,
})

/** The response of a link with movers. */
export const responseOf = (scene: Scene, i: number, j: number, movers: ReadonlyArray<Mover>): Field => {
  const field = createField(scene.tones, scene.antennas)
  scene.illuminate(movers)
  scene.respond(i, j, field)
  return field
}

/** The contribution of a point at `place` to a link's response. */
export const echoOf = (scene: Scene, i: number, j: number, place: Vector3, mover = pointMover()): Field => {
  mover.points.set(place)
  const field = responseOf(scene, i, j, [mover])
  const empty = scene.empty(i, j)
  return {
    ...field,
    re: field.re.map((value, k) => value - empty.re[k]!),
    im: field.im.map((value, k) => value - empty.im[k]!),
  }
}

export const distance = (p: Vector3, q: Vector3): number => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2])

/** Where |sum_i value_i e^{j scale_i x}| is largest for x of `candidates`. */
export const peak = (
  values: ReadonlyArray<readonly [re: number, im: number]>,
  scales: ReadonlyArray<number>,
  candidates: ReadonlyArray<number>,
): number => {
  let best = candidates[0]!
  let most = -1
  for (const x of candidates) {
    let re = 0
    let im = 0
    values.forEach(([valueRe, valueIm], i) => {
      const c = Math.cos(scales[i]! * x)
      const s = Math.sin(scales[i]! * x)
      re += valueRe * c - valueIm * s
      im += valueRe * s + valueIm * c
    })
    if (re * re + im * im > most) {
      most = re * re + im * im
      best = x
    }
  }
  return best
}

export const range = (from: number, to: number, step: number): ReadonlyArray<number> =>
  Array.from({ length: Math.floor((to - from) / step + 1e-9) + 1 }, (_, i) => from + i * step)

const pick = <T>(values: ReadonlyArray<T>, random: Random): T => values[Math.floor(random.uniform() * values.length)]!

/** A random furnished room with six nodes at heights where people put them. */
export const randomScene = (seed: number, radio: RadioSettings, antennas = 1): Scene => {
  const random = createRandom(seed, "room")
  const size: Vector3 = [uniformIn(random, 3, 10), uniformIn(random, 3, 8), uniformIn(random, 2.4, 3.2)]
  const wall = (): MaterialName => pick(materialNames, random)
  const room: RoomDescription = {
    size,
    surfaces: {
      west: wall(),
      east: wall(),
      south: wall(),
      north: wall(),
      floor: pick(["concrete", "wood", "floorboard"], random),
      ceiling: pick(["concrete", "ceilingBoard", "plasterboard"], random),
    },
    openings: [],
    furniture: furnish(size, Math.floor(uniformIn(random, 2, 12)), random),
  }
  const places = Array.from({ length: 6 }, (): Vector3 => [
    uniformIn(random, 0.3, size[0] - 0.3),
    uniformIn(random, 0.3, size[1] - 0.3),
    uniformIn(random, 0.7, 1.7),
  ])
  return createScene(
    room,
    nodesAt(places),
    createTones(radio),
    antennas,
    (name) => createRandom(seed, name),
  )
}
