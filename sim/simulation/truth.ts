/**
 * The ground truth about a person of a simulation at one moment.
 */
import type { Vector3 } from "../../core/imaging/geometry.ts"
import type { Activity } from "../bodies/activity.ts"

export interface PersonTruth {
  /** Index of the person in the scenario. */
  readonly person: number
  /** The room that the person is in; null when out. */
  readonly environmentId: string | null
  /** Null when out. */
  readonly activity: Activity | null
  /** Floor point below the middle of the hips, metres in that room's frame; null when out. */
  readonly location: readonly [x: number, y: number] | null
  /** Direction that the body faces, radians counter-clockwise from +x. */
  readonly headingRad: number
  readonly speedMps: number
  /** The 17 keypoints in COCO's order, metres in that room's frame; none when out. */
  readonly keypoints: ReadonlyArray<Vector3>
  /** Time at which the hips hit the floor in the current fall, microseconds since the Unix epoch; otherwise null. */
  readonly fallImpactUs: number | null
  /** True rates per minute; null when out. */
  readonly breathingBpm: number | null
  readonly heartBpm: number | null
}
