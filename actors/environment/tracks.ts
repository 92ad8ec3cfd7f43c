/**
 * The tracks of an environment: assigns the detections of each hop to the tracks, begins new tracks and ends old ones.
 *
 * Boundary: how a hop changes one track is `track.ts`. Pure except for its own state; ids are arguments, and an id ends with its track.
 *
 * Invariants: at most `tracksMax` tracks, in descending order of existence, and `endedMax` ended ones, the latest first; a track's motion
 * is at the moment that the last image describes.
 */
import { placesApartM, type SiteGeometry } from "../../core/imaging/geometry.ts"
import type { ExpectedPerson, RoomImage } from "../../core/imaging/matched-field.ts"
import type { Detection } from "../../core/imaging/movers.ts"
import { leastSectionOf } from "../../core/imaging/weak-body.ts"
import { hopUs } from "../../core/observation/observation.ts"
import { silenceHopsMax } from "../../core/observation/silence.ts"
import { associate } from "../../core/tracking/association.ts"
import {
  type Departure,
  departureAfter,
  hasEveryoneLeft,
  noDeparture,
  silencedDeparture,
} from "../../core/tracking/departure.ts"
import type { SeenBody } from "../../core/tracking/existence.ts"
import { beginPerson, beginStill, motionOf, predictHops, stands } from "../../core/tracking/person-motion.ts"
import { defaultTrackLimits, lifeOf, snapshotOf, statusOf, type TrackLife, type TrackLimits } from "../track/machine.ts"
import { beginTrack, continueTrack, followTrack, noEcho, silencedTrack, type Track } from "./track.ts"
import { earlierTracks } from "./track-handover.ts"

/** Candidates that are followed at one time, tentative ones included. */
const tracksMax = 32
/** Ended tracks of persons whose records are kept. */
const endedMax = 32
/** Two tracks nearer than this may share one detection. */
const hidesM = 0.8
/**
 * Within this distance of a known person, a track that was never detected walking is taken for a part of them: a person who lies is longer
 * than an array resolves, and walls mirror a person who stands beside them.
 */
const partM = 1.1

const hopS = hopUs / 1e6
/** An image describes the last ten hops, so it is evidence for as many at most. */
const hopsMax = 10

/** A track as plain data. */
interface TrackMemory extends Omit<Track, "snapshot"> {
  readonly life: TrackLife
}

/** All tracks, which those of another node continue from. */
interface TracksMemory {
  readonly current: ReadonlyArray<TrackMemory>
  readonly ended: ReadonlyArray<TrackMemory>
  readonly departure: Departure
}

const memoryOf = ({ snapshot, ...track }: Track): TrackMemory => ({ ...track, life: lifeOf(snapshot) })
const trackOf = ({ life, ...track }: TrackMemory): Track => ({ ...track, snapshot: snapshotOf(life) })

/** The part of an image that tracks are made from. */
export type TrackedImage = Pick<RoomImage, "detections" | "echoes" | "mostLinksMove" | "still"> & {
  /** Whether the room was found empty: then no person is first detected by a still echo, which may be that of a moved chair. */
  readonly empty: boolean
}

const isConfirmed = ({ snapshot }: Track): boolean => statusOf(snapshot) !== "tentative"

/**
 * Whether a person has walked here and is confirmed. Then a new still echo counts as a change that this person makes in the room: another
 * person would have been detected walking in, and in 132 simulated scenes there was no other person at such a place. A person who was in the
 * room before the first hop has not walked.
 */
const isWalker = (track: Track): boolean => track.walked && isConfirmed(track)

/** The tracks that turned from one status into another in this hop. */
const turned = (
  before: ReadonlyArray<Track>,
  after: ReadonlyArray<Track>,
  from: ReturnType<typeof statusOf>,
  to: ReturnType<typeof statusOf>,
): ReadonlyArray<Track> =>
  after.filter(({ snapshot }, i) => statusOf(snapshot) === to && statusOf(before[i]!.snapshot) === from)

/** The tracks of one environment. */
export class Tracks {
  readonly #nextId: () => number
  readonly #size: SiteGeometry["size"] | null
  #current: ReadonlyArray<Track> = []
  #ended: ReadonlyArray<Track> = []
  #departure = noDeparture
  #limits = defaultTrackLimits
  #personsMax = tracksMax
  /** The silence that ended the tracks, hops; null before one, and when somebody is tracked again or the room is found empty. */
  #silenceHops: number | null = null
  /** Hops since the last image by which the tracks became older without one. */
  #passedHops = 0

  /** @param size of the room, metres; null where it is not known */
  constructor(nextId: () => number, size: SiteGeometry["size"] | null) {
    this.#nextId = nextId
    this.#size = size
  }

  get current(): ReadonlyArray<Track> {
    return this.#current
  }

  /** Tracks of persons that have ended since the last reset, the latest first. */
  get ended(): ReadonlyArray<Track> {
    return this.#ended
  }

  /** Whether everybody who was tracked since the room was last found empty has walked out of it. */
  get everyoneLeft(): boolean {
    return hasEveryoneLeft(this.#departure, this.#current.filter(isConfirmed))
  }

  /** The longest silence, in hops, after which persons are still reported: by the limits of the tracks, and at least the length of an image. */
  get silenceHopsMax(): number {
    return Math.max(hopsMax, Math.min(silenceHopsMax, this.#limits.lostMax))
  }

  /** The silence, in hops, because of which nobody is tracked; null where another reason applies. */
  get silenceHops(): number | null {
    return this.#silenceHops
  }

  get memory(): TracksMemory {
    return { current: this.#current.map(memoryOf), ended: this.#ended.map(memoryOf), departure: this.#departure }
  }

  /** Continues the tracks of another node. */
  recall({ current, departure, ended }: TracksMemory): void {
    this.#departure = departure
    this.#current = current.slice(0, tracksMax).map(trackOf)
    this.#ended = ended.slice(0, endedMax).map(trackOf)
  }

  configure(limits: TrackLimits, personsMax: number): void {
    this.#limits = limits
    this.#personsMax = Math.max(1, Math.min(tracksMax, personsMax))
  }

  reset(): void {
    this.#current = []
    this.#ended = []
    this.#departure = noDeparture
    this.#silenceHops = null
    this.#passedHops = 0
  }

  /** Takes hops without CSI, before the image that follows them. After too many, nothing shows who is still there. */
  passSilence(hops: number): void {
    if (hops <= this.silenceHopsMax) return
    const before = this.#current
    const after = before.map((track) => silencedTrack(track, hops))
    this.#passedHops += hops
    const isEnded = ({ snapshot }: Track) => statusOf(snapshot) === "ended"
    this.#ended = [...after.filter((track, i) => isEnded(track) && isConfirmed(before[i]!)), ...this.#ended]
      .slice(0, endedMax)
    this.#current = after.filter((track) => !isEnded(track))
    this.#departure = silencedDeparture
    if (before.some(isConfirmed)) this.#silenceHops = hops
  }

  /** Where the tracks are expected `elapsedS` after the last image, in the order of the echoes that `step` takes. */
  expected(elapsedS: number): ReadonlyArray<ExpectedPerson> {
    return this.#current.map((track) => {
      const later = predictHops(track.person, elapsedS)
      const { x, y } = motionOf(later)
      return { x, y, stands: stands(later), leastM2: isConfirmed(track) ? leastSectionOf(track.walkingM2) : null }
    })
  }

  /** Takes the image of the moment `timestampMs`, `elapsedS` after the last one; returns all current tracks. */
  step(image: TrackedImage, elapsedS: number, timestampMs: number): ReadonlyArray<Track> {
    const before = this.#current
    const { detectionOfTrack, newDetections, tracks } = this.#follow(image, elapsedS, timestampMs)
    const earlier = this.#size === null ? new Map<Track, Track>() : earlierTracks(
      turned(before, tracks, "tentative", "active"),
      tracks.filter((_, i) => detectionOfTrack[i] === undefined),
      this.#size,
    )
    const replaced = new Set(earlier.values())
    const living = tracks
      .filter((track) => statusOf(track.snapshot) !== "ended" && !replaced.has(track))
      .map((track) => earlier.has(track) ? continueTrack(track, earlier.get(track)!, timestampMs) : track)
    // A track that was never confirmed ends from `tentative`, that of a person from `lost`.
    const ended = turned(before, tracks, "lost", "ended")
    this.#ended = [...ended, ...this.#ended].slice(0, endedMax)
    this.#departure = departureAfter(this.#departure, {
      ended,
      current: living.filter(isConfirmed),
      empty: image.empty,
    })
    if (image.empty || living.some(({ snapshot }) => statusOf(snapshot) === "active")) this.#silenceHops = null
    const begun = this.#begin(image, newDetections, living, timestampMs)
    return this.#current = [...living, ...begun].sort((a, b) => b.existence - a.existence || a.id - b.id)
  }

  /** Takes the answer of the pose network after that image, by track id. */
  setSeen(bodies: ReadonlyMap<number, SeenBody>): void {
    this.#current = this.#current.map((track) => ({ ...track, seen: bodies.get(track.id) ?? null }))
  }

  /** The tracks after a hop, in their order, and the detections that belong to none. */
  #follow({ detections, echoes, mostLinksMove }: TrackedImage, elapsedS: number, timestampMs: number) {
    const predicted = this.#current.map((track) => ({ ...track, person: predictHops(track.person, elapsedS) }))
    const elapsedHops = Math.max(1, Math.round(elapsedS / hopS))
    const hops = Math.min(hopsMax, elapsedHops)
    const newHops = Math.max(1, elapsedHops - this.#passedHops)
    this.#passedHops = 0
    const places = predicted.map(({ person }) => motionOf(person))
    const { detectionOfTrack: indices, newDetections } = associate(places, detections)
    const detectionOfTrack = predicted.map((_, i): Detection | undefined => detections[indices[i] ?? -1])
    const tracks = predicted.map((track, i) => {
      const hidden = places.some((place, j) =>
        detectionOfTrack[j] !== undefined && placesApartM(place, places[i]!) < hidesM
      )
      const beside = !track.proven &&
        predicted.some(({ proven }, j) => proven && placesApartM(places[j]!, places[i]!) < partM)
      return followTrack(track, {
        detection: detectionOfTrack[i],
        echo: echoes[i] ?? noEcho,
        hidden,
        beside,
        unlocatedMotion: mostLinksMove && detections.length === 0,
        hops,
        newHops,
        timestampMs,
        size: this.#size,
      })
    })
    return { detectionOfTrack, newDetections, tracks }
  }

  /** New tracks of the detections that belong to none, as many as there is room for. */
  #begin(
    { detections, empty, still }: TrackedImage,
    newDetections: ReadonlyArray<number>,
    living: ReadonlyArray<Track>,
    timestampMs: number,
  ): ReadonlyArray<Track> {
    const free = Math.min(tracksMax, 2 * this.#personsMax) - living.length
    const first = newDetections.map((i): Pick<Track, "person" | "walkingM2"> => ({
      person: beginPerson(detections[i]!),
      walkingM2: detections[i]!.crossSectionM2,
    }))
    if (still !== null && !empty && !living.some(isWalker)) first.push({ person: beginStill(still), walkingM2: null })
    return first.slice(0, Math.max(0, free))
      .map((one) => beginTrack(one, this.#nextId(), this.#limits, timestampMs))
  }
}
