/**
 * Gestures with arms, trunk and head of a standing or sitting body; they end in the pose in which they began.
 */
import { type Random, uniformIn } from "../../randomness/random.ts"
import type { Keyframe } from "../motion.ts"
import { type Channel, channel, type Pose, type Shape, type Side } from "../pose.ts"
import { arms } from "../postures.ts"
import type { Gesture } from "../step.ts"

const used = [
  "spineForward",
  "spineLeft",
  "spineTwist",
  "neckForward",
  "headTurn",
  "leftFlex",
  "leftAbduct",
  "leftTurn",
  "leftElbow",
  "rightFlex",
  "rightAbduct",
  "rightTurn",
  "rightElbow",
] as const satisfies ReadonlyArray<Channel>

const restOf = (pose: Pose): Shape => Object.fromEntries(used.map((name) => [name, pose[channel[name]]]))

const arm = (side: Side, flex: number, abduct: number, turn: number, elbow: number): Shape => ({
  [`${side}Flex`]: flex,
  [`${side}Abduct`]: abduct,
  [`${side}Turn`]: turn,
  [`${side}Elbow`]: elbow,
})

const wave = (random: Random): ReadonlyArray<Keyframe> => {
  const side = random.uniform() < 0.8 ? "right" : "left"
  const half = 0.5 / uniformIn(random, 1.4, 2.4)
  const count = 2 * Math.round(uniformIn(random, 2, 4))
  const raised = arm(side, 0.5, 1.35, -0.9, 1.4)
  return [
    { atS: 0.7, set: raised },
    ...Array.from({ length: count }, (_, k): Keyframe => ({
      atS: 0.7 + (k + 1) * half,
      set: { [`${side}Elbow`]: k % 2 === 0 ? 0.8 : 1.75 },
    })),
  ]
}

const reach = (pose: Pose, random: Random): ReadonlyArray<Keyframe> => {
  const side = random.uniform() < 0.75 ? "right" : "left"
  const seconds = uniformIn(random, 0.7, 1.2)
  const flex = uniformIn(random, 1.2, 2.4)
  const lean = pose[channel.spineForward] + 0.12
  const out: Shape = { ...arm(side, flex, 0.1, 0, 0.12), spineForward: lean, spineTwist: side === "right" ? 0.2 : -0.2 }
  return [{ atS: seconds, set: out }, { atS: seconds + uniformIn(random, 0.3, 1), set: out }]
}

const foldArms = (random: Random): ReadonlyArray<Keyframe> => {
  const folded: Shape = { ...arms(0.55, 0.05, 1.25, 1.75), leftFlex: 0.65 }
  return [{ atS: 1.1, set: folded }, { atS: 1.1 + uniformIn(random, 4, 15), set: folded }]
}

const talk = (random: Random): ReadonlyArray<Keyframe> => {
  const frames: Array<Keyframe> = []
  const endS = uniformIn(random, 5, 12)
  for (let atS = 0.5; atS < endS; atS += uniformIn(random, 0.35, 0.8)) {
    const side = random.uniform() < 0.7 ? "right" : "left"
    const set = arm(
      side,
      uniformIn(random, 0.2, 0.9),
      uniformIn(random, 0.1, 0.4),
      uniformIn(random, -0.2, 0.8),
      uniformIn(random, 1, 1.9),
    )
    frames.push({
      atS,
      set: { ...set, neckForward: uniformIn(random, -0.05, 0.2), headTurn: uniformIn(random, -0.3, 0.3) },
    })
  }
  return frames
}

/** Keyframes of a gesture from the current pose and back to it. */
export const gesture = (name: Gesture, pose: Pose, random: Random): ReadonlyArray<Keyframe> => {
  const frames = name === "wave"
    ? wave(random)
    : name === "reach"
    ? reach(pose, random)
    : name === "fold-arms"
    ? foldArms(random)
    : talk(random)
  const lastS = frames[frames.length - 1]!.atS
  return [...frames, { atS: lastS + 0.9, set: restOf(pose) }]
}
