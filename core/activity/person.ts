/**
 * The watch over one person: activity, zones, falls and inactivity, also while the track is lost.
 *
 * Boundary: `monitor.ts` assigns tracks to persons. Invariant: a fall or an inactivity lasts from its detection until
 * the person is up or moves; losing the track ends neither.
 */
import type { Place } from "../imaging/geometry.ts"
import { type ActivityFilter, type ActivityReading, createActivityFilter } from "./activity.ts"
import type { Condition, Ending, InstantEvent } from "./condition.ts"
import { createFallDetector, type Fall, type FallDetector, fallSeverity, fallThresholds, raisesAlert } from "./fall.ts"
import { createStillness, inactivitySeverity, type Stillness } from "./inactivity.ts"
import { PersonIdentity } from "./person-identity.ts"
import { createRecoveryWatch, type RecoveryWatch } from "./recovery.ts"
import { moves, type TrackSample } from "./sample.ts"
import {
  continueZoneWatch,
  createZoneWatch,
  type Zone,
  type ZoneChange,
  type ZoneVisit,
  type ZoneWatch,
} from "./zones.ts"

/** The enabled watches and their parameters. */
export interface WatchSettings {
  readonly activity: { readonly enabled: boolean }
  readonly fall: { readonly enabled: boolean; readonly sensitivity: number; readonly confidenceMin: number }
  readonly inactivity: { readonly enabled: boolean; readonly thresholdS: number }
  /** Armed: any person anywhere is an intruder; else only in watched zones. */
  readonly intrusion: { readonly enabled: boolean; readonly armed: boolean }
}

/** What another watch over the person knew. */
export interface PersonMemory {
  readonly personId: number
  /** The place of the last sample, and its time. */
  readonly place: Place
  readonly seenS: number
  readonly existence: number
  /** The zones that the person is in. */
  readonly visits: ReadonlyArray<ZoneVisit>
}

/** A gap of this length is a loss: the tracker bridges shorter ones. */
const lostS = 1
/** A person who is lost for this long has left all zones. */
export const goneS = 10

/** Instant events and ended conditions since the last call of `take`. */
interface PersonChanges {
  readonly instantEvents: ReadonlyArray<InstantEvent>
  readonly endings: ReadonlyMap<string, Ending>
}

export class PersonWatch {
  readonly #identity: PersonIdentity
  #settings: WatchSettings
  #zones: ReadonlyArray<Zone>
  readonly #activity: ActivityFilter = createActivityFilter()
  #zoneWatch: ZoneWatch
  #stillness: Stillness = createStillness()
  #falls: FallDetector
  #recovery: RecoveryWatch
  #fallen: Fall | null = null
  #stillSinceS: number | null = null
  /** The inactivity was reported: it lasts while the person is lost. */
  #inactive = false
  #place: Place
  #seenS: number
  #existence = 0
  #isLost = false
  #instantEvents: Array<InstantEvent> = []
  #endings = new Map<string, Ending>()

  /** @param personId null: of a condition whose person is not known, until a track is that person */
  constructor(
    personId: number | null,
    at: { readonly place: Place; readonly timeS: number },
    settings: WatchSettings,
    zones: ReadonlyArray<Zone>,
  ) {
    const thresholds = fallThresholds(settings.fall.sensitivity)
    this.#identity = new PersonIdentity(personId)
    this.#settings = settings
    this.#zones = zones
    this.#zoneWatch = createZoneWatch(zones)
    this.#falls = createFallDetector(thresholds)
    this.#recovery = createRecoveryWatch(thresholds.lowMMax)
    this.#place = at.place
    this.#seenS = at.timeS
  }

  /** Id of the first known track of the person; null before it. */
  get personId(): number | null {
    return this.#identity.personId
  }

  get place(): Place {
    return this.#place
  }

  /** Event time of the last sample. */
  get seenS(): number {
    return this.#seenS
  }

  /** The zones that the person is in. */
  get zones(): ReadonlyArray<Zone> {
    return this.#zoneWatch.visits().map(({ zone }) => zone)
  }

  /** What another watch can continue; null if the person is not known. */
  get memory(): PersonMemory | null {
    const { personId } = this
    return personId === null ? null : {
      personId,
      place: this.#place,
      seenS: this.#seenS,
      existence: this.#existence,
      visits: this.#zoneWatch.visits(),
    }
  }

  /** Follows other settings and zones from the next hop on. What is disabled ends; everything else continues. */
  configure(settings: WatchSettings, zones: ReadonlyArray<Zone>): void {
    const { enabled, sensitivity } = this.#settings.fall
    this.#settings = settings
    this.#zones = zones
    this.#reportZones(this.#zoneWatch.useZones(zones))
    if (!settings.fall.enabled) this.#fallen = null
    if (!settings.inactivity.enabled) this.#inactive = false
    if (settings.fall.enabled === enabled && settings.fall.sensitivity === sensitivity) return
    // What was seen with other thresholds, or before a pause, is no part of a descent.
    this.#watchFallAnew()
  }

  /** @param roomMoves there is motion in the room that no other person causes */
  step(sample: TrackSample, roomMoves: boolean): ActivityReading {
    const { place, timeS } = sample
    this.#identity.seen(sample.trackId)
    this.#place = place
    this.#seenS = timeS
    this.#existence = sample.existence
    this.#isLost = false
    const reading = this.#activity.step(sample)
    this.#reportZones(this.#zoneWatch.step(timeS, place))
    this.#watchFall(sample, reading)
    const moving = roomMoves || moves(sample) || reading.label === "walking"
    const present = sample.existence >= 0.5 || sample.breathingSeen === true
    this.#setStill(this.#stillness.step({ timeS, present, moving, exempt: this.#inBed() }), timeS)
    this.#reportActivity(reading)
    return reading
  }

  /** Advances by a hop without a sample of the person. */
  unseen(timeS: number, roomMoves: boolean): void {
    if (!this.#isLost && timeS - this.#seenS >= lostS) {
      this.#isLost = true
      if (this.#settings.fall.enabled && this.#fallen === null) this.#beginFall(this.#falls.lost())
    }
    if (timeS - this.#seenS >= goneS) this.end()
    if (this.#inactive && roomMoves) {
      this.#setStill(this.#stillness.step({ timeS, present: true, moving: true, exempt: false }), timeS)
    }
  }

  /** After a silence, the time without a movement begins anew. An inactivity that was reported is held. */
  interrupt(): void {
    if (this.#inactive) return
    this.#stillness = createStillness()
    this.#stillSinceS = null
  }

  /** The conditions that hold at a time. */
  conditions(timeS: number): ReadonlyArray<Condition> {
    const fall = this.#fallCondition(timeS)
    const inactivity = this.#inactivityCondition(timeS)
    return [...(fall === null ? [] : [fall]), ...(inactivity === null ? [] : [inactivity])]
  }

  /** Returns the changes since the last call. */
  take(): PersonChanges {
    const taken = { instantEvents: this.#instantEvents, endings: this.#endings }
    this.#instantEvents = []
    this.#endings = new Map()
    return taken
  }

  /** Continues a condition that began before a restart of the watch. */
  resume(condition: Condition): void {
    this.#identity.resume(condition)
    this.#existence = condition.confidence
    if (condition.type === "fall_detection") {
      const { confidence, impactMps, place, sinceS } = condition
      this.#fallen = { impactS: sinceS, impactMps, confidence, place: place ?? this.#place }
    }
    if (condition.type !== "inactivity") return
    this.#inactive = true
    this.#stillSinceS = condition.sinceS
    this.#stillness = createStillness(condition.sinceS)
  }

  /** Continues what another watch over the person knew. */
  recall({ existence, place, seenS, visits }: PersonMemory): void {
    this.#existence = existence
    this.#place = place
    this.#seenS = seenS
    this.#zoneWatch = continueZoneWatch(visits, seenS)
    this.#reportZones(this.#zoneWatch.useZones(this.#zones))
  }

  /** The person is not watched any more: leaves all zones. */
  end(): void {
    this.#reportZones(this.#zoneWatch.end())
  }

  #inBed(): boolean {
    return this.zones.some(({ kind }) => kind === "bed")
  }

  #reportZones(changes: ReadonlyArray<ZoneChange>): void {
    const { personId } = this
    if (personId === null) return
    for (const { dwellS, entered, timeS, zone } of changes) {
      const common = { personId, timeS, place: this.#place, confidence: this.#existence, zone }
      this.#instantEvents.push(
        entered ? { type: "zone_entered", ...common } : { type: "zone_left", ...common, dwellS: dwellS ?? 0 },
      )
    }
  }

  #reportActivity({ change }: ActivityReading): void {
    const { personId } = this
    if (!this.#settings.activity.enabled || change === null || personId === null) return
    const { confidence, from, timeS, to } = change
    this.#instantEvents.push({ type: "activity_change", personId, timeS, place: this.#place, confidence, from, to })
  }

  #beginFall(found: Fall | null): void {
    if (found === null) return
    this.#fallen = found
    this.#recovery = createRecoveryWatch(fallThresholds(this.#settings.fall.sensitivity).lowMMax)
  }

  #watchFallAnew(): void {
    const thresholds = fallThresholds(this.#settings.fall.sensitivity)
    this.#falls = createFallDetector(thresholds)
    this.#recovery = createRecoveryWatch(thresholds.lowMMax)
  }

  #watchFall(sample: TrackSample, reading: ActivityReading): void {
    if (!this.#settings.fall.enabled) return
    if (this.#fallen === null) return this.#beginFall(this.#falls.step(sample))
    const upS = this.#recovery.step(sample, reading.label)
    if (upS === null) return
    this.#endings.set(this.#identity.end("fall_detection"), { resolution: "recovered", timeS: upS })
    this.#fallen = null
    this.#watchFallAnew()
  }

  #setStill(sinceS: number | null, timeS: number): void {
    if (sinceS === null && this.#inactive) {
      this.#endings.set(this.#identity.end("inactivity"), { resolution: "recovered", timeS })
      this.#inactive = false
    }
    this.#stillSinceS = sinceS
  }

  #fallCondition(timeS: number): Condition | null {
    if (this.#fallen === null) return null
    const { confidence, impactMps, impactS, place } = this.#fallen
    return this.#identity.condition("fall_detection", {
      place,
      sinceS: impactS,
      severity: fallSeverity(timeS - impactS, impactMps),
      confidence,
      alerts: raisesAlert(confidence, this.#settings.fall.confidenceMin),
      impactMps,
    })
  }

  #inactivityCondition(timeS: number): Condition | null {
    const { enabled, thresholdS } = this.#settings.inactivity
    if (!enabled || this.#stillSinceS === null) return null
    const seenStillS = (this.#inactive ? timeS : this.#seenS) - this.#stillSinceS
    if (seenStillS < thresholdS) return null
    this.#inactive = true
    return this.#identity.condition("inactivity", {
      place: this.#place,
      sinceS: this.#stillSinceS,
      severity: inactivitySeverity(seenStillS, thresholdS),
      confidence: this.#existence,
      alerts: true,
      impactMps: null,
    })
  }
}
