/**
 * Falls: from the loss of balance to lying on the floor.
 *
 * The hips accelerate downwards and stop within the last `stopS`; the trunk follows. Ranges: 0.45 to 1.0 s from the loss of
 * balance to the impact of the hips, with a peak of 1.5 to 3.5 m/s.
 */
import { type Random, uniformIn } from "../../randomness/random.ts"
import type { Keyframe } from "../motion.ts"
import { lyingHipM, type Physique } from "../physique.ts"
import { channel, type Pose, type Shape } from "../pose.ts"
import { arms, feetOf, lying, offset, prone } from "../postures.ts"
import type { FallDirection } from "../step.ts"

/** The hips come to a stop over this time. */
const stopS = 0.12
const peakMps = [1.55, 3.4] as const

interface Fall {
  readonly frames: ReadonlyArray<Keyframe>
  /** Time from the loss of balance to the impact of the hips. */
  readonly impactS: number
}

interface Landing {
  /** At rest on the floor. */
  readonly end: Shape
  /** At the impact of the hips: the trunk is still falling. */
  readonly impact: Shape
  /** Halfway down. */
  readonly midway: Shape
}

/** Horizontal distance of the hips in the direction of the fall. */
const carryM = 0.42

const forward = (physique: Physique, x: number, y: number, yaw: number, random: Random): Landing => {
  const end = prone(physique, x, y, yaw)
  const headTurn = random.uniform() < 0.5 ? 1.1 : -1.1
  const legM = physique.thighM + physique.shankM
  return {
    end: {
      ...end,
      headTurn,
      leftAbduct: uniformIn(random, 1, 1.5),
      rightAbduct: uniformIn(random, 1, 1.5),
      leftElbow: uniformIn(random, 0.6, 1.6),
      rightElbow: uniformIn(random, 0.6, 1.6),
    },
    impact: {
      tiltForward: 1.2,
      neckForward: -0.4,
      headTurn: headTurn * 0.6,
      ...feetOf(x, y, yaw, { forward: -0.93 * legM, left: 0.12, z: 0.09, pitch: 1.1 }),
      ...arms(1.5, 1.1, 0, 0.9),
    },
    midway: { ...arms(1.2, 0.5, 0, 0.5), neckForward: -0.3 },
  }
}

const backward = (physique: Physique, x: number, y: number, yaw: number, random: Random): Landing => {
  const legM = physique.thighM + physique.shankM
  const bent = uniformIn(random, 0, 0.6)
  const end = lying(physique, x, y, yaw, 0, "back", bent)
  return {
    end: {
      ...end,
      neckForward: 0.1,
      leftAbduct: uniformIn(random, 0.3, 1.2),
      rightAbduct: uniformIn(random, 0.3, 1.2),
      leftTurn: random.uniform() < 0.5 ? 1.2 : -1.5,
      rightTurn: random.uniform() < 0.5 ? 1.2 : -1.5,
      leftElbow: uniformIn(random, 0.2, 1.2),
      rightElbow: uniformIn(random, 0.2, 1.2),
    },
    impact: {
      tiltForward: -0.75,
      neckForward: 0.45,
      ...feetOf(x, y, yaw, { forward: 0.8 * legM, left: 0.14, z: 0.13, pitch: -0.7 }),
      ...arms(-0.5, 0.7, 0, 0.4),
    },
    midway: { ...arms(0.7, 0.9, 0, 0.4), neckForward: 0.35 },
  }
}

const sideways = (
  physique: Physique,
  x: number,
  y: number,
  yaw: number,
  side: "left" | "right",
  random: Random,
): Landing => {
  const sign = side === "left" ? 1 : -1
  // Lying on a side, written as a lean to that side of a body that keeps the heading `yaw`.
  const headward = yaw + (sign * Math.PI) / 2
  const still = lying(physique, x, y, headward + Math.PI, 0, side, uniformIn(random, 0.3, 1))
  const lean = 1.4
  const written: Shape = { ...still, yaw, tiltForward: 0, tiltLeft: sign * lean, twist: 0 }
  // The arm on the side of the fall goes ahead: otherwise it would end below the chest.
  const lowerArm: Shape = side === "left" ? { leftFlex: 1.1, leftAbduct: 0.1 } : { rightFlex: 1.1, rightAbduct: 0.1 }
  const limbs: Shape = {
    leftFlex: uniformIn(random, 0.4, 1.1),
    rightFlex: uniformIn(random, 0.4, 1.1),
    leftElbow: uniformIn(random, 0.5, 1.5),
    rightElbow: uniformIn(random, 0.5, 1.5),
    leftFootYaw: yaw,
    rightFootYaw: yaw,
  }
  return {
    end: { ...written, ...limbs },
    impact: {
      tiltLeft: sign * 0.85,
      ...arms(0.7, 0.5, 0, 0.6),
      ...lowerArm,
    },
    midway: { ...arms(0.6, 0.8, 0, 0.4), ...lowerArm },
  }
}

/**
 * A fall from a pose that moves at `speedMps` along its heading. The keyframes end with the body at rest.
 */
export const fall = (
  physique: Physique,
  pose: Pose,
  direction: FallDirection,
  speedMps: number,
  random: Random,
): Fall => {
  const yaw = pose[channel.yaw]
  const drawn = uniformIn(random, 0.45, 1)
  const isAside = direction === "left" || direction === "right"
  const sign = direction === "forward" || direction === "left" ? 1 : -1
  const endZ = isAside ? 0.93 * physique.shoulderHalfM : lyingHipM(physique)
  const dropM = pose[channel.pelvisZ] - endZ
  const impactS = Math.max((2 * dropM) / peakMps[1], Math.min((2 * dropM) / peakMps[0], drawn))
  const peak = (2 * dropM) / impactS
  const carried = 0.5 * speedMps * impactS
  const [x, y] = offset(
    pose[channel.pelvisX],
    pose[channel.pelvisY],
    yaw,
    carried + (isAside ? 0 : sign * carryM),
    isAside ? sign * carryM : 0,
  )
  const landing = direction === "forward"
    ? forward(physique, x, y, yaw, random)
    : direction === "backward"
    ? backward(physique, x, y, yaw, random)
    : sideways(physique, x, y, yaw, direction, random)
  const stopping = impactS - stopS
  const { pelvisX, pelvisY, pelvisZ, ...rest } = landing.end
  return {
    impactS,
    frames: [
      { atS: 0, set: {}, activity: "falling" },
      { atS: impactS * 0.5, set: landing.midway },
      { atS: stopping, set: { pelvisZ: endZ + (peak * stopS) / 2 }, rates: { pelvisZ: -peak } },
      { atS: impactS, set: { ...landing.impact, pelvisX: pelvisX!, pelvisY: pelvisY!, pelvisZ: pelvisZ! } },
      { atS: impactS + 0.2, set: { tiltForward: rest.tiltForward!, tiltLeft: rest.tiltLeft! }, activity: "lying" },
      { atS: impactS + uniformIn(random, 0.45, 0.8), set: landing.end },
    ],
  }
}
