/**
 * A phase: a process that moves a pose for a while, in steps.
 *
 * Owns the step length and the two simple phases: playing a motion and keeping still. Boundary: walking is in `walk.ts`.
 */
import type { Activity } from "./activity.ts"
import type { Motion } from "./motion.ts"
import type { Pose } from "./pose.ts"

/** Behaviour advances in its own steps, so packet times never change it. */
export const stepS = 0.01

export interface Phase {
  /** Writes the pose one step later; returns true when the phase is over. */
  readonly step: (pose: Pose) => boolean
  /** The current activity; null: unchanged. */
  readonly activity: () => Activity | null
}

/** Plays a motion; `activity` applies where the motion names none. */
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

/** Keeps the pose. */
export const keep = (seconds: number): Phase => {
  let left = Math.max(1, Math.round(seconds / stepS))
  return { step: () => --left <= 0, activity: () => null }
}
