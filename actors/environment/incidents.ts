/**
 * The incidents of an environment: makes of the conditions of each hop events that are recorded and alerts that are raised once.
 *
 * Boundary: what holds is told by `core/activity/monitor.ts`, when somebody is told by `incident-machine.ts`. Pure but for its own
 * state; ids are given by the caller. A condition is told with every hop while it holds, so whatever is held back here, by a bound, by
 * a rate or by the time after a clearing, comes later and is not lost.
 *
 * Invariants:
 * 1. One key has one incident at a time, and after it none for `clearS` of its type.
 * 2. At most `heldMax` incidents of a type are held, and no type takes another's place; alerts of a type are raised at the rate of
 *    `alertRate` at most.
 * 3. An event is revised when its incident moves or becomes more serious, and not otherwise: a revision says something new.
 */
import { initialTransition, transition } from "xstate"
import {
  type Condition,
  type ConditionType,
  conditionTypes,
  type Ending,
  type Resolution,
  severities,
} from "../../core/activity/condition.ts"
import { createTokenBucket } from "../../core/activity/token-bucket.ts"
import type { ActivityEvent, EventDetail, IncidentStatus } from "../../protocols/domain/event.ts"
import type { Provenance } from "../../protocols/domain/provenance.ts"
import { impactSeverity } from "../../core/activity/fall.ts"
import { incidentMachine, type IncidentMachineEvent, type IncidentSnapshot } from "./incident-machine.ts"

const heldMax = 16
/** Five at once, then one a minute, of each type. */
const alertRate = { burst: 5, perS: 1 / 60 }
/** After an incident is over, the same matter is no new one for so long. */
const clearS: Record<ConditionType, number> = { fall_detection: 10, inactivity: 60, intrusion: 60 }

/** What a hop says of itself to its events. */
interface Origin {
  readonly environmentId: string
  readonly provenance: Provenance
}

interface Incidents {
  /** The conditions of a hop, all of them, and how those ended that held before. Answers the new and revised events. */
  readonly step: (
    timeS: number,
    conditions: ReadonlyArray<Condition>,
    endings: ReadonlyMap<string, Ending>,
    origin: Origin,
  ) => ReadonlyArray<ActivityEvent>
  /** No hop comes any more: what waits is told at once, because nobody could see a recovery. */
  readonly signalLost: (timeS: number) => ReadonlyArray<ActivityEvent>
  /** Null when there is no alert of this id that is open. */
  readonly acknowledge: (alertId: string, by: string, timeS: number) => ActivityEvent | null
  /** Ends all that holds, because nobody watches any more. */
  readonly stop: (timeS: number) => ReadonlyArray<ActivityEvent>
  /** Goes on with incidents of an earlier life; answers the conditions that they stand for. */
  readonly restore: (events: ReadonlyArray<ActivityEvent>) => ReadonlyArray<Condition>
  /** Time was set: everything that is held moves with it. Answers the conditions that hold. */
  readonly shift: (byS: number) => ReadonlyArray<Condition>
}

interface Held {
  snapshot: IncidentSnapshot
  condition: Condition
  event: ActivityEvent
  /** When it was over; null while it is not. */
  endedS: number | null
}

const statusOf: Record<IncidentSnapshot["value"], IncidentStatus> = {
  waiting: "waiting",
  open: "open",
  acknowledged: "acknowledged",
  cooling: "cleared",
  forgotten: "cleared",
}

const detailOf = (condition: Condition, untilS: number, recovered: boolean): EventDetail => {
  const lastedS = Math.round(Math.max(0, untilS - condition.sinceS) * 10) / 10
  const { impactMps, persons, type } = condition
  switch (type) {
    case "fall_detection":
      return {
        type,
        fallDurationS: lastedS,
        impactSeverity: impactSeverity(impactMps),
        impactMps,
        recoveryDetected: recovered,
      }
    case "inactivity":
      return { type: "inactivity_detection", inactiveS: lastedS, recoveryDetected: recovered }
    case "intrusion":
      return { type: "intrusion_detection", personCount: persons ?? 0, durationS: lastedS }
  }
}

/** What an event that was stored says of its condition. */
const conditionOf = (event: ActivityEvent): Condition | null => {
  const { detail, incident, zone } = event
  if (incident === null) return null
  const common = {
    key: incident.key,
    personId: event.personId,
    zone: zone === null ? null : { ...zone, kind: "watched" as const, polygon: [] },
    sinceS: event.timestampMs / 1000,
    severity: event.severity,
    confidence: event.confidence,
    place: event.location,
    alerts: true,
    impactMps: null,
    persons: null,
  }
  switch (detail.type) {
    case "fall_detection":
      return { ...common, type: "fall_detection", impactMps: detail.impactMps }
    case "inactivity_detection":
      return { ...common, type: "inactivity" }
    case "intrusion_detection":
      return { ...common, type: "intrusion", persons: detail.personCount }
    default:
      return null
  }
}

const rank = (severity: Condition["severity"]): number => severities.indexOf(severity)

const rounded = (value: number): number => Math.round(value * 1000) / 1000

/** An event of a condition that has just begun to hold; a revision is counted when it is told. */
const beganWith = (condition: Condition, eventId: string, { environmentId, provenance }: Origin): ActivityEvent => ({
  eventId,
  revision: 0,
  environmentId,
  severity: condition.severity,
  timestampMs: Math.round(condition.sinceS * 1000),
  revisedMs: 0,
  personId: condition.personId,
  confidence: rounded(condition.confidence),
  location: condition.place === null ? null : { x: rounded(condition.place.x), y: rounded(condition.place.y) },
  zone: condition.zone === null ? null : { zoneId: condition.zone.zoneId, name: condition.zone.name },
  detail: detailOf(condition, condition.sinceS, false),
  incident: {
    key: condition.key,
    status: "waiting",
    raisedMs: null,
    acknowledgedBy: null,
    acknowledgedMs: null,
    endedMs: null,
    resolution: null,
  },
  provenance,
})

/** @param delayS how long an alert of a type waits for its end. */
export const createIncidents = (
  nextId: () => string,
  delayS: (type: ConditionType) => number,
): Incidents => {
  const held = new Map<string, Held>()
  const rates = new Map(conditionTypes.map((type) => [type, createTokenBucket(alertRate)]))

  /** Moves an incident; answers its revised event when that said something. */
  const move = (
    incident: Held,
    event: IncidentMachineEvent,
    timeS: number,
    over: { readonly by?: string; readonly ending?: Ending } = {},
  ): ReadonlyArray<ActivityEvent> => {
    const [snapshot, actions] = transition(incidentMachine, incident.snapshot, event)
    incident.snapshot = snapshot
    const [action] = actions
    const before = incident.event
    if (action === undefined || before.incident === null) return []
    const timeMs = Math.round(timeS * 1000)
    const { ending } = over
    incident.endedS = ending === undefined ? incident.endedS : timeS
    incident.event = {
      ...before,
      revision: before.revision + 1,
      revisedMs: timeMs,
      severity: incident.condition.severity,
      personId: before.personId ?? incident.condition.personId,
      detail: detailOf(incident.condition, ending?.timeS ?? timeS, ending?.resolution === "recovered"),
      incident: {
        ...before.incident,
        status: action.type === "withdraw" ? "withdrawn" : statusOf[snapshot.value],
        raisedMs: action.type === "raise" ? timeMs : before.incident.raisedMs,
        acknowledgedBy: over.by ?? before.incident.acknowledgedBy,
        acknowledgedMs: action.type === "acknowledge" ? timeMs : before.incident.acknowledgedMs,
        endedMs: ending === undefined ? before.incident.endedMs : Math.round(ending.timeS * 1000),
        resolution: ending?.resolution ?? before.incident.resolution,
      },
    }
    return [incident.event]
  }

  const isLive = ({ endedS }: Held): boolean => endedS === null
  const ofType = (type: ConditionType): number =>
    [...held.values()].filter((incident) => incident.condition.type === type).length

  const begin = (condition: Condition, timeS: number, origin: Origin): ReadonlyArray<ActivityEvent> => {
    if (ofType(condition.type) >= heldMax) return []
    const began = beganWith(condition, nextId(), origin)
    const event = { ...began, revision: 1, revisedMs: Math.round(timeS * 1000) }
    const incident: Held = { snapshot: initialTransition(incidentMachine)[0], condition, event, endedS: null }
    held.set(condition.key, incident)
    const raised = raiseWhenDue(incident, timeS)
    return raised.length > 0 ? raised : [event]
  }

  /** The delay counts from when the condition began to hold, not from when it was noticed. */
  const raiseWhenDue = (incident: Held, timeS: number): ReadonlyArray<ActivityEvent> => {
    const { condition, snapshot } = incident
    if (snapshot.value !== "waiting" || !condition.alerts) return []
    if (timeS - condition.sinceS < delayS(condition.type)) return []
    return rates.get(condition.type)!.take(timeS) ? move(incident, { type: "DUE" }, timeS) : []
  }

  const goOn = (incident: Held, condition: Condition, timeS: number): ReadonlyArray<ActivityEvent> => {
    const { condition: before } = incident
    const escalated = rank(condition.severity) > rank(before.severity)
    incident.condition = {
      ...condition,
      severity: escalated ? condition.severity : before.severity,
      persons: before.persons === null ? condition.persons : Math.max(before.persons, condition.persons ?? 0),
    }
    const raised = raiseWhenDue(incident, timeS)
    if (raised.length > 0) return raised
    return escalated ? move(incident, { type: "ESCALATED" }, timeS) : []
  }

  const end = (incident: Held, ending: Ending, timeS: number): ReadonlyArray<ActivityEvent> =>
    move(incident, { type: "ENDED" }, timeS, { ending })

  const endAll = (timeS: number, resolution: Resolution): ReadonlyArray<ActivityEvent> =>
    [...held.values()].filter(isLive).flatMap((incident) => end(incident, { resolution, timeS }, timeS))

  /** Forgets what has cooled. */
  const cool = (timeS: number): void => {
    for (const [key, incident] of held) {
      if (incident.endedS === null || timeS - incident.endedS < clearS[incident.condition.type]) continue
      move(incident, { type: "COOLED" }, timeS)
      held.delete(key)
    }
  }

  return {
    step: (timeS, conditions, endings, origin) => {
      cool(timeS)
      const now = new Map(conditions.map((condition) => [condition.key, condition]))
      const ended = [...held].filter(([key, incident]) => isLive(incident) && !now.has(key)).flatMap((
        [key, incident],
      ) => end(incident, endings.get(key) ?? { resolution: "expired", timeS }, timeS))
      const going = conditions.flatMap((condition) => {
        const incident = held.get(condition.key)
        if (incident === undefined) return begin(condition, timeS, origin)
        return isLive(incident) ? goOn(incident, condition, timeS) : []
      })
      return [...ended, ...going]
    },
    signalLost: (timeS) =>
      [...held.values()].filter(({ condition }) => condition.alerts)
        .flatMap((incident) => move(incident, { type: "DUE" }, timeS)),
    acknowledge: (alertId, by, timeS) => {
      const incident = [...held.values()].find(({ event }) => event.eventId === alertId)
      return incident === undefined ? null : move(incident, { type: "ACKNOWLEDGED" }, timeS, { by })[0] ?? null
    },
    stop: (timeS) => {
      const ended = endAll(timeS, "stopped")
      held.clear()
      return ended
    },
    restore: (events) =>
      events.flatMap((event) => {
        const condition = conditionOf(event)
        const status = event.incident?.status
        if (condition === null || status === undefined || status === "cleared" || status === "withdrawn") return []
        const snapshot = incidentMachine.resolveState({ value: status })
        held.set(condition.key, { snapshot, condition, event, endedS: null })
        return [condition]
      }),
    shift: (byS) => {
      for (const incident of held.values()) {
        const { condition, endedS } = incident
        incident.condition = { ...condition, sinceS: condition.sinceS + byS }
        incident.endedS = endedS === null ? null : endedS + byS
      }
      return [...held.values()].filter(isLive).map(({ condition }) => condition)
    },
  }
}
