/**
 * A pose frame in each response form: the schemas, and the JSON text of a frame through a filter.
 *
 * The text is made once per frame, form, set of persons and set of fields asked for, and kept in the frame's memo;
 * `age_ms` alone differs from answer to answer and is put between its two halves. Invariant: the memo of a frame stays
 * small, because its key holds which persons pass, not the threshold.
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
import { Source } from "../domain/provenance.ts"
import { bareDensePose, DensePoseSchema, envelopeDensePose } from "./dense-pose.ts"
import { Count, NullableFinite, NullableString, round3, round4, round4OrNull } from "./fields.ts"
import { type Form, IsoTime, isoTime } from "./forms.ts"

/** Which persons and which parts of them are answered. */
export interface PoseFilter {
  readonly minConfidence: number
  /** Null: everybody. */
  readonly personIds: ReadonlySet<number> | null
  readonly includeKeypoints: boolean
  readonly include3d: boolean
  readonly includeDensePose: boolean
}

/** A frame whose encodings are shared by all who answer it. */
export interface MemoFrame {
  readonly frame: PoseFrame
  readonly memo: <A>(key: string, make: (frame: PoseFrame) => A) => A
  /** The surface of one of the frame's persons, rendered when first asked for. */
  readonly densePose: (person: Person) => DensePose
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

/** Where something that is told came from. */
export const ProvenanceShape = Schema.Struct({
  source: Source,
  calibrated: Schema.Boolean,
  age_ms: Count,
  model_version: Schema.String,
  links_used: Count,
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

const BarePerson = Schema.Struct({
  id: Schema.Int,
  ...commonPersonFields,
  dense_pose: Schema.optionalKey(DensePoseSchema.bare),
  tracking_info: Schema.Struct({ track_id: Schema.String, track_age: Count, velocity: PointSchema }),
})

const EnvelopePerson = Schema.Struct({
  person_id: Schema.Int,
  track_id: Schema.Int,
  ...commonPersonFields,
  dense_pose: Schema.optionalKey(DensePoseSchema.envelope),
})

const BareMetadata = Schema.Struct({
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

/** The pose frame of REST answers. */
export const PoseFrameSchema = {
  bare: Schema.Struct({ ...frameFields, persons: Schema.Array(BarePerson), metadata: BareMetadata }),
  envelope: Schema.Struct({
    ...frameFields,
    environment_id: Schema.String,
    persons: Schema.Array(EnvelopePerson),
    metadata: EnvelopeMetadata,
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

/** Persons through a filter, with their surfaces where these are asked for. */
interface Shown {
  readonly filter: PoseFilter
  readonly persons: ReadonlyArray<Person>
  readonly densePose: MemoFrame["densePose"]
}

const barePerson = ({ densePose, filter }: Shown) => (person: Person): typeof BarePerson.Type => ({
  id: person.id,
  ...commonPerson(person, filter),
  ...(filter.includeDensePose ? { dense_pose: bareDensePose(densePose(person)) } : {}),
  tracking_info: {
    track_id: String(person.id),
    track_age: person.trackAge,
    velocity: { x: round3(person.velocity.x), y: round3(person.velocity.y) },
  },
})

const envelopePerson = ({ densePose, filter }: Shown) => (person: Person): typeof EnvelopePerson.Type => ({
  person_id: person.id,
  track_id: person.id,
  ...commonPerson(person, filter),
  ...(filter.includeDensePose ? { dense_pose: envelopeDensePose(densePose(person)) } : {}),
})

/** Stands for the age while a frame is encoded: the text is cut here. A JSON string cannot hold it: its quotes are escaped. */
const ageUnset = 0
const ageMark = `"age_ms":${ageUnset}`

const commonMetadata = (frame: PoseFrame) => ({
  provenance: {
    source: frame.provenance.source,
    calibrated: frame.provenance.calibrated,
    age_ms: ageUnset,
    model_version: frame.provenance.modelVersion,
    links_used: frame.provenance.linksUsed,
  },
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

const bareBody = (frame: PoseFrame, shown: Shown) => ({
  frame_id: frame.frameId,
  persons: shown.persons.map(barePerson(shown)),
  metadata: {
    environment_id: frame.environmentId,
    router_count: frame.routerCount,
    signal_quality: round4OrNull(frame.signalQuality),
    processing_pipeline: frame.processingPipeline,
    ...commonMetadata(frame),
  } satisfies typeof BareMetadata.Type,
})

const envelopeBody = (frame: PoseFrame, shown: Shown) => ({
  frame_id: frame.frameId,
  environment_id: frame.environmentId,
  persons: shown.persons.map(envelopePerson(shown)),
  metadata: {
    model_version: frame.provenance.modelVersion,
    processing_mode: frame.processingMode,
    csi_quality: round4OrNull(frame.signalQuality),
    ...commonMetadata(frame),
  } satisfies typeof EnvelopeMetadata.Type,
})

/** The two halves of a text around the age. */
type Halves = readonly [head: string, tail: string]

const halves = (text: string): Halves => {
  const cut = text.indexOf(ageMark) + ageMark.length
  return [text.slice(0, cut - String(ageUnset).length), text.slice(cut)]
}

const passes = (filter: PoseFilter) => (person: Person): boolean =>
  person.confidence >= filter.minConfidence && (filter.personIds === null || filter.personIds.has(person.id))

type Layout = "frame" | "update"

const encode = ({ densePose, frame }: MemoFrame, form: Form, filter: PoseFilter, layout: Layout): Halves => {
  const shown: Shown = { filter, persons: frame.persons.filter(passes(filter)), densePose }
  const body = form === "bare" ? bareBody(frame, shown) : envelopeBody(frame, shown)
  const timestamp = isoTime(frame.timestampMs)
  return halves(JSON.stringify(
    layout === "update"
      ? { timestamp, data: body }
      : { timestamp, processing_time_ms: round3(frame.processingTimeMs), ...body },
  ))
}

const text = (shared: MemoFrame, form: Form, filter: PoseFilter, layout: Layout, nowMs: number): string => {
  const { frame } = shared
  let kept = ""
  for (const person of frame.persons) kept += passes(filter)(person) ? "1" : "0"
  const parts = [filter.includeKeypoints, filter.include3d, filter.includeDensePose].map(Number).join("")
  const key = `${layout} ${form} ${parts} ${kept}`
  const [head, tail] = shared.memo(key, () => encode(shared, form, filter, layout))
  return head + Math.max(0, Math.round(nowMs - frame.timestampMs)) + tail
}

/** The JSON text of a frame as REST answers it. */
export const frameText = (shared: MemoFrame, form: Form, filter: PoseFilter, nowMs: number): string =>
  text(shared, form, filter, "frame", nowMs)

/** The JSON text `{"timestamp":…,"data":{frame_id, persons, metadata}}` from which a `pose_update` is made. */
export const updateText = (shared: MemoFrame, form: Form, filter: PoseFilter, nowMs: number): string =>
  text(shared, form, filter, "update", nowMs)
