/**
 * The watch over the persons of an environment: for each hop, the activities of the persons in its frame and the events of its incidents.
 *
 * Boundary: it joins `core/activity` to `incidents.ts` and to the shapes of the protocols; storing and publishing is `event-log.ts`. Pure
 * except for its own state; ids are arguments. Invariant: instant events (a change of activity, a zone entered or left) are limited to
 * `instantEventRate`; further ones are counted and dropped.
 */
import type { InstantEvent } from "../../core/activity/condition.ts"
import { createMonitor, type Monitor, type Watched } from "../../core/activity/monitor.ts"
import type { WatchSettings } from "../../core/activity/person.ts"
import type { TrackSample } from "../../core/activity/sample.ts"
import { createTokenBucket } from "../../core/activity/token-bucket.ts"
import type { AlertSettings } from "../../protocols/domain/configuration.ts"
import type { ActivityEvent, EventDetail } from "../../protocols/domain/event.ts"
import type { Person, PoseFrame } from "../../protocols/domain/pose.ts"
import type { Environment } from "../../protocols/domain/site.ts"
import { defaultStartOptions, type StartOptions } from "../../protocols/domain/system.ts"
import { rounded } from "./incident-events.ts"
import { Incidents } from "./incidents.ts"

/** Instant events: a burst of 60, then one per second. */
const instantEventRate = { burst: 60, perS: 1 }

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

/** Watches one environment. */
export class ActivityWatch {
  readonly #environmentId: string
  readonly #nextId: () => string
  readonly #rate = createTokenBucket(instantEventRate)
  readonly #incidents: Incidents
  #zones: NonNullable<Environment["zones"]>
  #options: WatchOptions = defaultStartOptions
  #monitor: Monitor
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

  configure(wanted: WatchOptions): void {
    // The watch starts anew only for settings that concern it.
    const isSame = JSON.stringify(settingsOf(wanted)) === JSON.stringify(settingsOf(this.#options))
    this.#options = wanted
    if (!isSame) this.#startMonitor(0)
  }

  /** Watches other zones from the next hop on; incidents continue. */
  useZones(zones: NonNullable<Environment["zones"]>): void {
    this.#zones = zones
    this.#startMonitor(0)
  }

  /** Takes a hop at its end; hops come in ascending order until `setBack`. */
  step(
    timestampMs: number,
    frame: WatchedFrame,
    samples: ReadonlyArray<TrackSample>,
  ): { readonly persons: ReadonlyArray<Person>; readonly events: ReadonlyArray<ActivityEvent> } {
    const timeS = timestampMs / 1000
    this.#lastS = timeS
    const { motion, persons, presence, provenance } = frame
    const { alerts, detection } = this.#options
    const watched = this.#monitor.step({
      timeS,
      // Without tracking every hop has tracks of its own, which cannot be followed.
      samples: detection.enableTracking ? samples : [],
      present: presence.present,
      presenceConfidence: presence.confidence,
      motion,
    })
    const { conditions, endings, readings } = watched
    const recognises = alerts.activityRecognition.enabled
    const origin = { environmentId: this.#environmentId, provenance }
    return {
      persons: persons.map((person) => ({
        ...person,
        activity: (recognises ? readings.get(person.id)?.label : undefined) ?? "unknown",
      })),
      events: [
        ...this.#instantEventsOf(watched, timeS, frame),
        ...this.#incidents.step(timeS, conditions, endings, origin),
      ],
    }
  }

  /** The next hop is at this time, earlier than the hops before it: incidents continue, persons are observed anew. */
  setBack(timestampMs: number): void {
    this.#startMonitor(timestampMs / 1000 - this.#lastS)
  }

  /** No more hops arrive. Returns the alerts that are raised at once. */
  signalLost(): ReadonlyArray<ActivityEvent> {
    return this.#incidents.signalLost(this.#lastS)
  }

  /** Acknowledges an alert; null when there is no open alert of this id. */
  acknowledge(alertId: string, by: string): ActivityEvent | null {
    return this.#incidents.acknowledge(alertId, by, this.#lastS)
  }

  /** Ends every incident, because the environment is not watched any more. */
  stop(): ReadonlyArray<ActivityEvent> {
    const events = this.#incidents.stop(this.#lastS)
    this.#startMonitor(0)
    return events
  }

  /** Continues the incidents of these events, which another node or an earlier process had open. */
  restore(events: ReadonlyArray<ActivityEvent>): void {
    this.#lastS = Math.max(this.#lastS, ...events.map(({ revisedMs }) => revisedMs / 1000))
    this.#monitor.resume(this.#incidents.restore(events), this.#lastS)
  }

  /** Starts a new monitor, which continues with the conditions that hold. */
  #startMonitor(shiftS: number): void {
    this.#monitor = createMonitor(settingsOf(this.#options), this.#zones)
    this.#lastS += shiftS
    this.#monitor.resume(this.#incidents.shift(shiftS), this.#lastS)
  }

  #instantEventsOf({ instantEvents }: Watched, timeS: number, frame: WatchedFrame): ReadonlyArray<ActivityEvent> {
    return instantEvents.flatMap((event) => {
      if (this.#rate.take(timeS)) return [this.#eventOf(event, timeS, frame)]
      this.#dropped++
      return []
    })
  }

  #eventOf(event: InstantEvent, timeS: number, { provenance }: WatchedFrame): ActivityEvent {
    const { confidence, personId, place } = event
    const zone = "zone" in event ? event.zone : null
    return {
      eventId: this.#nextId(),
      revision: 1,
      environmentId: this.#environmentId,
      severity: "low",
      timestampMs: Math.round(event.timeS * 1000),
      revisedMs: Math.round(timeS * 1000),
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
