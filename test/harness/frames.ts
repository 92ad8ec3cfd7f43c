/** Pose frames for tests, and their form for the archive. */
import { keypointNames } from "../../core/pose/skeleton.ts"
import { summaryOf } from "../../protocols/domain/frame-summary.ts"
import type { Activity, Person, PoseFrame } from "../../protocols/domain/pose.ts"
import { encodePoseFrame } from "../../protocols/grpc/pose-frame.ts"
import type { ArchivedFrame } from "../../protocols/messages/archive.ts"
import { noVitals } from "./vitals.ts"

/** A number that looks measured: the same for the same arguments, and as little compressible as a real one. */
const measured = (a: number, b: number): number => {
  const wave = Math.sin(a * 12.9898 + b * 78.233) * 43758.5453
  return wave - Math.floor(wave)
}

export const testPerson = (id: number, activity: Activity, seed = id): Person => ({
  id,
  trackStatus: "active",
  trackAge: 40,
  confidence: measured(seed, 0),
  activity,
  location: { x: measured(seed, 1), y: measured(seed, 2) },
  locationSigmaM: 0.1,
  velocity: { x: measured(seed, 3), y: 0 },
  boundingBox: { x: 0.1, y: 0.2, width: 0.3, height: 0.4 },
  keypoints: keypointNames.map((name, k) => ({
    name,
    x: measured(seed, 10 + k),
    y: measured(seed, 30 + k),
    confidence: measured(seed, 50 + k),
    visible: true,
    observed: k % 2 === 0,
  })),
  keypoints3d: keypointNames.map((name, k) => ({
    name,
    x: measured(seed, 70 + k),
    y: measured(seed, 90 + k),
    z: measured(seed, 110 + k),
    confidence: measured(seed, 130 + k),
    sigmaM: measured(seed, 150 + k),
    observed: k % 2 === 0,
  })),
  evidenceReason: null,
})

export const testFrame = (
  environmentId: string,
  frameId: number,
  timestampMs: number,
  over: Partial<PoseFrame> = {},
): PoseFrame => ({
  environmentId,
  frameId,
  timestampMs,
  processingTimeMs: 2.5,
  persons: [],
  routerCount: 3,
  signalQuality: 0.97,
  processingPipeline: "matched-field, pose-network",
  processingMode: "streaming",
  presence: { present: true, confidence: 0.9, reason: null },
  motion: 0.5,
  vitals: noVitals,
  capabilities: ["presence", "motion", "breathing", "location", "count", "pose"],
  personsReason: null,
  view: { lookingAlong: "+y", widthM: 6, heightM: 2.7 },
  provenance: { source: "live", calibrated: true, modelVersion: "test", linksUsed: 6 },
  ...over,
})

export const archivedOf = (frame: PoseFrame): ArchivedFrame => ({
  frameId: frame.frameId,
  generation: 0,
  timestampMs: frame.timestampMs,
  summary: summaryOf(frame),
  // As the database answers it: no Buffer.
  body: new Uint8Array(encodePoseFrame(frame)),
})
