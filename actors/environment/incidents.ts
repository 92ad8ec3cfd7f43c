/**
 * The incidents of an environment: turns the conditions of each hop into events that are recorded and alerts that are raised once.
 *
 * Boundary: `core/activity/monitor.ts` decides which conditions hold, `incident-machine.ts` when an alert is raised. Pure except for its own
 * state; ids are arguments. A condition is reported with every hop while it holds, so an event that a bound, a rate or a cool-down delays is
 * not lost.
 *
 * Invariants:
 * 1. One key has one incident at a time, and after it none for `coolDownS` of its type.
 * 2. At most `heldMax` incidents of a type are held, and no type takes the place of another; alerts of a type are raised at the rate
 *    `alertRate` at most.
 * 3. An event is revised when its incident changes its state or becomes more serious, and not otherwise.
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
import type { ActivityEvent, IncidentStatus } from "../../protocols/domain/event.ts"
import { beginEvent, conditionOf, detailOf, type Origin } from "./incident-events.ts"
import { incidentMachine, type IncidentMachineEvent, type IncidentSnapshot } from "./incident-machine.ts"

const heldMax = 16
/** Alerts of each type: a burst of five, then one per minute. */
const alertRate = { burst: 5, perS: 1 / 60 }
/** Cool-down before the same condition may open a new incident. */
const coolDownS: Record<ConditionType, number> = { fall_detection: 10, inactivity: 60, intrusion: 60 }

type Events = ReadonlyArray<ActivityEvent>

interface Incident {
  snapshot: IncidentSnapshot
  condition: Condition
  event: ActivityEvent
  /** When it ended; null while it has not. */
  endedS: number | null
}

const statusOf: Record<IncidentSnapshot["value"], IncidentStatus> = {
  waiting: "waiting",
  open: "open",
  acknowledged: "acknowledged",
  cooling: "cleared",
  forgotten: "cleared",
}

const rank = (severity: Condition["severity"]): number => severities.indexOf(severity)

const isLive = ({ endedS }: Incident): boolean => endedS === null

/** Why an incident changes its state. */
interface Change {
  readonly acknowledgedBy?: string
  readonly ending?: Ending
}

/** Changes the state of an incident; returns its revised event, if the event has changed. */
const move = (incident: Incident, event: IncidentMachineEvent, timeS: number, change: Change = {}): Events => {
  const [snapshot, [action]] = transition(incidentMachine, incident.snapshot, event)
  incident.snapshot = snapshot
  const before = incident.event
  if (action === undefined || before.incident === null) return []
  const timeMs = Math.round(timeS * 1000)
  const { acknowledgedBy, ending } = change
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
      acknowledgedBy: acknowledgedBy ?? before.incident.acknowledgedBy,
      acknowledgedMs: action.type === "acknowledge" ? timeMs : before.incident.acknowledgedMs,
      endedMs: ending === undefined ? before.incident.endedMs : Math.round(ending.timeS * 1000),
      resolution: ending?.resolution ?? before.incident.resolution,
    },
  }
  return [incident.event]
}

const end = (incident: Incident, ending: Ending, timeS: number): Events =>
  move(incident, { type: "ENDED" }, timeS, { ending })

/** The incidents of one environment. */
export class Incidents {
  readonly #nextId: () => string
  readonly #delayS: (type: ConditionType) => number
  readonly #held = new Map<string, Incident>()
  readonly #rates = new Map(conditionTypes.map((type) => [type, createTokenBucket(alertRate)]))

  /** @param delayS for how long a condition of a type holds before its alert is raised */
  constructor(nextId: () => string, delayS: (type: ConditionType) => number) {
    this.#nextId = nextId
    this.#delayS = delayS
  }

  /** Takes all conditions of a hop, and how those ended that held before. Returns the new and revised events. */
  step(
    timeS: number,
    conditions: ReadonlyArray<Condition>,
    endings: ReadonlyMap<string, Ending>,
    origin: Origin,
  ): Events {
    this.#forgetCooled(timeS)
    const now = new Set(conditions.map(({ key }) => key))
    const ended = [...this.#held].filter(([key, incident]) => isLive(incident) && !now.has(key)).flatMap(
      ([key, incident]) => end(incident, endings.get(key) ?? { resolution: "expired", timeS }, timeS),
    )
    const continued = conditions.flatMap((condition) => {
      const incident = this.#held.get(condition.key)
      if (incident === undefined) return this.#begin(condition, timeS, origin)
      return isLive(incident) ? this.#continue(incident, condition, timeS) : []
    })
    return [...ended, ...continued]
  }

  /** No more hops arrive: waiting alerts are raised at once, because a recovery could not be seen. */
  signalLost(timeS: number): Events {
    return [...this.#held.values()].filter(({ condition }) => condition.alerts)
      .flatMap((incident) => move(incident, { type: "DUE" }, timeS))
  }

  /** Acknowledges an alert; null when there is no open alert of this id. */
  acknowledge(alertId: string, by: string, timeS: number): ActivityEvent | null {
    const incident = [...this.#held.values()].find(({ event }) => event.eventId === alertId)
    if (incident === undefined) return null
    return move(incident, { type: "ACKNOWLEDGED" }, timeS, { acknowledgedBy: by })[0] ?? null
  }

  /** Ends incidents, because their conditions are not watched any more: all, or those that `ends` selects. */
  stop(timeS: number, ends: (condition: Condition) => boolean = () => true): Events {
    const resolution: Resolution = "stopped"
    return [...this.#held].filter(([, { condition }]) => ends(condition)).flatMap(([key, incident]) => {
      this.#held.delete(key)
      return isLive(incident) ? end(incident, { resolution, timeS }, timeS) : []
    })
  }

  /**
   * Continues the incidents of an earlier activation; returns their conditions.
   *
   * @param alerts whether an incident is certain enough for an alert
   */
  restore(
    events: Events,
    alerts: (stated: Pick<Condition, "type" | "confidence">) => boolean,
  ): ReadonlyArray<Condition> {
    return events.flatMap((event) => {
      const stated = conditionOf(event)
      const status = event.incident?.status
      if (stated === null || status === undefined || status === "cleared" || status === "withdrawn") return []
      const condition = { ...stated, alerts: alerts(stated) }
      const snapshot = incidentMachine.resolveState({ value: status })
      this.#held.set(condition.key, { snapshot, condition, event, endedS: null })
      return [condition]
    })
  }

  /** Time was set: all incidents move with it. Returns the conditions that hold. */
  shift(byS: number): ReadonlyArray<Condition> {
    for (const incident of this.#held.values()) {
      const { condition, endedS } = incident
      incident.condition = { ...condition, sinceS: condition.sinceS + byS }
      incident.endedS = endedS === null ? null : endedS + byS
    }
    return [...this.#held.values()].filter(isLive).map(({ condition }) => condition)
  }

  #begin(condition: Condition, timeS: number, origin: Origin): Events {
    const sameType = [...this.#held.values()].filter((incident) => incident.condition.type === condition.type)
    if (sameType.length >= heldMax) return []
    const begun = beginEvent(condition, this.#nextId(), origin)
    const event = { ...begun, revision: 1, revisedMs: Math.round(timeS * 1000) }
    const incident: Incident = { snapshot: initialTransition(incidentMachine)[0], condition, event, endedS: null }
    this.#held.set(condition.key, incident)
    const raised = this.#raiseWhenDue(incident, timeS)
    return raised.length > 0 ? raised : [event]
  }

  #continue(incident: Incident, condition: Condition, timeS: number): Events {
    const { condition: before } = incident
    const escalated = rank(condition.severity) > rank(before.severity)
    incident.condition = {
      ...condition,
      severity: escalated ? condition.severity : before.severity,
      persons: before.persons === null ? condition.persons : Math.max(before.persons, condition.persons ?? 0),
    }
    const raised = this.#raiseWhenDue(incident, timeS)
    if (raised.length > 0) return raised
    return escalated ? move(incident, { type: "ESCALATED" }, timeS) : []
  }

  /** The delay counts from when the condition began to hold, not from when it was noticed. */
  #raiseWhenDue(incident: Incident, timeS: number): Events {
    const { condition, snapshot } = incident
    if (snapshot.value !== "waiting" || !condition.alerts) return []
    if (timeS - condition.sinceS < this.#delayS(condition.type)) return []
    return this.#rates.get(condition.type)!.take(timeS) ? move(incident, { type: "DUE" }, timeS) : []
  }

  #forgetCooled(timeS: number): void {
    for (const [key, incident] of this.#held) {
      if (incident.endedS === null || timeS - incident.endedS < coolDownS[incident.condition.type]) continue
      move(incident, { type: "COOLED" }, timeS)
      this.#held.delete(key)
    }
  }
}
