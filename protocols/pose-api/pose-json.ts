/**
 * A pose frame and its persons as JSON in each response form: the schemas, and the values.
 */
import { Schema } from "effect"
import {
  Activity,
  Capability,
  type DensePose,
  type Keypoint,
  type Keypoint3d,
  type Person,
  type PoseFrame,
} from "../domain/pose.ts"
import { Lateness } from "../domain/lateness.ts"
import { Source } from "../domain/provenance.ts"
import { bareDensePose, DensePoseSchema, envelopeDensePose } from "./dense-pose.ts"
import { Count, NullableFinite, NullableString, round3, round4, round4OrNull } from "./fields.ts"
import { IsoTime } from "./forms.ts"

/** The persons and the parts of them that an answer contains. */
export interface PoseFilter {
  readonly minConfidence: number
  /** Null: all persons. */
  readonly personIds: ReadonlySet<number> | null
  readonly includeKeypoints: boolean
  readonly include3d: boolean
  readonly includeDensePose: boolean
}

const PointSchema = Schema.Struct({ x: Schema.Finite, y: Schema.Finite })

const commonPersonFields = {
  confidence: Schema.Finite,
  bounding_box: Schema.Struct({ x: Schema.Finite, y: Schema.Finite, width: Schema.Finite, height: Schema.Finite }),
  keypoints: Schema.optionalKey(Schema.Array(Schema.Struct({
    name: Schema.String,
    x: Schema.Finite,
    y: Schema.Finite,
    confidence: Schema.Finite,
    visible: Schema.Boolean,
  }))),
  keypoints_3d: Schema.optionalKey(Schema.Array(Schema.Struct({
    name: Schema.String,
    x: Schema.Finite,
    y: Schema.Finite,
    z: Schema.Finite,
    confidence: Schema.Finite,
    sigma_m: Schema.Finite,
  }))),
  activity: Activity,
  location: PointSchema,
}

/** The source of a value. */
export const ProvenanceShape = Schema.Struct({
  source: Source,
  calibrated: Schema.Boolean,
  age_ms: Count,
  model_version: Schema.String,
  links_used: Count,
})

/** The source of the newest frame, and its lateness at the time of the answer. */
export const CurrentProvenanceShape = Schema.Struct({
  ...ProvenanceShape.fields,
  lateness: Lateness.annotate({
    description:
      "Extension: `late` after 2 s, `stale` after 10 s. The offset of a source's clock is corrected; the lateness of a replay is relative to its own pace.",
  }),
})

const commonMetadataFields = {
  provenance: ProvenanceShape,
  presence: Schema.Struct({
    present: Schema.NullOr(Schema.Boolean),
    confidence: Schema.Finite,
    reason: NullableString,
  }),
  motion: NullableFinite,
  vitals: Schema.Struct({
    breathing_rate_bpm: NullableFinite,
    breathing_confidence: Schema.Finite,
    breathing_reason: NullableString,
    heartrate_bpm: NullableFinite,
    heartrate_reason: NullableString,
  }),
  view: Schema.NullOr(Schema.Struct({
    looking_along: Schema.Literal("+y"),
    width_m: Schema.Finite,
    height_m: Schema.Finite,
  })),
  capabilities: Schema.Array(Capability),
  persons_reason: NullableString,
}

export const BarePerson = Schema.Struct({
  id: Schema.Int,
  ...commonPersonFields,
  dense_pose: Schema.optionalKey(DensePoseSchema.bare),
  tracking_info: Schema.Struct({ track_id: Schema.String, track_age: Count, velocity: PointSchema }),
})

export const EnvelopePerson = Schema.Struct({
  person_id: Schema.Int,
  track_id: Schema.Int,
  ...commonPersonFields,
  dense_pose: Schema.optionalKey(DensePoseSchema.envelope),
})

export const BareMetadata = Schema.Struct({
  environment_id: Schema.String,
  router_count: Count,
  signal_quality: NullableFinite,
  processing_pipeline: Schema.String,
  ...commonMetadataFields,
})

const EnvelopeMetadata = Schema.Struct({
  model_version: Schema.String,
  processing_mode: Schema.String,
  csi_quality: NullableFinite,
  ...commonMetadataFields,
})

const frameFields = { timestamp: IsoTime, frame_id: Count, processing_time_ms: Schema.Finite }

const current = { provenance: CurrentProvenanceShape }

/** The newest pose frame in a REST answer. */
export const PoseFrameSchema = {
  bare: Schema.Struct({
    ...frameFields,
    persons: Schema.Array(BarePerson),
    metadata: Schema.Struct({ ...BareMetadata.fields, ...current }),
  }),
  envelope: Schema.Struct({
    ...frameFields,
    environment_id: Schema.String,
    persons: Schema.Array(EnvelopePerson),
    metadata: Schema.Struct({ ...EnvelopeMetadata.fields, ...current }),
  }),
}

const keypoint = ({ name, x, y, confidence, visible }: Keypoint) => ({
  name,
  x: round4(x),
  y: round4(y),
  confidence: round4(confidence),
  visible,
})

const keypoint3d = ({ name, x, y, z, confidence, sigmaM }: Keypoint3d) => ({
  name,
  x: round3(x),
  y: round3(y),
  z: round3(z),
  confidence: round4(confidence),
  sigma_m: round3(sigmaM),
})

const commonPerson = (person: Person, filter: PoseFilter) => {
  const { x, y, width, height } = person.boundingBox
  return {
    confidence: round4(person.confidence),
    bounding_box: { x: round4(x), y: round4(y), width: round4(width), height: round4(height) },
    ...(filter.includeKeypoints ? { keypoints: person.keypoints.map(keypoint) } : {}),
    ...(filter.include3d ? { keypoints_3d: person.keypoints3d.map(keypoint3d) } : {}),
    activity: person.activity,
    location: { x: round3(person.location.x), y: round3(person.location.y) },
  }
}

/** The persons that pass a filter, with their dense poses if requested. */
export interface Shown {
  readonly filter: PoseFilter
  readonly persons: ReadonlyArray<Person>
  /** The dense pose of a person; null if none is rendered. */
  readonly densePose: ((person: Person) => DensePose) | null
}

/** A person of the bare form. */
export const barePerson = ({ densePose, filter }: Shown) => (person: Person): typeof BarePerson.Type => ({
  id: person.id,
  ...commonPerson(person, filter),
  ...(filter.includeDensePose && densePose !== null ? { dense_pose: bareDensePose(densePose(person)) } : {}),
  tracking_info: {
    track_id: String(person.id),
    track_age: person.trackAge,
    velocity: { x: round3(person.velocity.x), y: round3(person.velocity.y) },
  },
})

/** A person of the envelope form. */
export const envelopePerson = ({ densePose, filter }: Shown) => (person: Person): typeof EnvelopePerson.Type => ({
  person_id: person.id,
  track_id: person.id,
  ...commonPerson(person, filter),
  ...(filter.includeDensePose && densePose !== null ? { dense_pose: envelopeDensePose(densePose(person)) } : {}),
})

/** The provenance of a frame. */
export const provenanceOf = ({ provenance }: PoseFrame, ageMs: number): typeof ProvenanceShape.Type => ({
  source: provenance.source,
  calibrated: provenance.calibrated,
  age_ms: ageMs,
  model_version: provenance.modelVersion,
  links_used: provenance.linksUsed,
})

const commonMetadata = (frame: PoseFrame, ageMs: number) => ({
  provenance: provenanceOf(frame, ageMs),
  presence: { ...frame.presence, confidence: round4(frame.presence.confidence) },
  motion: round4OrNull(frame.motion),
  vitals: {
    breathing_rate_bpm: round4OrNull(frame.vitals.breathingRateBpm),
    breathing_confidence: round4(frame.vitals.breathingConfidence),
    breathing_reason: frame.vitals.breathingReason,
    heartrate_bpm: round4OrNull(frame.vitals.heartRateBpm),
    heartrate_reason: frame.vitals.heartReason,
  },
  view: frame.view === null ? null : {
    looking_along: frame.view.lookingAlong,
    width_m: round3(frame.view.widthM),
    height_m: round3(frame.view.heightM),
  },
  capabilities: frame.capabilities,
  persons_reason: frame.personsReason,
})

/** `{frame_id, persons, metadata}` of the bare form, for a frame of age `ageMs`. */
export const bareBody = (frame: PoseFrame, shown: Shown, ageMs: number) => ({
  frame_id: frame.frameId,
  persons: shown.persons.map(barePerson(shown)),
  metadata: {
    environment_id: frame.environmentId,
    router_count: frame.routerCount,
    signal_quality: round4OrNull(frame.signalQuality),
    processing_pipeline: frame.processingPipeline,
    ...commonMetadata(frame, ageMs),
  } satisfies typeof BareMetadata.Type,
})

/** `{frame_id, environment_id, persons, metadata}` of the envelope form. */
export const envelopeBody = (frame: PoseFrame, shown: Shown, ageMs: number) => ({
  frame_id: frame.frameId,
  environment_id: frame.environmentId,
  persons: shown.persons.map(envelopePerson(shown)),
  metadata: {
    model_version: frame.provenance.modelVersion,
    processing_mode: frame.processingMode,
    csi_quality: round4OrNull(frame.signalQuality),
    ...commonMetadata(frame, ageMs),
  } satisfies typeof EnvelopeMetadata.Type,
})

/** The age of a frame at the time `nowMs`, in whole milliseconds. */
export const ageMsOf = ({ timestampMs }: PoseFrame, nowMs: number): number =>
  Math.max(0, Math.round(nowMs - timestampMs))

/** Whether a person passes the filter. */
export const passes = (filter: PoseFilter) => (person: Person): boolean =>
  person.confidence >= filter.minConfidence && (filter.personIds === null || filter.personIds.has(person.id))
