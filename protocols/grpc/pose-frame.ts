/**
 * Codec of the pose frame: `protocols/domain/pose.ts` <-> the message `wavepose.internal.v1.PoseFrame`.
 *
 * The same bytes are stored and sent between nodes: a frame is encoded once. Decoding is the exact inverse of encoding.
 * Boundary: only bytes from this service are decoded here; foreign bytes throw.
 */
import type {
  Activity,
  Capability,
  Keypoint,
  Keypoint3d,
  Person,
  Point,
  PoseFrame,
  TrackStatus,
} from "../domain/pose.ts"
import { wavepose } from "./generated/wavepose.js"
import { vitalsOf } from "./vitals.ts"
import { sourceNumber, sourceOf } from "./wire.ts"

/** A frame as a protobuf message. */
export const encodePoseFrame = (frame: PoseFrame): Uint8Array =>
  wavepose.internal.v1.PoseFrame.encode({
    ...frame,
    persons: frame.persons.map((person) => ({
      ...person,
      keypoints: person.keypoints as Array<Keypoint>,
      keypoints_3d: person.keypoints3d as Array<Keypoint3d>,
    })),
    capabilities: frame.capabilities as Array<Capability>,
    provenance: { ...frame.provenance, source: sourceNumber(frame.provenance.source) },
  }).finish()

/** The frame of a protobuf message. Throws if the bytes are not a frame of this service. */
export const decodePoseFrame = (bytes: Uint8Array): PoseFrame => {
  const message = wavepose.internal.v1.PoseFrame.decode(bytes)
  const provenance = wavepose.internal.v1.Provenance.create(message.provenance ?? {})
  const source = sourceOf(provenance.source)
  if (message.environmentId === "" || source === null) {
    throw new Error("The bytes are not a pose frame of this service.")
  }
  const presence = message.presence
  const view = message.view
  return {
    environmentId: message.environmentId,
    frameId: Number(message.frameId),
    timestampMs: message.timestampMs,
    processingTimeMs: message.processingTimeMs,
    persons: message.persons.map(personOf),
    routerCount: message.routerCount,
    signalQuality: message.signalQuality ?? null,
    processingPipeline: message.processingPipeline,
    processingMode: message.processingMode,
    presence: {
      present: presence?.present ?? null,
      confidence: presence?.confidence ?? 0,
      reason: presence?.reason ?? null,
    },
    motion: message.motion ?? null,
    vitals: vitalsOf(message.vitals),
    capabilities: message.capabilities as Array<Capability>,
    personsReason: message.personsReason ?? null,
    view: view ? { lookingAlong: "+y", widthM: view.widthM ?? 0, heightM: view.heightM ?? 0 } : null,
    provenance: {
      source,
      calibrated: provenance.calibrated,
      modelVersion: provenance.modelVersion,
      linksUsed: provenance.linksUsed,
      ...(provenance.clockOffsetMs == null ? {} : { clockOffsetMs: provenance.clockOffsetMs }),
    },
  }
}

/** The reason of frames that were stored before keypoints said whether they are observed. */
const storedBeforeEvidence =
  "The frame was stored before keypoints had evidence; its `sigma_m` are those of the positions in the room."

const saysEvidence = ({ keypoints, keypoints_3d }: wavepose.internal.v1.Person.$Properties): boolean =>
  [...keypoints ?? [], ...keypoints_3d ?? []].every(({ observed }) => observed != null)

const personOf = (person: wavepose.internal.v1.Person.$Properties): Person => ({
  id: person.id ?? 0,
  trackStatus: person.trackStatus as TrackStatus,
  trackAge: person.trackAge ?? 0,
  confidence: person.confidence ?? 0,
  activity: person.activity as Activity,
  location: pointOf(person.location),
  locationSigmaM: person.locationSigmaM ?? 0,
  velocity: pointOf(person.velocity),
  boundingBox: {
    x: person.boundingBox?.x ?? 0,
    y: person.boundingBox?.y ?? 0,
    width: person.boundingBox?.width ?? 0,
    height: person.boundingBox?.height ?? 0,
  },
  keypoints: (person.keypoints ?? []).map((k) => ({
    name: k.name ?? "",
    x: k.x ?? 0,
    y: k.y ?? 0,
    confidence: k.confidence ?? 0,
    visible: k.visible ?? false,
    observed: k.observed ?? null,
  })),
  keypoints3d: (person.keypoints_3d ?? []).map((k) => ({
    name: k.name ?? "",
    x: k.x ?? 0,
    y: k.y ?? 0,
    z: k.z ?? 0,
    confidence: k.confidence ?? 0,
    sigmaM: k.sigmaM ?? 0,
    observed: k.observed ?? null,
  })),
  evidenceReason: person.evidenceReason ?? (saysEvidence(person) ? null : storedBeforeEvidence),
})

const pointOf = (point: wavepose.internal.v1.Point.$Properties | null | undefined): Point => ({
  x: point?.x ?? 0,
  y: point?.y ?? 0,
})
