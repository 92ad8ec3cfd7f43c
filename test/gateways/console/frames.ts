/** Frames as the pose WebSocket sends them, for tests of the console's pure parts. */
import type { Frame, Metadata, Person } from "../../../gateways/console/web/service/types.ts"
import type { Received } from "../../../gateways/console/web/state/room.ts"

const metadata = (changes: Partial<Metadata> = {}): Metadata => ({
  environment_id: "room",
  router_count: 3,
  signal_quality: 0.9,
  processing_pipeline: "matched-field",
  provenance: {
    source: "live",
    calibrated: true,
    age_ms: 100,
    model_version: "wavepose-9",
    links_used: 6,
  },
  presence: { present: false, confidence: 0.9, reason: null },
  motion: 0.01,
  vitals: {
    breathing_rate_bpm: null,
    breathing_confidence: 0,
    breathing_reason: "no person is there",
    heartrate_bpm: null,
    heartrate_reason: "no person is there",
  },
  view: null,
  capabilities: ["presence"],
  persons_reason: null,
  ...changes,
})

export const person = (id: number, x: number, z = 1): Person => ({
  id,
  confidence: 0.9,
  bounding_box: { x: 0, y: 0, width: 1, height: 1 },
  keypoints_3d: [{ name: "nose", x, y: 2, z, confidence: 0.8, sigma_m: 0.1, observed: true }],
  activity: "walking",
  location: { x, y: 2 },
  location_sigma_m: 0.15,
  tracking_info: { track_id: String(id), track_age: 1, velocity: { x: 1, y: 0 } },
})

/** A frame of event time `eventMs` that came at `receivedAtMs`. */
export const received = (
  eventMs: number,
  receivedAtMs: number,
  persons: ReadonlyArray<Person> = [],
  about: Partial<Metadata> = {},
): Received => {
  const frame: Frame = {
    timestamp: new Date(eventMs).toISOString(),
    environment_id: "room",
    data: { frame_id: eventMs, persons, metadata: metadata(about) },
  }
  return { frame, eventMs, receivedAtMs }
}
