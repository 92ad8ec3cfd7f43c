/**
 * The small moves of a body that stands, sits or lies for a while.
 */
import { type Random, uniformIn } from "../../randomness/random.ts"
import type { Keyframe } from "../motion.ts"
import type { Physique } from "../physique.ts"
import { type Channel, channel, type Pose, type Shape, type Side } from "../pose.ts"

/** Moves some channels away from a pose by the given amounts, and back after a while. */
const awayAndBack = (pose: Pose, away: Shape, goS: number, stayS: number): ReadonlyArray<Keyframe> => {
  const there: Shape = {}
  const home: Shape = {}
  for (const [name, by] of Object.entries(away) as ReadonlyArray<[Channel, number]>) {
    home[name] = pose[channel[name]]
    there[name] = home[name] + by
  }
  return [{ atS: goS, set: there }, { atS: goS + stayS, set: there }, { atS: 2 * goS + stayS, set: home }]
}

const anySide = (random: Random): Side => random.uniform() < 0.5 ? "left" : "right"

/** Shifts the weight to one leg for a while. */
const weightShift = (physique: Physique, pose: Pose, random: Random): ReadonlyArray<Keyframe> => {
  const aside = uniformIn(random, 0.02, 0.045) * (random.uniform() < 0.5 ? 1 : -1)
  const yaw = pose[channel.yaw]
  const away: Shape = {
    pelvisX: -Math.sin(yaw) * aside,
    pelvisY: Math.cos(yaw) * aside,
    pelvisZ: -0.004 * physique.heightM,
    tiltLeft: -aside,
    spineLeft: 1.2 * aside,
  }
  return awayAndBack(pose, away, uniformIn(random, 0.8, 1.6), uniformIn(random, 3, 12))
}

const lookAround = (pose: Pose, random: Random): ReadonlyArray<Keyframe> => {
  const turn = uniformIn(random, -0.9, 0.9)
  return awayAndBack(
    pose,
    { headTurn: turn, spineTwist: 0.15 * turn },
    uniformIn(random, 0.4, 0.8),
    uniformIn(random, 0.5, 3),
  )
}

/** Moves a hand to the face, or a little. */
const moveHand = (pose: Pose, random: Random): ReadonlyArray<Keyframe> => {
  const side = anySide(random)
  const toFace = random.uniform() < 0.4
  const away: Shape = toFace
    ? {
      [`${side}Flex`]: uniformIn(random, 0.5, 0.8),
      [`${side}Turn`]: 0.3,
      [`${side}Elbow`]: uniformIn(random, 1.2, 1.6),
    }
    : { [`${side}Flex`]: uniformIn(random, 0, 0.35), [`${side}Elbow`]: uniformIn(random, -0.1, 0.5) }
  return awayAndBack(pose, away, uniformIn(random, 0.5, 0.9), uniformIn(random, 0.3, 2.5))
}

const leanTrunk = (pose: Pose, random: Random): ReadonlyArray<Keyframe> =>
  awayAndBack(
    pose,
    { spineForward: uniformIn(random, -0.08, 0.3), spineLeft: uniformIn(random, -0.1, 0.1) },
    uniformIn(random, 0.8, 1.6),
    uniformIn(random, 2, 15),
  )

export const fidgetStanding = (physique: Physique, pose: Pose, random: Random): ReadonlyArray<Keyframe> => {
  const draw = random.uniform()
  return draw < 0.45
    ? weightShift(physique, pose, random)
    : draw < 0.75
    ? lookAround(pose, random)
    : moveHand(pose, random)
}

export const fidgetSitting = (pose: Pose, random: Random): ReadonlyArray<Keyframe> => {
  const draw = random.uniform()
  return draw < 0.35 ? leanTrunk(pose, random) : draw < 0.65 ? lookAround(pose, random) : moveHand(pose, random)
}

/** Moves a hand or the head, or draws up a leg a little; the body stays on its support. */
export const fidgetLying = (pose: Pose, random: Random): ReadonlyArray<Keyframe> => {
  const side = anySide(random)
  const draw = random.uniform()
  const away: Shape = draw < 0.5
    ? { [`${side}Elbow`]: uniformIn(random, 0.2, 0.8), [`${side}Abduct`]: uniformIn(random, -0.1, 0.15) }
    : draw < 0.75
    ? { headTurn: uniformIn(random, -0.35, 0.35) }
    : {
      [`${side}AnkleX`]: 0.12 * (pose[channel.pelvisX] - pose[channel[`${side}AnkleX`]]),
      [`${side}AnkleY`]: 0.12 * (pose[channel.pelvisY] - pose[channel[`${side}AnkleY`]]),
    }
  return awayAndBack(pose, away, uniformIn(random, 0.6, 1.4), uniformIn(random, 1, 10))
}
