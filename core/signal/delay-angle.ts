/**
 * Delay-angle map of the paths of one link, as a diagnostic, by the plain matched field.
 *
 * The convention is that of imaging: a path of delay tau and angle theta off broadside, towards the array's axis, is
 *
 *   H_a(k) = g e^{-j 2 pi f_k tau} e^{+j pi a sin(theta)}
 *
 * for a uniform array of half a wavelength. The map is |s(tau, theta)^H H|^2 / (|s|^2 |H|^2): 1 where a single path
 * explains the whole response. Its resolution is 1/bandwidth in delay and about 100 degrees / antennas in angle;
 * `music.ts` is sharper and less robust. Delays count from the delay of the response itself, so the caller aligns it. A
 * link of one antenna has no angle.
 */
import type { RadioLayout } from "../formats/csi-batch.ts"

/** Delay range of the map, in units of 1/bandwidth, and steps per unit. */
const delaysFrom = -2
const delaysTo = 10
const stepsPerCell = 8
const angleStepDeg = 3

/** A path of a link. */
export interface Path {
  readonly delayS: number
  /** Off broadside; 0 for a link of one antenna. */
  readonly angleRad: number
}

/** A map over delay and angle. */
export interface DelayAngle {
  readonly delaysS: Float64Array
  readonly anglesRad: Float64Array
  /** [delay][angle]. */
  readonly power: Float64Array
}

/** Delays and angles of a map. */
export const delayAngleGrid = (layout: RadioLayout): Pick<DelayAngle, "delaysS" | "anglesRad"> => {
  const { receiveAntennas, subcarrierIndices, subcarrierSpacingHz } = layout
  const tones = subcarrierIndices.length
  const bandHz = (subcarrierIndices[tones - 1]! - subcarrierIndices[0]! + 1) * subcarrierSpacingHz
  const angles = receiveAntennas > 1 ? 180 / angleStepDeg + 1 : 1
  return {
    delaysS: Float64Array.from(
      { length: (delaysTo - delaysFrom) * stepsPerCell + 1 },
      (_, i) => (delaysFrom + i / stepsPerCell) / bandHz,
    ),
    anglesRad: Float64Array.from(
      { length: angles },
      (_, i) => angles === 1 ? 0 : (i * angleStepDeg - 90) * Math.PI / 180,
    ),
  }
}

/**
 * The matched field of a response to the first transmit stream: interleaved complex [rx][tx][tone] of `layout`, with
 * its delay removed.
 */
export const matchedDelayAngle = (layout: RadioLayout, response: Float32Array): DelayAngle => {
  const { receiveAntennas, subcarrierIndices, subcarrierSpacingHz, transmitAntennas } = layout
  const tones = subcarrierIndices.length
  const { anglesRad, delaysS } = delayAngleGrid(layout)
  const power = new Float64Array(delaysS.length * anglesRad.length)
  const rows = Array.from({ length: receiveAntennas }, (_, rx) => {
    const at = 2 * rx * transmitAntennas * tones
    return response.subarray(at, at + 2 * tones)
  })
  const total = rows.reduce((sum, row) => sum + row.reduce((s, value) => s + value * value, 0), 0)
  if (!(total > 0)) return { delaysS, anglesRad, power }
  for (const [d, delayS] of delaysS.entries()) {
    const focused = rows.map((row) => {
      let re = 0
      let im = 0
      for (let k = 0; k < tones; k++) {
        const phase = 2 * Math.PI * subcarrierIndices[k]! * subcarrierSpacingHz * delayS
        re += row[2 * k]! * Math.cos(phase) - row[2 * k + 1]! * Math.sin(phase)
        im += row[2 * k]! * Math.sin(phase) + row[2 * k + 1]! * Math.cos(phase)
      }
      return { re, im }
    })
    for (const [n, angle] of anglesRad.entries()) {
      let re = 0
      let im = 0
      for (const [a, value] of focused.entries()) {
        const phase = -Math.PI * a * Math.sin(angle)
        re += value.re * Math.cos(phase) - value.im * Math.sin(phase)
        im += value.re * Math.sin(phase) + value.im * Math.cos(phase)
      }
      power[d * anglesRad.length + n] = (re * re + im * im) / (receiveAntennas * tones * total)
    }
  }
  return { delaysS, anglesRad, power }
}

/** The highest point of a map. */
export const strongestPath = ({ anglesRad, delaysS, power }: DelayAngle): Path => {
  let best = 0
  for (let i = 1; i < power.length; i++) if (power[i]! > power[best]!) best = i
  return {
    delayS: delaysS[Math.floor(best / anglesRad.length)]!,
    angleRad: anglesRad[best % anglesRad.length]!,
  }
}
