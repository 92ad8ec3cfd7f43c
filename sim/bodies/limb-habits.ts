/**
 * Limbs that do not follow the trunk: still, carrying something, or moving on their own.
 *
 * Owns these habits and the change of a pose by them. Boundary: behaviour moves the whole body and knows no habits; `person.ts` adds
 * them to the pose that behaviour has written, as it adds the sway.
 *
 * 1. Habits apply to a standing or walking body, and those of the arms also to a sitting one; a lying or falling body has none.
 * 2. They fade in and out, so that no limb jumps.
 */
import { type Random, uniformIn } from "../randomness/random.ts"
import type { Activity } from "./activity.ts"
import { stepS } from "./phase.ts"
import { type Physique, standingHipM } from "./physique.ts"
import {
  armChannels,
  channel,
  createPose,
  legChannels,
  type Pose,
  setShape,
  sides,
  signOf,
  stanceHalfM,
} from "./pose.ts"
import { arms } from "./postures.ts"

/**
 * - usual: as behaviour moves them.
 * - still: they keep one position relative to the trunk. Still legs glide, as on a skateboard.
 * - carrying: both arms hold a box or push a walker, or one arm holds a bag.
 * - independent: they swing or gesture in their own rhythm.
 * - posed: each arm rests in any posture, also raised, and swings about it as behaviour moves it.
 * - bent: the knees are bent and the trunk leans forward, as in a crouch.
 */
export const armHabits = ["usual", "still", "carrying", "independent", "posed"] as const
export const legHabits = ["usual", "still", "independent", "bent"] as const

export interface LimbHabits {
  readonly arms: typeof armHabits[number]
  readonly legs: typeof legHabits[number]
}

export const regularLimbs: LimbHabits = { arms: "usual", legs: "usual" }

interface LimbLayer {
  /** Moves one step on in an activity. */
  readonly advance: (activity: Activity) => void
  /** Changes the limbs of a pose at a time. */
  readonly add: (timeS: number, pose: Pose) => void
}

const fadeS = 0.35
const fadePerStep = 1 - Math.exp(-stepS / fadeS)

/** A sum of slow oscillations within -1 and 1. */
const createRhythm = (lowestHz: number, highestHz: number, random: Random): (timeS: number) => number => {
  const waves = [0.6, 0.4].map((share) => ({
    share,
    rate: 2 * Math.PI * uniformIn(random, lowestHz, highestHz),
    phase: uniformIn(random, 0, 2 * Math.PI),
  }))
  return (timeS) => waves.reduce((sum, { phase, rate, share }) => sum + share * Math.sin(rate * timeS + phase), 0)
}

type Limb = (timeS: number, into: Pose) => void

/** Arms that keep one position. */
const drawStillArms = (random: Random): Limb => {
  const kept = createPose()
  setShape(kept, arms(uniformIn(random, -0.15, 0.25), uniformIn(random, 0.05, 0.25), 0.3, uniformIn(random, 0.1, 0.5)))
  return (_, into) => into.set(kept.subarray(channel.leftFlex, channel.rightElbow + 1), channel.leftFlex)
}

const drawCarryingArms = (random: Random): Limb => {
  const kind = random.uniform()
  const held = kind < 0.4
    // A box before the chest.
    ? arms(uniformIn(random, 0.2, 0.6), 0.12, uniformIn(random, 0.3, 0.7), uniformIn(random, 1.3, 1.75))
    : kind < 0.7
    // The handles of a walker or a trolley.
    ? arms(uniformIn(random, 0.4, 0.8), 0.12, 0.05, uniformIn(random, 0.35, 0.9))
    // A bag in one hand, or one on each side.
    : arms(0.03, 0.12, 0.2, 0.08)
  const shape = createPose()
  setShape(shape, held)
  const free = kind < 0.85 ? null : random.uniform() < 0.5 ? "left" : "right"
  return (_, into) => {
    for (const side of sides) {
      if (side === free) continue
      for (const index of Object.values(armChannels[side])) into[index] = shape[index]!
    }
  }
}

/** Any posture of the arms, alike or not, to which part of their own movement is added. */
const drawPosedArms = (random: Random): Limb => {
  const drawPosture = () => [
    uniformIn(random, -0.5, 2),
    uniformIn(random, 0, random.uniform() < 0.5 ? 0.4 : 1.4),
    uniformIn(random, -0.4, 1.2),
    uniformIn(random, 0, 2.1),
  ]
  const left = drawPosture()
  const right = random.uniform() < 0.6 ? left : drawPosture()
  const kept = uniformIn(random, 0, 0.7)
  return (_, into) => {
    for (const [i, posture] of [left, right].entries()) {
      const { abduct, elbow, flex, turn } = armChannels[sides[i]!]
      for (const [k, index] of [flex, abduct, turn, elbow].entries()) into[index] = posture[k]! + kept * into[index]!
    }
  }
}

const drawIndependentArms = (random: Random): Limb => {
  const isGesture = random.uniform() < 0.5
  const moved = sides.map((side) => {
    const size = random.uniform() < 0.25 ? 0.1 : 1
    return {
      side,
      flex: createRhythm(0.15, 1.8, random),
      flexRad: size * uniformIn(random, 0.15, 0.7),
      middleRad: isGesture ? uniformIn(random, 0.2, 0.9) : 0.05,
      elbow: createRhythm(0.2, 1.6, random),
      elbowRad: size * uniformIn(random, 0.1, 0.5),
      bentRad: isGesture ? uniformIn(random, 0.8, 1.5) : uniformIn(random, 0.2, 0.6),
      turn: createRhythm(0.2, 1, random),
      abduct: createRhythm(0.1, 0.6, random),
      // Bursts and pauses: at times the arm rests.
      vigour: createRhythm(0.03, 0.15, random),
    }
  })
  return (timeS, into) => {
    for (const each of moved) {
      const { abduct, elbow, flex, turn } = armChannels[each.side]
      const vigour = Math.max(0, Math.min(1, 0.6 + 1.2 * each.vigour(timeS)))
      into[flex] = each.middleRad + vigour * each.flexRad * each.flex(timeS)
      into[elbow] = Math.max(0.05, each.bentRad + vigour * each.elbowRad * each.elbow(timeS))
      into[turn] = 0.3 + 0.3 * vigour * each.turn(timeS)
      into[abduct] = 0.15 + 0.1 * vigour * each.abduct(timeS)
    }
  }
}

/** Writes an ankle at (forward, left) of the hips and a height above the sole, with the foot along the body. */
const writeAnkle = (physique: Physique, side: "left" | "right", forwardM: number, liftM: number, into: Pose): void => {
  const c = Math.cos(into[channel.yaw])
  const s = Math.sin(into[channel.yaw])
  const asideM = signOf(side) * stanceHalfM(physique)
  const leg = legChannels[side]
  into[leg.ankleX] = into[channel.pelvisX] + c * forwardM - s * asideM
  into[leg.ankleY] = into[channel.pelvisY] + s * forwardM + c * asideM
  into[leg.ankleZ] = physique.ankleM + liftM
  into[leg.footPitch] = 0
  into[leg.footYaw] = into[channel.yaw] + signOf(side) * 0.1
}

/** The highest hips of a body whose ankle is `forwardM` before them. */
const hipsOver = (physique: Physique, forwardM: number): number => {
  const legM = standingHipM(physique) - physique.ankleM
  return physique.ankleM + Math.sqrt(Math.max(0, legM * legM - forwardM * forwardM))
}

const drawStillLegs = (physique: Physique, random: Random): Limb => {
  const aheadM = uniformIn(random, -0.12, 0.12)
  return (_, into) => {
    into[channel.pelvisZ] = Math.min(into[channel.pelvisZ], hipsOver(physique, aheadM))
    for (const side of sides) writeAnkle(physique, side, signOf(side) * aheadM, 0, into)
  }
}

const drawIndependentLegs = (physique: Physique, random: Random): Limb => {
  const rate = 2 * Math.PI * uniformIn(random, 0.4, 1.2)
  const phase = uniformIn(random, 0, 2 * Math.PI)
  const swingM = uniformIn(random, 0.04, 0.32)
  const vigour = createRhythm(0.03, 0.15, random)
  return (timeS, into) => {
    const size = Math.max(0, Math.min(1, 0.6 + 1.2 * vigour(timeS)))
    for (const side of sides) {
      const turns = rate * timeS + phase + (side === "left" ? 0 : Math.PI)
      const forwardM = size * swingM * Math.sin(turns)
      into[channel.pelvisZ] = Math.min(into[channel.pelvisZ], hipsOver(physique, forwardM))
      writeAnkle(physique, side, forwardM, size * 0.08 * Math.max(0, Math.cos(turns)), into)
    }
  }
}

const drawBentLegs = (physique: Physique, random: Random): Limb => {
  const lowerM = uniformIn(random, 0.03, 0.25) * (physique.thighM + physique.shankM)
  const leanRad = uniformIn(random, 0, 0.6)
  return (_, into) => {
    into[channel.pelvisZ] -= lowerM
    into[channel.tiltForward] += leanRad
  }
}

const armsOf = (habit: LimbHabits["arms"], random: Random): Limb | null =>
  habit === "usual"
    ? null
    : habit === "still"
    ? drawStillArms(random)
    : habit === "carrying"
    ? drawCarryingArms(random)
    : habit === "posed"
    ? drawPosedArms(random)
    : drawIndependentArms(random)

const legsOf = (habit: LimbHabits["legs"], physique: Physique, random: Random): Limb | null =>
  habit === "usual"
    ? null
    : habit === "still"
    ? drawStillLegs(physique, random)
    : habit === "bent"
    ? drawBentLegs(physique, random)
    : drawIndependentLegs(physique, random)

/** Activities in which each habit applies. */
const onFeet: ReadonlySet<Activity> = new Set(["walking", "standing"])
const inArms: ReadonlySet<Activity> = new Set(["walking", "standing", "sitting"])
const inLegs: ReadonlySet<Activity> = new Set(["walking"])

export const createLimbLayer = (habits: LimbHabits, physique: Physique, random: Random): LimbLayer => {
  const layers = [
    { limb: armsOf(habits.arms, random), when: habits.arms === "carrying" ? onFeet : inArms },
    { limb: legsOf(habits.legs, physique, random), when: habits.legs === "bent" ? onFeet : inLegs },
  ].flatMap(({ limb, when }) => limb === null ? [] : [{ limb, when, share: 0 }])
  const changed = createPose()

  const advance = (activity: Activity): void => {
    for (const layer of layers) layer.share += ((layer.when.has(activity) ? 1 : 0) - layer.share) * fadePerStep
  }
  const add = (timeS: number, pose: Pose): void => {
    for (const { limb, share } of layers) {
      if (share < 1e-4) continue
      changed.set(pose)
      limb(timeS, changed)
      for (let i = 0; i < pose.length; i++) pose[i]! += share * (changed[i]! - pose[i]!)
    }
  }
  return { advance, add }
}
