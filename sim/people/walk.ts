/**
 * Walking: a phase that carries a body along a route by steps of its feet.
 *
 * Owns the gait. A supporting foot stays where it was set until its swing, whatever the route does; it rolls from the heel over
 * the sole to the ball. Cycle length from speed and sway of the hips follow Boulic, Thalmann and Thalmann 1990 ("A global human
 * walking model with real time kinematic personification").
 *
 * A cycle is two steps; the left foot touches down at phase 0, the right foot at 0.5.
 */
import { type Random, uniformIn } from "../randomness/random.ts"
import { cycleLengthM, drawWander, type GaitStyle } from "./gait.ts"
import type { Place } from "../rooms/floor-plan.ts"
import type { Course } from "./occupancy.ts"
import { type Phase, stepS } from "../bodies/phase.ts"
import { type Physique, standingHipM } from "../bodies/physique.ts"
import {
  addScaled,
  armChannels,
  channel,
  channelCount,
  createPose,
  legChannels,
  nearestAngle,
  type Pose,
  relaxed,
  setShape,
  type Side,
  sides,
  signOf,
  upright,
} from "../bodies/pose.ts"
import { brakingDistanceM, brakingSpeedMps, type Route } from "./route.ts"

/** Part of the cycle in which a foot is on the floor: both feet are on it for 20 % of the time. */
const stance = 0.6
const accelerationMps2 = 1.2
/** Time over which the pose before the walk fades. */
const fadeS = 0.6
/** Time in which the motion of the feet grows to full: the first step begins with flat feet. */
const startS = 0.4
/** A walk does not stop before its end, which is reached within `arrivalM`. */
const speedMinMps = 0.02
const arrivalM = 0.002
/** Extra length of a halt beyond braking alone: the foot in the air is set down. */
const haltM = 0.05
/** At touch down the ankle is this share of a cycle's length ahead of the hips. */
const lead = 0.225
/** Distance of each foot from the route. */
const lateralHalfM = 0.055
/** Length of a gait cycle from which on feet and trunk move fully. */
const fullStrideM = 1.4
/** Speed of walking backwards, relative to forwards. */
const backwardsShare = 0.6

const smooth = (u: number): number => u <= 0 ? 0 : u >= 1 ? 1 : u * u * (3 - 2 * u)
const minimumJerk = (u: number): number => u >= 1 ? 1 : u * u * u * (10 + u * (6 * u - 15))

/** Part of the cycle of a foot at which walking backwards looks the same in reverse: touch down is lift off. */
const reversed = (part: number): number => part < stance ? stance - part : 1 + stance - part

/** Pitch of a foot over its cycle at full stride: the heel rises before the swing, the toes before touch down. */
const footPitch = (part: number): number =>
  part < 0.32
    ? -0.25 * (1 - smooth(part / 0.08))
    : part < 0.62
    ? 1.0 * smooth((part - 0.32) / 0.3)
    : 1.0 - 1.25 * smooth((part - 0.62) / 0.3)

interface Foot {
  /** Ball of the foot on the floor, and direction of the foot. */
  x: number
  y: number
  yaw: number
  isSwinging: boolean
  fromX: number
  fromY: number
  fromYaw: number
  /** Deviation of this step from the regular one. */
  strayAlongM: number
  strayAsideM: number
}

const footOf = (physique: Physique, pose: Pose, side: Side): Foot => {
  const { ankleX, ankleY, footYaw } = legChannels[side]
  const yaw = pose[footYaw]
  const x = pose[ankleX] + Math.cos(yaw) * physique.ballM
  const y = pose[ankleY] + Math.sin(yaw) * physique.ballM
  return { x, y, yaw, isSwinging: false, fromX: x, fromY: y, fromYaw: yaw, strayAlongM: 0, strayAsideM: 0 }
}

/** Writes ankle and foot: the ankle turns about the ball of the foot, or about the heel when the toes are up. */
const writeFoot = (physique: Physique, foot: Foot, pitch: number, liftM: number, side: Side, pose: Pose): void => {
  const { ankleM, ballM, heelM } = physique
  const c = Math.cos(pitch)
  const s = Math.sin(pitch)
  const forward = pitch >= 0 ? ankleM * s - ballM * c : heelM * c + ankleM * s - (ballM + heelM)
  const up = pitch >= 0 ? ballM * s + ankleM * c : ankleM * c - heelM * s
  const leg = legChannels[side]
  pose[leg.ankleX] = foot.x + Math.cos(foot.yaw) * forward
  pose[leg.ankleY] = foot.y + Math.sin(foot.yaw) * forward
  pose[leg.ankleZ] = up + liftM
  pose[leg.footYaw] = foot.yaw
  pose[leg.footPitch] = pitch
}

/** A walk in progress. */
interface Walk {
  readonly physique: Physique
  readonly route: Route
  readonly style: GaitStyle
  readonly random: Random
  /** Arms, trunk and head at ease. */
  readonly ease: Pose
  /** Whether it walks backwards: the body faces against the route. */
  readonly isBackwards: boolean
  readonly feet: Readonly<Record<Side, Foot>>
  /** From the route's headings to the body's yaw: whole turns, and half a turn when walking backwards. */
  readonly turnRad: number
  alongM: number
  speedMps: number
  /** Phase of the gait: the left foot touches down at whole numbers. */
  phase: number
  /** 0 to 1 over the first step, which begins with flat feet. */
  start: number
  /** Where the walk stops: the end of the route, or before it. */
  endM: number
}

/** A walk that can be observed and stopped. */
export interface WalkPhase extends Phase, Course {
  /** Slows down and ends the walk as soon as possible. */
  readonly halt: () => void
  /** Whether it ends before its route. */
  readonly isHalted: () => boolean
}

const beginSwing = (foot: Foot, random: Random): void => {
  foot.isSwinging = true
  foot.fromX = foot.x
  foot.fromY = foot.y
  foot.fromYaw = foot.yaw
  foot.strayAlongM = 0.012 * random.normal()
  foot.strayAsideM = 0.008 * random.normal()
}

const moveFoot = (walk: Walk, side: Side, strideM: number, pose: Pose): void => {
  const { isBackwards, physique, route, style } = walk
  const foot = walk.feet[side]
  const cycle = walk.phase + (side === "left" ? 0 : 0.5 - style.delayShare)
  const part = cycle - Math.floor(cycle)
  const vigour = Math.min(1, strideM / fullStrideM) * walk.start
  const pitch = vigour * style.liftShare * footPitch(isBackwards ? reversed(part) : part)
  if (part < stance) {
    foot.isSwinging = false
    writeFoot(physique, foot, pitch, 0, side, pose)
    return
  }
  if (!foot.isSwinging) beginSwing(foot, walk.random)
  const u = (part - stance) / (1 - stance)
  const leadShare = lead * (1 + signOf(side) * style.stepBias)
  const landing = Math.min(walk.endM, walk.alongM + (1 - part + leadShare) * strideM + foot.strayAlongM * vigour)
  const heading = route.headingAt(landing) + walk.turnRad
  const c = Math.cos(heading)
  const s = Math.sin(heading)
  const aside = signOf(side) * (lateralHalfM + foot.strayAsideM)
  const share = smooth(u)
  const toX = route.xAt(landing) + c * physique.ballM - s * aside
  const toY = route.yAt(landing) + s * physique.ballM + c * aside
  foot.x = foot.fromX + (toX - foot.fromX) * share
  foot.y = foot.fromY + (toY - foot.fromY) * share
  const toYaw = nearestAngle(heading + signOf(side) * 0.1, foot.fromYaw)
  foot.yaw = foot.fromYaw + (toYaw - foot.fromYaw) * share
  const liftM = 0.045 * style.liftShare * Math.max(0.6, vigour) * 16 * u * u * (1 - u) * (1 - u)
  writeFoot(physique, foot, pitch, liftM, side, pose)
}

const swingArms = ({ isBackwards, phase, speedMps, style }: Walk, pose: Pose): void => {
  const vigour = Math.min(1.2, speedMps / 1.2)
  for (const side of sides) {
    const swing = -signOf(side) * (isBackwards ? -1 : 1) * Math.cos(2 * Math.PI * phase)
    const armSwingRad = style.armSwingRad * style.armShares[side === "left" ? 0 : 1]
    const { elbow, flex } = armChannels[side]
    pose[flex] += armSwingRad * vigour * (swing + 0.1)
    pose[elbow] += vigour * (0.2 + 0.35 * armSwingRad * swing)
  }
}

const moveTrunk = (walk: Walk, strideM: number, pose: Pose): void => {
  const { alongM, isBackwards, physique, route, speedMps, style } = walk
  const vigour = Math.min(1.1, strideM / fullStrideM)
  const heading = route.headingAt(alongM) + walk.turnRad
  const turns = 2 * Math.PI * walk.phase
  const onward = isBackwards ? -1 : 1
  const lateral = style.swayM * Math.min(1, speedMps / 0.5) * Math.cos(turns - 0.6 * Math.PI)
  const forward = -onward * style.surgeM * vigour * Math.sin(2 * turns - 0.2 * Math.PI)
  const c = Math.cos(heading)
  const s = Math.sin(heading)
  // The legs need this much when both feet are on the floor; half a step later the hips are higher.
  const hipM = standingHipM(physique)
  const legM = hipM - physique.ankleM
  const sinkM = legM - Math.sqrt(Math.max(0, legM * legM - (lead * strideM) ** 2))
  const hipTurn = -onward * 0.07 * vigour * Math.cos(turns)
  const lurch = style.lurchRad * Math.max(0, Math.sin(turns))
  const list = -0.05 * vigour * Math.sin(turns - 0.1 * Math.PI)
  pose.set(walk.ease)
  pose[channel.pelvisX] = route.xAt(alongM) + c * forward - s * lateral
  pose[channel.pelvisY] = route.yAt(alongM) + s * forward + c * lateral
  pose[channel.pelvisZ] = hipM - sinkM * (0.85 + 0.25 * Math.cos(2 * turns - 0.2 * Math.PI))
  pose[channel.yaw] = heading + hipTurn
  pose[channel.tiltLeft] = list
  pose[channel.spineForward] = 0.04 * speedMps
  pose[channel.spineLeft] = lurch - list
  pose[channel.spineTwist] = -1.9 * hipTurn
  pose[channel.headTurn] = 0.9 * hipTurn
}

/** Difference of a pose from this gait at rest; 0 for the feet, which start where they are. */
const departure = ({ physique, route, turnRad }: Walk, from: Pose): Pose => {
  const offsets = createPose()
  setShape(offsets, upright(physique, route.xAt(0), route.yAt(0), route.startHeadingRad + turnRad))
  for (let i = 0; i < channelCount; i++) {
    const isFoot = (i >= channel.leftAnkleX && i <= channel.rightAnkleZ) ||
      (i >= channel.leftFootYaw && i <= channel.rightFootPitch)
    offsets[i] = isFoot ? 0 : from[i]! - offsets[i]!
  }
  return offsets
}

/** Walks from a standing pose to the end of the route unless halted. One foot stays behind or in the air: `shift` sets it down. */
export const createWalk = (
  physique: Physique,
  from: Pose,
  route: Route,
  style: GaitStyle,
  isBackwards: boolean,
  random: Random,
): WalkPhase => {
  const yaw = from[channel.yaw]
  const turnRad = nearestAngle(route.startHeadingRad + (isBackwards ? Math.PI : 0), yaw) - route.startHeadingRad
  const ease = createPose()
  setShape(ease, relaxed(physique))
  const walk: Walk = {
    physique,
    route,
    style,
    random,
    ease,
    isBackwards,
    feet: { left: footOf(physique, from, "left"), right: footOf(physique, from, "right") },
    turnRad,
    alongM: 0,
    speedMps: 0,
    // The foot on the inner side of the first turn steps first.
    phase: route.headingAt(0.5) + turnRad >= yaw ? stance - 0.02 : stance - 0.52,
    start: 0,
    endM: route.lengthM,
  }
  const offsets = departure(walk, from)
  const cruiseMps = style.speedMps * (isBackwards ? backwardsShare : 1) * uniformIn(random, 0.93, 1.07)
  const wander = drawWander(style.speedVariation, random)
  let steps = 0
  const isHalted = (): boolean => walk.endM < route.lengthM

  const step = (pose: Pose): boolean => {
    steps++
    const wantedMps = cruiseMps * Math.max(0.3, 1 + wander(steps * stepS))
    const free = Math.min(walk.speedMps + accelerationMps2 * stepS, wantedMps, route.speedMaxAt(walk.alongM))
    const wanted = isHalted() ? Math.min(free, brakingSpeedMps(walk.endM - walk.alongM)) : free
    walk.speedMps = Math.max(speedMinMps, wanted)
    walk.alongM += walk.speedMps * stepS
    walk.start = smooth((steps * stepS) / startS)
    const strideM = style.cycleShare * cycleLengthM(physique, walk.speedMps)
    walk.phase += (walk.speedMps / strideM) * stepS
    moveTrunk(walk, strideM, pose)
    swingArms(walk, pose)
    for (const side of sides) moveFoot(walk, side, strideM, pose)
    const fade = 1 - minimumJerk((steps * stepS) / fadeS)
    if (fade > 0) addScaled(pose, offsets, fade)
    return walk.alongM >= walk.endM - arrivalM
  }
  const halt = (): void => {
    walk.endM = Math.min(walk.endM, walk.alongM + brakingDistanceM(walk.speedMps) + haltM)
  }
  const placeIn = (aheadS: number): Place => {
    const gainS = Math.min(aheadS, Math.max(0, cruiseMps - walk.speedMps) / accelerationMps2)
    const gainedM = walk.speedMps * gainS + (accelerationMps2 * gainS * gainS) / 2
    const alongM = Math.min(walk.endM, walk.alongM + gainedM + cruiseMps * (aheadS - gainS))
    return [route.xAt(alongM), route.yAt(alongM)]
  }
  return {
    step,
    activity: () => "walking",
    headingRad: () => route.headingAt(walk.alongM),
    placeIn,
    halt,
    isHalted,
  }
}
