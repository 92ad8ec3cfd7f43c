/** The watch as the environment uses it: from samples to labelled persons, events and alerts. */
import { describe, expect, it } from "vitest"
import { ActivityWatch } from "../../../actors/environment/activity-watch.ts"
import type { TrackSample } from "../../../core/activity/sample.ts"
import { type ActivityEvent, alertOf } from "../../../protocols/domain/event.ts"
import { defaultStartOptions, type StartOptions } from "../../../protocols/domain/system.ts"
import { fallOf, getUp, lyingOnFloor, type Part, samplesOf, standing, walking } from "../../core/activity/movements.ts"
import { makePerson } from "../../gateways/pose/frames.ts"

const startMs = Date.UTC(2026, 0, 1)
const provenance = { source: "replay", calibrated: true, modelVersion: "test", linksUsed: 3 } as const
const hall = {
  zoneId: "hall",
  name: "The hall",
  kind: "general",
  polygon: [[1, 2], [3, 2], [3, 4], [1, 4]],
} as const

type Options = Parameters<ActivityWatch["configure"]>[0]

const make = (over: Partial<StartOptions> = {}, zones: ReadonlyArray<typeof hall> = []) => {
  let id = 0
  const watch = new ActivityWatch({ environmentId: "home", zones }, () => `id-${++id}`)
  const options: Options = { ...defaultStartOptions, ...over }
  watch.configure(options)
  const events: Array<ActivityEvent> = []
  const labels: Array<string> = []
  const hop = (timeMs: number, samples: ReadonlyArray<TrackSample>, present: boolean | null = samples.length > 0) => {
    const presence = { present, confidence: 0.9, reason: null }
    const persons = samples.map(({ existence, trackId }) => makePerson(trackId, existence))
    const reported = watch.step(timeMs, { persons, presence, motion: 0, provenance }, samples)
    events.push(...reported.events)
    labels.push(...reported.persons.map(({ activity }) => activity))
  }
  const play = (parts: ReadonlyArray<Part>, sure: number | null = 0.7) => {
    for (const sample of samplesOf(parts, { seed: 1, sure, startS: startMs / 1000 })) {
      hop(Math.round(sample.timeS * 1000), [sample])
    }
  }
  return { watch, events, labels, hop, play, options }
}

const ofType = (events: ReadonlyArray<ActivityEvent>, type: ActivityEvent["detail"]["type"]) =>
  events.filter(({ detail }) => detail.type === type)

const fall = [walking(4), fallOf(0.6), lyingOnFloor(60), getUp, walking(5)]

describe("the watch", () => {
  it("labels the persons of each frame, and reports their activities and zones", () => {
    const { events, labels, play } = make({}, [hall])
    play([walking(8), standing(8)])
    expect(labels.slice(30, 80).every((label) => label === "walking")).toBe(true)
    expect(labels.slice(-50).every((label) => label === "standing")).toBe(true)
    expect(events.map(({ detail, zone }) => [detail.type, zone?.zoneId ?? null])).toEqual([
      ["zone_entered", "hall"],
      ["activity_change", null],
      ["activity_change", null],
    ])
    expect(events[2]).toMatchObject({ environmentId: "home", severity: "low", incident: null, provenance })
    expect(events.map(alertOf)).toEqual([null, null, null])
  })

  it("keeps its persons when its settings stay, and starts anew when they change", () => {
    const reported = (again: Partial<StartOptions>) => {
      const { events, hop, options, watch } = make({}, [hall])
      const samples = samplesOf([walking(8), standing(8)], { seed: 1, sure: 0.7, startS: startMs / 1000 })
      for (const [i, sample] of samples.entries()) {
        if (i === 120) watch.configure({ ...options, ...again })
        hop(Math.round(sample.timeS * 1000), [sample])
      }
      return events.map(({ detail }) => detail.type)
    }
    const once = ["zone_entered", "activity_change", "activity_change"]
    expect(reported({})).toEqual(once)
    expect(reported({ domain: "security" }).length).toBeGreaterThan(once.length)
  })

  it("raises one alert for a fall after the delay, escalates it, and clears it", () => {
    const { events, play } = make()
    play(fall)
    const alerts = ofType(events, "fall_detection").map(alertOf).filter((alert) => alert !== null)
    expect(alerts.map(({ severity, status }) => [status, severity])).toEqual([
      ["open", "medium"],
      ["open", "high"],
      ["cleared", "high"],
    ])
    expect(new Set(alerts.map(({ alertId }) => alertId)).size).toBe(1)
    expect(alerts[0]!.timestampMs - alerts[0]!.beganMs).toBeGreaterThanOrEqual(10_000)
    expect(alerts.at(-1)).toMatchObject({ resolution: "recovered", provenance })
    const last = ofType(events, "fall_detection").at(-1)!
    expect(last.detail).toMatchObject({ recoveryDetected: true })
    expect((last.detail as { fallDurationS: number }).fallDurationS).toBeGreaterThan(55)
  })

  it("raises no alert when the person gets up within the delay, and records the fall", () => {
    const { events, play } = make({
      alerts: {
        ...defaultStartOptions.alerts,
        fallDetection: { ...defaultStartOptions.alerts.fallDetection, notificationDelayS: 30 },
      },
    })
    play([walking(4), fallOf(0.6), lyingOnFloor(8), getUp, walking(40)])
    const falls = ofType(events, "fall_detection")
    expect(falls.map(alertOf).filter((alert) => alert !== null)).toEqual([])
    expect(falls.at(-1)).toMatchObject({ detail: { recoveryDetected: true }, incident: { status: "withdrawn" } })
  })

  it("raises waiting alerts at once when the signal is lost", () => {
    const { events, play, watch } = make()
    play([walking(4), fallOf(0.6), lyingOnFloor(6)])
    expect(events.map(alertOf).filter((alert) => alert !== null)).toEqual([])
    expect(watch.signalLost().map((event) => alertOf(event)?.status)).toEqual(["open"])
  })

  it("is armed in the domain security, and elsewhere by its setting", () => {
    const armed = (over: Partial<StartOptions>) => {
      const { events, hop } = make(over)
      for (let i = 1; i < 30; i++) hop(startMs + 100 * i, [], true)
      return ofType(events, "intrusion_detection").length
    }
    const { alerts } = defaultStartOptions
    expect(armed({})).toBe(0)
    expect(armed({ domain: "security" })).toBe(1)
    expect(armed({ alerts: { ...alerts, intrusionDetection: { enabled: true, armed: true } } })).toBe(1)
    expect(armed({ domain: "security", alerts: { ...alerts, intrusionDetection: { enabled: false, armed: null } } }))
      .toBe(0)
  })

  it("follows no track without tracking, and reports no activity while recognition is off", () => {
    const off = make({ alerts: { ...defaultStartOptions.alerts, activityRecognition: { enabled: false } } })
    off.play([walking(8)])
    expect(new Set(off.labels)).toEqual(new Set(["unknown"]))
    expect(ofType(off.events, "activity_change")).toEqual([])
    const untracked = make({ detection: { ...defaultStartOptions.detection, enableTracking: false } }, [hall])
    untracked.play(fall)
    expect(untracked.events).toEqual([])
  })

  it("continues an incident after the clock was set back, and after another process had it", () => {
    const { events, hop, play, watch } = make()
    play([walking(4), fallOf(0.6), lyingOnFloor(20)])
    const open = ofType(events, "fall_detection").at(-1)!
    expect(open.incident!.status).toBe("open")
    watch.setBack(startMs - 3_600_000)
    for (let i = 0; i < 20; i++) hop(startMs - 3_600_000 + 100 * i, [])
    expect(ofType(events, "fall_detection").at(-1)).toBe(open)

    const other = make()
    other.watch.restore([open])
    for (let i = 1; i < 300; i++) other.hop(open.revisedMs + 100 * i, [])
    expect(other.events.map(({ eventId, incident }) => [eventId, incident!.status])).toEqual([[open.eventId, "open"]])
    expect(other.watch.stop().map(({ incident }) => incident!.resolution)).toEqual(["stopped"])
  })

  it("reports events of moments at a bounded rate, and counts the rest", () => {
    const { events, hop, watch } = make({}, [hall])
    const at = (trackId: number, timeMs: number, inside: boolean): TrackSample => ({
      ...samplesOf([standing(0.1)], { seed: 1, trackId })[0]!,
      timeS: timeMs / 1000,
      place: inside ? { x: 2, y: 3 } : { x: 20 + 3 * trackId, y: 20 },
    })
    for (let i = 1; i < 400; i++) {
      const timeMs = startMs + 100 * i
      hop(timeMs, Array.from({ length: 20 }, (_, track) => at(track, timeMs, Math.floor(i / 20) % 2 === 1)))
    }
    expect(events.length).toBeLessThanOrEqual(60 + 40)
    expect(watch.dropped).toBeGreaterThan(50)
  })
})
