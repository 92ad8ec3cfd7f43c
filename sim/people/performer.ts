/**
 * A performer: the state of a person in the middle of their behaviour.
 *
 * Owns the state that the steps of behaviour share. Boundary: `actions.ts` has the phases that many steps are made of, `travel.ts`
 * walks, `behaviour.ts` makes steps of phases, `life.ts` runs them.
 */
import type { Random } from "../randomness/random.ts"
import type { Bed, FloorPlan, Seat } from "../rooms/floor-plan.ts"
import type { Berth } from "../bodies/motions/bed.ts"
import type { Course, Occupancy } from "./occupancy.ts"
import type { Phase } from "../bodies/phase.ts"
import type { Physique } from "../bodies/physique.ts"
import type { Planner } from "./planner.ts"
import type { Pose } from "../bodies/pose.ts"
import type { GaitStyle } from "./gait.ts"

/** What supports the body between two steps of behaviour. */
type Rest =
  | { readonly on: "out" }
  | { readonly on: "feet" }
  | { readonly on: "knees" }
  | { readonly on: "seat"; readonly seat: Seat }
  | { readonly on: "edge"; readonly bed: Bed; readonly berth: Berth }
  | { readonly on: "bed"; readonly bed: Bed; readonly berth: Berth }
  | { readonly on: "floor" }
  /** Lying on the floor after a fall. */
  | { readonly on: "ground" }

export interface Performer {
  readonly physique: Physique
  readonly gait: GaitStyle
  readonly floor: FloorPlan
  readonly planner: Planner
  readonly occupancy: Occupancy
  readonly random: Random
  /** The current pose; phases write it. */
  readonly pose: Pose
  /** Rate of change of the pose, per second. */
  readonly rates: () => Pose
  nowS: number
  rest: Rest
  /** The route that the person walks now. */
  course: Course | null
  /** The outer door that the person goes through. */
  doorId: string | null
  fallImpactS: number | null
}

/** A step of behaviour as a sequence of phases. */
export type Phases = Generator<Phase, void, void>
