/**
 * The pose frame: what an environment says about its persons at one moment, before any response form.
 *
 * Coordinates: `location` and `velocity` in metres on the floor plan; `keypoints` and `boundingBox` in the environment's
 * view (0..1, origin top left); `keypoints3d` in metres of the world frame. Times are milliseconds since the Unix epoch.
 */
import { Schema } from "effect"
import type { VisiblePart } from "../../core/pose/visible-parts.ts"
import { Presence, Provenance } from "./provenance.ts"

export const Activity = Schema.Literals(["walking", "standing", "sitting", "lying", "falling", "unknown"])
export type Activity = typeof Activity.Type

export const Keypoint = Schema.Struct({
  name: Schema.String,
  x: Schema.Number,
  y: Schema.Number,
  confidence: Schema.Number,
  visible: Schema.Boolean,
})
export type Keypoint = typeof Keypoint.Type

export const Keypoint3d = Schema.Struct({
  name: Schema.String,
  x: Schema.Number,
  y: Schema.Number,
  z: Schema.Number,
  confidence: Schema.Number,
  /** Standard deviation of the position, per axis, in metres. */
  sigmaM: Schema.Number,
})
export type Keypoint3d = typeof Keypoint3d.Type

const BoundingBox = Schema.Struct({
  x: Schema.Number,
  y: Schema.Number,
  width: Schema.Number,
  height: Schema.Number,
})
type BoundingBox = typeof BoundingBox.Type

export const Point = Schema.Struct({ x: Schema.Number, y: Schema.Number })
export type Point = typeof Point.Type

export const TrackStatus = Schema.Literals(["tentative", "active", "lost", "ended"])
export type TrackStatus = typeof TrackStatus.Type

/** One person of a frame. `id` is the id of the track: random, it dies with the track and identifies nobody. */
export const Person = Schema.Struct({
  id: Schema.Int,
  trackStatus: TrackStatus,
  /** Frames since the track was born. */
  trackAge: Schema.Int,
  confidence: Schema.Number,
  activity: Activity,
  location: Point,
  locationSigmaM: Schema.Number,
  velocity: Point,
  boundingBox: BoundingBox,
  keypoints: Schema.Array(Keypoint),
  keypoints3d: Schema.Array(Keypoint3d),
})
export type Person = typeof Person.Type

/**
 * The surface of a person as the viewer sees it. It is no part of a frame: nothing of it is measured, it is rendered from
 * a body fitted to the keypoints when somebody asks.
 */
export interface DensePose {
  /** Why there is nothing to show; else null. */
  readonly reason: string | null
  readonly bodyParts: ReadonlyArray<VisiblePart>
  /** PNGs of what the bounding box shows: (part, u, v) in red, green and blue, and the confidence in grey. Null with a reason. */
  readonly pictures: { readonly iuv: Uint8Array; readonly confidence: Uint8Array } | null
}

const ViewInfo = Schema.Struct({
  /** Direction of sight in the world frame. */
  lookingAlong: Schema.Literal("+y"),
  widthM: Schema.Number,
  heightM: Schema.Number,
})
type ViewInfo = typeof ViewInfo.Type

/** What a site of this many links and this knowledge of its geometry can answer. */
export const Capability = Schema.Literals(["presence", "motion", "breathing", "location", "count", "pose"])
export type Capability = typeof Capability.Type

/** Rates per minute of whoever is heard best; a rate and its reason exclude each other. */
export const Vitals = Schema.Struct({
  breathingRateBpm: Schema.NullOr(Schema.Number),
  breathingConfidence: Schema.Number,
  breathingReason: Schema.NullOr(Schema.String),
  heartRateBpm: Schema.NullOr(Schema.Number),
  heartReason: Schema.NullOr(Schema.String),
})

export const PoseFrame = Schema.Struct({
  environmentId: Schema.String,
  /** Counts the frames of an environment without a gap, across restarts and moves to another node. */
  frameId: Schema.Int,
  /** End of the hop that the frame describes. */
  timestampMs: Schema.Number,
  processingTimeMs: Schema.Number,
  persons: Schema.Array(Person),
  routerCount: Schema.Int,
  /** 0..1 from packet rate and loss of the routers; null when none reported. */
  signalQuality: Schema.NullOr(Schema.Number),
  processingPipeline: Schema.String,
  processingMode: Schema.String,
  presence: Presence,
  /** 0..1; null when the signal does not say. */
  motion: Schema.NullOr(Schema.Number),
  vitals: Vitals,
  capabilities: Schema.Array(Capability),
  /** Why `persons` cannot be filled, when the site does not support it; else null. */
  personsReason: Schema.NullOr(Schema.String),
  view: Schema.NullOr(ViewInfo),
  provenance: Provenance,
})
export type PoseFrame = typeof PoseFrame.Type
