/**
 * The schemas of a pose frame and its persons in each response form. The values are in `pose-json.ts`.
 */
import { Schema } from "effect"
import { Lateness } from "../domain/lateness.ts"
import { Activity, Capability } from "../domain/pose.ts"
import { Source } from "../domain/provenance.ts"
import { DensePoseSchema } from "./dense-pose.ts"
import { Count, NullableFinite, NullableString } from "./fields.ts"
import { IsoTime } from "./forms.ts"

const inView = (axis: string) => Schema.Finite.annotate({ description: `${axis} in the view, 0 to 1.` })
const metres = (what: string) => Schema.Finite.annotate({ description: `${what}, in metres.` })
const probability = (what: string) => Schema.Finite.annotate({ description: `${what}, 0 to 1.` })

export const Point = Schema.Struct({ x: metres("x on the floor plan"), y: metres("y on the floor plan") }).annotate({
  identifier: "Point",
})

const Velocity = Schema.Struct({
  x: Schema.Finite.annotate({ description: "Velocity along x, in m/s." }),
  y: Schema.Finite.annotate({ description: "Velocity along y, in m/s." }),
}).annotate({ identifier: "Velocity" })

const BoundingBox = Schema.Struct({
  x: inView("Left edge"),
  y: inView("Top edge"),
  width: inView("Width"),
  height: inView("Height"),
}).annotate({ identifier: "BoundingBox" })

const Observed = Schema.NullOr(Schema.Boolean).annotate({
  description: "True if the joint's own echo supports it, false if it is inferred; null if unknown.",
})

const KeypointShape = Schema.Struct({
  name: Schema.String.annotate({ description: "Name of the joint, in COCO's order and spelling." }),
  x: inView("x"),
  y: inView("y"),
  confidence: probability("Confidence of the position"),
  visible: Schema.Boolean.annotate({ description: "Whether the joint is visible in the view." }),
  observed: Observed,
}).annotate({ identifier: "Keypoint" })

const Keypoint3dShape = Schema.Struct({
  name: Schema.String.annotate({ description: "Name of the joint, in COCO's order and spelling." }),
  x: metres("x in the world frame"),
  y: metres("y in the world frame"),
  z: metres("Height above the floor"),
  confidence: probability("Confidence of the position"),
  sigma_m: metres("Standard deviation relative to the pelvis"),
  observed: Observed,
}).annotate({ identifier: "Keypoint3d" })

const commonPersonFields = {
  confidence: probability("Probability that there is a person"),
  bounding_box: BoundingBox,
  keypoints: Schema.optionalKey(Schema.Array(KeypointShape)),
  keypoints_3d: Schema.optionalKey(Schema.Array(Keypoint3dShape)),
  evidence_reason: Schema.optionalKey(
    NullableString.annotate({
      description: "Why `observed` is null; else null.",
    }),
  ),
  activity: Activity,
  location: Point,
  location_sigma_m: metres("Standard deviation of the location"),
}

const provenanceFields = {
  source: Source,
  calibrated: Schema.Boolean.annotate({ description: "Whether the routers were calibrated in the empty room." }),
  age_ms: Count.annotate({ description: "Age at the time of the answer, in ms." }),
  model_version: Schema.String.annotate({ description: "Version of the pose network." }),
  links_used: Count.annotate({ description: "Number of links in the estimate." }),
}

/** The source of a value. */
export const ProvenanceShape = Schema.Struct(provenanceFields).annotate({ identifier: "Provenance" })

/** The source of the newest frame, and its lateness at the time of the answer. */
export const CurrentProvenanceShape = Schema.Struct({
  ...provenanceFields,
  lateness: Lateness.annotate({
    description: "`late` after 2 s, `stale` after 10 s; relative to the pace of a replay.",
  }),
}).annotate({ identifier: "CurrentProvenance" })

export const PresenceShape = Schema.Struct({
  present: Schema.NullOr(Schema.Boolean).annotate({ description: "Whether a person is present; null if unknown." }),
  confidence: probability("Confidence of the presence"),
  reason: NullableString.annotate({ description: "Why the presence is unknown; else null." }),
}).annotate({ identifier: "Presence" })

/** The level of motion. */
export const MotionShape = NullableFinite.annotate({ description: "Motion level, 0 to 1; null if unknown." })

const Vitals = Schema.Struct({
  breathing_rate_bpm: NullableFinite.annotate({ description: "Breaths per minute; null if not measurable." }),
  breathing_confidence: probability("Confidence of the breathing rate"),
  breathing_reason: NullableString.annotate({ description: "Why there is no breathing rate; else null." }),
  heartrate_bpm: NullableFinite.annotate({ description: "Heartbeats per minute; null if not measurable." }),
  heartrate_reason: NullableString.annotate({ description: "Why there is no heart rate; else null." }),
}).annotate({ identifier: "Vitals" })

const View = Schema.Struct({
  looking_along: Schema.Literal("+y"),
  width_m: metres("Width of the view"),
  height_m: metres("Height of the view"),
}).annotate({ identifier: "View" })

const commonMetadataFields = {
  provenance: ProvenanceShape,
  presence: PresenceShape,
  motion: MotionShape,
  vitals: Vitals,
  view: Schema.NullOr(View),
  capabilities: Schema.Array(Capability),
  persons_reason: NullableString.annotate({ description: "Why the site does not support persons; else null." }),
}

export const BarePerson = Schema.Struct({
  id: Schema.Int.annotate({ description: "Id of the person's track." }),
  ...commonPersonFields,
  dense_pose: Schema.optionalKey(DensePoseSchema.bare),
  tracking_info: Schema.Struct({
    track_id: Schema.String,
    track_age: Count.annotate({ description: "Age of the track, in frames of 100 ms." }),
    velocity: Velocity,
  }),
}).annotate({ identifier: "Person.bare" })

export const EnvelopePerson = Schema.Struct({
  person_id: Schema.Int.annotate({ description: "Id of the person and its track." }),
  track_id: Schema.Int,
  ...commonPersonFields,
  dense_pose: Schema.optionalKey(DensePoseSchema.envelope),
}).annotate({ identifier: "Person.envelope" })

const bareMetadataFields = {
  environment_id: Schema.String,
  router_count: Count,
  signal_quality: NullableFinite,
  processing_pipeline: Schema.String,
  ...commonMetadataFields,
}

const envelopeMetadataFields = {
  model_version: Schema.String,
  processing_mode: Schema.String,
  csi_quality: NullableFinite,
  ...commonMetadataFields,
}

export type EnvelopeMetadata = Schema.Struct<typeof envelopeMetadataFields>["Type"]

export const BareMetadata = Schema.Struct(bareMetadataFields).annotate({ identifier: "StoredFrameMetadata" })

const frameFields = {
  timestamp: IsoTime.annotate({ description: "Event time of the frame." }),
  frame_id: Count.annotate({ description: "Number of the frame in its environment." }),
  processing_time_ms: Schema.Finite.annotate({ description: "Processing time of the frame, in ms." }),
}

const current = { provenance: CurrentProvenanceShape }

/** The newest pose frame in a REST answer. */
export const PoseFrameSchema = {
  bare: Schema.Struct({
    ...frameFields,
    persons: Schema.Array(BarePerson),
    metadata: Schema.Struct({ ...bareMetadataFields, ...current }).annotate({ identifier: "FrameMetadata.bare" }),
  }).annotate({ identifier: "PoseFrame.bare" }),
  envelope: Schema.Struct({
    ...frameFields,
    environment_id: Schema.String,
    persons: Schema.Array(EnvelopePerson),
    metadata: Schema.Struct({ ...envelopeMetadataFields, ...current }).annotate({
      identifier: "FrameMetadata.envelope",
    }),
  }).annotate({ identifier: "PoseFrame.envelope" }),
}
