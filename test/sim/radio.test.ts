import { describe, expect, it } from "vitest"
import type { Vector3 } from "../../core/imaging/geometry.ts"
import { indoorAir } from "../../sim/radio/air.ts"
import { createAspect, writeAspect } from "../../sim/radio/aspect.ts"
import { createField, type Field, meanPower } from "../../sim/radio/field.ts"
import type { Mover } from "../../sim/radio/mover.ts"
import { createScene, type Scene } from "../../sim/radio/scene.ts"
import { knifeEdge } from "../../sim/radio/shadow.ts"
import { createTones, radioMistake, type RadioSettings } from "../../sim/radio/tones.ts"
import { createRandom } from "../../sim/randomness/random.ts"
import { fresnel } from "../../sim/rooms/materials.ts"
import { imageIn, type RoomDescription, type Surface, surfacesOf } from "../../sim/rooms/room.ts"
import {
  boxRoom,
  distance,
  echoOf,
  freeSpace,
  nodesAt,
  openScene,
  pointMover,
  radioAt,
  range,
  responseOf,
  speedOfLightMps,
} from "./radio-room.ts"

const minus = (a: Field, b: Field): Field => ({
  ...a,
  re: a.re.map((value, k) => value - b.re[k]!),
  im: a.im.map((value, k) => value - b.im[k]!),
})

/** Bare walls that reflect like mirrors of their material, and nothing random. */
const bare = { ...freeSpace, specularPower: [1, 1] } as const

const sceneIn = (
  room: RoomDescription,
  places: ReadonlyArray<Vector3>,
  radio: RadioSettings,
  antennas = 1,
  options: Parameters<typeof createScene>[5] = { air: bare },
): Scene => createScene(room, nodesAt(places), createTones(radio), antennas, (name) => createRandom(1, name), options)

/** A torso of half width 0.2 m that stands at (x, y) and does not scatter. */
const torso = (x: number, y: number): Mover => ({
  ...pointMover(1e-12),
  points: Float64Array.of(x, y, 1.2),
  shadow: { low: Float64Array.of(x, y, 0.9), high: Float64Array.of(x, y, 1.5), halfWidthM: 0.2 },
})

describe("tones", () => {
  it.each(
    [
      [radioAt(2.437e9), 56, 312_500],
      [radioAt(2.437e9, 40), 114, 312_500],
      [radioAt(5.21e9, 80, "802.11ac"), 242, 312_500],
      [radioAt(5.25e9, 160, "802.11ac"), 484, 312_500],
      [radioAt(2.437e9, 20, "802.11ax"), 242, 78_125],
      [radioAt(6.105e9, 160, "802.11ax"), 1992, 78_125],
    ] as const,
  )("of %o are those of the standard", (radio, count, spacingHz) => {
    const tones = createTones(radio)
    expect(tones.indices.length).toBe(count)
    expect(tones.spacingHz).toBe(spacingHz)
    expect(tones.grouping).toBe(1)
  })

  it.each([[20, 14, 4], [20, 18, 3], [40, 28, 4], [40, 57, 2]] as const)(
    "of %i MHz as means in %i groups are the middles of %i neighbours",
    (bandwidthMhz, count, grouping) => {
      const all = createTones(radioAt(2.437e9, bandwidthMhz)).indices
      const tones = createTones(radioAt(2.437e9, bandwidthMhz, "802.11n", count))
      expect(tones.indices.length).toBe(count)
      expect(tones.grouping).toBe(grouping)
      expect([...tones.indices].every((index) => all.includes(index))).toBe(true)
      expect(Math.abs(tones.indices[0]! + tones.indices.at(-1)!)).toBeLessThanOrEqual(grouping)
      const distances = [...tones.indices].slice(1).map((index, i) => index - tones.indices[i]!)
      expect(distances.every((step) => step % grouping === 0)).toBe(true)
    },
  )

  it("names the mistake in an invalid radio", () => {
    expect(radioMistake(radioAt(2.437e9))).toBeNull()
    expect(radioMistake(radioAt(2.437e9, 80, "802.11ax"))).toContain("use 20 or 40")
    expect(radioMistake(radioAt(5.21e9, 80))).toContain("no channels of 80 MHz")
    expect(radioMistake(radioAt(6.105e9, 80, "802.11ac"))).toContain("use 802.11ax")
    expect(radioMistake(radioAt(3e9))).toContain("No Wi-Fi band")
    expect(radioMistake(radioAt(5.16e9, 40))).toContain("move the centre")
    expect(radioMistake(radioAt(2.437e9, 20, "802.11n", 57))).toContain("from 2 to 56")
    expect(() => createTones(radioAt(3e9))).toThrow("No Wi-Fi band")
  })
})

/** Reflection of an upright wave along k by vectors: field split by the plane of incidence, reflected, received. */
const coPolar = ({ axis, material }: Surface, k: Vector3, frequencyHz: number): readonly [number, number] => {
  const into = k.map((value, i) => (i === axis ? -value : value)) as unknown as Vector3
  const normal: Vector3 = [axis === 0 ? 1 : 0, axis === 1 ? 1 : 0, axis === 2 ? 1 : 0]
  const cross = (a: Vector3, b: Vector3): Vector3 => [
    a[1] * b[2] - a[2] * b[1],
    a[2] * b[0] - a[0] * b[2],
    a[0] * b[1] - a[1] * b[0],
  ]
  const unit = (v: Vector3): Vector3 => v.map((value) => value / Math.hypot(...v)) as unknown as Vector3
  const dot = (a: Vector3, b: Vector3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
  const upright = (along: Vector3): Vector3 =>
    unit([-along[2] * along[0], -along[2] * along[1], 1 - along[2] * along[2]])
  const s = unit(cross(k, normal))
  const { te, tm } = fresnel(material, Math.abs(k[axis]), frequencyHz)
  const perpendicular = dot(upright(into), s) * dot(upright(k), s)
  const parallel = dot(upright(into), cross(s, into)) * dot(upright(k), cross(s, k))
  return [te.re * perpendicular + tm.re * parallel, te.im * perpendicular + tm.im * parallel]
}

describe("the echo of a point in a room with walls", () => {
  it.each(
    [
      [radioAt(2.437e9), 3],
      [radioAt(5.25e9, 160, "802.11ac", 100), 2],
      [radioAt(5.5e9, 40, "802.11n", 28), 1],
    ] as const,
  )("is the sum over all images of both nodes, %o, %i antennas", (radio, antennas) => {
    const room = boxRoom([6, 5, 2.8], "brick")
    const a: Vector3 = [0.4, 1, 1.2]
    const b: Vector3 = [5.2, 3.9, 0.9]
    const point: Vector3 = [3.1, 2.2, 1.6]
    const scene = sceneIn(room, [a, b], radio, antennas)
    const echo = echoOf(scene, 0, 1, point, pointMover(0.3))
    const f = radio.centerFrequencyHz
    const wavelengthM = speedOfLightMps / f
    const pattern = (k: Vector3): number => Math.sqrt(1 - (1 - 0.3 ** 2) * k[2] * k[2])
    /** One leg at one frequency, the long way. */
    const leg = (middle: Vector3, element: Vector3, frequencyHz: number): readonly [number, number] => {
      let re = 0
      let im = 0
      for (const surface of [null, ...surfacesOf(room)]) {
        const from = surface === null ? middle : imageIn(surface, middle)
        const k = point.map((value, axis) => (value - from[axis]!) / distance(point, from)) as unknown as Vector3
        const [gRe, gIm] = surface === null ? [1, 0] as const : coPolar(surface, k, f)
        const lengthM = distance(point, surface === null ? element : imageIn(surface, element))
        const rad = (-2 * Math.PI * frequencyHz * lengthM) / speedOfLightMps
        const gain = pattern(k) / distance(point, from)
        re += gain * (gRe * Math.cos(rad) - gIm * Math.sin(rad))
        im += gain * (gRe * Math.sin(rad) + gIm * Math.cos(rad))
      }
      return [re, im]
    }
    const { indices, spacingHz } = scene.tones
    const scale = Math.sqrt(0.3) * wavelengthM / (4 * Math.PI) ** 1.5
    const rms = Math.sqrt(meanPower(echo))
    for (let e = 0; e < antennas; e++) {
      const element: Vector3 = [b[0], b[1] + ((e - (antennas - 1) / 2) * wavelengthM) / 2, b[2]]
      for (let k = 0; k < indices.length; k++) {
        const frequencyHz = f + indices[k]! * spacingHz
        const [aRe, aIm] = leg(a, a, frequencyHz)
        const [bRe, bIm] = leg(b, element, frequencyHz)
        const i = e * indices.length + k
        // The coefficients come from a table.
        expect(Math.abs(echo.re[i]! - scale * (aRe * bRe - aIm * bIm))).toBeLessThan(1e-3 * rms)
        expect(Math.abs(echo.im[i]! - scale * (aRe * bIm + aIm * bRe))).toBeLessThan(1e-3 * rms)
      }
    }
  })

  it("without images is exact to nanoradians at every tone and antenna", () => {
    const a: Vector3 = [1, 1, 1]
    const b: Vector3 = [18, 17, 2]
    const point: Vector3 = [15, 3, 1.5]
    const scene = openScene([a, b], radioAt(5.25e9, 160, "802.11ac"), 3)
    const echo = echoOf(scene, 0, 1, point)
    const { indices, spacingHz } = scene.tones
    for (const e of [0, 1, 2]) {
      const element: Vector3 = [b[0], b[1] + ((e - 1) * speedOfLightMps) / 5.25e9 / 2, b[2]]
      const lengthM = distance(a, point) + distance(point, element)
      indices.forEach((index, k) => {
        const rad = (-2 * Math.PI * (5.25e9 + index * spacingHz) * lengthM) / speedOfLightMps
        const i = e * indices.length + k
        const error = Math.atan2(echo.im[i]!, echo.re[i]!) - rad
        expect(Math.abs(error - 2 * Math.PI * Math.round(error / (2 * Math.PI)))).toBeLessThan(1e-8)
      })
    }
  })

  it("keeps the strongest images when fewer are requested", () => {
    const places: ReadonlyArray<Vector3> = [[0.4, 1, 1.2], [5.2, 3.9, 0.9]]
    const echo = (bounces: number): Field =>
      echoOf(sceneIn(boxRoom([6, 5, 2.8]), places, radioAt(2.437e9), 1, { air: bare, bounces }), 0, 1, [3, 2, 1.6])
    const whole = echo(6)
    const errors = [0, 2, 4, 6].map((bounces) => meanPower(minus(echo(bounces), whole)) / meanPower(whole))
    expect(errors[0]).toBeGreaterThan(0.05)
    expect(errors[2]!).toBeLessThan(errors[0]!)
    expect(errors[3]).toBe(0)
  })
})

describe("the empty room", () => {
  const room = boxRoom([6, 5, 2.8], "brick")
  const a: Vector3 = [1, 1, 1.2]
  const b: Vector3 = [5, 4, 1.2]

  it("has the line of sight, 6 reflections, 18 double ones, and a tail of 20 to 40 paths", () => {
    const paths = sceneIn(room, [a, b], radioAt(2.437e9), 1, {}).paths(0, 1)
    const count = (kind: string): number => paths.filter((path) => path.kind === kind).length
    expect([count("line of sight"), count("reflection"), count("double reflection")]).toEqual([1, 6, 18])
    expect(count("diffuse")).toBeGreaterThanOrEqual(indoorAir.diffusePaths[0])
    expect(count("diffuse")).toBeLessThanOrEqual(indoorAir.diffusePaths[1])
    expect(new Set(paths.map(({ source }) => source.map((v) => v.toFixed(6)).join(" "))).size).toBe(paths.length)
  })

  it("reflects at the floor with the parallel coefficient, at walls with the perpendicular one when level", () => {
    const paths = sceneIn(room, [a, b], radioAt(2.437e9)).paths(0, 1)
    const west = paths[1]!
    const cosWest = (a[0] + b[0]) / west.lengthM
    const { te } = fresnel("brick", cosWest, 2.437e9)
    const free = speedOfLightMps / 2.437e9 / (4 * Math.PI * west.lengthM)
    expect(Math.hypot(west.re / free - te.re, west.im / free - te.im)).toBeLessThan(1e-3)
    const floor = paths[5]!
    const cosFloor = 2.4 / floor.lengthM
    const { tm } = fresnel("brick", cosFloor, 2.437e9)
    const tilted = 1 - (1 - 0.3 ** 2) * cosFloor ** 2
    const down = (speedOfLightMps / 2.437e9 / (4 * Math.PI * floor.lengthM)) * tilted
    expect(Math.hypot(floor.re / down - tm.re, floor.im / down - tm.im)).toBeLessThan(1e-3)
  })

  it("is the same for the same streams and another for others", () => {
    const of = (seed: number): Float64Array =>
      createScene(room, nodesAt([a, b]), createTones(radioAt(2.437e9)), 2, (name) => createRandom(seed, name)).empty(
        0,
        1,
      ).re
    expect(of(1)).toEqual(of(1))
    expect(of(1)).not.toEqual(of(2))
  })

  it("loses 35 dB a decade beyond the breakpoint", () => {
    const far = (breakpointM: number): number => {
      const air = { ...freeSpace, breakpointM: [breakpointM, breakpointM] } as const
      const hall = boxRoom([20, 20, 5])
      return meanPower(sceneIn(hall, [[1, 1, 1], [17, 1, 1]], radioAt(2.437e9), 1, { air, bounces: 0 }).empty(0, 1))
    }
    expect(10 * Math.log10(far(4) / far(100))).toBeCloseTo(-15 * Math.log10(4), 6)
  })
})

describe("shadows", () => {
  it("follow the single knife edge of ITU-R P.526", () => {
    const lossDb = (v: number): number => -20 * Math.log10(knifeEdge(v, 2, 2, 2))
    // v = reach sqrt(2 (2 + 2) / (2 x 2 x 2)) = reach.
    expect(lossDb(0)).toBeCloseTo(6.03, 1)
    expect(lossDb(1)).toBeCloseTo(13.9, 0)
    expect(lossDb(2.4)).toBeCloseTo(20.5, 0)
    expect(lossDb(-0.8)).toBeCloseTo(0, 12)
  })

  const a: Vector3 = [2, 2, 1.2]
  const b: Vector3 = [7, 2, 1.2]
  const open = openScene([a, b], radioAt(2.437e9))
  const lossDb = (x: number, y: number): number =>
    10 * Math.log10(meanPower(open.empty(0, 1)) / meanPower(responseOf(open, 0, 1, [torso(x, y)])))

  it("take 3 to 14 dB of the line of sight behind a torso, nothing beside it or beyond its ends", () => {
    expect(lossDb(4.5, 2)).toBeGreaterThan(3)
    expect(lossDb(4.5, 2)).toBeLessThan(14)
    expect(lossDb(4.5, 2.3)).toBeLessThan(lossDb(4.5, 2))
    expect(Math.abs(lossDb(4.5, 3))).toBeLessThan(1e-4)
    expect(Math.abs(lossDb(8.5, 2))).toBeLessThan(1e-4)
  })

  it("change without a jump", () => {
    const losses = range(1, 3, 0.01).map((y) => lossDb(4.5, y))
    losses.slice(1).forEach((loss, i) => expect(Math.abs(loss - losses[i]!)).toBeLessThan(0.5))
    expect(Math.max(...losses)).toBeGreaterThan(8)
  })

  it.each([["before", 1], ["after", -1]] as const)(
    "cut a reflection %s the wall, and leave the line of sight",
    (_, side) => {
      const scene = sceneIn(boxRoom([9, 8, 3], "brick"), [a, b], radioAt(2.437e9))
      // The reflection at the south wall touches it halfway; a body stands in one of its two parts.
      const changed = minus(responseOf(scene, 0, 1, [torso(4.5 - side * 1.2, 0.95)]), scene.empty(0, 1))
      const south = scene.paths(0, 1)[3]!
      expect(south.lengthM).toBeCloseTo(Math.hypot(5, 4), 9)
      const { indices, spacingHz } = scene.tones
      const ratios = Array.from(indices, (index, k) => {
        const rad = (-2 * Math.PI * (2.437e9 + index * spacingHz) * south.lengthM) / speedOfLightMps
        const re = south.re * Math.cos(rad) - south.im * Math.sin(rad)
        const im = south.re * Math.sin(rad) + south.im * Math.cos(rad)
        return -(changed.re[k]! * re + changed.im[k]! * im) / (re * re + im * im)
      })
      const lost = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length
      expect(lost).toBeGreaterThan(0.5)
      expect(lost).toBeLessThan(1)
      ratios.forEach((ratio) => expect(Math.abs(ratio - lost)).toBeLessThan(0.02))
    },
  )

  it("hide a limb behind its own torso, and another body behind a torso", () => {
    const nodes: ReadonlyArray<Vector3> = [[2, 10, 1.2], [2, 10.4, 1.2]]
    const scene = openScene(nodes, radioAt(5.5e9))
    const powerDb = (movers: ReadonlyArray<Mover>): number =>
      10 * Math.log10(meanPower(minus(responseOf(scene, 0, 1, movers), scene.empty(0, 1))))
    const limb = (x: number, shadow: Mover["shadow"]): Mover => ({
      ...pointMover(0.05),
      points: Float64Array.of(x, 10.2, 1.2),
      shadow,
    })
    const { shadow } = torso(6, 10.2)
    expect(powerDb([limb(6.4, null)]) - powerDb([limb(6.4, shadow)])).toBeGreaterThan(12)
    expect(powerDb([limb(5.6, null)]) - powerDb([limb(5.6, shadow)])).toBeLessThan(0.5)
    // A point of the torso itself is on its surface, not behind it.
    expect(powerDb([limb(6.1, null)]) - powerDb([limb(6.1, shadow)])).toBe(0)
    expect(powerDb([limb(8, null)]) - powerDb([limb(8, null), torso(6, 10.2)])).toBeGreaterThan(12)
    expect(Math.abs(powerDb([limb(8, null)]) - powerDb([limb(8, null), torso(6, 12)]))).toBeLessThan(0.1)
  })
})

describe("a body in the next room", () => {
  const room: RoomDescription = {
    ...boxRoom([6, 5, 2.8], "concrete"),
    openings: [{ surface: "east", fromM: 1, toM: 2, heightM: 2.1 }],
  }
  const places: ReadonlyArray<Vector3> = [[1, 1.4, 1], [1, 1.6, 1]]
  const walled = sceneIn(room, places, radioAt(2.437e9), 1, { air: freeSpace })
  const powerDb = (x: number, y: number, attenuationDb = 0): number =>
    10 * Math.log10(meanPower(echoOf(walled, 0, 1, [x, y, 1], { ...pointMover(), attenuationDb })))
  /** Power of the radar equation relative to that of a point at 1 m. */
  const freeDb = (x: number, y: number): number =>
    -20 * Math.log10(Math.hypot(x - 1, y - 1.4) * Math.hypot(x - 1, y - 1.6))

  it("is seen through the wall with its loss twice, and through an open door without", () => {
    const reference = powerDb(5, 1.5) - freeDb(5, 1.5)
    expect(powerDb(7, 4) - freeDb(7, 4) - reference).toBeCloseTo(-24, 1)
    expect(powerDb(7, 1.5) - freeDb(7, 1.5) - reference).toBeCloseTo(0, 1)
    expect(powerDb(5, 1.5, 5)).toBeCloseTo(powerDb(5, 1.5) - 10, 6)
  })

  it("comes through the door without a jump", () => {
    const levels = range(5, 7, 0.02).map((x) => powerDb(x, 1.9))
    levels.slice(1).forEach((level, i) => expect(Math.abs(level - levels[i]!)).toBeLessThan(0.5))
  })
})

describe("aspect", () => {
  it("makes a link's power log-normal with about 0.5 Np, smoothly over the bearing", () => {
    const points = 400
    const aspect = createAspect(points, createRandom(3, "aspect"))
    const one = new Float64Array(2)
    const other = new Float64Array(2)
    const logs: Array<number> = []
    for (let point = 0; point < points; point++) {
      writeAspect(aspect, point, 1, 0, one)
      writeAspect(aspect, point, Math.cos(1.8), Math.sin(1.8), other)
      logs.push(2 * Math.log(Math.hypot(...one) * Math.hypot(...other)))
      writeAspect(aspect, point, Math.cos(0.01), Math.sin(0.01), other)
      expect(Math.hypot(one[0]! - other[0]!, one[1]! - other[1]!)).toBeLessThan(0.08)
    }
    const mean = logs.reduce((sum, v) => sum + v, 0) / points
    const deviation = Math.sqrt(logs.reduce((sum, v) => sum + (v - mean) ** 2, 0) / points)
    expect(Math.abs(mean)).toBeLessThan(0.1)
    expect(deviation).toBeGreaterThan(0.35)
    expect(deviation).toBeLessThan(0.6)
  })

  it("turns with the body: a quarter turn of both is the view from a quarter turn away", () => {
    const scene = openScene([[4, 10, 1], [4, 10.2, 1]], radioAt(2.437e9))
    const aspect = createAspect(1, createRandom(5, "aspect"))
    const powerAt = (headingRad: number): number =>
      meanPower(echoOf(scene, 0, 1, [8, 10.1, 1], { ...pointMover(), aspect, headingRad }))
    expect(powerAt(2 * Math.PI)).toBeCloseTo(powerAt(0), 12)
    expect(Math.abs(10 * Math.log10(powerAt(Math.PI / 2) / powerAt(0)))).toBeGreaterThan(0.2)
  })
})

it("adds up many movers, returns to the empty room, and rejects too many movers", () => {
  const places: ReadonlyArray<Vector3> = [[1, 1, 1], [5, 4, 1], [5, 1, 1.4]]
  const scene = sceneIn(boxRoom([6, 5, 2.8]), places, radioAt(2.437e9), 2)
  const movers = [[2, 2, 1], [3, 3, 0.5], [4, 2, 1.5]].map((point) => ({
    ...pointMover(0.2),
    points: Float64Array.from(point),
  }))
  const all = minus(responseOf(scene, 2, 1, movers), scene.empty(2, 1))
  const each = movers.map((mover) => minus(responseOf(scene, 2, 1, [mover]), scene.empty(2, 1)))
  all.re.forEach((re, k) => expect(re).toBeCloseTo(each.reduce((sum, field) => sum + field.re[k]!, 0), 12))
  expect(responseOf(scene, 2, 1, []).re).toEqual(scene.empty(2, 1).re)
  const crowd = { ...pointMover(), rcsM2: new Float64Array(5000), points: new Float64Array(15_000) }
  expect(() => scene.illuminate([crowd])).toThrow("remove some movers")
  const field = createField(scene.tones, 2)
  scene.illuminate(movers)
  scene.respond(2, 1, field)
  expect(field.re).toEqual(responseOf(scene, 2, 1, movers).re)
})
