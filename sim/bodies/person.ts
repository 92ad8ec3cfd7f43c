/**
 * A person: a body that lives by its behaviour.
 *
 * Owns time. Behaviour, breath and sway move on in steps of 10 ms whatever times are asked for, so that radio settings never
 * change what a person does; between two steps the pose is on the straight line between theirs.
 */
import { createRandom, type Random } from "../random.ts"
import type { Activity } from "./activity.ts"
import { createBody, createPosture, type Posture } from "./body.ts"
import type { FloorPlan } from "./floor-plan.ts"
import { createLife } from "./life.ts"
import { createOccupancy, type Occupancy } from "./occupancy.ts"
import { stepS } from "./phase.ts"
import { createPhysique } from "./physique.ts"
import { channel, channelCount, createPose, wrapAngle } from "./pose.ts"
import type { Behaviour } from "./step.ts"
import { createSway } from "./sway.ts"
import { createVitals, type VitalsDescription } from "./vitals.ts"
import { drawGaitStyle } from "./walk.ts"

export type { Activity } from "./activity.ts"

export interface PersonDescription extends VitalsDescription {
  readonly heightM: number
  /** 1 is slim to normal; 1.3 is stout. */
  readonly girth: number
  readonly walkingSpeedMps: number
  readonly behaviour: Behaviour
}

export interface PersonState {
  readonly activity: Activity
  /** Middle of the hips. */
  readonly x: number
  readonly y: number
  /** Where the body faces, or would if it were set upright the shortest way; -pi to pi. */
  readonly headingRad: number
  /** Of the hips over the floor. */
  readonly speedMps: number
  /**
   * When the hips hit the floor in a fall that is not over: from the loss of balance (a moment ahead) until the body begins to
   * get up. Else null.
   */
  readonly fallImpactS: number | null
  /** The present mean rates, per minute. */
  readonly breathingBpm: number
  readonly heartBpm: number
  /** False when the person is out: before it came and after it left. Who comes appears 1.5 m outside the door. */
  readonly present: boolean
}

export interface Person {
  /** Where the points of the body were at the last `at`; meaningless while the person is out. */
  readonly posture: Posture
  /** How far the person has lived, seconds since its beginning. */
  readonly nowS: () => number
  /** Lives a step of 10 ms on. Those who share a home live their steps in turn. */
  readonly step: () => void
  /** Goes to `timeS`, seconds since the person's beginning, and writes `posture`. Times never decrease. */
  readonly at: (timeS: number) => PersonState
}

/** How hard the body works, for its breath and heart. */
const efforts: Readonly<Record<Activity, number>> = { walking: 1, standing: 0.15, sitting: 0, lying: 0, falling: 1 }

/**
 * A person on a floor. People of one home share an `occupancy`, so that they keep out of each other's places and ways. Everything that
 * is random is drawn from `random`, which is used at once and not kept.
 */
export const createPerson = (
  description: PersonDescription,
  floor: FloorPlan,
  random: Random,
  occupancy: Occupancy = createOccupancy(),
): Person => {
  const seed = Math.floor(random.uniform() * 2 ** 32)
  const stream = (name: string): Random => createRandom(seed, name)
  const physique = createPhysique(description.heightM, description.girth, stream("physique"))
  const gait = drawGaitStyle(description.walkingSpeedMps, stream("gait"))
  const life = createLife(physique, gait, description.behaviour, floor, stream("behaviour"), occupancy)
  const body = createBody(physique)
  const vitals = createVitals(description, stream("vitals"))
  const sway = createSway(stream("sway"))
  const shown = createPose()
  const posture = createPosture()
  const { actor, before } = life
  const { pose } = actor

  const step = (): void => {
    life.step()
    const activity = life.activity()
    vitals.advance(life.nowS(), efforts[activity])
    sway.advance(activity === "standing" ? 1 : 0, activity === "sitting" ? 1 : 0)
  }

  const at = (timeS: number): PersonState => {
    while (life.nowS() < timeS) step()
    const share = Math.max(0, Math.min(1, 1 - (life.nowS() - timeS) / stepS))
    for (let i = 0; i < channelCount; i++) shown[i] = before[i]! + (pose[i]! - before[i]!) * share
    sway.add(timeS, shown)
    body.place(shown, vitals.breathM(timeS), vitals.pulseM(timeS), posture)
    const dx = pose[channel.pelvisX] - before[channel.pelvisX]
    const dy = pose[channel.pelvisY] - before[channel.pelvisY]
    return {
      activity: life.activity(),
      x: shown[channel.pelvisX],
      y: shown[channel.pelvisY],
      headingRad: wrapAngle(shown[channel.yaw] + shown[channel.twist]),
      speedMps: Math.hypot(dx, dy) / stepS,
      fallImpactS: actor.fallImpactS,
      breathingBpm: vitals.breathingBpm(),
      heartBpm: vitals.heartBpm(),
      present: actor.rest.on !== "out",
    }
  }
  return { posture, nowS: life.nowS, step, at }
}
