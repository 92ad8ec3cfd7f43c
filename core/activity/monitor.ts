/**
 * The monitor of one environment: the activities of its persons, hop by hop, and the conditions that are worth an
 * incident.
 *
 * Owns the assignment of tracks to persons. A track that begins where a person with a fall or an inactivity was lost is
 * that person: radio loses a still body and finds it again when it stirs. Boundary: `person.ts` watches one person; the
 * monitor adds the conditions of the whole room. Pure except for its own state: time is the hop's.
 *
 * Invariants: at most `personsMax` persons are kept; a person without a condition is dropped `goneS` after the last
 * sample, one with a condition after `holdS`; the conditions of a hop are complete.
 */
import { type Place, placesApartM } from "../imaging/geometry.ts"
import { createGapWatch } from "../observation/silence.ts"
import type { ActivityReading } from "./activity.ts"
import type { Condition, Ending, InstantEvent } from "./condition.ts"
import { createIntrusionWatch, type IntrusionWatch } from "./intrusion.ts"
import { type Intruders, intrusionOf } from "./intrusion-condition.ts"
import { goneS, type PersonMemory, PersonWatch, type WatchSettings } from "./person.ts"
import { roomInactivityKey, RoomStillness } from "./room-stillness.ts"
import type { TrackSample } from "./sample.ts"
import { roomMoves, type Scene } from "./scene.ts"
import { isWatched, watchedPlaces } from "./watched-conditions.ts"
import { contains, type Zone } from "./zones.ts"

interface Watched {
  /** The activity of each track of the scene. */
  readonly readings: ReadonlyMap<number, ActivityReading>
  readonly conditions: ReadonlyArray<Condition>
  /** Endings of conditions that held before; a missing one has expired. */
  readonly endings: ReadonlyMap<string, Ending>
  readonly instantEvents: ReadonlyArray<InstantEvent>
}

/** A person as another monitor knew it, and its current track. */
interface KnownPerson extends PersonMemory {
  readonly trackId: number
}

export interface Monitor {
  readonly step: (scene: Scene) => Watched
  /** Continues conditions of an earlier monitor of the environment, at the time of its last hop. Those that are not watched are left out. */
  readonly resume: (conditions: ReadonlyArray<Condition>, timeS: number) => void
  /**
   * Follows other settings and zones from the next hop on. Conditions that are not watched any more end; persons and other conditions
   * continue. Returns the exits from zones that are gone.
   */
  readonly configure: (settings: WatchSettings, zones: ReadonlyArray<Zone>) => ReadonlyArray<InstantEvent>
  /** Ends the visits of all persons, and returns their exits. */
  readonly leaveZones: () => ReadonlyArray<InstantEvent>
  /** The persons, for a monitor that continues. */
  readonly persons: () => ReadonlyArray<KnownPerson>
  /** Continues the persons of another monitor. */
  readonly recall: (persons: ReadonlyArray<KnownPerson>) => void
}

const personsMax = 64
/** Time that a fall or an inactivity of a lost person is held: 30 minutes. */
export const holdS = 1800
/** A new track within this distance of a lost person is that person. */
const sameM = 1
/** A track that is replaced within this time is the same person, with or without a condition. */
const swapS = 2
const presentExistence = 0.5

/** A person and its current track; null while an unknown person has none. */
interface TrackedPerson {
  readonly trackId: number | null
  readonly watch: PersonWatch
}

const hasCondition = (watch: PersonWatch, timeS: number): boolean => watch.conditions(timeS).length > 0

const existencesOf = (
  samples: ReadonlyArray<TrackSample>,
  persons: ReadonlyArray<TrackedPerson>,
): ReadonlyArray<number> =>
  samples.filter((sample) => persons.some(({ trackId }) => trackId === sample.trackId))
    .map(({ existence }) => existence)

/** How far a sample is from the nearest of these persons. */
const nearestM = (persons: ReadonlyArray<TrackedPerson>) => ({ place }: TrackSample): number =>
  Math.min(...persons.map(({ watch }) => placesApartM(watch.place, place)))

class EnvironmentMonitor implements Monitor {
  #settings: WatchSettings
  #zones: ReadonlyArray<Zone>
  readonly #room = new RoomStillness()
  readonly #intrusions = new Map<string, IntrusionWatch>()
  #persons: ReadonlyArray<TrackedPerson> = []
  #lastPlace: Place | null = null
  readonly #gaps = createGapWatch()
  /** Time of the first scene after the last gap. */
  #resumedS = -Infinity

  constructor(settings: WatchSettings, zones: ReadonlyArray<Zone>) {
    this.#settings = settings
    this.#zones = zones
  }

  step(scene: Scene): Watched {
    const { timeS } = scene
    this.#passGap(timeS)
    const readings = this.#follow(scene)
    const taken = this.#persons.map(({ watch }) => watch.take())
    const ofPersons = this.#persons.flatMap(({ watch }) => watch.conditions(timeS))
    const others = ofPersons.some(({ type }) => type === "inactivity")
    const known = { place: this.#lastPlace, exempt: this.#lastPlaceInBed(), others }
    const stillRoom = this.#room.step(scene, this.#settings.inactivity, known)
    const ofPlaces = this.#intrusionConditions(scene)
    this.#forget(timeS)
    const endings = new Map(taken.flatMap(({ endings }) => [...endings]))
    if (stillRoom === null) endings.set(roomInactivityKey, { resolution: "recovered", timeS })
    for (const [key, watch] of this.#intrusions) {
      const endedS = watch.endedS()
      if (endedS !== null) endings.set(key, { resolution: "left", timeS: endedS })
    }
    return {
      readings,
      conditions: [...ofPersons, ...(stillRoom === null ? [] : [stillRoom]), ...ofPlaces],
      endings,
      instantEvents: taken.flatMap(({ instantEvents }) => instantEvents),
    }
  }

  resume(conditions: ReadonlyArray<Condition>, timeS: number): void {
    for (const condition of conditions) {
      if (!isWatched(condition, this.#settings, this.#zones)) continue
      const { key, sinceS, type } = condition
      if (type === "intrusion") this.#intrusions.set(key, createIntrusionWatch({ sinceS }))
      else if (key === roomInactivityKey) this.#room.resume(sinceS)
      else this.#resumePerson(condition, timeS)
    }
  }

  configure(settings: WatchSettings, zones: ReadonlyArray<Zone>): ReadonlyArray<InstantEvent> {
    this.#settings = settings
    this.#zones = zones
    const keys = new Set(watchedPlaces(settings, zones).map(({ key }) => key))
    for (const key of this.#intrusions.keys()) if (!keys.has(key)) this.#intrusions.delete(key)
    return this.#persons.flatMap(({ watch }) => {
      watch.configure(settings, zones)
      return watch.take().instantEvents
    })
  }

  leaveZones(): ReadonlyArray<InstantEvent> {
    return this.#persons.flatMap(({ watch }) => {
      watch.end()
      return watch.take().instantEvents
    })
  }

  persons(): ReadonlyArray<KnownPerson> {
    return this.#persons.flatMap(({ trackId, watch: { memory } }) =>
      trackId === null || memory === null ? [] : [{ trackId, ...memory }]
    )
  }

  recall(persons: ReadonlyArray<KnownPerson>): void {
    for (const known of persons) {
      const { personId, place, seenS, trackId } = known
      const watch = this.#persons.find(({ watch }) => watch.personId === personId)?.watch ??
        new PersonWatch(personId, { place, timeS: seenS }, this.#settings, this.#zones)
      watch.recall(known)
      this.#persons = [...this.#persons.filter((person) => person.watch !== watch), { trackId, watch }]
    }
  }

  /** Continues a condition of a person. An unknown person is found again by the place. */
  #resumePerson(condition: Condition, timeS: number): void {
    const { personId, type } = condition
    const place = condition.place ?? { x: 0, y: 0 }
    const known = this.#persons.find(({ watch }) =>
      watch.personId === personId && (personId !== null || placesApartM(watch.place, place) <= sameM &&
          !watch.conditions(timeS).some((held) => held.type === type))
    )
    const watch = known?.watch ?? new PersonWatch(personId, { place, timeS }, this.#settings, this.#zones)
    watch.resume(condition)
    if (known === undefined) this.#persons = [...this.#persons, { trackId: personId, watch }]
  }

  /** Forgets what is no evidence after the gap before this time, if there is one. */
  #passGap(timeS: number): void {
    const gap = this.#gaps.step(timeS)
    if (gap === "none") return
    this.#resumedS = timeS
    for (const intrusion of this.#intrusions.values()) intrusion.interrupt()
    if (gap === "pause") return
    this.#room.interrupt()
    for (const { watch } of this.#persons) watch.interrupt()
  }

  #lastPlaceInBed(): boolean {
    const place = this.#lastPlace
    return place !== null && this.#zones.some(({ kind, polygon }) => kind === "bed" && contains(polygon, place))
  }

  /** The watch over the person of a sample's track; null past `personsMax`. */
  #watchOf(sample: TrackSample, tracks: ReadonlySet<number>): PersonWatch | null {
    const known = this.#persons.find(({ trackId }) => trackId === sample.trackId)
    if (known !== undefined) return known.watch
    const near = this.#persons
      .filter(({ trackId, watch }) =>
        (trackId === null || !tracks.has(trackId)) && placesApartM(watch.place, sample.place) <= sameM &&
        (sample.timeS - watch.seenS <= swapS || hasCondition(watch, sample.timeS))
      )
      .sort((a, b) => placesApartM(a.watch.place, sample.place) - placesApartM(b.watch.place, sample.place))[0]
    if (near === undefined && this.#persons.length >= personsMax) return null
    const watch = near?.watch ?? new PersonWatch(sample.trackId, sample, this.#settings, this.#zones)
    this.#persons = [...this.#persons.filter((person) => person !== near), { trackId: sample.trackId, watch }]
    return watch
  }

  /** The watches over the persons of samples, by track. Of several new tracks, the nearest to a lost person is that person. */
  #watchesOf(samples: ReadonlyArray<TrackSample>): ReadonlyMap<number, PersonWatch | null> {
    const tracks = new Set(samples.map(({ trackId }) => trackId))
    const apartM = nearestM(this.#persons)
    return new Map(
      samples.toSorted((a, b) => apartM(a) - apartM(b)).map((each) => [each.trackId, this.#watchOf(each, tracks)]),
    )
  }

  /** Advances the watches of all persons by a hop. Returns the readings by track. */
  #follow(scene: Scene): Map<number, ActivityReading> {
    const { samples, timeS } = scene
    const readings = new Map<number, ActivityReading>()
    const watches = this.#watchesOf(samples)
    const moves = roomMoves(scene)
    const seen = new Set<PersonWatch>()
    for (const sample of samples) {
      this.#lastPlace = sample.place
      const watch = watches.get(sample.trackId) ?? null
      if (watch === null) continue
      seen.add(watch)
      // The motion of the room belongs to a single person.
      readings.set(sample.trackId, watch.step(sample, moves && samples.length === 1))
    }
    for (const { watch } of this.#persons) {
      if (!seen.has(watch)) watch.unseen(timeS, moves && samples.length === 0)
    }
    return readings
  }

  #intrudersIn(zone: Zone, { samples }: Scene): Intruders {
    const there = this.#persons.filter(({ watch }) => watch.seenS >= this.#resumedS && watch.zones.includes(zone))
    const confidence = Math.max(0, ...existencesOf(samples, there))
    return {
      evidence: there.length === 0 ? "none" : { persons: there.length, confidence },
      first: there[0]?.watch ?? null,
    }
  }

  #intrudersAnywhere({ present, presenceConfidence, samples, timeS }: Scene): Intruders {
    const seen = this.#persons.filter(({ watch }) => watch.seenS === timeS)
    const existence = Math.max(0, ...existencesOf(samples, seen))
    const first = seen[0]?.watch ?? null
    const confidence = Math.max(existence, present === true ? presenceConfidence : 0)
    if (present === true || existence >= presentExistence) {
      return { evidence: { persons: seen.length === 0 ? null : seen.length, confidence }, first }
    }
    return { evidence: present === null ? "unknown" : "none", first }
  }

  #intrusionConditions(scene: Scene): ReadonlyArray<Condition> {
    return watchedPlaces(this.#settings, this.#zones).flatMap((place) => {
      const watch = this.#intrusions.get(place.key) ?? createIntrusionWatch()
      this.#intrusions.set(place.key, watch)
      const intruders = place.zone === null ? this.#intrudersAnywhere(scene) : this.#intrudersIn(place.zone, scene)
      return intrusionOf(place, watch, scene.timeS, intruders) ?? []
    })
  }

  /** Drops the persons who are lost for too long. */
  #forget(timeS: number): void {
    this.#persons = this.#persons.filter(({ watch }) => {
      const goneForS = timeS - watch.seenS
      return goneForS <= goneS || (goneForS <= holdS && hasCondition(watch, timeS))
    })
  }
}

export const createMonitor = (settings: WatchSettings, zones: ReadonlyArray<Zone>): Monitor =>
  new EnvironmentMonitor(settings, zones)
