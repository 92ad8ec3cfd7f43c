/** The watch as the environment uses it: from samples to labelled persons, events and alerts. */
import { Schema } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ActivityWatch } from "../../../actors/environment/activity-watch.ts"
import { WatchMemory } from "../../../actors/environment/watch-memory.ts"
import type { TrackSample } from "../../../core/activity/sample.ts"
import { type ActivityEvent, alertOf } from "../../../protocols/domain/event.ts"
import { anonymousEvent } from "../../../protocols/domain/privacy.ts"
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

type Zones = Parameters<ActivityWatch["useZones"]>[0]

const make = (over: Partial<StartOptions> = {}, zones: Zones = [], events: Array<ActivityEvent> = []) => {
  let id = 0
  const watch = new ActivityWatch({ environmentId: "home", zones }, () => `id-${++id}`)
  const options: Options = { ...defaultStartOptions, ...over }
  watch.configure(options)
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

/** The default alerts, but for falls. */
const withFalls = (over: Partial<Options["alerts"]["fallDetection"]>): Options["alerts"] => ({
  ...defaultStartOptions.alerts,
  fallDetection: { ...defaultStartOptions.alerts.fallDetection, ...over },
})

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

  it("keeps its persons and their visits when its settings change", () => {
    const reported = (again: Partial<StartOptions>) => {
      const { events, hop, options, watch } = make({}, [hall])
      const samples = samplesOf([walking(8), standing(8)], { seed: 1, sure: 0.7, startS: startMs / 1000 })
      for (const [i, sample] of samples.entries()) {
        if (i === 120) expect(watch.configure({ ...options, ...again })).toEqual([])
        hop(Math.round(sample.timeS * 1000), [sample])
      }
      for (let i = 0; i < 120; i++) hop(startMs + 16_100 + 100 * i, [])
      const [left] = ofType(events, "zone_left")
      expect((left!.detail as { dwellS: number }).dwellS).toBeGreaterThan(15)
      return events.map(({ detail }) => detail.type)
    }
    const once = ["zone_entered", "activity_change", "activity_change", "zone_left"]
    expect(reported({})).toEqual(once)
    expect(reported({ alerts: withFalls({ sensitivity: 0.9 }) })).toEqual(once)
    expect(reported({ domain: "security" }).filter((type) => type !== "intrusion_detection")).toEqual(once)
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
    const { events, play } = make({ alerts: withFalls({ notificationDelayS: 30 }) })
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
    other.watch.restore([open], null)
    for (let i = 1; i < 300; i++) other.hop(open.revisedMs + 100 * i, [])
    expect(other.events.map(({ eventId, incident }) => [eventId, incident!.status])).toEqual([[open.eventId, "open"]])
    expect(other.watch.stop().map(({ incident }) => incident!.resolution)).toEqual(["stopped"])
  })

  it("holds an alert after a fail-over for as long as without one, however long ago its event was revised", () => {
    const { events, play } = make()
    play([walking(4), fallOf(0.6), lyingOnFloor(130)])
    const open = ofType(events, "fall_detection").at(-1)!
    expect(open).toMatchObject({ severity: "critical", incident: { status: "open" } })
    const lastMs = open.revisedMs + 35 * 60_000
    const after = (hops: number, stepMs: number) => {
      const other = make()
      expect(other.watch.restore([open], lastMs)).toEqual([])
      for (let i = 1; i <= hops; i++) other.hop(lastMs + stepMs * i, [])
      return other.events.map(({ incident }) => incident!.resolution)
    }
    expect(after(50, 100)).toEqual([])
    expect(after(29, 60_000)).toEqual([])
    expect(after(32, 60_000)).toEqual(["expired"])
  })

  it("continues the stored incidents of anonymous persons, until they are up again", () => {
    const { events, play } = make()
    play([walking(4), fallOf(0.6), lyingOnFloor(20)])
    const open = ofType(events, "fall_detection").at(-1)!
    const kept = anonymousEvent(open)
    expect(JSON.stringify(kept)).not.toContain(open.incident!.key)
    const other = make()
    expect(other.watch.restore([kept], open.revisedMs)).toEqual([])
    for (let i = 1; i < 100; i++) other.hop(open.revisedMs + 100 * i, [])
    expect(other.events).toEqual([])
    expect(other.watch.memory.persons).toEqual([])
    // Radio finds the body again when it stirs: another track, at the same place.
    const later = samplesOf([lyingOnFloor(3), getUp, walking(5)], { seed: 2, trackId: 9 })
    const nextS = open.revisedMs / 1000 + 10
    for (const sample of later) {
      const timeS = nextS + sample.timeS - later[0]!.timeS
      other.hop(Math.round(1000 * timeS), [{ ...sample, timeS, place: open.location! }])
    }
    expect(ofType(other.events, "fall_detection").map(({ eventId, incident }) => [eventId, incident!.resolution]))
      .toEqual([
        [open.eventId, "recovered"],
      ])
    expect(new Set(other.events.map(({ personId }) => personId))).toEqual(new Set([9]))
  })

  it("continues stored inactivities and intrusions of anonymous persons", () => {
    const alerts = {
      ...defaultStartOptions.alerts,
      intrusionDetection: { enabled: true, armed: true },
      inactivityDetection: { enabled: true, thresholdMinutes: 1 },
    }
    const { events, play } = make({ alerts })
    play([standing(70)])
    const open = (["inactivity_detection", "intrusion_detection"] as const).map((type) => ofType(events, type).at(-1)!)
    expect(open.map(({ incident }) => incident!.status)).toEqual(["open", "open"])
    expect(open[0]!.personId).toBe(1)
    const other = make({ alerts })
    const lastMs = startMs + 70_000
    expect(other.watch.restore(open.map(anonymousEvent), lastMs)).toEqual([])
    const after = samplesOf([standing(5)], { seed: 2, sure: 0.7, startS: lastMs / 1000, trackId: 9 })
    for (const sample of after) other.hop(Math.round(sample.timeS * 1000), [sample])
    expect(other.events.filter(({ incident }) => incident !== null)).toEqual([])
  })

  it("raises no alert after a move for a fall that is not certain enough", () => {
    const alerts = withFalls({ confidenceMin: 0.99 })
    const { events, play } = make({ alerts })
    play([walking(4), fallOf(0.6), lyingOnFloor(6)])
    const waiting = ofType(events, "fall_detection").at(-1)!
    expect(waiting.incident!.status).toBe("waiting")
    const raisedWith = (over: Partial<StartOptions>) => {
      const { watch } = make(over)
      expect(watch.restore([waiting], waiting.revisedMs)).toEqual([])
      return watch.signalLost().map((event) => alertOf(event)?.status)
    }
    expect(raisedWith({ alerts })).toEqual([])
    expect(raisedWith({})).toEqual(["open"])
  })

  it("ends an incident that is not watched any more, at once and after a move", () => {
    const { events, hop, options, play, watch } = make()
    play([walking(4), fallOf(0.6), lyingOnFloor(20)])
    const open = ofType(events, "fall_detection").at(-1)!
    const alerts = withFalls({ enabled: false })
    const stopped = { eventId: open.eventId, incident: { status: "cleared", resolution: "stopped" } }
    expect(watch.configure({ ...options, alerts })).toMatchObject([stopped])
    for (let i = 1; i < 20; i++) hop(open.revisedMs + 10_000 + 100 * i, [])
    expect(ofType(events, "fall_detection").at(-1)).toBe(open)
    expect(make({ alerts }).watch.restore([open], open.revisedMs)).toMatchObject([stopped])
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
    expect(unpaired([...events, ...watch.stop()])).toEqual([])
  })
})

/** What is wrong with the visits of these events: each has one entry and then one exit, with the time between them. */
const unpaired = (events: ReadonlyArray<ActivityEvent>): ReadonlyArray<string> => {
  const enteredMs = new Map<string, number>()
  const wrong: Array<string> = []
  for (const { detail, personId, timestampMs, zone } of events) {
    const visit = `${personId} ${zone?.zoneId}`
    const sinceMs = enteredMs.get(visit)
    if (detail.type === "zone_entered") {
      if (sinceMs !== undefined) wrong.push(`${visit} entered twice`)
      enteredMs.set(visit, timestampMs)
    } else if (detail.type === "zone_left") {
      if (sinceMs === undefined) wrong.push(`${visit} left without an entry`)
      else if (Math.abs(detail.dwellS - (timestampMs - sinceMs) / 1000) > 0.1) wrong.push(`${visit} has another dwell`)
      enteredMs.delete(visit)
    }
  }
  return [...wrong, ...[...enteredMs.keys()].map((visit) => `${visit} never left`)]
}

describe("visits of zones", () => {
  const garden = { ...hall, zoneId: "garden", polygon: [[1, 5], [3, 5], [3, 7], [1, 7]] } as const
  const inHall = { x: 2, y: 3 }
  const nowhere = { x: 9, y: 9 }
  const sampleAt = (trackId: number, timeMs: number, place: TrackSample["place"]): TrackSample => ({
    ...samplesOf([standing(0.1)], { seed: 1, trackId })[0]!,
    timeS: timeMs / 1000,
    place,
  })
  /** The place of a person at a place, far enough from the other person. */
  const besides = ({ x, y }: TrackSample["place"], person: number) => ({ x: x - 0.7 + 1.4 * person, y })
  const encode = Schema.encodeSync(Schema.fromJsonString(Schema.toCodecJson(WatchMemory)))
  const decode = Schema.decodeSync(Schema.fromJsonString(Schema.toCodecJson(WatchMemory)))

  it("go on in another watch, which reports the exit alone, with the whole dwell", () => {
    const one = make({}, [hall])
    for (let i = 1; i <= 50; i++) one.hop(startMs + 100 * i, [sampleAt(7, startMs + 100 * i, inHall)])
    const other = make({}, [hall])
    other.watch.recall(decode(encode(one.watch.memory)))
    for (let i = 61; i <= 120; i++) {
      other.hop(startMs + 100 * i, [sampleAt(7, startMs + 100 * i, i <= 100 ? inHall : nowhere)])
    }
    expect(ofType(one.events, "zone_entered")).toHaveLength(1)
    const zoneEvents = other.events.filter(({ zone }) => zone !== null)
    expect(zoneEvents).toMatchObject([{ personId: 7, detail: { type: "zone_left" } }])
    expect(unpaired([...one.events, ...zoneEvents])).toEqual([])
  })

  it("end with the zone, with the session, and when the clock is set back", () => {
    const visitThen = (end: (watch: ActivityWatch) => ReadonlyArray<ActivityEvent>) => {
      const { events, hop, watch } = make({}, [hall])
      for (let i = 1; i <= 50; i++) hop(startMs + 100 * i, [sampleAt(7, startMs + 100 * i, inHall)])
      const ended = end(watch)
      expect(ended).toMatchObject([{ timestampMs: startMs + 5_000, detail: { type: "zone_left", dwellS: 4.9 } }])
      expect(unpaired([...events, ...ended])).toEqual([])
    }
    visitThen((watch) => watch.useZones([garden]))
    visitThen((watch) => watch.stop())
    visitThen((watch) => watch.setBack(startMs - 3_600_000))
    visitThen((watch) => {
      const { watch: other } = make({}, [])
      other.recall(watch.memory)
      return other.leaveZones()
    })
  })

  const places = { hall: inHall, garden: { x: 2, y: 6 }, nowhere }
  /** Three seconds of two persons, then something that happens to the watch. */
  const act = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        at: fc.tuple(
          fc.constantFrom("hall", "garden", "nowhere", "lost"),
          fc.constantFrom("hall", "garden", "nowhere", "lost"),
        ),
      }),
    },
    { weight: 1, arbitrary: fc.record({ zones: fc.subarray([hall, garden]) }) },
    { weight: 1, arbitrary: fc.record({ sensitivity: fc.double({ min: 0, max: 1, noNaN: true }) }) },
    { weight: 1, arbitrary: fc.record({ backMs: fc.integer({ min: 1_000, max: 100_000 }) }) },
    { weight: 1, arbitrary: fc.record({ moves: fc.constant(true) }) },
  )

  it("have one entry and one exit each, whatever happens", () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
        let zones: Zones = [hall, garden]
        let current = make({}, zones)
        let timeMs = startMs
        const { events } = current
        for (const each of acts) {
          if ("zones" in each) events.push(...current.watch.useZones(zones = each.zones))
          else if ("sensitivity" in each) {
            events.push(...current.watch.configure({ ...current.options, alerts: withFalls(each) }))
          } else if ("backMs" in each) events.push(...current.watch.setBack(timeMs -= each.backMs))
          else if ("moves" in each) {
            const next = make({}, zones, events)
            next.watch.recall(decode(encode(current.watch.memory)))
            current = next
          } else {
            for (let i = 0; i < 30; i++) {
              timeMs += 100
              current.hop(
                timeMs,
                each.at.flatMap((place, person) =>
                  place === "lost" ? [] : [sampleAt(person, timeMs, besides(places[place], person))]
                ),
              )
            }
          }
        }
        expect(unpaired([...events, ...current.watch.stop()])).toEqual([])
      }),
      { seed: 5, numRuns: 100 },
    )
  })
})
