/**
 * A phase: what moves a pose for a while, in steps.
 *
 * Owns the step and the two plain phases: playing a motion and keeping still. Boundary: walking is in `walk.ts`.
 */
import type { Activity } from "./activity.ts"
import type { Motion } from "./motion.ts"
import type { Pose } from "./pose.ts"

/** Behaviour moves on in steps of its own, so that packet times never change it. */
export const stepS = 0.01

export interface Phase {
  /** Writes the pose one step later; true when the phase is over with it. */
  readonly step: (pose: Pose) => boolean
  /** What the person does now; null: what it did before. */
  readonly activity: () => Activity | null
}

/** Plays a motion; `activity` is what the person does where the motion doesn't say. */
export const play = (motion: Motion, activity: Activity | null): Phase => {
  let steps = 0
  return {
    step: (pose) => {
      steps++
      motion.write(steps * stepS, pose)
      return steps * stepS >= motion.durationS
    },
    activity: () => motion.activityAt(steps * stepS) ?? activity,
  }
}

export const keep = (seconds: number): Phase => {
  let left = Math.max(1, Math.round(seconds / stepS))
  return { step: () => --left <= 0, activity: () => null }
}
