/**
 * What one hop says about the persons of an environment: everything of a pose frame but its id and its times.
 *
 * Boundary: pure but for its own state; time is the hop, randomness an argument. The physics is in `core`, and its kernels run where
 * the caller runs them.
 */
import type { TrackSample } from "../../core/activity/sample.ts"
import type { SiteGeometry } from "../../core/imaging/geometry.ts"
import { createMatchedField, linksMin, type MatchedField, type RoomImage } from "../../core/imaging/matched-field.ts"
import type { Computation } from "../../core/kernels/kernel.ts"
import type { PoseInputs, PoseNetwork, PoseOutputs } from "../../core/pose/network.ts"
import { type AskedPerson, type BodyPose, createRoomPoses, type RoomPoses } from "../../core/pose/room-poses.ts"
import { viewOf } from "../../core/pose/view.ts"
import { hopUs, type Observation } from "../../core/observation/observation.ts"
import type { MotionState } from "../../core/tracking/kalman.ts"
import { bestVitals } from "../../core/vitals/best-vitals.ts"
import { createLocatedPresence, type LocatedPresence } from "../../core/vitals/located-presence.ts"
import { PresenceDetector } from "../../core/vitals/presence.ts"
import type { Capability, PoseFrame } from "../../protocols/domain/pose.ts"
import type { Source } from "../../protocols/domain/provenance.ts"
import type { Environment } from "../../protocols/domain/site.ts"
import type { TrackRecord } from "../../protocols/domain/track.ts"
import { defaultStartOptions, type StartOptions } from "../../protocols/domain/system.ts"
import { statusOf, trackLimitsOf } from "../track/machine.ts"
import { motionAfter, personOf, sampleOf, trackedPersonOf } from "./persons.ts"
import { mean } from "./statistics.ts"
import { trackRecordOf } from "./track-records.ts"
import { createTracks, type Track } from "./tracks.ts"

/** The model's name where bodies are not seen. */
const meanSkeletonModel = "mean-skeleton"

/** A pose frame without what publication and the clock add. */
export type Estimate = Omit<PoseFrame, "environmentId" | "frameId" | "timestampMs" | "processingTimeMs">

export interface Estimator {
  /**
   * Takes a hop: images the room and follows its persons. Answers what the pose network is asked of them; null when nothing. Hops come
   * in ascending order, until a reset, and each is estimated before the next is taken.
   */
  readonly observe: (hop: number, observations: ReadonlyArray<Observation>) => Computation<PoseInputs | null>
  /** Of whom the network is asked what `observe` answers, in its order. */
  readonly asked: () => ReadonlyArray<AskedPerson>
  /** What that hop says, with the network's answer; null when it was not asked. */
  readonly estimate: (poses: PoseOutputs | null) => Estimate
  /** What the last hop says of the persons of its frame, in the frame's order, for those who watch them. */
  readonly samples: () => ReadonlyArray<TrackSample>
  readonly configure: (detection: StartOptions["detection"]) => void
  /** Another network, or null for the mean skeleton, from the next hop on: not between `observe` and `estimate`. Tracks stay. */
  readonly useNetwork: (network: PoseNetwork | null) => void
  /** The network that is to be asked what `observe` answers. */
  readonly network: () => PoseNetwork | null
  /** For status answers; the quality is the mean probability of the active tracks, null when there are none. */
  readonly tracks: () => { readonly activeTracks: number; readonly trackQuality: number | null }
  /** Of the living tracks, the surest first, then of those that ended, the last one first. Times are event time. */
  readonly trackRecords: () => ReadonlyArray<TrackRecord>
  /** Forgets everybody, for a new session or when time was set back. */
  readonly reset: () => void
}

/** From the least trustworthy source to the most. */
const sourcesByTrust: ReadonlyArray<Source> = ["simulated", "replay", "live"]

/** A frame is worth no more than the least of what it is made of. */
const sourceOf = (observations: ReadonlyArray<Observation>): Source =>
  sourcesByTrust.find((source) => observations.some((observation) => observation.source === source)) ?? "simulated"

const noGeometry =
  "The geometry of this environment is not known, so persons cannot be located; presence and motion are."

/** What `observe` has found out of a hop, and `estimate` says of it. */
interface Seen {
  readonly hop: number
  readonly observations: ReadonlyArray<Observation>
  readonly reading: ReturnType<PresenceDetector["read"]>
  /** Null without a geometry. */
  readonly image: RoomImage | null
  readonly tracks: ReadonlyArray<{ readonly track: Track; readonly motion: MotionState }>
}

const nothingSeen: Seen = {
  hop: -1,
  observations: [],
  reading: new PresenceDetector().read(-1),
  image: null,
  tracks: [],
}

/** A frame's say on the site: what it can answer, from what, and by which model. */
const siteOf = (seen: Seen, geometry: SiteGeometry | null, model: string) => {
  const { image, observations } = seen
  const located = image !== null && image.linksUsed >= linksMin
  const losses = observations.flatMap(({ packetLoss }) => packetLoss === null ? [] : [packetLoss])
  const loss = mean(losses)
  const capabilities: ReadonlyArray<Capability> = [
    "presence",
    "motion",
    "breathing",
    ...(located ? ["location", "count"] as const : []),
    ...(located && model !== meanSkeletonModel ? ["pose"] as const : []),
  ]
  return {
    routerCount: observations.length,
    signalQuality: loss === null ? null : 1 - loss,
    processingMode: "streaming",
    motion: seen.reading.motion,
    capabilities,
    view: geometry === null ? null : { lookingAlong: "+y", ...viewOf(geometry) } as const,
    provenance: {
      source: sourceOf(observations),
      calibrated: observations.every(({ calibrated }) => calibrated),
      modelVersion: geometry === null ? "motion-statistic" : model,
      linksUsed: located ? image.linksUsed : observations.reduce((total, { links }) => total + links.length, 0),
    },
  }
}

/**
 * The estimator of an environment.
 *
 * @param first the pose network at first; null: persons have the mean skeleton
 */
export const createEstimator = (
  { geometry }: Environment,
  first: PoseNetwork | null,
  nextTrackId: () => number,
): Estimator => {
  let network = first
  const tracks = createTracks(nextTrackId, geometry?.size ?? null)
  let detection: StartOptions["detection"]
  let presence: PresenceDetector
  let located: LocatedPresence
  let field: MatchedField | null
  let poses: RoomPoses | null
  let seen: Seen
  let samples: ReadonlyArray<TrackSample>

  const configure: Estimator["configure"] = (options) => {
    detection = options
    tracks.configure(trackLimitsOf(options), options.maxPersons)
  }
  configure(defaultStartOptions.detection)

  const newPoses = (): RoomPoses | null =>
    geometry === null || network === null ? null : createRoomPoses(geometry, network)

  const reset = (): void => {
    tracks.reset()
    presence = new PresenceDetector()
    located = createLocatedPresence()
    field = geometry === null ? null : createMatchedField(geometry)
    poses = newPoses()
    seen = nothingSeen
    samples = []
  }
  reset()

  /** The room at the end of a hop, and its living tracks. */
  const locate = function* (
    images: MatchedField,
    site: SiteGeometry,
    hop: number,
    observations: ReadonlyArray<Observation>,
    empty: boolean,
  ): Computation<Pick<Seen, "image" | "tracks">> {
    if (!detection.enableTracking) tracks.reset()
    const elapsedS = seen.hop < 0 ? 0 : ((hop - seen.hop) * hopUs) / 1e6
    const image = yield* images.image(hop, observations, tracks.expected(elapsedS))
    const momentMs = ((hop + 1) * hopUs) / 1e3 - image.lagS * 1e3
    // A chair that was moved keeps still, too: in a room that is empty nobody is first noticed by keeping still.
    const living = tracks.step(empty ? { ...image, still: null } : image, elapsedS, momentMs)
    return { image, tracks: living.map((track) => ({ track, motion: motionAfter(track, image.lagS, site) })) }
  }

  const isShown = ({ existence, snapshot }: Track): boolean =>
    statusOf(snapshot) === (detection.enableTracking ? "active" : "tentative") &&
    existence >= detection.confidenceThreshold

  const observe: Estimator["observe"] = function* (hop, observations) {
    for (const observation of observations) presence.add(observation)
    const reading = presence.read(hop)
    const found = field === null || geometry === null ? { image: null, tracks: [] } : yield* locate(
      field,
      geometry,
      hop,
      observations.filter(({ amplitudeOnly }) => !amplitudeOnly),
      reading.presence.present === false,
    )
    seen = { hop, observations, reading, ...found }
    poses?.observe(observations)
    // Somebody who is lost for a moment keeps the memory of the body.
    const asked = found.tracks.filter(({ track }) => isShown(track) || statusOf(track.snapshot) === "lost")
    return poses === null
      ? null
      : yield* poses.ask(hop, asked.map(({ motion, track }) => trackedPersonOf(track, motion)))
  }

  const estimate: Estimator["estimate"] = (outputs) => {
    const { hop, image } = seen
    const used = network
    const bodies = outputs === null || poses === null ? new Map<number, BodyPose>() : poses.read(outputs)
    tracks.see(new Map([...bodies].map(([id, { pelvisSigmaM }]) => [id, pelvisSigmaM])))
    const followed = seen.tracks.filter(({ track }) => isShown(track))
      .sort((a, b) => b.track.existence - a.track.existence || a.track.id - b.track.id)
      .slice(0, detection.maxPersons)
      .map((one) => ({ ...one, pose: bodies.get(one.track.id) ?? null }))
    const persons = geometry === null ? [] : followed.map((one) => personOf(one, geometry))
    samples = persons.map((person, i) => sampleOf(followed[i]!, person, hop))
    const bodily = used !== null && (followed.length === 0 || followed.some(({ pose }) => pose !== null))
    const site = siteOf(seen, geometry, bodily ? used.modelVersion : meanSkeletonModel)
    return {
      persons,
      ...located.step(hop, { ...seen.reading, vitals: bestVitals(seen.observations) }, {
        able: site.capabilities.includes("count"),
        confidences: persons.map(({ confidence }) => confidence),
      }),
      processingPipeline: image === null
        ? "motion-statistic"
        : used === null
        ? "matched-field"
        : "matched-field, pose-network",
      personsReason: persons.length > 0 ? null : image === null ? noGeometry : image.reason ?? "No track is confirmed.",
      ...site,
    }
  }

  const useNetwork: Estimator["useNetwork"] = (next) => {
    if (next === network) return
    network = next
    if (poses === null || next === null) poses = newPoses()
    else poses.useNetwork(next)
  }

  return {
    observe,
    asked: () => poses?.asked() ?? [],
    estimate,
    useNetwork,
    network: () => network,
    samples: () => samples,
    configure,
    tracks: () => {
      const active = tracks.current().filter(({ snapshot }) => statusOf(snapshot) === "active")
      return { activeTracks: active.length, trackQuality: mean(active.map(({ existence }) => existence)) }
    },
    trackRecords: () => [...tracks.current(), ...tracks.ended()].map(trackRecordOf),
    reset,
  }
}
