/**
 * A person: a body that follows a behaviour.
 *
 * Owns time. Behaviour, breath and sway advance in steps of 10 ms, independent of the requested times, so radio settings never
 * change what a person does. Between two steps the pose is interpolated linearly.
 */
import { createRandom, type Random } from "../randomness/random.ts"
import type { Activity } from "../bodies/activity.ts"
import { createBody, createPosture, type Posture } from "../bodies/body.ts"
import type { FloorPlan } from "../rooms/floor-plan.ts"
import { createLife } from "./life.ts"
import { createOccupancy, type Occupancy } from "./occupancy.ts"
import { stepS } from "../bodies/phase.ts"
import { createPhysique } from "../bodies/physique.ts"
import { channel, channelCount, createPose, wrapAngle } from "../bodies/pose.ts"
import type { Behaviour } from "../bodies/step.ts"
import { createSway } from "../bodies/sway.ts"
import { createVitals, type VitalsDescription } from "../bodies/vitals.ts"
import { createLimbLayer, regularLimbs } from "../bodies/limb-habits.ts"
import { drawGaitStyle, regularGait } from "./gait.ts"
import type { Manner } from "./manner.ts"

export interface PersonDescription extends VitalsDescription {
  readonly heightM: number
  /** 1 is slim to normal; 1.3 is stout. */
  readonly girth: number
  readonly walkingSpeedMps: number
  /** Omitted: the regular gait, with limbs that follow it. */
  readonly manner?: Manner
  readonly behaviour: Behaviour
}

export interface PersonState {
  readonly activity: Activity
  /** Middle of the hips. */
  readonly x: number
  readonly y: number
  /** Heading of the body, or the heading it would have after being set upright the shortest way; -pi to pi. */
  readonly headingRad: number
  /** Speed of the hips over the floor. */
  readonly speedMps: number
  /**
   * Time at which the hips hit the floor in the current fall. Set from the loss of balance, shortly before the impact, until the
   * body begins to get up; otherwise null.
   */
  readonly fallImpactS: number | null
  /** The current mean rates, per minute. */
  readonly breathingBpm: number
  readonly heartBpm: number
  /** False while the person is out. A person who enters appears 1.5 m outside the door. */
  readonly present: boolean
}

export interface Person {
  /** Points of the body at the last call of `at`; meaningless while the person is out. */
  readonly posture: Posture
  /** End of the last step, seconds since the person's beginning. */
  readonly nowS: () => number
  /** Advances by one step of 10 ms. People who share a home take their steps in turn. */
  readonly step: () => void
  /** Advances to `timeS`, seconds since the person's beginning, and writes `posture`. Times never decrease. */
  readonly at: (timeS: number) => PersonState
}

/** Physical effort of each activity, which raises the rates of breath and heart. */
const efforts: Readonly<Record<Activity, number>> = { walking: 1, standing: 0.15, sitting: 0, lying: 0, falling: 1 }

/**
 * Creates a person on a floor. People of one home share an `occupancy`, so that they avoid each other's places and ways. All
 * randomness derives from one draw of `random`, which is not kept.
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
  const gait = drawGaitStyle(description.walkingSpeedMps, description.manner?.gait ?? regularGait, stream("gait"))
  const life = createLife(physique, gait, description.behaviour, floor, stream("behaviour"), occupancy)
  const body = createBody(physique)
  const vitals = createVitals(description, stream("vitals"))
  const sway = createSway(stream("sway"))
  const limbs = createLimbLayer(description.manner?.limbs ?? regularLimbs, physique, stream("limbs"))
  const shown = createPose()
  const posture = createPosture()
  const { performer, before } = life
  const { pose } = performer

  const step = (): void => {
    life.step()
    const activity = life.activity()
    vitals.advance(life.nowS(), efforts[activity])
    sway.advance(activity === "standing" ? 1 : 0, activity === "sitting" ? 1 : 0)
    limbs.advance(activity)
  }

  const at = (timeS: number): PersonState => {
    while (life.nowS() < timeS) step()
    const share = Math.max(0, Math.min(1, 1 - (life.nowS() - timeS) / stepS))
    for (let i = 0; i < channelCount; i++) shown[i] = before[i]! + (pose[i]! - before[i]!) * share
    sway.add(timeS, shown)
    limbs.add(timeS, shown)
    body.place(shown, vitals.breathM(timeS), vitals.pulseM(timeS), posture)
    const dx = pose[channel.pelvisX] - before[channel.pelvisX]
    const dy = pose[channel.pelvisY] - before[channel.pelvisY]
    return {
      activity: life.activity(),
      x: shown[channel.pelvisX],
      y: shown[channel.pelvisY],
      headingRad: wrapAngle(shown[channel.yaw] + shown[channel.twist]),
      speedMps: Math.hypot(dx, dy) / stepS,
      fallImpactS: performer.fallImpactS,
      breathingBpm: vitals.breathingBpm(),
      heartBpm: vitals.heartBpm(),
      present: performer.rest.on !== "out",
    }
  }
  return { posture, nowS: life.nowS, step, at }
}
