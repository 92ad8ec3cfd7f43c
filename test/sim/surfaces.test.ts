/**
 * The tests of validity of the second radio model, as `validity.test.ts` has them for the first: geometry, textbook formulas, and
 * statistics of measured rooms.
 */
import { describe, expect, it } from "vitest"
import type { Vector3 } from "../../core/imaging/geometry.ts"
import { createPerson } from "../../sim/people/person.ts"
import { createField, type Field, meanPower } from "../../sim/radio/field.ts"
import type { Mover } from "../../sim/radio/mover.ts"
import { writeScreened } from "../../sim/radio/surfaces/diffraction.ts"
import { waveNumberOf, writeWeight } from "../../sim/radio/surfaces/physical-optics.ts"
import { createSurfaceScene } from "../../sim/radio/surfaces/surface-scene.ts"
import { createTones, type RadioSettings } from "../../sim/radio/tones.ts"
import { createRandom, uniformIn } from "../../sim/randomness/random.ts"
import { furnish } from "../../sim/rooms/room.ts"
import { createBodySolids, drawCrossSection } from "../../sim/simulation/body-solids.ts"
import { boxRoom, distance, nodesAt, peak, radioAt, range, speedOfLightMps } from "./radio-room.ts"

type Scene = ReturnType<typeof createSurfaceScene>

const freeSpace = { near: [], far: [], specularPower: 0, thicknessM: 0.1 } as const

const openScene = (places: ReadonlyArray<Vector3>, radio: RadioSettings, antennas = 1): Scene =>
  createSurfaceScene(
    boxRoom([20, 20, 5]),
    nodesAt(places),
    createTones(radio),
    antennas,
    (name) => createRandom(1, name),
    freeSpace,
  )

/** An upright cylinder as a mover; it casts no shadow. */
const cylinderAt = (place: Vector3, crossSectionM2 = 1, lengthM = 0.2, radiusM = 0.1): Mover => ({
  rcsM2: new Float64Array(0),
  points: new Float64Array(0),
  shadow: null,
  aspect: null,
  solids: {
    pieces: Float64Array.of(
      place[0],
      place[1],
      place[2] - lengthM / 2,
      place[0],
      place[1],
      place[2] + lengthM / 2,
      radiusM,
      radiusM,
    ),
    screens: new Float64Array(0),
    left: Float64Array.of(1, 0, 0),
    trunkPieces: 1,
    crossSectionM2,
  },
  headingRad: 0,
  attenuationDb: 0,
})

const responseOf = (scene: Scene, i: number, j: number, movers: ReadonlyArray<Mover>): Field => {
  const field = createField(scene.tones, scene.antennas)
  scene.illuminate(movers)
  scene.respond(i, j, field)
  return field
}

const echoOf = (scene: Scene, i: number, j: number, mover: Mover): Field => {
  const field = responseOf(scene, i, j, [mover])
  const empty = scene.empty(i, j)
  return {
    ...field,
    re: field.re.map((value, k) => value - empty.re[k]!),
    im: field.im.map((value, k) => value - empty.im[k]!),
  }
}

/** A standing adult of girth 1 at (x, y). */
const standing = (x: number, y: number, headingRad: number, crossSectionM2 = 1): Mover => {
  const person = createPerson(
    {
      heightM: 1.72,
      girth: 1,
      walkingSpeedMps: 1,
      breathing: { ratePerMinute: 12, chestMm: 5 },
      heart: { ratePerMinute: 60, chestMm: 0.3 },
      behaviour: { kind: "script", steps: [{ do: "stand", seconds: 100 }], loop: true },
    },
    { rooms: [{ roomId: "room", low: [0, 0], high: [5, 5] }], doors: [], seats: [], beds: [], obstacles: [] },
    createRandom(1, "person"),
  )
  const state = person.at(1)
  const { follow, solids } = createBodySolids(1, crossSectionM2)
  follow(person.posture, [0, 0])
  const turn = headingRad - state.headingRad
  const cos = Math.cos(turn)
  const sin = Math.sin(turn)
  const moveAt = (
    values: Float64Array,
    at: number,
    [fromX, fromY]: readonly [number, number],
    toX: number,
    toY: number,
  ) => {
    const dx = values[at]! - fromX
    const dy = values[at + 1]! - fromY
    values[at] = toX + dx * cos - dy * sin
    values[at + 1] = toY + dx * sin + dy * cos
  }
  for (const values of [solids.pieces, solids.screens]) {
    for (let at = 0; at < values.length; at += 8) {
      moveAt(values, at, [state.x, state.y], x, y)
      moveAt(values, at + 3, [state.x, state.y], x, y)
    }
  }
  moveAt(solids.left, 0, [0, 0], 0, 0)
  return { ...cylinderAt([x, y, 1]), solids }
}

describe("(1) a cylinder is where geometry puts it, to half a bin", () => {
  const a: Vector3 = [2, 4, 1]
  const b: Vector3 = [2, 8, 1.2]
  const places: ReadonlyArray<Vector3> = [[6, 6, 1], [9, 4, 1.3], [5, 8.5, 0.8]]
  /** The specular line is one radius nearer to both ends. */
  const lengthM = (place: Vector3): number => distance(a, place) + distance(place, b) - 0.2

  it.each([[radioAt(2.437e9)], [radioAt(5.25e9, 160, "802.11ac", 64)]] as const)("in delay, %o", (radio) => {
    const scene = openScene([a, b], radio)
    const { indices, spacingHz } = scene.tones
    const omega = Array.from(indices, (index) => 2 * Math.PI * index * spacingHz * 1e-9)
    const halfBinNs = 0.5e9 / ((indices.at(-1)! - indices[0]!) * spacingHz)
    for (const place of places) {
      const echo = echoOf(scene, 0, 1, cylinderAt(place))
      const found = peak(Array.from(echo.re, (re, k) => [re, echo.im[k]!] as const), omega, range(0, 80, 0.1))
      expect(Math.abs(found - (lengthM(place) / speedOfLightMps) * 1e9)).toBeLessThan(halfBinNs)
    }
  })

  it("in angle, with 3 antennas", () => {
    const scene = openScene([a, b], radioAt(5.5e9), 3)
    const count = scene.tones.indices.length
    for (const place of places) {
      const echo = echoOf(scene, 0, 1, cylinderAt(place))
      const values = [0, 1, 2].map((e) =>
        [echo.re[e * count + (count >> 1)]!, echo.im[e * count + (count >> 1)]!] as const
      )
      const found = peak(values, [0, -Math.PI, -2 * Math.PI], range(-1, 1, 0.002))
      expect(Math.abs(found - (place[1] - b[1]) / distance(place, b))).toBeLessThan(1 / 3)
    }
  })
})

describe("(2) a body that moves at 1.2 m/s", () => {
  it.each([[2.44e9, 19.5], [5.5e9, 44]] as const)("head-on at %f Hz gives %f Hz", (frequencyHz, truthHz) => {
    const scene = openScene([[2, 9.9, 1], [2, 10.1, 1]], radioAt(frequencyHz))
    const times = range(0, 1.999, 1 / 200)
    const series = times.map((timeS) => {
      const echo = echoOf(scene, 0, 1, cylinderAt([11 - 1.2 * timeS, 10, 1], 1e4))
      return [echo.re[0]!, echo.im[0]!] as const
    })
    const found = peak(series, times.map((timeS) => -2 * Math.PI * timeS), range(-60, 60, 0.05))
    expect(Math.abs(found - truthHz)).toBeLessThan(0.25)
  })
})

describe("(3) cross sections", () => {
  const k = waveNumberOf(2.44e9)
  const wavelengthM = (2 * Math.PI) / k
  const crossSectionOf = (piece: Float64Array, u: Vector3, v: Vector3): number => {
    const out = new Float64Array(2)
    writeWeight(piece, 0, ...u, ...v, k, out)
    return ((out[0]! ** 2 + out[1]! ** 2) * (4 * Math.PI) ** 3) / wavelengthM ** 2
  }
  const cylinder = (length: number, width: number, depth: number): Float64Array =>
    Float64Array.of(0, 0, 0, 0, 0, 1, length, width, depth, 1, 0, 0, 1, 0)

  it("of a cylinder at broadside is k r l^2, in every direction around it", () => {
    for (const u of [[1, 0, 0], [0, 1, 0], [Math.SQRT1_2, Math.SQRT1_2, 0]] as const) {
      expect(crossSectionOf(cylinder(0.3, 0.05, 0.05), u, u)).toBeCloseTo(k * 0.05 * 0.09, 6)
    }
  })

  it("of an elliptic one follows the radius of curvature", () => {
    const trunk = cylinder(0.3, 0.17, 0.1)
    expect(crossSectionOf(trunk, [0, 1, 0], [0, 1, 0])).toBeCloseTo(k * (0.17 ** 2 / 0.1) * 0.09, 6)
    expect(crossSectionOf(trunk, [1, 0, 0], [1, 0, 0])).toBeCloseTo(k * (0.1 ** 2 / 0.17) * 0.09, 6)
  })

  it("vanishes in the first null over elevation, and where the normal is not seen", () => {
    const sin = wavelengthM / (2 * 0.3)
    const u: Vector3 = [Math.sqrt(1 - sin * sin), 0, sin]
    expect(crossSectionOf(cylinder(0.3, 0.05, 0.05), u, u)).toBeLessThan(1e-6)
    expect(crossSectionOf(cylinder(0.3, 0.05, 0.05), [1, 0, 0], [-1, 0, 0])).toBe(0)
  })

  it("of a standing body is on average as given, over directions, and differs between them", () => {
    const random = createRandom(1, "directions")
    const strength = 1e4
    const sections = range(0, 199, 1).map((i) => {
      const end = (): Vector3 => {
        const bearing = uniformIn(random, 0, 2 * Math.PI)
        const far = uniformIn(random, 2, 4)
        return [10 + far * Math.cos(bearing), 10 + far * Math.sin(bearing), uniformIn(random, 0.3, 2.3)]
      }
      const [a, b] = [end(), end()]
      const scene = openScene([a, b], radioAt(2.437e9))
      const body = { ...standing(10, 10, (i * Math.PI) / 36, strength) }
      body.solids!.screens.fill(0)
      const d1d2 = distance(a, [10, 10, 1]) * distance(b, [10, 10, 1])
      const ratio = meanPower(echoOf(scene, 0, 1, body)) / meanPower(scene.empty(0, 1))
      return (ratio * 4 * Math.PI * d1d2 ** 2) / distance(a, b) ** 2 / strength
    }).sort((a, b) => a - b)
    // Without the two percent in which the line of sight is in the null of an antenna.
    const usual = sections.slice(0, 196)
    const mean = usual.reduce((sum, value) => sum + value, 0) / usual.length
    expect(Math.abs(10 * Math.log10(mean))).toBeLessThan(3)
    expect(sections[180]! / sections[20]!).toBeGreaterThan(10)
  })

  it("are drawn from 0.1 to 1.9 m^2", () => {
    const random = createRandom(1, "cross sections")
    const drawn = range(1, 400, 1).map(() => drawCrossSection(random)).sort((a, b) => a - b)
    expect(drawn[0]).toBeGreaterThanOrEqual(0.1)
    expect(drawn.at(-1)).toBeLessThanOrEqual(1.9)
    expect(drawn[200]).toBeGreaterThan(0.35)
    expect(drawn[200]).toBeLessThan(0.55)
  })
})

describe("(4) diffraction", () => {
  const out = new Float64Array(2)
  const edgeDb = (v: number): number => 6.9 + 20 * Math.log10(Math.sqrt((v - 0.1) ** 2 + 1) + v - 0.1)
  /** The scale of v is 1 at these distances. */
  const d = 2
  const wavelengthM = (2 * 2 * d) / (d * d)

  it("at one edge agrees with the knife edge of ITU-R P.526 to 0.5 dB", () => {
    for (const v of [-0.5, 0, 0.5, 1, 1.5, 2, 2.4]) {
      writeScreened(-1e3, v, -1e3, 1e3, d, d, wavelengthM, out)
      expect(Math.abs(-20 * Math.log10(Math.hypot(out[0]!, out[1]!)) - edgeDb(v))).toBeLessThan(0.5)
    }
  })

  it("is stronger behind the middle of a narrow screen than behind one edge, and nothing far beside it", () => {
    writeScreened(-1, 1, -1e3, 1e3, d, d, wavelengthM, out)
    expect(20 * Math.log10(Math.hypot(out[0]!, out[1]!))).toBeGreaterThan(-edgeDb(1) + 4)
    writeScreened(6, 8, -1, 1, d, d, wavelengthM, out)
    expect([...out]).toEqual([1, 0])
  })

  it.each([2.437e9, 5.5e9])(
    "of a person who crosses a link takes 5 to 30 dB at most, and ripples beside it, %f Hz",
    (frequencyHz) => {
      const scene = openScene([[8, 10, 1.1], [12, 10, 1.1]], radioAt(frequencyHz))
      const levels = range(-1.5, 1.5, 0.02).map((y) =>
        10 *
        Math.log10(
          meanPower(responseOf(scene, 0, 1, [standing(10, 10 + y, Math.PI / 2)])) / meanPower(scene.empty(0, 1)),
        )
      )
      expect(Math.min(...levels)).toBeLessThan(-5)
      expect(Math.min(...levels)).toBeGreaterThan(-30)
      expect(Math.max(...levels)).toBeGreaterThan(0.5)
    },
  )
})

it("(5) the front of the chest moves with the breath, and turns the echo by 4 pi breath / lambda", () => {
  const scene = openScene([[10, 9.99, 1.1], [10, 10.01, 1.1]], radioAt(2.437e9))
  const phaseAt = (breathM: number): number => {
    const mover = cylinderAt([13, 10, 1.1], 1e4)
    mover.solids!.pieces[0]! -= breathM / 2
    mover.solids!.pieces[3]! -= breathM / 2
    mover.solids!.pieces[6]! += breathM / 2
    mover.solids!.pieces[7]! += breathM / 2
    const echo = echoOf(scene, 0, 1, mover)
    return Math.atan2(echo.im[0]!, echo.re[0]!)
  }
  const turn = phaseAt(0.005) - phaseAt(0)
  expect(turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI))).toBeCloseTo((4 * Math.PI * 0.005) / 0.123, 1)
})

/** A random furnished room with six nodes. */
const randomScene = (seed: number, frequencyHz: number, antennas = 1): Scene => {
  const random = createRandom(seed, "room")
  const size: Vector3 = [uniformIn(random, 3, 10), uniformIn(random, 3, 8), uniformIn(random, 2.4, 3.2)]
  const material = (["plasterboard", "brick", "concrete", "wood"] as const)[seed % 4]!
  const room = { ...boxRoom(size, material), furniture: furnish(size, 5, random) }
  const places = range(1, 6, 1).map((): Vector3 => [
    uniformIn(random, 0.3, size[0] - 0.3),
    uniformIn(random, 0.3, size[1] - 0.3),
    uniformIn(random, 0.7, 1.7),
  ])
  return createSurfaceScene(
    room,
    nodesAt(places),
    createTones(radioAt(frequencyHz)),
    antennas,
    (name) => createRandom(seed, name),
  )
}

describe.each([2.437e9, 5.5e9])("over random rooms at %f Hz", (frequencyHz) => {
  const links = range(1, 40, 1).flatMap((seed) => {
    const scene = randomScene(seed, frequencyHz)
    return range(1, 5, 1).flatMap((i) =>
      range(0, i - 1, 1).map((j) => {
        const paths = scene.paths(i, j)
        const powers = paths.map(({ im, re }) => re * re + im * im)
        const total = powers.reduce((sum, power) => sum + power, 0)
        const delays = paths.map(({ lengthM }) => (lengthM / speedOfLightMps) * 1e9)
        const mean = delays.reduce((sum, delay, p) => sum + delay * powers[p]!, 0) / total
        const square = delays.reduce((sum, delay, p) => sum + (delay - mean) ** 2 * powers[p]!, 0) / total
        return {
          distanceM: paths[0]!.lengthM,
          kFactorDb: 10 * Math.log10(powers[0]! / (total - powers[0]!)),
          spreadNs: Math.sqrt(square),
          levelDb: 10 * Math.log10(meanPower(scene.empty(i, j))),
        }
      })
    )
  }).filter(({ distanceM }) => distanceM > 1)
  const sorted = (values: ReadonlyArray<number>): ReadonlyArray<number> => [...values].sort((a, b) => a - b)
  const quantile = (values: ReadonlyArray<number>, part: number): number =>
    sorted(values)[Math.floor(part * (values.length - 1))]!

  it("(7) K factors and delay spreads are those of homes and offices", () => {
    const factors = links.map(({ kFactorDb }) => kFactorDb)
    const spreads = links.map(({ spreadNs }) => spreadNs)
    expect(quantile(factors, 0.1)).toBeGreaterThan(-4)
    expect(quantile(factors, 0.9)).toBeLessThan(12)
    expect(quantile(spreads, 0.1)).toBeGreaterThan(8)
    expect(quantile(spreads, 0.9)).toBeLessThan(50)
  })

  it("(9) levels fall with the logarithm of distance, exponent 1.3 to 2.2", () => {
    const x = links.map(({ distanceM }) => 10 * Math.log10(distanceM))
    const y = links.map(({ levelDb }) => levelDb)
    const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, v) => sum + v, 0) / values.length
    const covariance = mean(x.map((v, i) => (v - mean(x)) * (y[i]! - mean(y))))
    const exponent = -covariance / mean(x.map((v) => (v - mean(x)) ** 2))
    expect(exponent).toBeGreaterThan(1.3)
    expect(exponent).toBeLessThan(2.2)
  })
})

it.each([[1, 1], [2, 3]])("(8) reciprocity: i -> j equals j -> i with a body, room %i", (seed, antennas) => {
  const scene = randomScene(seed, 5.5e9, antennas)
  const count = scene.tones.indices.length
  const from = ((antennas - 1) / 2) * count
  const movers = [standing(1.5, 1.4, 0.4)]
  for (let i = 0; i < 6; i++) {
    for (let j = 0; j < i; j++) {
      const there = responseOf(scene, i, j, movers)
      const back = responseOf(scene, j, i, movers)
      const scale = Math.sqrt(meanPower(there))
      for (let k = from; k < from + count; k++) {
        expect(Math.hypot(there.re[k]! - back.re[k]!, there.im[k]! - back.im[k]!)).toBeLessThan(1e-8 * scale)
      }
      expect(there.re).not.toEqual(scene.empty(i, j).re)
    }
  }
})

it("responds to no movers with the empty room, bit by bit", () => {
  const scene = randomScene(3, 2.437e9)
  expect(responseOf(scene, 0, 1, []).re).toEqual(scene.empty(0, 1).re)
})
