/**
 * The watch over one person: the activity, the zones, a fall, a stillness; also while the tracker has lost the person.
 *
 * Boundary: which track is which person is `monitor.ts`. Invariant: a fall or an inactivity holds from its detection until the person
 * is seen to be up or to move; not being seen ends neither.
 */
import { type ActivityReading, createActivityFilter } from "./activity.ts"
import type { Condition, Ending, Happening } from "./condition.ts"
import { createFallDetector, type Fall, fallSeverity, fallThresholds } from "./fall.ts"
import { createStillness, inactivitySeverity } from "./inactivity.ts"
import { createRecoveryWatch } from "./recovery.ts"
import type { Place, TrackSample } from "./sample.ts"
import { createZoneWatch, type Zone, type ZoneChange } from "./zones.ts"

/** What is watched for, and how. */
export interface WatchSettings {
  readonly activity: { readonly enabled: boolean }
  readonly fall: { readonly enabled: boolean; readonly sensitivity: number; readonly confidenceMin: number }
  readonly inactivity: { readonly enabled: boolean; readonly thresholdS: number }
  /** Armed: anybody anywhere is an intruder; else only in watched zones. */
  readonly intrusion: { readonly enabled: boolean; readonly armed: boolean }
}

export interface PersonWatch {
  readonly personId: number
  readonly place: () => Place
  /** @param roomMoves something in the room moves that is no one else. */
  readonly step: (sample: TrackSample, roomMoves: boolean) => ActivityReading
  /** A hop in which the person is not seen. */
  readonly unseen: (timeS: number, roomMoves: boolean) => void
  /** When the person was last seen, event time. */
  readonly seenS: () => number
  /** The zones the person is in. */
  readonly zones: () => ReadonlyArray<Zone>
  /** What holds at a moment. */
  readonly conditions: (timeS: number) => ReadonlyArray<Condition>
  /** What happened and what ended since it was last asked. */
  readonly take: () => { readonly happenings: ReadonlyArray<Happening>; readonly endings: ReadonlyMap<string, Ending> }
  /** Goes on with a condition that began in an earlier life of the watch. */
  readonly resume: (condition: Condition) => void
}

/** A gap of this length is a loss: the tracker bridges shorter ones. */
const lostS = 1
/** Out of sight for so long, a person has left the zones. */
export const goneS = 10
/** Beyond twice its sigma, a speed that is a movement. */
const movingMpsMin = 0.2
const verticalMpsMin = 0.3

const moves = ({ speedMps, speedSigmaMps, vertical }: TrackSample): boolean =>
  speedMps - 2 * speedSigmaMps > movingMpsMin ||
  (vertical !== null && Math.abs(vertical.velocityMps) - 2 * vertical.sigmaMps > verticalMpsMin)

export const fallKey = (personId: number): string => `fall:${personId}`
export const inactivityKey = (personId: number): string => `inactivity:${personId}`

export const createPersonWatch = (
  personId: number,
  at: { readonly place: Place; readonly timeS: number },
  settings: WatchSettings,
  zones: ReadonlyArray<Zone>,
): PersonWatch => {
  const thresholds = fallThresholds(settings.fall.sensitivity)
  const activity = createActivityFilter()
  const zoneWatch = createZoneWatch(zones)
  const stillness = createStillness()
  let falls = createFallDetector(thresholds)
  let recovery = createRecoveryWatch(thresholds.lowMMax)
  let fallen: Fall | null = null
  let stillSinceS: number | null = null
  /** The inactivity was told: it holds though the person is out of sight. */
  let inactive = false
  let { place, timeS: seenS } = at
  let existence = 0
  let isLost = false
  let happenings: Array<Happening> = []
  let endings = new Map<string, Ending>()

  const tellZones = (changes: ReadonlyArray<ZoneChange>): void => {
    for (const { dwellS, entered, timeS, zone } of changes) {
      const common = { personId, timeS, place, confidence: existence, zone }
      happenings.push(
        entered ? { type: "zone_entered", ...common } : { type: "zone_left", ...common, dwellS: dwellS ?? 0 },
      )
    }
  }
  const fall = (found: Fall | null): void => {
    if (found === null) return
    fallen = found
    recovery = createRecoveryWatch(thresholds.lowMMax)
  }
  const watchFall = (sample: TrackSample, reading: ActivityReading): void => {
    if (!settings.fall.enabled) return
    if (fallen === null) return fall(falls.step(sample))
    const upS = recovery.step(sample, reading.label)
    if (upS === null) return
    endings.set(fallKey(personId), { resolution: "recovered", timeS: upS })
    fallen = null
    falls = createFallDetector(thresholds)
  }
  const setStill = (sinceS: number | null, timeS: number): void => {
    if (sinceS === null && inactive) {
      endings.set(inactivityKey(personId), { resolution: "recovered", timeS })
      inactive = false
    }
    stillSinceS = sinceS
  }
  const inBed = (): boolean => zoneWatch.inside().some(({ kind }) => kind === "bed")

  return {
    personId,
    place: () => place,
    seenS: () => seenS,
    zones: zoneWatch.inside,
    step: (sample, roomMoves) => {
      const { timeS } = sample
      place = sample.place
      seenS = timeS
      existence = sample.existence
      isLost = false
      const reading = activity.step(sample)
      tellZones(zoneWatch.step(timeS, place))
      watchFall(sample, reading)
      const moving = roomMoves || moves(sample) || reading.label === "walking"
      const present = sample.existence >= 0.5 || sample.breathingSeen === true
      setStill(stillness.step({ timeS, present, moving, exempt: inBed() }), timeS)
      if (settings.activity.enabled && reading.change !== null) {
        const { confidence, from, timeS, to } = reading.change
        happenings.push({ type: "activity_change", personId, timeS, place, confidence, from, to })
      }
      return reading
    },
    unseen: (timeS, roomMoves) => {
      if (!isLost && timeS - seenS >= lostS) {
        isLost = true
        if (settings.fall.enabled && fallen === null) fall(falls.lost())
      }
      if (timeS - seenS >= goneS) tellZones(zoneWatch.end())
      if (inactive && roomMoves) {
        setStill(stillness.step({ timeS, present: true, moving: true, exempt: false }), timeS)
      }
    },
    conditions: (timeS) => {
      const common = { personId, zone: null, place, persons: null }
      const held: Array<Condition> = []
      if (fallen !== null) {
        const { confidence, impactMps, impactS, place } = fallen
        const severity = fallSeverity(timeS - impactS, impactMps)
        const alerts = confidence >= settings.fall.confidenceMin
        const key = fallKey(personId)
        held.push({
          ...common,
          key,
          type: "fall_detection",
          sinceS: impactS,
          severity,
          confidence,
          place,
          alerts,
          impactMps,
        })
      }
      const { enabled, thresholdS } = settings.inactivity
      if (!enabled || stillSinceS === null) return held
      const seenStillS = (inactive ? timeS : seenS) - stillSinceS
      if (seenStillS < thresholdS) return held
      inactive = true
      return [...held, {
        ...common,
        key: inactivityKey(personId),
        type: "inactivity",
        sinceS: stillSinceS,
        severity: inactivitySeverity(seenStillS, thresholdS),
        confidence: existence,
        alerts: true,
        impactMps: null,
      }]
    },
    take: () => {
      const taken = { happenings, endings }
      happenings = []
      endings = new Map()
      return taken
    },
    resume: (condition) => {
      existence = condition.confidence
      if (condition.type === "fall_detection") {
        const { confidence, impactMps, place: at, sinceS } = condition
        fallen = { impactS: sinceS, impactMps, confidence, place: at ?? place }
      }
      if (condition.type !== "inactivity") return
      inactive = true
      stillSinceS = condition.sinceS
      stillness.resume(condition.sinceS)
    },
  }
}
