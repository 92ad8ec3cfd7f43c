/**
 * Figures of bodies in motion, for the tests of gaits and captured motions.
 */
import type { Activity } from "../../../sim/bodies/activity.ts"
import type { Person } from "../../../sim/people/person.ts"
import { distance, indexOf, pointOf, watch } from "./home.ts"

const rateHz = 50
const [leftAnkle, rightAnkle] = [indexOf("left_ankle"), indexOf("right_ankle")]
const [leftHip, rightHip] = [indexOf("left_hip"), indexOf("right_hip")]

/** The middle of the hips. */
export const pelvisOf = (keypoints: Float64Array): readonly [number, number, number] => {
  const [a, b] = [pointOf(keypoints, leftHip), pointOf(keypoints, rightHip)]
  return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2]
}

const bones = [
  ["left_hip", "left_knee"],
  ["left_knee", "left_ankle"],
  ["right_hip", "right_knee"],
  ["right_knee", "right_ankle"],
  ["left_shoulder", "left_elbow"],
  ["left_elbow", "left_wrist"],
  ["right_shoulder", "right_elbow"],
  ["right_elbow", "right_wrist"],
  ["left_shoulder", "right_shoulder"],
  ["left_hip", "right_hip"],
] as const

/** Lengths of the bones at the last time. */
export const bonesM = ({ posture: { keypoints } }: Person): ReadonlyArray<number> =>
  bones.map(([a, b]) => distance(pointOf(keypoints, indexOf(a)), pointOf(keypoints, indexOf(b))))

/** The highest speed of a keypoint, over 20 ms; `look` sees every moment. */
export const fastestMps = (person: Person, untilS: number, look: () => void): number => {
  let before: Float64Array | null = null
  let fastest = 0
  watch(person, untilS, rateHz, () => {
    const { keypoints } = person.posture
    for (let i = 0; before !== null && i < 17; i++) {
      fastest = Math.max(fastest, distance(pointOf(keypoints, i), pointOf(before, i)) * rateHz)
    }
    before = keypoints.slice()
    look()
  })
  return fastest
}

const rms = (values: ReadonlyArray<number>): number => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
}

/**
 * Standard deviations (metres) of the ankles and wrists along the heading, relative to the hips, and of the hips themselves over
 * the first minute, while the person is in an activity.
 */
export const swingM = (
  person: Person,
  during: Activity = "walking",
): { readonly ankles: number; readonly wrists: number; readonly trunk: number } => {
  const along: Record<"ankle" | "wrist", Array<number>> = { ankle: [], wrist: [] }
  const places: Array<readonly [number, number]> = []
  watch(person, 60, rateHz, ({ activity, headingRad, speedMps, x, y }, timeS) => {
    if (activity !== during || timeS < 2 || (during === "walking" && speedMps < 0.6)) return
    const of = (name: "left_ankle" | "left_wrist"): number => {
      const [px, py] = pointOf(person.posture.keypoints, indexOf(name))
      return (px - x) * Math.cos(headingRad) + (py - y) * Math.sin(headingRad)
    }
    along.ankle.push(of("left_ankle"))
    along.wrist.push(of("left_wrist"))
    places.push([x, y])
  })
  return {
    ankles: rms(along.ankle),
    wrists: rms(along.wrist),
    trunk: Math.hypot(rms(places.map(([x]) => x)), rms(places.map(([, y]) => y))),
  }
}

/** Standard deviation of y about its line over x. */
const aboutLine = (points: ReadonlyArray<{ readonly x: number; readonly y: number }>): number => {
  const mean = (of: (point: typeof points[number]) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)]
  const slope = mean((point) => (point.x - x) * (point.y - y)) / mean((point) => (point.x - x) ** 2)
  return rms(points.map((point) => point.y - slope * point.x))
}

interface WalkFigures {
  readonly speedMps: number
  readonly cycleS: number
  /** Standard deviation over mean of the speed of the hips along the walk. */
  readonly speedVariation: number
  /** Standard deviation of the hips across the walk. */
  readonly swayM: number
  /** How much of half a cycle the right foot passes late, relative to the middle between the passes of the left. */
  readonly delayShare: number
}

/** Times at which a value rises through 0. */
const risesOf = (values: ReadonlyArray<number>): ReadonlyArray<number> =>
  values.flatMap((value, i) => i > 0 && values[i - 1]! < 0 && value >= 0 ? [i / rateHz] : [])

/** Figures of straight walks along x; turns, starts and ends are left out. */
export const walkFigures = (person: Person): WalkFigures => {
  const runs: Array<{ x: number; y: number; left: number; right: number }[]> = [[]]
  watch(person, 90, rateHz, ({ activity, headingRad, x, y }) => {
    if (activity !== "walking" || x < 4 || x > 20 || Math.abs(Math.cos(headingRad)) < 0.95) {
      if (runs[runs.length - 1]!.length > 0) runs.push([])
      return
    }
    const sign = Math.sign(Math.cos(headingRad))
    const at = (index: number): number => sign * (pointOf(person.posture.keypoints, index)[0] - x)
    runs[runs.length - 1]!.push({ x, y, left: at(leftAnkle), right: at(rightAnkle) })
  })
  const run = runs.reduce((longest, each) => each.length > longest.length ? each : longest)
  const speeds = run.slice(2).map(({ x }, i) => Math.abs(x - run[i]!.x) * rateHz / 2)
  const speedMps = speeds.reduce((sum, speed) => sum + speed, 0) / speeds.length
  const lefts = risesOf(run.map(({ left }) => left))
  const rights = risesOf(run.map(({ right }) => right))
  const cycleS = (lefts[lefts.length - 1]! - lefts[0]!) / (lefts.length - 1)
  const delays = lefts.slice(0, -1).flatMap((from, i) => {
    const between = rights.find((timeS) => timeS > from && timeS < lefts[i + 1]!)
    return between === undefined ? [] : [(between - from) / (lefts[i + 1]! - from) - 0.5]
  })
  return {
    speedMps,
    cycleS,
    speedVariation: rms(speeds) / speedMps,
    swayM: aboutLine(run),
    delayShare: delays.reduce((sum, delay) => sum + delay, 0) / delays.length,
  }
}
