/**
 * A captured clip: the motion of a real person as channels of a pose, for a body of any size.
 *
 * Owns the form of the clips that `convert.py` writes, and the pose of a body at a time of a clip. Boundary: README.md has the origin
 * and licence of every take; `families.ts` has the clips.
 *
 * Angles are radians, lengths relative to a leg, so that a supporting foot keeps its place for any body. A clip begins at the origin
 * with heading 0.
 */
import { unzlibSync } from "fflate"
import type { Activity } from "../bodies/activity.ts"
import { composeFrame, createFrame } from "../bodies/limbs.ts"
import type { Physique } from "../bodies/physique.ts"
import { channel, type Pose, type Side, sides, signOf } from "../bodies/pose.ts"

/** A clip as `convert.py` writes it. */
export interface EncodedClip {
  readonly name: string
  /** The person whose motion it is. */
  readonly origin: string
  /** The activity while the hips are low. */
  readonly low: "standing" | "sitting" | "lying"
  readonly frames: number
  /** Deflated differences over time, one channel after the other, as base64 of little-endian int16. */
  readonly channels: string
}

export interface Clip {
  readonly name: string
  readonly origin: string
  readonly seconds: number
  readonly activityAt: (timeS: number) => Activity
  /** Whether the person mostly walks, and to where the hips face. */
  readonly walksForward: boolean
  /** Position of the hips over the floor, relative to a leg. */
  readonly placeAt: (timeS: number) => readonly [forward: number, left: number]
  /** Direction of the hips. */
  readonly yawAt: (timeS: number) => number
  /** Writes the pose of a body that began at (x, y) with a heading. */
  readonly write: (timeS: number, physique: Physique, start: Start, into: Pose) => void
}

/** Where a body begins a clip, and whether it exchanges left and right. */
export interface Start {
  readonly x: number
  readonly y: number
  readonly yaw: number
  readonly mirrored: boolean
}

const clipRateHz = 30
const stepsPerUnit = 4096

/** Columns of a clip. */
const column = {
  forward: 0,
  left: 1,
  up: 2,
  yaw: 3,
  tiltForward: 4,
  tiltLeft: 5,
  spineForward: 6,
  spineLeft: 7,
  spineTwist: 8,
  neckForward: 9,
  /** Of the left ankle, then of the right: forward, left and up of the hip. */
  ankles: 10,
  knees: 16,
  footYaws: 18,
  footPitches: 20,
  /** Of the left arm, then of the right: flexion, abduction, rotation inwards, bend of the elbow. */
  arms: 22,
  count: 30,
} as const

const decode = ({ channels, frames }: EncodedClip): Float64Array => {
  const bytes = unzlibSync(Uint8Array.from(atob(channels), (char) => char.charCodeAt(0)))
  const steps = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const values = new Float64Array(frames * column.count)
  for (let c = 0; c < column.count; c++) {
    let sum = 0
    for (let t = 0; t < frames; t++) {
      sum += steps.getInt16(2 * (c * frames + t), true)
      values[t * column.count + c] = sum / stepsPerUnit
    }
  }
  return values
}

/** Columns that change their sign in a mirror. */
const turned: ReadonlySet<number> = new Set([
  column.left,
  column.yaw,
  column.tiltLeft,
  column.spineLeft,
  column.spineTwist,
  column.ankles + 1,
  column.ankles + 4,
  column.footYaws,
  column.footYaws + 1,
])

/** Writes the values of a time, linear between two frames, mirrored or not. */
const read = (values: Float64Array, timeS: number, mirrored: boolean, into: Float64Array): void => {
  const frames = values.length / column.count
  const place = Math.max(0, Math.min(frames - 1 - 1e-9, timeS * clipRateHz))
  const first = Math.floor(place) * column.count
  const share = place - Math.floor(place)
  for (let c = 0; c < column.count; c++) {
    const low = values[first + c]!
    into[c] = (low + (values[first + column.count + c]! - low) * share) * (mirrored && turned.has(c) ? -1 : 1)
  }
}

/** First column of a side among those that both sides have. */
const ofSide = (first: number, width: number, side: Side, mirrored: boolean): number =>
  first + ((side === "left") === mirrored ? width : 0)

const hips = createFrame()
const ground = createFrame()

const writeLeg = (values: Float64Array, physique: Physique, start: Start, side: Side, into: Pose): void => {
  const { mirrored, yaw } = start
  const legM = physique.thighM + physique.shankM
  const [c, s] = [Math.cos(yaw), Math.sin(yaw)]
  const at = ofSide(column.ankles, 3, side, mirrored)
  const [forward, left, up] = [legM * values[at]!, legM * values[at + 1]!, legM * values[at + 2]!]
  const aside = signOf(side) * physique.hipHalfM
  into[channel[`${side}AnkleX`]] = into[channel.pelvisX] + aside * hips.left[0] + c * forward - s * left
  into[channel[`${side}AnkleY`]] = into[channel.pelvisY] + aside * hips.left[1] + s * forward + c * left
  into[channel[`${side}AnkleZ`]] = into[channel.pelvisZ] + aside * hips.left[2] + up
  into[channel[`${side}KneeOut`]] = values[ofSide(column.knees, 1, side, mirrored)]!
  into[channel[`${side}FootYaw`]] = yaw + values[ofSide(column.footYaws, 1, side, mirrored)]!
  into[channel[`${side}FootPitch`]] = values[ofSide(column.footPitches, 1, side, mirrored)]!
}

const writeArm = (values: Float64Array, side: Side, mirrored: boolean, into: Pose): void => {
  const at = ofSide(column.arms, 4, side, mirrored)
  into[channel[`${side}Flex`]] = values[at]!
  into[channel[`${side}Abduct`]] = values[at + 1]!
  into[channel[`${side}Turn`]] = values[at + 2]!
  into[channel[`${side}Elbow`]] = values[at + 3]!
}

const writePose = (values: Float64Array, physique: Physique, start: Start, into: Pose): void => {
  const legM = physique.thighM + physique.shankM
  const [c, s] = [Math.cos(start.yaw), Math.sin(start.yaw)]
  const [forward, left] = [legM * values[column.forward]!, legM * values[column.left]!]
  into[channel.pelvisX] = start.x + c * forward - s * left
  into[channel.pelvisY] = start.y + s * forward + c * left
  into[channel.pelvisZ] = physique.ankleM + legM * values[column.up]!
  into[channel.yaw] = start.yaw + values[column.yaw]!
  into[channel.tiltForward] = values[column.tiltForward]!
  into[channel.tiltLeft] = values[column.tiltLeft]!
  into[channel.twist] = 0
  into[channel.spineForward] = values[column.spineForward]!
  into[channel.spineLeft] = values[column.spineLeft]!
  into[channel.spineTwist] = values[column.spineTwist]!
  into[channel.neckForward] = values[column.neckForward]!
  into[channel.headTurn] = 0
  into[channel.supportZ] = 0
  const turn = into[channel.yaw]
  ground.forward.set([Math.cos(turn), Math.sin(turn), 0])
  ground.left.set([-Math.sin(turn), Math.cos(turn), 0])
  ground.up.set([0, 0, 1])
  composeFrame(ground, into[channel.tiltForward], into[channel.tiltLeft], 0, hips)
  for (const side of sides) {
    writeLeg(values, physique, start, side, into)
    writeArm(values, side, start.mirrored, into)
  }
}

/** The hips below this share of a leg are low. */
const lowShare = 0.72
const lyingTiltRad = 0.95
/** Half of the time over which a speed is measured, and the lowest speed of walking in legs per second. */
const speedHalfS = 0.4
const walkingMin = 0.3
/** Share of a walk within 45 degrees of the facing. */
const forwardShare = 0.75

/** Reads a clip. */
export const openClip = (encoded: EncodedClip): Clip => {
  const { frames, low, name, origin } = encoded
  const values = decode(encoded)
  const seconds = (frames - 1) / clipRateHz
  const now = new Float64Array(column.count)

  const placeAt = (timeS: number): readonly [number, number] => {
    read(values, timeS, false, now)
    return [now[column.forward]!, now[column.left]!]
  }
  const yawAt = (timeS: number): number => {
    read(values, timeS, false, now)
    return now[column.yaw]!
  }
  // The middle of the feet, because the hips of a squat move as far as those of a step.
  const feetAt = (timeS: number): readonly [number, number] => {
    const [forward, left] = placeAt(timeS)
    const at = column.ankles
    return [forward + (now[at]! + now[at + 3]!) / 2, left + (now[at + 1]! + now[at + 4]!) / 2]
  }
  const velocityAt = (timeS: number): readonly [number, number] => {
    const [fromS, toS] = [Math.max(0, timeS - speedHalfS), Math.min(seconds, timeS + speedHalfS)]
    const [from, to] = [feetAt(fromS), feetAt(toS)]
    return [(to[0] - from[0]) / (toS - fromS), (to[1] - from[1]) / (toS - fromS)]
  }
  const activityAt = (timeS: number): Activity => {
    const speed = Math.hypot(...velocityAt(timeS))
    read(values, timeS, false, now)
    const isLow = now[column.up]! < lowShare
    if (low === "lying" && isLow && Math.hypot(now[column.tiltForward]!, now[column.tiltLeft]!) > lyingTiltRad) {
      return "lying"
    }
    if (low === "sitting" && isLow) return "sitting"
    return !isLow && speed > walkingMin ? "walking" : "standing"
  }
  const walksForward = (): boolean => {
    const times = Array.from({ length: Math.floor(seconds / speedHalfS) + 1 }, (_, i) => i * speedHalfS)
    const walked = times.filter((timeS) => activityAt(timeS) === "walking")
    const forward = walked.filter((timeS) => {
      const [ahead, left] = velocityAt(timeS)
      const yaw = yawAt(timeS)
      return Math.cos(yaw) * ahead + Math.sin(yaw) * left > Math.SQRT1_2 * Math.hypot(ahead, left)
    })
    return walked.length > times.length / 2 && forward.length > forwardShare * walked.length
  }
  const write = (timeS: number, physique: Physique, start: Start, into: Pose): void => {
    read(values, timeS, start.mirrored, now)
    writePose(now, physique, start, into)
  }
  return { name, origin, seconds, activityAt, walksForward: walksForward(), placeAt, yawAt, write }
}
