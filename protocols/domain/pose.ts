/**
 * The pose frame: the estimate of an environment's persons at one time, independent of response forms.
 *
 * Coordinates: `location` and `velocity` in metres on the floor plan; `keypoints` and `boundingBox` in the environment's
 * view (0..1, origin top left); `keypoints3d` in metres of the world frame. Times are milliseconds since the Unix epoch.
 */
import { Schema } from "effect"
import type { VisiblePart } from "../../core/pose/visible-parts.ts"
import { Presence, Provenance } from "./provenance.ts"

export const Activity = Schema.Literals(["walking", "standing", "sitting", "lying", "falling", "unknown"])
export type Activity = typeof Activity.Type

/**
 * Whether the joint's own echo supports its position: true if so, false if the position is inferred from the rest of the body; null if
 * that is not known, with the person's `evidenceReason`.
 */
const Observed = Schema.NullOr(Schema.Boolean)

export const Keypoint = Schema.Struct({
  name: Schema.String,
  x: Schema.Number,
  y: Schema.Number,
  confidence: Schema.Number,
  visible: Schema.Boolean,
  observed: Observed,
})
export type Keypoint = typeof Keypoint.Type

export const Keypoint3d = Schema.Struct({
  name: Schema.String,
  x: Schema.Number,
  y: Schema.Number,
  z: Schema.Number,
  confidence: Schema.Number,
  /** Standard deviation of the position relative to the pelvis, per axis, in metres. The place's own is the person's `locationSigmaM`. */
  sigmaM: Schema.Number,
  observed: Observed,
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

/** One person of a frame. `id` is the id of the track: random, valid for the track only, and without relation to a person's identity. */
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
  /** Why it is not known which keypoints are observed; null if it is known. */
  evidenceReason: Schema.NullOr(Schema.String),
})
export type Person = typeof Person.Type

/**
 * The surface of a person from the viewer's direction. It is not measured and not part of a frame: it is rendered on request from a body that
 * is fitted to the keypoints.
 */
export interface DensePose {
  /** Why there is no surface; else null. */
  readonly reason: string | null
  readonly bodyParts: ReadonlyArray<VisiblePart>
  /** PNGs of the bounding box: (part, u, v) in red, green and blue, and the confidence in grey. Null with a reason. */
  readonly pictures: { readonly iuv: Uint8Array; readonly confidence: Uint8Array } | null
}

const ViewInfo = Schema.Struct({
  /** Direction of sight in the world frame. */
  lookingAlong: Schema.Literal("+y"),
  widthM: Schema.Number,
  heightM: Schema.Number,
})
type ViewInfo = typeof ViewInfo.Type

/** The results that a site with this number of links and this geometry supports. */
export const Capability = Schema.Literals(["presence", "motion", "breathing", "location", "count", "pose"])
export type Capability = typeof Capability.Type

/** Rates per minute of the person with the strongest signal. A rate and its reason exclude each other. */
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
  /** 0..1; null if the signal does not support it. */
  motion: Schema.NullOr(Schema.Number),
  vitals: Vitals,
  capabilities: Schema.Array(Capability),
  /** Why the site does not support `persons`; else null. */
  personsReason: Schema.NullOr(Schema.String),
  view: Schema.NullOr(ViewInfo),
  provenance: Provenance,
})
export type PoseFrame = typeof PoseFrame.Type
