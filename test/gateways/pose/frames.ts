/**
 * Pose frames for tests, of a shape as the imaging makes them, and what a frame hub shares of them.
 */
import { boxOfPerson, projectKeypoints } from "../../../core/pose/view.ts"
import { densePosesOf } from "../../../gateways/frames/dense-poses.ts"
import type { SharedFrame } from "../../../gateways/frames/shared-frame.ts"
import type { Person, PoseFrame } from "../../../protocols/domain/pose.ts"
import type { TrackRecord } from "../../../protocols/domain/track.ts"
import { poses } from "../../core/pose/poses.ts"
import { noVitals } from "../../harness/vitals.ts"

const names = ["nose", "left_eye", "right_eye", "left_ear", "right_ear", "left_shoulder", "right_shoulder"]

export const makePerson = (id: number, confidence: number): Person => ({
  id,
  trackStatus: "active",
  trackAge: 12 + id,
  confidence,
  activity: "walking",
  location: { x: 1.23456 + id, y: 2.34567 },
  locationSigmaM: 0.2,
  velocity: { x: 0.1234567, y: -0.7654321 },
  boundingBox: { x: 0.1111111, y: 0.2222222, width: 0.3333333, height: 0.4444444 },
  keypoints: names.map((name, index) => ({
    name,
    x: 0.123456 + index / 100,
    y: 0.654321,
    confidence: 0.777777,
    visible: index % 2 === 0,
    observed: index % 3 === 0,
  })),
  keypoints3d: names.map((name, index) => ({
    name,
    x: 1.23456,
    y: 2.34567,
    z: 1.7 - index / 10,
    confidence: 0.777777,
    sigmaM: 0.123456,
    observed: index % 3 === 0,
  })),
  evidenceReason: null,
})

/** A person with a whole body that stands in the view of `makeFrame`, facing the viewer. */
export const makeStanding = (id: number, confidence: number): Person => {
  const view = { widthM: 5.4321, heightM: 2.5 }
  const geometry = { size: [view.widthM, 4, view.heightM], nodes: [] } as const
  return {
    ...makePerson(id, confidence),
    boundingBox: boxOfPerson(poses.standing, view, geometry),
    keypoints: projectKeypoints(poses.standing, view, geometry),
    keypoints3d: poses.standing,
  }
}

export const makeFrame = (over: Partial<PoseFrame> = {}): PoseFrame => ({
  environmentId: "living-room",
  frameId: 7,
  timestampMs: Date.UTC(2026, 0, 5, 9, 30, 0, 125),
  processingTimeMs: 4.56789,
  persons: [makePerson(41, 0.912345), makePerson(42, 0.5)],
  routerCount: 4,
  signalQuality: 0.987654,
  processingPipeline: "back-projection",
  processingMode: "realtime",
  presence: { present: true, confidence: 0.99999, reason: null },
  motion: 0.345678,
  vitals: noVitals,
  capabilities: ["presence", "motion", "location", "count"],
  personsReason: null,
  view: { lookingAlong: "+y", widthM: 5.4321, heightM: 2.5 },
  provenance: { source: "simulated", calibrated: true, modelVersion: "mean-skeleton", linksUsed: 12 },
  ...over,
})

export const share = (frame: PoseFrame): SharedFrame => {
  const made = new Map<string, unknown>()
  return {
    bytes: new Uint8Array(),
    frame,
    densePose: densePosesOf(frame),
    memo: <A>(key: string, make: (frame: PoseFrame) => A): A => {
      if (!made.has(key)) made.set(key, make(frame))
      return made.get(key) as A
    },
  }
}

/** A track that was seen for twenty seconds. */
export const makeTrack = (trackId: number): TrackRecord => {
  const firstSeenMs = Date.UTC(2026, 0, 5, 9, 30)
  return {
    trackId,
    status: "active",
    firstSeenMs,
    lastSeenMs: firstSeenMs + 20_000,
    totalFrames: 150,
    averageConfidence: 0.876543,
    trajectory: [0, 1.23456, 3].map((x, i) => ({ timestampMs: firstSeenMs + 10_000 * i, x, y: 2, confidence: 0.9 })),
    statistics: { movementDistanceM: 12.3456, averageSpeedMps: 1.0288, timeStationaryS: 3, timeMovingS: 12 },
  }
}
