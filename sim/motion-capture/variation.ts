/**
 * Variations of a captured clip: faster or slower, and reversed in time, in which a walk becomes a walk backwards.
 *
 * Boundary: `random-scenario` draws them for training. Clips of evaluation keep the motion of the capture.
 */
import type { Physique } from "../bodies/physique.ts"
import type { Pose } from "../bodies/pose.ts"
import type { Clip, Start } from "./clip.ts"

export interface Variation {
  /** Speed relative to the capture. */
  readonly rate?: number | undefined
  readonly reversed?: boolean | undefined
}

const turnedBy = (rad: number, [forward, left]: readonly [number, number]): readonly [number, number] => [
  Math.cos(rad) * forward - Math.sin(rad) * left,
  Math.sin(rad) * forward + Math.cos(rad) * left,
]

/** The clip that begins where another ends and runs back to where it began; at its own beginning it has heading 0 and the place 0. */
const backInTime = (clip: Clip): Clip => {
  const { seconds } = clip
  const last = clip.placeAt(seconds)
  const turnRad = clip.yawAt(seconds)
  const placeAt = (timeS: number): readonly [number, number] => {
    const [forward, left] = clip.placeAt(seconds - timeS)
    return turnedBy(-turnRad, [forward - last[0], left - last[1]])
  }
  /** Where the clip begins if it ends at `start`. */
  const origin = ({ mirrored, x, y, yaw }: Start, legM: number): Start => {
    const sign = mirrored ? -1 : 1
    const first = yaw - sign * turnRad
    const [dx, dy] = turnedBy(first, [legM * last[0], sign * legM * last[1]])
    return { x: x - dx, y: y - dy, yaw: first, mirrored }
  }
  return {
    ...clip,
    walksForward: false,
    activityAt: (timeS) => clip.activityAt(seconds - timeS),
    placeAt,
    yawAt: (timeS) => clip.yawAt(seconds - timeS) - turnRad,
    write: (timeS: number, physique: Physique, start: Start, into: Pose) =>
      clip.write(seconds - timeS, physique, origin(start, physique.thighM + physique.shankM), into),
  }
}

const atRate = (clip: Clip, rate: number): Clip => ({
  ...clip,
  seconds: clip.seconds / rate,
  activityAt: (timeS) => clip.activityAt(timeS * rate),
  placeAt: (timeS) => clip.placeAt(timeS * rate),
  yawAt: (timeS) => clip.yawAt(timeS * rate),
  write: (timeS, physique, start, into) => clip.write(timeS * rate, physique, start, into),
})

export const varied = (clip: Clip, { rate = 1, reversed = false }: Variation): Clip => {
  const ordered = reversed ? backInTime(clip) : clip
  return rate === 1 ? ordered : atRate(ordered, rate)
}
