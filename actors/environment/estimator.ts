/**
 * What one hop says about the persons of an environment: everything of a pose frame but its id and its times.
 *
 * Boundary: pure but for its own state; time is the hop, randomness an argument. The physics is in `core`, and its kernels run where
 * the caller runs them.
 */
import type { TrackSample } from "../../core/activity/sample.ts"
import type { SiteGeometry } from "../../core/imaging/geometry.ts"
import { createMatchedField, linksMin, type RoomImage } from "../../core/imaging/matched-field.ts"
import type { Computation } from "../../core/kernels/kernel.ts"
import { placeSkeleton } from "../../core/pose/place.ts"
import { boxOfPerson, projectKeypoints, viewOf } from "../../core/pose/view.ts"
import { hopUs, type Observation } from "../../core/signal/observation.ts"
import { type MotionState, predictMotion } from "../../core/tracking/kalman.ts"
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
  /** What the last hop says of the persons of its frame, in the frame's order, for those who watch them. */
  readonly samples: () => ReadonlyArray<TrackSample>
  readonly configure: (detection: StartOptions["detection"]) => void
  /** For status answers; the quality is the mean probability of the active tracks, null when there are none. */
  readonly tracks: () => { readonly activeTracks: number; readonly trackQuality: number | null }
  /** Forgets everybody, for a new session or when time was set back. */
  readonly reset: () => void
}

const clamp = (value: number, max: number): number => Math.max(0, Math.min(max, value))

/** The motion of a track `lagS` after its own moment, within the room. */
const motionAfter = (track: Track, lagS: number, geometry: SiteGeometry): MotionState => {
  const ahead = predictMotion(track.motion, lagS)
  return { ...ahead, x: clamp(ahead.x, geometry.size[0]), y: clamp(ahead.y, geometry.size[1]) }
}

/** What a hop says of a person whom the radio locates: where, how fast, how surely; of the body nothing. */
const sampleOf = (person: Person, motion: MotionState, hop: number): TrackSample => ({
  trackId: person.id,
  timeS: ((hop + 1) * hopUs) / 1e6,
  place: person.location,
  placeSigmaM: person.locationSigmaM,
  speedMps: Math.hypot(motion.velocityX, motion.velocityY),
  speedSigmaMps: Math.sqrt(motion.velocityVariance),
  pelvis: null,
  vertical: null,
  activity: null,
  breathingSeen: null,
  existence: person.confidence,
})

/** A track as a person of the frame. What the person does is for whoever watches over time. */
const personOf = (track: Track, motion: MotionState, geometry: SiteGeometry): Person => {
  const placed = placeSkeleton(motion)
  const view = viewOf(geometry)
  return {
    id: track.id,
    trackStatus: statusOf(track.snapshot),
    trackAge: track.snapshot.context.age,
    confidence: track.existence,
    activity: "unknown",
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
  let samples: ReadonlyArray<TrackSample> = []

  const personsOf = (image: RoomImage, hop: number, site: SiteGeometry): ReadonlyArray<Person> => {
    const elapsedHops = hop - (lastHop ?? hop)
    if (!detection.enableTracking) tracks.reset()
    const shown = detection.enableTracking ? "active" : "tentative"
    const shownTracks = tracks.step(image.detections, (elapsedHops * hopUs) / 1e6)
      .filter(({ existence, snapshot }) => statusOf(snapshot) === shown && existence >= detection.confidenceThreshold)
      .sort((a, b) => b.existence - a.existence || a.id - b.id)
      .slice(0, detection.maxPersons)
    const motions = shownTracks.map((track) => motionAfter(track, image.lagS, site))
    const persons = shownTracks.map((track, i) => personOf(track, motions[i]!, site))
    samples = persons.map((person, i) => sampleOf(person, motions[i]!, hop))
    return persons
  }

  const estimate: Estimator["estimate"] = function* (hop, observations) {
    for (const observation of observations) presence.add(observation)
    const reading = presence.read(hop)
    const image = field === null
      ? null
      : yield* field.image(hop, observations.filter(({ amplitudeOnly }) => !amplitudeOnly))
    const persons = image === null || geometry === null ? [] : personsOf(image, hop, geometry)
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
    samples: () => samples,
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
      samples = []
    },
  }
}
