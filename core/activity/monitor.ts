/**
 * The monitor of one place: hop by hop, what its persons do and what is worth an incident.
 *
 * Owns which track is which person. A track that is born where a person with a fall or an inactivity was lost is that person: a body
 * that keeps still is lost by the radio and found again when it stirs. Boundary: one person is `person.ts`; the monitor adds what
 * concerns the room as a whole. Pure but for its own state: time is the hop's.
 *
 * Invariants: at most `personsMax` persons are remembered; who has no concern is forgotten `goneS` after the last sight, who has one after
 * `holdS`; the conditions of a hop are all that hold.
 */
import type { ActivityReading } from "./activity.ts"
import type { Condition, Ending, Happening } from "./condition.ts"
import { createStillness, inactivitySeverity } from "./inactivity.ts"
import { createIntrusionWatch, type Evidence, intrusionSeverity, type IntrusionWatch } from "./intrusion.ts"
import { createPersonWatch, goneS, type PersonWatch, type WatchSettings } from "./person.ts"
import { distanceM, type Place, type TrackSample } from "./sample.ts"
import { contains, type Zone } from "./zones.ts"

/** A hop as the monitor sees it. */
export interface Scene {
  /** Event time at the end of the hop, ascending. */
  readonly timeS: number
  readonly samples: ReadonlyArray<TrackSample>
  /** Whether somebody is there at all; null when the signal does not say. */
  readonly present: boolean | null
  readonly presenceConfidence: number
  /** 0..1: how strong what moves is; null when the signal does not say. */
  readonly motion: number | null
}

export interface Watched {
  /** What each track of the scene does. */
  readonly readings: ReadonlyMap<number, ActivityReading>
  readonly conditions: ReadonlyArray<Condition>
  /** Of conditions that held before and do not any more; one that is missing here has expired. */
  readonly endings: ReadonlyMap<string, Ending>
  readonly happenings: ReadonlyArray<Happening>
}

export interface Monitor {
  readonly step: (scene: Scene) => Watched
  /** Goes on with conditions that an earlier monitor of the place had, at the time of its last hop. */
  readonly resume: (conditions: ReadonlyArray<Condition>, timeS: number) => void
}

const personsMax = 64
/** How long a fall or an inactivity of a person out of sight is held: 30 minutes. */
export const holdS = 1800
/** A new track within this distance of a lost person is that person. */
const sameM = 1
/** A track that ends and begins anew within this time is the same person, whatever the concern. */
const swapS = 2
/** Motion of the room that is a movement of a body and no breath: an echo of -30 dB (see `core/vitals/presence.ts`). */
const motionMin = 0.1
const presentExistence = 0.5

export const roomInactivityKey = "inactivity:room"
export const anywhereKey = "intrusion:anywhere"
export const zoneKey = (zoneId: string): string => `intrusion:zone:${zoneId}`

/** The conditions of a room in which nobody is located: somebody is there, and nothing moves. */
const createRoomStillness = (settings: WatchSettings["inactivity"]) => {
  const stillness = createStillness()
  let told = false
  return {
    /** Null while it does not hold. */
    step: (scene: Scene, place: Place | null, exempt: boolean, others: boolean): Condition | null => {
      const { motion, present, presenceConfidence, samples, timeS } = scene
      const sinceS = stillness.step({
        timeS,
        present: present === true || samples.length > 0,
        moving: motion !== null && motion >= motionMin,
        exempt,
      })
      const lastedS = sinceS === null ? 0 : timeS - sinceS
      told = settings.enabled && sinceS !== null && lastedS >= settings.thresholdS &&
        (told || (samples.length === 0 && !others))
      return !told || sinceS === null ? null : {
        key: roomInactivityKey,
        type: "inactivity",
        personId: null,
        zone: null,
        sinceS,
        severity: inactivitySeverity(lastedS, settings.thresholdS),
        confidence: presenceConfidence,
        place,
        alerts: true,
        impactMps: null,
        persons: null,
      }
    },
    resume: (sinceS: number) => {
      told = true
      stillness.resume(sinceS)
    },
  }
}

/** Who is at a place of watch: what the watch is told, and the first of them who is located. */
interface Intruders {
  readonly evidence: Evidence
  readonly first: PersonWatch | null
}

const intrusionOf = (
  { key, zone }: { readonly key: string; readonly zone: Zone | null },
  watch: IntrusionWatch,
  timeS: number,
  { evidence, first }: Intruders,
): Condition | null => {
  const intrusion = watch.step(timeS, evidence)
  return intrusion === null ? null : {
    key,
    type: "intrusion",
    personId: first?.personId ?? null,
    zone,
    sinceS: intrusion.sinceS,
    severity: intrusionSeverity(timeS - intrusion.sinceS),
    confidence: intrusion.confidence,
    place: first?.place() ?? null,
    alerts: true,
    impactMps: null,
    persons: intrusion.persons,
  }
}

export const createMonitor = (settings: WatchSettings, zones: ReadonlyArray<Zone>): Monitor => {
  const watchedZones = zones.filter(({ kind }) => kind === "watched")
  const room = createRoomStillness(settings.inactivity)
  const intrusions = new Map<string, IntrusionWatch>()
  /** Who is remembered, and under which track. */
  let persons: ReadonlyArray<{ readonly trackId: number; readonly watch: PersonWatch }> = []
  let lastPlace: Place | null = null

  const concerned = (watch: PersonWatch, timeS: number): boolean => watch.conditions(timeS).length > 0

  /** The watch over the person of this track. */
  const watchOf = (sample: TrackSample, tracks: ReadonlySet<number>): PersonWatch | null => {
    const known = persons.find(({ trackId }) => trackId === sample.trackId)
    if (known !== undefined) return known.watch
    const near = persons
      .filter(({ trackId, watch }) =>
        !tracks.has(trackId) && distanceM(watch.place(), sample.place) <= sameM &&
        (sample.timeS - watch.seenS() <= swapS || concerned(watch, sample.timeS))
      )
      .sort((a, b) => distanceM(a.watch.place(), sample.place) - distanceM(b.watch.place(), sample.place))[0]
    if (near === undefined && persons.length >= personsMax) return null
    const watch = near?.watch ?? createPersonWatch(sample.trackId, sample, settings, zones)
    persons = [...persons.filter((person) => person !== near), { trackId: sample.trackId, watch }]
    return watch
  }

  /** Follows who is seen and who is not; answers the readings by track. */
  const follow = ({ motion, samples, timeS }: Scene): Map<number, ActivityReading> => {
    const readings = new Map<number, ActivityReading>()
    const tracks = new Set(samples.map(({ trackId }) => trackId))
    const roomMoves = motion !== null && motion >= motionMin
    const seen = new Set<PersonWatch>()
    for (const sample of samples) {
      lastPlace = sample.place
      const watch = watchOf(sample, tracks)
      if (watch === null) continue
      seen.add(watch)
      // Of one person alone what the room shows is theirs.
      readings.set(sample.trackId, watch.step(sample, roomMoves && samples.length === 1))
    }
    for (const { watch } of persons) if (!seen.has(watch)) watch.unseen(timeS, roomMoves && samples.length === 0)
    return readings
  }

  const existences = (samples: ReadonlyArray<TrackSample>, of: typeof persons): ReadonlyArray<number> =>
    samples.filter((sample) => of.some(({ trackId }) => trackId === sample.trackId)).map(({ existence }) => existence)

  const intrudersIn = (zone: Zone, { samples }: Scene): Intruders => {
    const there = persons.filter(({ watch }) => watch.zones().includes(zone))
    const confidence = Math.max(0, ...existences(samples, there))
    return {
      evidence: there.length === 0 ? "nobody" : { persons: there.length, confidence },
      first: there[0]?.watch ?? null,
    }
  }

  const intrudersAnywhere = ({ present, presenceConfidence, samples, timeS }: Scene): Intruders => {
    const seen = persons.filter(({ watch }) => watch.seenS() === timeS)
    const existence = Math.max(0, ...existences(samples, seen))
    const first = seen[0]?.watch ?? null
    const confidence = Math.max(existence, present === true ? presenceConfidence : 0)
    if (present === true || existence >= presentExistence) {
      return { evidence: { persons: seen.length, confidence }, first }
    }
    return { evidence: present === null ? "unknown" : "nobody", first }
  }

  const intrusionConditions = (scene: Scene): ReadonlyArray<Condition> => {
    if (!settings.intrusion.enabled) return []
    const places = [
      ...watchedZones.map((zone) => ({ key: zoneKey(zone.zoneId), zone })),
      ...(settings.intrusion.armed ? [{ key: anywhereKey, zone: null }] : []),
    ]
    return places.flatMap((place) => {
      const watch = intrusions.get(place.key) ?? createIntrusionWatch()
      intrusions.set(place.key, watch)
      const intruders = place.zone === null ? intrudersAnywhere(scene) : intrudersIn(place.zone, scene)
      return intrusionOf(place, watch, scene.timeS, intruders) ?? []
    })
  }

  /** Forgets who is out of sight for too long. */
  const forget = (timeS: number): void => {
    persons = persons.filter(({ watch }) => {
      const goneForS = timeS - watch.seenS()
      return goneForS <= goneS || (goneForS <= holdS && concerned(watch, timeS))
    })
  }

  return {
    step: (scene) => {
      const { timeS } = scene
      const readings = follow(scene)
      const taken = persons.map(({ watch }) => watch.take())
      const ofPersons = persons.flatMap(({ watch }) => watch.conditions(timeS))
      const inBed = lastPlace !== null &&
        zones.some(({ kind, polygon }) => kind === "bed" && contains(polygon, lastPlace!))
      const stillRoom = room.step(scene, lastPlace, inBed, ofPersons.some(({ type }) => type === "inactivity"))
      const ofPlaces = intrusionConditions(scene)
      forget(timeS)
      const endings = new Map(taken.flatMap(({ endings }) => [...endings]))
      if (stillRoom === null) endings.set(roomInactivityKey, { resolution: "recovered", timeS })
      for (const [key, watch] of intrusions) {
        const endedS = watch.endedS()
        if (endedS !== null) endings.set(key, { resolution: "left", timeS: endedS })
      }
      return {
        readings,
        conditions: [...ofPersons, ...(stillRoom === null ? [] : [stillRoom]), ...ofPlaces],
        endings,
        happenings: taken.flatMap(({ happenings }) => happenings),
      }
    },
    resume: (conditions, timeS) => {
      for (const condition of conditions) {
        const { key, personId, place, sinceS, type } = condition
        if (type === "intrusion") intrusions.set(key, createIntrusionWatch({ sinceS }))
        else if (personId === null) room.resume(sinceS)
        else {
          const at = { place: place ?? { x: 0, y: 0 }, timeS }
          const known = persons.find(({ watch }) => watch.personId === personId)
          const watch = known?.watch ?? createPersonWatch(personId, at, settings, zones)
          watch.resume(condition)
          if (known === undefined) persons = [...persons, { trackId: personId, watch }]
        }
      }
    },
  }
}
