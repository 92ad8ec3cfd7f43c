/**
 * The watch over the persons of an environment: for each hop, the activities of the persons in its frame and the events of its incidents.
 *
 * Boundary: it joins `core/activity` to `incidents.ts` and to the shapes of the protocols; storing and publishing is `event-log.ts`. Pure
 * except for its own state; ids are arguments.
 *
 * Invariants:
 * 1. Instant events (a change of activity, a zone entered or left) are limited to `instantEventRate`; further ones are counted and dropped.
 * 2. The exit from a zone is reported if its entry was, and only then: an entry takes the token of its exit as well. A change of the settings
 *    or the zones keeps the visits of the zones that stay.
 * 3. An incident whose condition is not watched any more, by the settings or the zones, ends at once.
 */
import type { Condition, InstantEvent } from "../../core/activity/condition.ts"
import { raisesAlert } from "../../core/activity/fall.ts"
import { createMonitor, type Monitor } from "../../core/activity/monitor.ts"
import type { WatchSettings } from "../../core/activity/person.ts"
import type { TrackSample } from "../../core/activity/sample.ts"
import { createTokenBucket } from "../../core/activity/token-bucket.ts"
import { isWatched } from "../../core/activity/watched-conditions.ts"
import type { AlertSettings } from "../../protocols/domain/configuration.ts"
import type { ActivityEvent, EventDetail } from "../../protocols/domain/event.ts"
import type { Person, PoseFrame } from "../../protocols/domain/pose.ts"
import type { Provenance } from "../../protocols/domain/provenance.ts"
import type { Environment } from "../../protocols/domain/site.ts"
import { defaultStartOptions, type StartOptions } from "../../protocols/domain/system.ts"
import { rounded } from "./incident-events.ts"
import { Incidents } from "./incidents.ts"
import type { WatchMemory } from "./watch-memory.ts"

/** Instant events: a burst of 60, then one per second. */
const instantEventRate = { burst: 60, perS: 1 }

type Events = ReadonlyArray<ActivityEvent>

/** The part of a hop's frame that the watch reads. */
type WatchedFrame = Pick<PoseFrame, "persons" | "presence" | "motion" | "provenance">

/** The settings that the watch follows. */
type WatchOptions = Pick<StartOptions, "domain" | "alerts" | "detection">

const settingsOf = (
  { alerts, domain }: { readonly alerts: AlertSettings; readonly domain: string },
): WatchSettings => ({
  activity: alerts.activityRecognition,
  fall: alerts.fallDetection,
  inactivity: {
    enabled: alerts.inactivityDetection.enabled,
    thresholdS: 60 * alerts.inactivityDetection.thresholdMinutes,
  },
  intrusion: {
    enabled: alerts.intrusionDetection.enabled,
    armed: alerts.intrusionDetection.armed ?? domain === "security",
  },
})

const detailOf = (event: InstantEvent): EventDetail => {
  switch (event.type) {
    case "activity_change":
      return { type: "activity_change", from: event.from, to: event.to }
    case "zone_entered":
      return { type: "zone_entered" }
    case "zone_left":
      return { type: "zone_left", dwellS: Math.round(event.dwellS * 10) / 10 }
  }
}

const visitKey = (personId: number, zoneId: string): string => `${personId} ${zoneId}`

/** Watches one environment. */
export class ActivityWatch {
  readonly #environmentId: string
  readonly #nextId: () => string
  readonly #rate = createTokenBucket(instantEventRate)
  readonly #incidents: Incidents
  /** Visits whose entry was reported, and whose exit was not. */
  readonly #visits = new Set<string>()
  #zones: NonNullable<Environment["zones"]>
  #options: WatchOptions = defaultStartOptions
  #monitor: Monitor
  /** Of the last hop; null before the first. */
  #provenance: Provenance | null = null
  #lastS = 0
  #dropped = 0

  constructor({ environmentId, zones = [] }: Pick<Environment, "environmentId" | "zones">, nextId: () => string) {
    this.#environmentId = environmentId
    this.#zones = zones
    this.#nextId = nextId
    this.#monitor = createMonitor(settingsOf(this.#options), zones)
    this.#incidents = new Incidents(
      nextId,
      (type) => type === "fall_detection" ? this.#options.alerts.fallDetection.notificationDelayS : 0,
    )
  }

  /** Events of moments that the rate limit dropped. */
  get dropped(): number {
    return this.#dropped
  }

  /** Follows these settings: persons continue, and incidents that are still watched. Returns the events of what ends. */
  configure(wanted: WatchOptions): Events {
    this.#options = wanted
    return this.#reconfigure()
  }

  /** Watches these zones in the same way. */
  useZones(zones: NonNullable<Environment["zones"]>): Events {
    this.#zones = zones
    return this.#reconfigure()
  }

  /** Takes a hop at its end; hops come in ascending order until `setBack`. */
  step(
    timestampMs: number,
    frame: WatchedFrame,
    samples: ReadonlyArray<TrackSample>,
  ): { readonly persons: ReadonlyArray<Person>; readonly events: Events } {
    const timeS = timestampMs / 1000
    const { motion, persons, presence, provenance } = frame
    this.#lastS = timeS
    this.#provenance = provenance
    const { alerts, detection } = this.#options
    const { conditions, endings, instantEvents, readings } = this.#monitor.step({
      timeS,
      // Without tracking every hop has tracks of its own, which cannot be followed.
      samples: detection.enableTracking ? samples : [],
      present: presence.present,
      presenceConfidence: presence.confidence,
      motion,
    })
    const recognises = alerts.activityRecognition.enabled
    const origin = { environmentId: this.#environmentId, provenance }
    return {
      persons: persons.map((person) => ({
        ...person,
        activity: (recognises ? readings.get(person.id)?.label : undefined) ?? "unknown",
      })),
      events: [
        ...this.#eventsOf(instantEvents),
        ...this.#incidents.step(timeS, conditions, endings, origin),
      ],
    }
  }

  /** The next hop is at this time, earlier than the hops before it: incidents continue, persons leave their zones and are observed anew. */
  setBack(timestampMs: number): Events {
    const exits = this.leaveZones()
    this.#startMonitor(timestampMs / 1000 - this.#lastS)
    return exits
  }

  /** No more hops arrive. Returns the alerts that are raised at once. */
  signalLost(): Events {
    return this.#incidents.signalLost(this.#lastS)
  }

  /** Acknowledges an alert; null when there is no open alert of this id. */
  acknowledge(alertId: string, by: string): ActivityEvent | null {
    return this.#incidents.acknowledge(alertId, by, this.#lastS)
  }

  /** Ends every incident and visit, because the environment is not watched any more. */
  stop(): Events {
    const events = [...this.leaveZones(), ...this.#incidents.stop(this.#lastS)]
    this.#startMonitor(0)
    return events
  }

  /** Ends every visit. */
  leaveZones(): Events {
    return this.#eventsOf(this.#monitor.leaveZones())
  }

  /**
   * Continues the incidents of these events, which another node or an earlier process had open.
   *
   * @param lastMs event time of the newest frame of the environment; null: none is known
   * @returns the events of incidents that the settings do not ask for any more
   */
  restore(events: Events, lastMs: number | null): Events {
    // Not the last revision: an incident is revised once in hours, and its person may have been seen until the last frame.
    const revisedS = events.map(({ revisedMs }) => revisedMs / 1000)
    this.#lastS = lastMs === null ? Math.max(this.#lastS, ...revisedS) : lastMs / 1000
    const conditions = this.#incidents.restore(events, (stated) => this.#alerts(stated))
    const ended = this.#endUnwatched()
    this.#monitor.resume(conditions, this.#lastS)
    return ended
  }

  /** What another watch needs to continue. */
  get memory(): WatchMemory {
    return {
      persons: this.#monitor.persons().map((person) => ({
        ...person,
        visits: person.visits.filter(({ zone }) => this.#visits.has(visitKey(person.personId, zone.zoneId))),
      })),
      provenance: this.#provenance,
    }
  }

  /** Continues the persons of another watch, and their visits. */
  recall({ persons, provenance }: WatchMemory): void {
    this.#provenance = provenance
    for (const { personId, visits } of persons) {
      for (const { zone } of visits) this.#visits.add(visitKey(personId, zone.zoneId))
    }
    this.#monitor.recall(persons)
  }

  #reconfigure(): Events {
    const exits = this.#monitor.configure(settingsOf(this.#options), this.#zones)
    return [...this.#eventsOf(exits), ...this.#endUnwatched()]
  }

  #endUnwatched(): Events {
    const settings = settingsOf(this.#options)
    return this.#incidents.stop(this.#lastS, (condition) => !isWatched(condition, settings, this.#zones))
  }

  /** Whether a condition is certain enough for an alert. */
  #alerts({ confidence, type }: Pick<Condition, "type" | "confidence">): boolean {
    return type !== "fall_detection" || raisesAlert(confidence, this.#options.alerts.fallDetection.confidenceMin)
  }

  /** Starts a new monitor, which continues with the conditions that hold. */
  #startMonitor(shiftS: number): void {
    this.#monitor = createMonitor(settingsOf(this.#options), this.#zones)
    this.#lastS += shiftS
    this.#monitor.resume(this.#incidents.shift(shiftS), this.#lastS)
  }

  #eventsOf(instantEvents: ReadonlyArray<InstantEvent>): Events {
    const provenance = this.#provenance
    return instantEvents.flatMap((event) => {
      if (provenance !== null && this.#isReported(event)) return [this.#eventOf(event, provenance)]
      this.#dropped++
      return []
    })
  }

  #isReported(event: InstantEvent): boolean {
    if (event.type === "activity_change") return this.#rate.take(this.#lastS)
    const key = visitKey(event.personId, event.zone.zoneId)
    if (event.type === "zone_left") return this.#visits.delete(key)
    if (this.#visits.has(key) || !this.#rate.take(this.#lastS, 2)) return false
    this.#visits.add(key)
    return true
  }

  #eventOf(event: InstantEvent, provenance: Provenance): ActivityEvent {
    const { confidence, personId, place } = event
    const zone = "zone" in event ? event.zone : null
    return {
      eventId: this.#nextId(),
      revision: 1,
      environmentId: this.#environmentId,
      severity: "low",
      timestampMs: Math.round(event.timeS * 1000),
      revisedMs: Math.round(this.#lastS * 1000),
      personId,
      confidence: rounded(confidence),
      location: { x: rounded(place.x), y: rounded(place.y) },
      zone: zone === null ? null : { zoneId: zone.zoneId, name: zone.name },
      detail: detailOf(event),
      incident: null,
      provenance,
    }
  }
}
