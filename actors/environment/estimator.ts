/**
 * The estimator of an environment: turns the observations of a hop into a pose frame without id and times.
 *
 * Boundary: pure except for its own state; time is the hop, randomness an argument. The physics is in `core`; the caller runs its kernels.
 */
import type { TrackSample } from "../../core/activity/sample.ts"
import { type ArrayFinding, type ArrayWatch, createArrayWatch, noArrayFinding } from "../../core/imaging/array-watch.ts"
import type { SiteGeometry } from "../../core/imaging/geometry.ts"
import { createMatchedField, type MatchedField } from "../../core/imaging/matched-field.ts"
import { adultMinM2 } from "../../core/imaging/weak-body.ts"
import type { Computation } from "../../core/kernels/kernel.ts"
import { meanOf } from "../../core/math/mean.ts"
import { type Effort, refinesLess } from "../../core/pace/effort.ts"
import type { PoseInputs, PoseNetwork, PoseOutputs } from "../../core/pose/network.ts"
import { type AskedPerson, createRoomPoses, type RoomPoses } from "../../core/pose/room-poses.ts"
import type { BodyPose } from "../../core/pose/read-pose.ts"
import { hopUs, type Observation } from "../../core/observation/observation.ts"
import { createEmptyBaseline } from "../../core/imaging/empty-baseline.ts"
import { createLocatedPresence } from "../../core/vitals/located-presence.ts"
import { PresenceDetector, type PresenceReading } from "../../core/vitals/presence.ts"
import { leftOutFindingsOf } from "../../protocols/domain/array-findings.ts"
import type { Environment } from "../../protocols/domain/site.ts"
import type { TrackRecord } from "../../protocols/domain/track.ts"
import { defaultStartOptions, type StartOptions } from "../../protocols/domain/system.ts"
import { statusOf, trackLimitsOf } from "../track/machine.ts"
import type { EstimatorMemory } from "./estimator-memory.ts"
import { motionAfter, personOf, sampleOf, seenOf, trackedPersonOf } from "./persons.ts"
import {
  type Estimate,
  isLocated,
  meanSkeletonModel,
  nothingSeen,
  noTracks,
  pipelineOf,
  type Seen,
  siteOf,
} from "./seen-site.ts"
import { trackRecordOf } from "./track-records.ts"
import type { Track } from "./track.ts"
import { Tracks } from "./tracks.ts"

const noGeometry =
  "The geometry of this environment is not known, so persons cannot be located; presence and motion are."

const silenceReasonOf = (hops: number): string =>
  `The tracks ended because no CSI came for ${
    ((hops * hopUs) / 1e6).toFixed(1)
  } s. Persons are tracked again when they are detected.`

/** Estimates the persons of one environment. */
export class Estimator {
  readonly #geometry: SiteGeometry | null
  readonly #tracks: Tracks
  #network: PoseNetwork | null
  #detection = defaultStartOptions.detection
  #presence = new PresenceDetector()
  #baseline = createEmptyBaseline()
  #located = createLocatedPresence()
  #field: MatchedField | null = null
  #arrays: ArrayWatch | null = null
  #poses: RoomPoses | null = null
  #seen = nothingSeen
  /** The last hop with CSI, estimated or not; -1 before the first. */
  #heardHop = -1
  #samples: ReadonlyArray<TrackSample> = []

  /** @param network the pose network at first; null: persons have the mean skeleton */
  constructor({ geometry }: Environment, network: PoseNetwork | null, nextTrackId: () => number) {
    this.#geometry = geometry
    this.#network = network
    this.#tracks = new Tracks(nextTrackId, geometry?.size ?? null)
    this.configure(this.#detection)
    this.reset()
  }

  /** The network that is to be asked what `observe` returns; null: persons have the mean skeleton. */
  get network(): PoseNetwork | null {
    return this.#network
  }

  /** The persons whose poses the network is asked for, in the order of its inputs. */
  get asked(): ReadonlyArray<AskedPerson> {
    return this.#poses?.asked() ?? []
  }

  /** The samples of the persons of the last frame, in the frame's order. */
  get samples(): ReadonlyArray<TrackSample> {
    return this.#samples
  }

  /** For status answers; null: persons cannot be counted. The quality is the mean probability of the active tracks, null when there are none. */
  get tracks(): { readonly activeTracks: number | null; readonly trackQuality: number | null } {
    if (!isLocated(this.#seen.image)) return noTracks
    const active = this.#tracks.current.filter(({ snapshot }) => statusOf(snapshot) === "active")
    return { activeTracks: active.length, trackQuality: meanOf(active.map(({ existence }) => existence)) }
  }

  /** What the static paths say about antennas and geometry. */
  get arrays(): ArrayFinding {
    return this.#arrays?.finding() ?? noArrayFinding
  }

  /** Records of the current tracks, by descending existence, then of the ended ones, the latest first. Times are event time. */
  get trackRecords(): ReadonlyArray<TrackRecord> {
    return [...this.#tracks.current, ...this.#tracks.ended].map(trackRecordOf)
  }

  /** What the estimator of another node continues from; null before the first hop. */
  get memory(): EstimatorMemory | null {
    return this.#seen.hop < 0 ? null : {
      hop: this.#seen.hop,
      tracks: this.#tracks.memory,
      presence: this.#presence.memory,
      locatedHop: this.#located.locatedHop(),
      baselines: this.#baseline.memory(),
      modelVersion: this.#network?.modelVersion ?? null,
      persons: this.#poses?.memory() ?? [],
    }
  }

  /** Continues from the memory of another node, before the first hop. What a network remembers is for the same network. */
  recall(memory: EstimatorMemory): void {
    this.#tracks.recall(memory.tracks)
    this.#presence.recall(memory.presence)
    this.#baseline = createEmptyBaseline(memory.baselines)
    this.#located = createLocatedPresence(memory.locatedHop)
    this.#seen = { ...nothingSeen, hop: memory.hop }
    this.#heardHop = memory.hop
    if (memory.modelVersion === this.#network?.modelVersion) this.#poses?.recall(memory.persons)
  }

  configure(detection: StartOptions["detection"]): void {
    this.#detection = detection
    this.#tracks.configure(trackLimitsOf(detection), detection.maxPersons)
  }

  /** Sets another network from the next hop on; not between `observe` and `estimate`. Tracks stay. */
  useNetwork(next: PoseNetwork | null): void {
    if (next === this.#network) return
    this.#network = next
    if (this.#poses === null || next === null) this.#poses = this.#newPoses()
    else this.#poses.useNetwork(next)
  }

  /** Takes the network and the settings of the estimator that it replaces, and none of its tracks. */
  replace(other: Estimator): void {
    this.useNetwork(other.#network)
    this.configure(other.#detection)
  }

  /** Ends all tracks, for a new session or after time was set back. */
  reset(): void {
    const geometry = this.#geometry
    this.#tracks.reset()
    this.#presence = new PresenceDetector()
    this.#baseline = createEmptyBaseline()
    this.#located = createLocatedPresence()
    this.#field = geometry === null ? null : createMatchedField(geometry)
    this.#arrays = geometry === null ? null : createArrayWatch(geometry)
    this.#poses = this.#newPoses()
    this.#seen = nothingSeen
    this.#heardHop = -1
    this.#samples = []
  }

  /**
   * Takes a hop: images the room and follows its persons. Returns the inputs of the pose network; null when there are none. Hops come
   * in ascending order, until a reset, and each is estimated before the next is taken.
   */
  *observe(
    hop: number,
    observations: ReadonlyArray<Observation>,
    effort: Effort = "full",
  ): Computation<PoseInputs | null> {
    const reading = this.#hear(hop, observations)
    const located = this.#baseline.take(this.#fitting(hop, observations), reading.presence)
    const found = yield* this.#locate(hop, located, reading.presence.present === false, refinesLess(effort))
    this.#seen = { hop, observations, reading, effort, ...found }
    this.#poses?.observe(located)
    // A person who is lost for a moment keeps the memory of the body.
    const asked = found.tracks.filter(({ track }) => this.#isShown(track) || statusOf(track.snapshot) === "lost")
    return this.#poses === null
      ? null
      : yield* this.#poses.ask(hop, asked.map(({ motion, track }) => trackedPersonOf(track, motion)))
  }

  /** Takes a hop that is not estimated: windows and presence are as if it had been, and the next hop follows it. */
  skim(observations: ReadonlyArray<Observation>): void {
    if (observations.length === 0) return
    const { hop } = observations[0]!
    const reading = this.#hear(hop, observations)
    const located = this.#baseline.take(this.#fitting(hop, observations), reading.presence)
    this.#field?.add(located)
    this.#poses?.observe(located)
  }

  /** The frame of the hop, with the answer of the network; null when it was not asked. */
  estimate(outputs: PoseOutputs | null): Estimate {
    const geometry = this.#geometry
    const used = this.#network
    const { hop } = this.#seen
    const bodies = this.#bodiesOf(outputs)
    this.#tracks.setSeen(new Map([...bodies].map(([id, body]) => [id, seenOf(body)])))
    const followed = this.#seen.tracks.filter(({ track }) => this.#isShown(track))
      .sort((a, b) => b.track.existence - a.track.existence || a.track.id - b.track.id)
      .slice(0, this.#detection.maxPersons)
      .map((one) => ({ ...one, pose: bodies.get(one.track.id) ?? null }))
    const persons = geometry === null ? [] : followed.map((one) => personOf(one, geometry))
    this.#samples = persons.map((person, i) => sampleOf(followed[i]!, person, hop))
    const hasBodies = used !== null && (followed.length === 0 || followed.some(({ pose }) => pose !== null))
    const site = siteOf(this.#seen, geometry, hasBodies ? used.modelVersion : meanSkeletonModel)
    return {
      persons,
      ...this.#located.step(hop, this.#seen.reading, {
        able: site.capabilities.includes("count"),
        confidences: persons.map(({ confidence }) => confidence),
        everyoneLeft: this.#tracks.everyoneLeft,
      }),
      processingPipeline: pipelineOf(this.#seen.image, used, this.#seen.effort),
      personsReason: persons.length > 0 ? null : this.#noPersonsReason,
      ...site,
    }
  }

  get #noPersonsReason(): string {
    const { image } = this.#seen
    if (image === null) return noGeometry
    const few = image.reason === null ? null : [image.reason, ...leftOutFindingsOf(this.arrays)].join(" ")
    const reason = this.arrays.stopped ?? few ?? "No track is confirmed."
    const { silenceHops } = this.#tracks
    return silenceHops === null ? reason : `${silenceReasonOf(silenceHops)} ${reason}`
  }

  /** Presence at the end of a hop, after the silence that may lie before it. */
  #hear(hop: number, observations: ReadonlyArray<Observation>): PresenceReading {
    if (this.#heardHop >= 0) this.#tracks.passSilence(hop - this.#heardHop - 1)
    this.#heardHop = hop
    for (const observation of observations) this.#presence.add(observation)
    return this.#presence.read(hop, this.#tracks.everyoneLeft, this.#tracks.silenceHopsMax)
  }

  /** The room at the end of a hop, and its current tracks. */
  *#locate(
    hop: number,
    observations: ReadonlyArray<Observation>,
    empty: boolean,
    thrifty: boolean,
  ): Computation<Pick<Seen, "image" | "tracks">> {
    const geometry = this.#geometry
    if (this.#field === null || geometry === null) return { image: null, tracks: [] }
    if (!this.#detection.enableTracking) this.#tracks.reset()
    const elapsedS = this.#seen.hop < 0 ? 0 : ((hop - this.#seen.hop) * hopUs) / 1e6
    const image = yield* this.#field.image(hop, observations, this.#tracks.expected(elapsedS), thrifty)
    const momentMs = ((hop + 1) * hopUs) / 1e3 - image.lagS * 1e3
    const tracks = this.#tracks.step({ ...image, empty }, elapsedS, momentMs)
    return { image, tracks: tracks.map((track) => ({ track, motion: motionAfter(track, image.lagS, geometry) })) }
  }

  /** The observations that can be located by: with phases, and links that fit the geometry. */
  #fitting(hop: number, observations: ReadonlyArray<Observation>): ReadonlyArray<Observation> {
    const phased = observations.filter(({ amplitudeOnly }) => !amplitudeOnly)
    return this.#arrays?.take(hop, phased) ?? phased
  }

  #isShown(track: Track): boolean {
    const { confidenceThreshold, enableTracking } = this.#detection
    const status = statusOf(track.snapshot)
    // Without tracking, no walk shows that a weak body is a person.
    const counts = enableTracking
      ? status === "active"
      : status === "tentative" && (track.walkingM2 ?? adultMinM2) >= adultMinM2
    return counts && track.existence >= confidenceThreshold
  }

  #bodiesOf(outputs: PoseOutputs | null): ReadonlyMap<number, BodyPose> {
    return outputs === null || this.#poses === null ? new Map() : this.#poses.read(outputs)
  }

  #newPoses(): RoomPoses | null {
    const geometry = this.#geometry
    return geometry === null || this.#network === null ? null : createRoomPoses(geometry, this.#network)
  }
}
