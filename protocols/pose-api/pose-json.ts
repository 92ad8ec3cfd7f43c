/**
 * A pose frame and its persons as JSON in each response form. The schemas are in `pose-schema.ts`.
 */
import type { DensePose, Keypoint, Keypoint3d, Person, PoseFrame } from "../domain/pose.ts"
import { bareDensePose, envelopeDensePose } from "./dense-pose.ts"
import { round3, round4, round4OrNull } from "./fields.ts"
import type { BareMetadata, BarePerson, EnvelopeMetadata, EnvelopePerson, ProvenanceShape } from "./pose-schema.ts"

/** The persons and the parts of them that an answer contains. */
export interface PoseFilter {
  readonly minConfidence: number
  /** Null: all persons. */
  readonly personIds: ReadonlySet<number> | null
  readonly includeKeypoints: boolean
  readonly include3d: boolean
  readonly includeDensePose: boolean
}

const keypoint = ({ name, x, y, confidence, visible, observed }: Keypoint) => ({
  name,
  x: round4(x),
  y: round4(y),
  confidence: round4(confidence),
  visible,
  observed,
})

const keypoint3d = ({ name, x, y, z, confidence, sigmaM, observed }: Keypoint3d) => ({
  name,
  x: round3(x),
  y: round3(y),
  z: round3(z),
  confidence: round4(confidence),
  sigma_m: round3(sigmaM),
  observed,
})

const commonPerson = (person: Person, filter: PoseFilter) => {
  const { x, y, width, height } = person.boundingBox
  return {
    confidence: round4(person.confidence),
    bounding_box: { x: round4(x), y: round4(y), width: round4(width), height: round4(height) },
    ...(filter.includeKeypoints ? { keypoints: person.keypoints.map(keypoint) } : {}),
    ...(filter.include3d ? { keypoints_3d: person.keypoints3d.map(keypoint3d) } : {}),
    ...(filter.includeKeypoints || filter.include3d ? { evidence_reason: person.evidenceReason } : {}),
    activity: person.activity,
    location: { x: round3(person.location.x), y: round3(person.location.y) },
    location_sigma_m: round3(person.locationSigmaM),
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

/** The provenance of a frame, an event or an alert. */
export const provenanceOf = (
  { provenance }: Pick<PoseFrame, "provenance">,
  ageMs: number,
): typeof ProvenanceShape.Type => ({
  source: provenance.source,
  calibrated: provenance.calibrated,
  age_ms: ageMs,
  model_version: provenance.modelVersion,
  links_used: provenance.linksUsed,
})

/** Metadata of both forms, for a frame of age `ageMs`. */
export const commonMetadata = (frame: PoseFrame, ageMs: number) => ({
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
  } satisfies EnvelopeMetadata,
})

/** The age of a frame, an event or an alert at the time `nowMs`, in whole milliseconds. */
export const ageMsOf = ({ timestampMs }: Pick<PoseFrame, "timestampMs">, nowMs: number): number =>
  Math.max(0, Math.round(nowMs - timestampMs))

/** Whether a person passes the filter. */
export const passes = (filter: PoseFilter) => (person: Person): boolean =>
  person.confidence >= filter.minConfidence && (filter.personIds === null || filter.personIds.has(person.id))
