/**
 * Short acts of a standing body: picking something up, jumping.
 */
import { type Random, uniformIn } from "../../randomness/random.ts"
import type { Keyframe } from "../motion.ts"
import { type Physique, standingHipM } from "../physique.ts"
import { channel, type Pose, relaxed, type Shape } from "../pose.ts"
import { offset } from "../postures.ts"

/** Picks something up from the floor in 1.8 to 3 s, with a bent back or bent knees. */
export const pickUp = (physique: Physique, pose: Pose, random: Random): ReadonlyArray<Keyframe> => {
  const seconds = uniformIn(random, 1.8, 3)
  const isSquat = random.uniform() < 0.5
  const yaw = pose[channel.yaw]
  const start = { pelvisX: pose[channel.pelvisX], pelvisY: pose[channel.pelvisY], pelvisZ: standingHipM(physique) }
  const [x, y] = offset(start.pelvisX, start.pelvisY, yaw, isSquat ? -0.12 : -0.08, 0)
  const lean = isSquat ? 0.95 : 1.35
  const low: Shape = {
    pelvisX: x,
    pelvisY: y,
    pelvisZ: standingHipM(physique) * (isSquat ? 0.55 : 0.94),
    spineForward: lean,
    neckForward: -0.25,
    rightFlex: lean + 0.25,
    rightElbow: 0.1,
    leftFlex: lean * 0.5,
    leftElbow: 0.8,
  }
  const held: Shape = { ...low, rightElbow: 0.15 }
  return [
    { atS: seconds * 0.42, set: low },
    { atS: seconds * 0.55, set: held },
    { atS: seconds, set: { ...relaxed(physique), ...start } },
  ]
}

const gravityMps2 = 9.81

/** Jumps 0.1 to 0.3 m high on the spot. */
export const jump = (physique: Physique, pose: Pose, random: Random): ReadonlyArray<Keyframe> => {
  const heightM = uniformIn(random, 0.1, 0.3)
  const speed = Math.sqrt(2 * gravityMps2 * heightM)
  const rise = speed / gravityMps2
  const standing = standingHipM(physique)
  const ankle = physique.ankleM
  // On the toes, hips and ankles are higher by this much.
  const toes = 0.06
  const off = 0.75
  const both = (z: number, pitch: number): Shape => ({
    leftAnkleZ: z,
    rightAnkleZ: z,
    leftFootPitch: pitch,
    rightFootPitch: pitch,
  })
  const rates = (speedMps: number): Shape => ({ pelvisZ: speedMps, leftAnkleZ: speedMps, rightAnkleZ: speedMps })
  const reach = (flex: number): Shape => ({ leftFlex: flex, rightFlex: flex, leftElbow: 0.5, rightElbow: 0.5 })
  const apex = standing + toes + heightM
  const land = off + 2 * rise
  const hold: Shape = { leftAnkleX: pose[channel.leftAnkleX], rightAnkleX: pose[channel.rightAnkleX] }
  return [
    { atS: 0.5, set: { pelvisZ: standing - 0.25, spineForward: 0.5, ...reach(-0.6) } },
    { atS: off - 0.1, set: both(ankle, 0) },
    {
      atS: off,
      set: { pelvisZ: standing + toes, spineForward: 0.05, ...both(ankle + toes, 0.6), ...hold },
      rates: rates(speed),
    },
    { atS: off + rise, set: { pelvisZ: apex, ...both(ankle + toes + heightM, 0.7), ...reach(1.6) } },
    { atS: land, set: { pelvisZ: standing + toes, ...both(ankle + toes, 0.5) }, rates: rates(-speed) },
    { atS: land + 0.08, set: both(ankle, 0) },
    { atS: land + 0.25, set: { pelvisZ: standing - 0.22, spineForward: 0.45, ...reach(0.5) } },
    { atS: land + 0.9, set: { ...relaxed(physique), pelvisZ: standing } },
  ]
}
