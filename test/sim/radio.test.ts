import { describe, expect, it } from "vitest"
import type { Vector3 } from "../../core/imaging/geometry.ts"
import { scatterers } from "../../sim/bodies/gait.ts"
import { createField, createTones, type Field } from "../../sim/radio/field.ts"
import { addBody, createLink, drawPair, echoAmplitude, type Link, shadowing } from "../../sim/radio/link.ts"
import { createRandom } from "../../sim/random.ts"
import { furnish, imageIn, reflectionMagnitude, type RoomDescription, surfacesOf } from "../../sim/rooms/room.ts"

const speedOfLightMps = 299_792_458
const room: RoomDescription = { size: [12, 8, 3], walls: "wood", floor: "wood", ceiling: "wood", furniture: 3 }
const tones = createTones(2.437e9, 40)
const wavelengthM = speedOfLightMps / 2.437e9

const node = (nodeId: string, position: Vector3) => ({ nodeId, position, arrayAxis: [0, 1, 0] as const })
const a = node("a", [0.2, 2, 1])
const b = node("b", [0.2, 6, 1.2])

const linkBetween = (transmitter: typeof a, receiver: typeof a, antennas = 3): Link => {
  const draws = drawPair(createRandom(1, "pair"), 3, 1)
  return createLink(
    room,
    furnish(room, createRandom(1, "furniture")),
    tones,
    antennas,
    { transmitter, receiver },
    draws,
  )
}

const distance = (p: Vector3, q: Vector3): number => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2])

/** A body whose scatterers are all at one point. */
const pointBody = (point: Vector3): Float64Array =>
  Float64Array.from({ length: scatterers.length * 3 }, (_, i) => point[i % 3]!)

const echoOf = (link: Link, point: Vector3, antennas = 3): Field => {
  const field = createField(tones, antennas)
  addBody(field, tones, link, 0, pointBody(point))
  return field
}

/** Where |sum_i value_i e^{j scale_i x}|^2 is largest for x of `candidates`. */
const peak = (
  values: ReadonlyArray<readonly [number, number]>,
  scales: ReadonlyArray<number>,
  candidates: ReadonlyArray<number>,
): number => {
  let best = candidates[0]!
  let most = -1
  for (const x of candidates) {
    let re = 0
    let im = 0
    for (const [i, [vRe, vIm]] of values.entries()) {
      const c = Math.cos(scales[i]! * x)
      const s = Math.sin(scales[i]! * x)
      re += vRe * c - vIm * s
      im += vRe * s + vIm * c
    }
    if (re * re + im * im > most) {
      most = re * re + im * im
      best = x
    }
  }
  return best
}

const range = (from: number, to: number, step: number): ReadonlyArray<number> =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step)

const meanPower = ({ re, im }: Field): number =>
  re.reduce((sum, value, i) => sum + value * value + im[i]! * im[i]!, 0) / re.length

describe("the radio of a room", () => {
  it.each<Vector3>([[4, 4, 1], [7, 2, 1.3], [3, 6.5, 0.5]])("puts an echo at %s at its delay and angle", (...point) => {
    const link = linkBetween(a, b)
    const field = echoOf(link, point)
    const count = tones.indices.length
    const row = Array.from({ length: count }, (_, k) => [field.re[k]!, field.im[k]!] as const)
    const omega = Array.from(tones.indices, (index) => 2 * Math.PI * index * tones.spacingHz * 1e-9)
    const delayNs = peak(row, omega, range(0, 120, 0.5))
    const halfBinNs = 0.5e9 / ((tones.indices[count - 1]! - tones.indices[0]!) * tones.spacingHz)
    const truthNs = ((distance(a.position, point) + distance(point, b.position)) / speedOfLightMps) * 1e9
    expect(Math.abs(delayNs - truthNs)).toBeLessThan(halfBinNs)

    const column = [0, 1, 2].map((antenna) => [field.re[antenna * count]!, field.im[antenna * count]!] as const)
    const cosArrival = peak(column, [Math.PI, 0, -Math.PI], range(-1, 1, 0.01))
    const truth = (point[1] - b.position[1]) / distance(point, b.position)
    // Half a bin of three antennas, half a wavelength apart.
    expect(Math.abs(cosArrival - truth)).toBeLessThan(1 / 3)
  })

  it("gives a walker at 1.2 m/s towards both nodes 19.5 Hz, and one along the ellipse none", () => {
    const near = node("near", [0.2, 3.9, 1])
    const pair = linkBetween(near, node("far", [0.2, 4.1, 1]), 1)
    const rateHz = 100
    const doppler = (pointAt: (timeS: number) => Vector3): number => {
      const times = range(0, 1.999, 1 / rateHz)
      const series = times.map((timeS) => {
        const field = echoOf(pair, pointAt(timeS), 1)
        return [field.re[0]!, field.im[0]!] as const
      })
      return peak(series, times.map((timeS) => -2 * Math.PI * timeS), range(-50, 50, 0.05))
    }
    const halfBinHz = 0.5 / 2
    expect(Math.abs(doppler((timeS) => [9 - 1.2 * timeS, 4, 1]) - 19.5)).toBeLessThan(halfBinHz)
    const radiusM = 4
    const around = (timeS: number): Vector3 => {
      const angle = (1.2 * (timeS - 1)) / radiusM
      return [0.2 + radiusM * Math.cos(angle), 4 + radiusM * Math.sin(angle), 1]
    }
    expect(Math.abs(doppler(around))).toBeLessThan(halfBinHz)
  })

  it("returns echo over line of sight as the bistatic radar equation says", () => {
    const link = linkBetween(a, node("b", [5.2, 2, 1]))
    const lineOfSight = Math.sqrt(meanPower(link.lineOfSight))
    const ratioDb = 20 * Math.log10(echoAmplitude(0.5, wavelengthM, 3, 3) / lineOfSight)
    expect(Math.abs(ratioDb - 10 * Math.log10((0.5 * 25) / (4 * Math.PI * 81)))).toBeLessThan(0.1)
    expect(Math.abs(ratioDb - -19.1)).toBeLessThan(0.1)
  })

  it("is reciprocal at the middle of the arrays", () => {
    const there = linkBetween(a, b, 1)
    const back = linkBetween(b, a, 1)
    const point: Vector3 = [4, 3, 1.1]
    for (
      const [one, other] of [[there.fixed, back.fixed], [echoOf(there, point, 1), echoOf(back, point, 1)]] as const
    ) {
      const scale = Math.sqrt(meanPower(one))
      for (let k = 0; k < one.re.length; k++) {
        expect(Math.abs(one.re[k]! - other.re[k]!)).toBeLessThan(1e-9 * scale)
        expect(Math.abs(one.im[k]! - other.im[k]!)).toBeLessThan(1e-9 * scale)
      }
    }
    const chest: Vector3 = [0.3, 3.5, 1.2]
    expect(shadowing(there, tones, chest)).toBeCloseTo(shadowing(back, tones, chest), 12)
  })

  it("shadows the line of sight by 3 to 14 dB behind a torso, and not at all aside of it", () => {
    const link = linkBetween(a, b)
    const lossDb = (chest: Vector3): number => -20 * Math.log10(shadowing(link, tones, chest))
    expect(lossDb([0.2, 4, 1.2])).toBeGreaterThan(3)
    expect(lossDb([0.2, 4, 1.2])).toBeLessThan(14)
    expect(lossDb([0.5, 4, 1.2])).toBeLessThan(lossDb([0.2, 4, 1.2]))
    expect(shadowing(link, tones, [1.5, 4, 1.2])).toBe(1)
    expect(shadowing(link, tones, [0.2, 7, 1.2])).toBe(1)
  })

  it("reflects like a dielectric: all at grazing incidence, (n - 1) / (n + 1) at normal incidence", () => {
    expect(reflectionMagnitude("concrete", 0, 2.437e9)).toBeCloseTo(1, 6)
    const n = Math.sqrt(5.31)
    expect(reflectionMagnitude("concrete", 1, 2.437e9)).toBeCloseTo((n - 1) / (n + 1), 2)
    expect(imageIn(surfacesOf(room)[1]!, [2, 3, 1])).toEqual([22, 3, 1])
  })
})
