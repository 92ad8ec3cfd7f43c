/**
 * The manner of a person: how they move, independently of what they do.
 *
 * A person without a manner has the regular gait, limbs that follow it, and little sway while standing.
 */
import type { LimbHabits } from "../bodies/limb-habits.ts"
import type { Gait } from "./gait.ts"

export interface Manner {
  readonly gait: Gait
  readonly limbs: LimbHabits
}
