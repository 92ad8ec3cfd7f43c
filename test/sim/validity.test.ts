/**
 * The nine tests of validity that a radio simulator of rooms has to pass: the scene against geometry, textbook formulas, and
 * statistics of measured rooms. They judge the simulator, so that figures from simulated rooms mean something.
 */
import { describe, expect, it } from "vitest"
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import type { Vector3 } from "../../core/imaging/geometry.ts"
import { alignToReference, createAlignmentPlan } from "../../core/signal/alignment.ts"
import { Reducer } from "../../core/reduction/reduce.ts"
import { createClock } from "../../sim/impairments/clock.ts"
import { drawImpairments } from "../../sim/impairments/impairments.ts"
import { createReceiver } from "../../sim/impairments/receiver.ts"
import { createAspect } from "../../sim/radio/aspect.ts"
import { meanPower } from "../../sim/radio/field.ts"
import type { Mover } from "../../sim/radio/mover.ts"
import { createScene, type Scene } from "../../sim/radio/scene.ts"
import { createTones } from "../../sim/radio/tones.ts"
import { createRandom } from "../../sim/randomness/random.ts"
import { furnish } from "../../sim/rooms/room.ts"
import {
  boxRoom,
  distance,
  echoOf,
  nodesAt,
  openScene,
  peak,
  pointMover,
  radioAt,
  randomScene,
  range,
  responseOf,
  speedOfLightMps,
} from "./radio-room.ts"

const wavelengthAt = (frequencyHz: number): number => speedOfLightMps / frequencyHz

const quantile = (values: ReadonlyArray<number>, part: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(part * values.length))]!

const shareWithin = (values: ReadonlyArray<number>, low: number, high: number): number =>
  values.filter((value) => value >= low && value <= high).length / values.length

/** Excess of the way over a point against the straight way between two nodes. */
const excessM = (a: Vector3, b: Vector3, point: Vector3): number =>
  distance(a, point) + distance(point, b) - distance(a, b)

describe("(1) a single scatterer is where geometry puts it, to half a bin", () => {
  const a: Vector3 = [2, 4, 1]
  const b: Vector3 = [2, 8, 1.2]
  const points: ReadonlyArray<Vector3> = [[6, 6, 1], [9, 4, 1.3], [5, 8.5, 0.5], [2.5, 6, 2]]

  it.each(
    [
      [radioAt(2.437e9)],
      [radioAt(5.21e9, 80, "802.11ac")],
      [radioAt(5.25e9, 160, "802.11ac", 64)],
      [radioAt(6.105e9, 160, "802.11ax", 100)],
      [radioAt(5.51e9, 40, "802.11n", 14)],
    ] as const,
  )("in delay, %o", (radio) => {
    const scene = openScene([a, b], radio)
    const { indices, spacingHz } = scene.tones
    const omega = Array.from(indices, (index) => 2 * Math.PI * index * spacingHz * 1e-9)
    const halfBinNs = 0.5e9 / ((indices.at(-1)! - indices[0]!) * spacingHz)
    for (const point of points) {
      const echo = echoOf(scene, 0, 1, point)
      const values = Array.from(echo.re, (re, k) => [re, echo.im[k]!] as const)
      const truthNs = ((distance(a, point) + distance(point, b)) / speedOfLightMps) * 1e9
      expect(Math.abs(peak(values, omega, range(0, 80, 0.1)) - truthNs)).toBeLessThan(halfBinNs)
    }
  })

  it.each([2, 3, 4])("in angle, with %i antennas", (antennas) => {
    const scene = openScene([a, b], radioAt(5.5e9), antennas)
    const count = scene.tones.indices.length
    for (const point of points) {
      const echo = echoOf(scene, 0, 1, point)
      const middle = count >> 1
      const values = range(0, antennas - 1, 1).map((e) =>
        [echo.re[e * count + middle]!, echo.im[e * count + middle]!] as const
      )
      const truth = (point[1] - b[1]) / distance(point, b)
      const found = peak(values, range(0, antennas - 1, 1).map((e) => -Math.PI * e), range(-1, 1, 0.002))
      // A bin of n antennas half a wavelength apart is 2 / n.
      expect(Math.abs(found - truth)).toBeLessThan(1 / antennas)
    }
  })

  it("in Doppler, for any way to move", () => {
    const scene = openScene([a, b], radioAt(5.5e9))
    const times = range(-0.25, 0.249, 1e-3)
    const velocities: ReadonlyArray<Vector3> = [[1, 0, 0], [0.5, -1.1, 0.2], [-0.7, 0.7, -0.3]]
    for (const point of points) {
      for (const velocity of velocities) {
        const series = times.map((timeS) => {
          const place = point.map((value, axis) => value + timeS * velocity[axis]!) as unknown as Vector3
          const echo = echoOf(scene, 0, 1, place)
          return [echo.re[0]!, echo.im[0]!] as const
        })
        const towards = (node: Vector3): number =>
          velocity.reduce((sum: number, v, axis) => sum + v * (node[axis]! - point[axis]!), 0) / distance(node, point)
        const truthHz = (towards(a) + towards(b)) / wavelengthAt(5.5e9)
        const foundHz = peak(series, times.map((timeS) => -2 * Math.PI * timeS), range(-60, 60, 0.1))
        expect(Math.abs(foundHz - truthHz)).toBeLessThan(0.5 / 0.5)
      }
    }
  })
})

describe("(2) a walker at 1.2 m/s", () => {
  const dopplerHz = (frequencyHz: number, pointAt: (timeS: number) => Vector3): number => {
    const scene = openScene([[2, 9.9, 1], [2, 10.1, 1]], radioAt(frequencyHz))
    const times = range(0, 1.999, 1 / 200)
    const series = times.map((timeS) => {
      const echo = echoOf(scene, 0, 1, pointAt(timeS))
      return [echo.re[0]!, echo.im[0]!] as const
    })
    return peak(series, times.map((timeS) => -2 * Math.PI * timeS), range(-60, 60, 0.05))
  }
  const halfBinHz = 0.5 / 2

  it.each([[2.44e9, 19.5], [5.5e9, 44]] as const)("head-on at %f Hz gives %f Hz", (frequencyHz, truthHz) => {
    const found = dopplerHz(frequencyHz, (timeS) => [11 - 1.2 * timeS, 10, 1])
    expect(Math.abs(found - truthHz)).toBeLessThan(halfBinHz)
  })

  it.each([2.44e9, 5.5e9])("along the ellipse at %f Hz gives none", (frequencyHz) => {
    // The ellipse with the nodes as foci, 4 m and sqrt(16 - 0.01) m wide.
    const along = (timeS: number): Vector3 => {
      const angle = (1.2 * (timeS - 1)) / 4
      return [2 + Math.sqrt(16 - 0.01) * Math.cos(angle), 10 + 4 * Math.sin(angle), 1]
    }
    expect(Math.abs(dopplerHz(frequencyHz, along))).toBeLessThan(halfBinHz)
  })
})

it("(3) returns echo over line of sight as the bistatic radar equation says, to 0.1 dB", () => {
  const scene = openScene([[2, 2, 1], [7, 2, 1]], radioAt(2.437e9))
  const across = Math.sqrt(9 - 6.25)
  for (const [rcsM2, knownDb] of [[0.5, -19.1], [0.02, -33.1], [0.01, -36.1]] as const) {
    const echo = echoOf(scene, 0, 1, [4.5, 2 + across, 1], pointMover(rcsM2))
    const ratioDb = 10 * Math.log10(meanPower(echo) / meanPower(scene.empty(0, 1)))
    expect(Math.abs(ratioDb - 10 * Math.log10((rcsM2 * 25) / (4 * Math.PI * 81)))).toBeLessThan(0.1)
    expect(Math.abs(ratioDb - knownDb)).toBeLessThan(0.1)
  }
  const straight = Math.sqrt(meanPower(scene.empty(0, 1)))
  expect(straight).toBeCloseTo(wavelengthAt(2.437e9) / (4 * Math.PI * 5), 9)
})

describe.each([[2.437e9, 0.39], [5.5e9, 0.26]] as const)(
  "(4) a plate that moves outward at %f Hz",
  (frequencyHz, zoneM) => {
    const a: Vector3 = [2, 2, 1]
    const b: Vector3 = [7, 2, 1]
    const scene = openScene([a, b], radioAt(frequencyHz))
    const outward = range(0.05, 2, 0.0005)
    const middle = scene.tones.indices.length >> 1
    const toneHz = frequencyHz + scene.tones.indices[middle]! * scene.tones.spacingHz
    const series = outward.map((y) => {
      const place: Vector3 = [4.5, 2 + y, 1]
      const mover = pointMover(0.05)
      mover.points.set(place)
      const field = responseOf(scene, 0, 1, [mover])
      return { excessM: excessM(a, b, place), level: Math.hypot(field.re[middle]!, field.im[middle]!) }
    })
    const turns = series.filter(({ level }, i) => {
      const before = series[i - 1]?.level
      const after = series[i + 1]?.level
      return before !== undefined && after !== undefined && (level - before) * (after - level) < 0
    })

    it("meets minima and maxima every half wavelength of excess path", () => {
      expect(turns.length).toBeGreaterThan(8)
      const half = wavelengthAt(toneHz) / 2
      turns.slice(1).forEach((turn, i) => {
        expect(Math.abs(turn.excessM - turns[i]!.excessM - half)).toBeLessThan(0.06 * half)
      })
    })

    it("meets the first at the edge of the first zone, where the echo comes in opposition", () => {
      expect(Math.sqrt(2.5 * 2.5 * wavelengthAt(frequencyHz) / 5)).toBeCloseTo(zoneM, 2)
      const [first] = turns
      expect(Math.abs(first!.excessM - wavelengthAt(toneHz) / 2)).toBeLessThan(0.05 * wavelengthAt(toneHz))
      expect(first!.level).toBeLessThan(Math.hypot(scene.empty(0, 1).re[middle]!, scene.empty(0, 1).im[middle]!))
    })
  },
)

describe.each([[2.437e9, 0.51], [5.5e9, 1.15]] as const)("(5) breathing of 5 mm at %f Hz", (frequencyHz, swingRad) => {
  const a: Vector3 = [2, 2, 1]
  const b: Vector3 = [5, 2, 1]
  const scene = openScene([a, b], radioAt(frequencyHz))
  const breathM = 0.005
  const middle = scene.tones.indices.length >> 1
  const toneHz = frequencyHz + scene.tones.indices[middle]! * scene.tones.spacingHz
  /** Peak to peak of a breath in amplitude and in the echo's phase, of a chest `y` metres from the middle of the link. */
  const swingsAt = (y: number) => {
    const levels: Array<number> = []
    const phases: Array<number> = []
    for (const part of range(-0.5, 0.5, 0.125)) {
      const place: Vector3 = [3.5, 2 + y + part * breathM, 1]
      const echo = echoOf(scene, 0, 1, place)
      const empty = scene.empty(0, 1)
      levels.push(Math.hypot(echo.re[middle]! + empty.re[middle]!, echo.im[middle]! + empty.im[middle]!))
      phases.push(Math.atan2(echo.im[middle]!, echo.re[middle]!))
    }
    const turn = phases.at(-1)! - phases[0]!
    return {
      excessM: excessM(a, b, [3.5, 2 + y, 1]),
      level: Math.max(...levels) - Math.min(...levels),
      phase: Math.abs(turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI))),
    }
  }

  it("turns the echo by 4 pi breath cos(beta / 2) / lambda", () => {
    const { phase } = swingsAt(3)
    const cosHalf = 3 / Math.hypot(3, 1.5)
    expect(phase).toBeCloseTo((4 * Math.PI * breathM * cosHalf) / wavelengthAt(toneHz), 2)
    expect(phase / cosHalf).toBeCloseTo(swingRad, 1)
  })

  it("alternates between visible and invisible in amplitude, every quarter wavelength of excess path", () => {
    const quarter = wavelengthAt(toneHz) / 4
    const series = range(0.8, 1.6, 0.0005).map(swingsAt)
    const turns = series.filter(({ level }, i) => {
      const before = series[i - 1]?.level
      const after = series[i + 1]?.level
      return before !== undefined && after !== undefined && (level - before) * (after - level) < 0
    })
    const blind = turns.filter(({ level }) => level < 0.5 * quantile(series.map((at) => at.level), 0.5))
    const clear = turns.filter(({ level }) => level > quantile(series.map((at) => at.level), 0.5))
    expect(blind.length).toBeGreaterThan(3)
    blind.slice(1).forEach((at, i) => {
      expect(Math.abs(at.excessM - blind[i]!.excessM - 2 * quarter)).toBeLessThan(0.25 * quarter)
      const between = clear.filter(({ excessM }) => excessM > blind[i]!.excessM && excessM < at.excessM)
      const best = between.reduce((most, other) => (other.level > most.level ? other : most))
      expect(Math.abs(best.excessM - blind[i]!.excessM - quarter)).toBeLessThan(0.35 * quarter)
      expect(best.level).toBeGreaterThan(3 * at.level)
    })
  })
})

describe("(6) an empty room with every impairment leaves only noise", () => {
  const startUs = 1_700_000_000_000_000
  const seconds = 12

  it.each([1, 2, 3, 4])("after the service's own alignment, site %i", (seed) => {
    const size: Vector3 = [6, 5, 2.7]
    const room = { ...boxRoom(size, "brick"), furniture: furnish(size, 6, createRandom(seed, "furniture")) }
    const scene = createScene(
      room,
      nodesAt([[0.3, 1, 1.1], [5.7, 3.5, 1.3]]),
      createTones(radioAt(2.437e9)),
      3,
      (name) => createRandom(seed, name),
    )
    const { indices } = scene.tones
    const impairments = drawImpairments(createRandom(seed, "impairments"))
    const clocks = [0, 1].map((i) => createClock(impairments, createRandom(seed, `clock ${i}`)))
    const receiver = createReceiver(
      scene.tones,
      3,
      impairments,
      [scene.empty(0, 1), null],
      clocks,
      1,
      createRandom(seed, "hardware"),
      createRandom(seed, "noise"),
    )
    const values = 2 * 3 * indices.length
    const frames = 100 * seconds
    const csi = new Float32Array(frames * values)
    for (let f = 0; f < frames; f++) receiver.receive(0, scene.empty(0, 1), f / 100, csi, f * values)
    const batch: CsiBatch = {
      routerId: "n1",
      batchSequence: 1,
      source: "simulated",
      layout: {
        format: "simulated",
        receiveAntennas: 3,
        transmitAntennas: 1,
        subcarrierIndices: indices,
        subcarrierSpacingHz: scene.tones.spacingHz,
        centerFrequencyHz: scene.tones.centerFrequencyHz,
        bandwidthHz: scene.tones.bandwidthHz,
      },
      frameCount: frames,
      timestampsUs: Float64Array.from({ length: frames }, (_, f) => startUs + 10_000 * f),
      sequences: Uint32Array.from({ length: frames }, (_, f) => f),
      rssiDbm: new Int8Array(frames).fill(-40),
      noiseFloorDbm: new Int8Array(frames).fill(-95),
      transmitterIndex: new Uint16Array(frames),
      transmitterIds: ["n0"],
      csi,
    }
    const reducer = new Reducer("n1")
    reducer.startCalibration("empty", 10_000_000)
    reducer.push(batch)
    reducer.flush(startUs + seconds * 1e6)
    const reference = reducer.references()[0]!
    expect(reference.calibration).not.toBeNull()

    const plan = createAlignmentPlan(3, indices)
    const residual = new Float32Array(values)
    const ratiosDb = range(frames - 200, frames - 1, 1).map((f) => {
      alignToReference(plan, csi, f * values, reference.response, residual, 0)
      const power = csi.subarray(f * values, (f + 1) * values).reduce((sum, v) => sum + v * v, 0)
      const measured = residual.reduce((sum, v) => sum + v * v, 0) / (values / 2)
      // Noise, and rounding of both components by a uniform error of one step.
      return 10 * Math.log10(measured / (10 ** (-impairments.snrDb / 10) + (values / 12) / power))
    })
    // The median ignores packets with interference.
    expect(Math.abs(quantile(ratiosDb, 0.5))).toBeLessThan(0.7)
    expect(quantile(ratiosDb, 0.95)).toBeLessThan(2)
  })
})

/** Power-weighted statistics of the paths of a link. */
const statisticsOf = (scene: Scene, i: number, j: number) => {
  const paths = scene.paths(i, j)
  const powers = paths.map(({ im, re }) => re * re + im * im)
  const total = powers.reduce((sum, power) => sum + power, 0)
  const delaysNs = paths.map(({ lengthM }) => (lengthM / speedOfLightMps) * 1e9)
  const mean = delaysNs.reduce((sum, delay, p) => sum + delay * powers[p]!, 0) / total
  const square = delaysNs.reduce((sum, delay, p) => sum + (delay - mean) ** 2 * powers[p]!, 0) / total
  return {
    distanceM: paths[0]!.lengthM,
    kFactorDb: 10 * Math.log10(powers[0]! / (total - powers[0]!)),
    delaySpreadNs: Math.sqrt(square),
    levelDb: 10 * Math.log10(meanPower(scene.empty(i, j))),
  }
}

describe.each([2.437e9, 5.5e9])("over random rooms at %f Hz", (frequencyHz) => {
  const links = range(1, 60, 1).flatMap((seed) => {
    const scene = randomScene(seed, radioAt(frequencyHz))
    return range(1, 5, 1).flatMap((i) => range(0, i - 1, 1).map((j) => statisticsOf(scene, i, j)))
  }).filter(({ distanceM }) => distanceM > 1)

  it("(7) K factors lie within 0 to 10 dB and delay spreads within 15 to 50 ns", () => {
    expect(links.length).toBeGreaterThan(500)
    const factors = links.map(({ kFactorDb }) => kFactorDb)
    const spreads = links.map(({ delaySpreadNs }) => delaySpreadNs)
    expect(shareWithin(factors, 0, 10)).toBeGreaterThan(0.95)
    expect(shareWithin(spreads, 15, 50)).toBeGreaterThan(0.95)
    // They fill the ranges.
    expect(quantile(factors, 0.9) - quantile(factors, 0.1)).toBeGreaterThan(4)
    expect(quantile(spreads, 0.9) - quantile(spreads, 0.1)).toBeGreaterThan(12)
  })

  it("(9) levels fall with the logarithm of distance, exponent 1.6 to 2.2", () => {
    const x = links.map(({ distanceM }) => 10 * Math.log10(distanceM))
    const y = links.map(({ levelDb }) => levelDb)
    const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, v) => sum + v, 0) / values.length
    const covariance = mean(x.map((v, i) => (v - mean(x)) * (y[i]! - mean(y))))
    const exponent = -covariance / mean(x.map((v) => (v - mean(x)) ** 2))
    expect(exponent).toBeGreaterThan(1.6)
    expect(exponent).toBeLessThan(2.2)
  })
})

describe("(8) reciprocity", () => {
  const body = (x: number, seed: number): Mover => {
    const random = createRandom(seed, "body")
    return {
      rcsM2: new Float64Array(5).fill(0.1),
      points: Float64Array.from({ length: 15 }, (_, i) => (i % 3 === 0 ? x : 1) + 0.6 * random.uniform()),
      shadow: { low: Float64Array.of(x, 1.2, 0.9), high: Float64Array.of(x + 0.05, 1.2, 1.5), halfWidthM: 0.2 },
      aspect: createAspect(5, random),
      headingRad: seed,
      solids: null,
      attenuationDb: 2,
    }
  }

  it.each([[1, 1], [2, 3], [3, 3]])("i -> j equals j -> i, empty and with two bodies, room %i", (seed, antennas) => {
    const scene = randomScene(seed, radioAt(5.5e9, 40, "802.11n", 28), antennas)
    const count = scene.tones.indices.length
    const from = ((antennas - 1) / 2) * count
    // The second body is beyond a wall.
    const movers = [body(1, seed), body(-1, seed + 1)]
    for (let i = 0; i < 6; i++) {
      for (let j = 0; j < i; j++) {
        const fields = [
          [scene.empty(i, j), scene.empty(j, i)],
          [responseOf(scene, i, j, movers), responseOf(scene, j, i, movers)],
        ] as const
        for (const [there, back] of fields) {
          const scale = Math.sqrt(meanPower(there))
          for (let k = from; k < from + count; k++) {
            expect(Math.hypot(there.re[k]! - back.re[k]!, there.im[k]! - back.im[k]!)).toBeLessThan(1e-8 * scale)
          }
        }
        expect(meanPower(fields[0][0])).toBeGreaterThan(0)
        expect(fields[1][0].re).not.toEqual(fields[0][0].re)
      }
    }
  })
})
