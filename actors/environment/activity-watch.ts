/**
 * The watch over the persons of an environment: hop by hop, the activities of its frame and the events of its incidents.
 *
 * Boundary: it joins `core/activity` to `incidents.ts` and to the shapes of the protocols; storing and showing is `event-log.ts`. Pure
 * but for its own state; ids are given by the caller. Invariant: events of moments (an activity, a zone) are told at the rate of
 * `happeningRate` at most; the rest is counted.
 */
import type { ConditionType, Happening } from "../../core/activity/condition.ts"
import { createMonitor, type Monitor, type Watched } from "../../core/activity/monitor.ts"
import type { WatchSettings } from "../../core/activity/person.ts"
import type { TrackSample } from "../../core/activity/sample.ts"
import { createTokenBucket } from "../../core/activity/token-bucket.ts"
import type { AlertSettings } from "../../protocols/domain/configuration.ts"
import type { ActivityEvent, EventDetail } from "../../protocols/domain/event.ts"
import type { Person, PoseFrame } from "../../protocols/domain/pose.ts"
import type { Environment } from "../../protocols/domain/site.ts"
import { defaultStartOptions, type StartOptions } from "../../protocols/domain/system.ts"
import { createIncidents } from "./incidents.ts"

/** A minute's worth at once, then one a second. */
const happeningRate = { burst: 60, perS: 1 }

/** What a hop's frame says, as far as the watch needs it. */
type WatchedFrame = Pick<PoseFrame, "persons" | "presence" | "motion" | "provenance">

interface ActivityWatch {
  readonly configure: (options: Pick<StartOptions, "domain" | "alerts" | "detection">) => void
  /** A hop at its end; hops come in ascending order until `setBack`. */
  readonly step: (
    timestampMs: number,
    frame: WatchedFrame,
    samples: ReadonlyArray<TrackSample>,
  ) => { readonly persons: ReadonlyArray<Person>; readonly events: ReadonlyArray<ActivityEvent> }
  /** The next hop is at this time though later ones came before: incidents go on, persons are met anew. */
  readonly setBack: (timestampMs: number) => void
  readonly signalLost: () => ReadonlyArray<ActivityEvent>
  readonly acknowledge: (alertId: string, by: string) => ActivityEvent | null
  /** Nobody watches any more: ends every incident. */
  readonly stop: () => ReadonlyArray<ActivityEvent>
  /** Goes on with the incidents of these events, which another node or an earlier process had open. */
  readonly restore: (events: ReadonlyArray<ActivityEvent>) => void
  /** Happenings that were left out by the rate. */
  readonly leftOut: () => number
}

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

const detailOf = (happening: Happening): EventDetail => {
  switch (happening.type) {
    case "activity_change":
      return { type: "activity_change", from: happening.from, to: happening.to }
    case "zone_entered":
      return { type: "zone_entered" }
    case "zone_left":
      return { type: "zone_left", dwellS: Math.round(happening.dwellS * 10) / 10 }
  }
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000

export const createActivityWatch = (
  { environmentId, zones = [] }: Pick<Environment, "environmentId" | "zones">,
  nextId: () => string,
): ActivityWatch => {
  let options: Pick<StartOptions, "domain" | "alerts" | "detection"> = defaultStartOptions
  let monitor: Monitor = createMonitor(settingsOf(options), zones)
  let lastS = 0
  let leftOut = 0
  const rate = createTokenBucket(happeningRate)
  const delayS = (type: ConditionType): number =>
    type === "fall_detection" ? options.alerts.fallDetection.notificationDelayS : 0
  const incidents = createIncidents(nextId, delayS)

  /** A new monitor, which goes on with what holds. */
  const watchAnew = (byS: number): void => {
    monitor = createMonitor(settingsOf(options), zones)
    lastS += byS
    monitor.resume(incidents.shift(byS), lastS)
  }

  const eventOf = (happening: Happening, timeS: number, { provenance }: WatchedFrame): ActivityEvent => {
    const { confidence, personId, place } = happening
    const zone = "zone" in happening ? happening.zone : null
    return {
      eventId: nextId(),
      revision: 1,
      environmentId,
      severity: "low",
      timestampMs: Math.round(happening.timeS * 1000),
      revisedMs: Math.round(timeS * 1000),
      personId,
      confidence: rounded(confidence),
      location: { x: rounded(place.x), y: rounded(place.y) },
      zone: zone === null ? null : { zoneId: zone.zoneId, name: zone.name },
      detail: detailOf(happening),
      incident: null,
      provenance,
    }
  }

  const tell = ({ happenings }: Watched, timeS: number, frame: WatchedFrame): ReadonlyArray<ActivityEvent> =>
    happenings.flatMap((happening) => {
      if (rate.take(timeS)) return [eventOf(happening, timeS, frame)]
      leftOut++
      return []
    })

  return {
    configure: (wanted) => {
      // Persons are not looked at anew for settings that do not concern them.
      const isSame = JSON.stringify(settingsOf(wanted)) === JSON.stringify(settingsOf(options))
      options = wanted
      if (!isSame) watchAnew(0)
    },
    step: (timestampMs, frame, samples) => {
      const timeS = timestampMs / 1000
      lastS = timeS
      const { motion, persons, presence, provenance } = frame
      const watched = monitor.step({
        timeS,
        // Without tracking every hop has tracks of its own, of which nothing can be followed.
        samples: options.detection.enableTracking ? samples : [],
        present: presence.present,
        presenceConfidence: presence.confidence,
        motion,
      })
      const { conditions, endings, readings } = watched
      const recognises = options.alerts.activityRecognition.enabled
      return {
        persons: persons.map((person) => ({
          ...person,
          activity: (recognises ? readings.get(person.id)?.label : undefined) ?? "unknown",
        })),
        events: [
          ...tell(watched, timeS, frame),
          ...incidents.step(timeS, conditions, endings, { environmentId, provenance }),
        ],
      }
    },
    setBack: (timestampMs) => watchAnew(timestampMs / 1000 - lastS),
    signalLost: () => incidents.signalLost(lastS),
    acknowledge: (alertId, by) => incidents.acknowledge(alertId, by, lastS),
    stop: () => {
      const events = incidents.stop(lastS)
      watchAnew(0)
      return events
    },
    restore: (events) => {
      lastS = Math.max(lastS, ...events.map(({ revisedMs }) => revisedMs / 1000))
      monitor.resume(incidents.restore(events), lastS)
    },
    leftOut: () => leftOut,
  }
}
