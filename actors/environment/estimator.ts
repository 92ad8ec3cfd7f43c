/**
 * What one hop says about the persons of an environment: everything of a pose frame but its id and its times.
 *
 * Boundary: pure but for its own state; time is the hop, randomness an argument. The physics is in `core`, and its kernels run where
 * the caller runs them.
 */
import type { SiteGeometry } from "../../core/imaging/geometry.ts"
import { createMatchedField, linksMin, type RoomImage } from "../../core/imaging/matched-field.ts"
import type { Computation } from "../../core/kernels/kernel.ts"
import { placeSkeleton } from "../../core/pose/place.ts"
import { boxOfPerson, projectKeypoints, viewOf } from "../../core/pose/view.ts"
import { hopUs, type Observation } from "../../core/signal/observation.ts"
import { predictMotion } from "../../core/tracking/kalman.ts"
import { bestVitals } from "../../core/vitals/best-vitals.ts"
import { PresenceDetector } from "../../core/vitals/presence.ts"
import type { Capability, Person, PoseFrame } from "../../protocols/domain/pose.ts"
import type { Source } from "../../protocols/domain/provenance.ts"
import type { Environment } from "../../protocols/domain/site.ts"
import { defaultStartOptions, type StartOptions } from "../../protocols/domain/system.ts"
import { statusOf } from "../track/machine.ts"
import { mean } from "./statistics.ts"
import { createTracks, type Track } from "./tracks.ts"

/** A pose frame without what publication and the clock add. */
export type Estimate = Omit<PoseFrame, "environmentId" | "frameId" | "timestampMs" | "processingTimeMs">

export interface Estimator {
  /** Estimates a hop; hops come in ascending order, until a reset, and each is finished before the next. */
  readonly estimate: (hop: number, observations: ReadonlyArray<Observation>) => Computation<Estimate>
  readonly configure: (detection: StartOptions["detection"]) => void
  /** For status answers; the quality is the mean probability of the active tracks, null when there are none. */
  readonly tracks: () => { readonly activeTracks: number; readonly trackQuality: number | null }
  /** Forgets everybody, for a new session or when time was set back. */
  readonly reset: () => void
}

/** Above this speed, and twice its uncertainty, a person walks; what a slower one does is not known yet. */
const walkingSpeedMinMps = 0.4

const clamp = (value: number, max: number): number => Math.max(0, Math.min(max, value))

/** A track as a person of the frame, `lagS` after the moment of its motion. */
const personOf = (track: Track, lagS: number, geometry: SiteGeometry): Person => {
  const ahead = predictMotion(track.motion, lagS)
  const motion = { ...ahead, x: clamp(ahead.x, geometry.size[0]), y: clamp(ahead.y, geometry.size[1]) }
  const placed = placeSkeleton(motion)
  const view = viewOf(geometry)
  const speed = Math.hypot(motion.velocityX, motion.velocityY)
  const walks = speed > Math.max(walkingSpeedMinMps, 2 * Math.sqrt(motion.velocityVariance))
  return {
    id: track.id,
    trackStatus: statusOf(track.snapshot),
    trackAge: track.snapshot.context.age,
    confidence: track.existence,
    activity: walks ? "walking" : "unknown",
    location: { x: motion.x, y: motion.y },
    locationSigmaM: Math.sqrt(motion.positionVariance),
    velocity: { x: motion.velocityX, y: motion.velocityY },
    boundingBox: boxOfPerson(placed, view, geometry),
    keypoints: projectKeypoints(placed, view, geometry),
    keypoints3d: placed,
  }
}

/** From the least trustworthy source to the most. */
const sourcesByTrust: ReadonlyArray<Source> = ["simulated", "replay", "live"]

/** A frame is worth no more than the least of what it is made of. */
const sourceOf = (observations: ReadonlyArray<Observation>): Source =>
  sourcesByTrust.find((source) => observations.some((observation) => observation.source === source)) ?? "simulated"

const noGeometry =
  "The geometry of this environment is not known, so persons cannot be located; presence and motion are."

export const createEstimator = ({ geometry }: Environment, nextTrackId: () => number): Estimator => {
  const tracks = createTracks(nextTrackId)
  let detection = defaultStartOptions.detection
  let presence = new PresenceDetector()
  let field = geometry === null ? null : createMatchedField(geometry)
  let lastHop: number | null = null

  const personsOf = (image: RoomImage, elapsedHops: number, site: SiteGeometry): ReadonlyArray<Person> => {
    if (!detection.enableTracking) tracks.reset()
    const shown = detection.enableTracking ? "active" : "tentative"
    return tracks.step(image.detections, (elapsedHops * hopUs) / 1e6)
      .filter(({ existence, snapshot }) => statusOf(snapshot) === shown && existence >= detection.confidenceThreshold)
      .sort((a, b) => b.existence - a.existence || a.id - b.id)
      .slice(0, detection.maxPersons)
      .map((track) => personOf(track, image.lagS, site))
  }

  const estimate: Estimator["estimate"] = function* (hop, observations) {
    for (const observation of observations) presence.add(observation)
    const reading = presence.read(hop)
    const image = field === null
      ? null
      : yield* field.image(hop, observations.filter(({ amplitudeOnly }) => !amplitudeOnly))
    const persons = image === null || geometry === null ? [] : personsOf(image, hop - (lastHop ?? hop), geometry)
    lastHop = hop
    const located = image !== null && image.linksUsed >= linksMin
    const capabilities: ReadonlyArray<Capability> = located
      ? ["presence", "motion", "breathing", "location", "count"]
      : ["presence", "motion", "breathing"]
    const losses = observations.flatMap(({ packetLoss }) => packetLoss === null ? [] : [packetLoss])
    const loss = mean(losses)
    return {
      persons,
      routerCount: observations.length,
      signalQuality: loss === null ? null : 1 - loss,
      processingPipeline: field === null ? "motion-statistic" : "matched-field",
      processingMode: "streaming",
      presence: reading.presence,
      motion: reading.motion,
      vitals: bestVitals(observations),
      capabilities,
      personsReason: persons.length > 0 ? null : image === null ? noGeometry : image.reason ?? "No track is confirmed.",
      view: geometry === null ? null : { lookingAlong: "+y", ...viewOf(geometry) },
      provenance: {
        source: sourceOf(observations),
        calibrated: observations.every(({ calibrated }) => calibrated),
        modelVersion: field === null ? "motion-statistic" : "mean-skeleton",
        linksUsed: located ? image.linksUsed : observations.reduce((total, { links }) => total + links.length, 0),
      },
    }
  }

  return {
    estimate,
    configure: (options) => {
      detection = options
    },
    tracks: () => {
      const active = tracks.current().filter(({ snapshot }) => statusOf(snapshot) === "active")
      return { activeTracks: active.length, trackQuality: mean(active.map(({ existence }) => existence)) }
    },
    reset: () => {
      tracks.reset()
      presence = new PresenceDetector()
      field = geometry === null ? null : createMatchedField(geometry)
      lastHop = null
    },
  }
}
