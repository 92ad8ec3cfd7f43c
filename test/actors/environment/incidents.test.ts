import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Incidents } from "../../../actors/environment/incidents.ts"
import type { Condition, Ending } from "../../../core/activity/condition.ts"
import { type ActivityEvent, alertOf } from "../../../protocols/domain/event.ts"

const origin = {
  environmentId: "home",
  provenance: { source: "simulated", calibrated: true, modelVersion: "test", linksUsed: 3 },
} as const

const condition = (key: string, over: Partial<Condition> = {}): Condition => ({
  key,
  type: "fall_detection",
  personId: 7,
  zone: null,
  sinceS: 0,
  severity: "low",
  confidence: 0.9,
  place: { x: 1, y: 2 },
  alerts: true,
  impactMps: 2,
  persons: null,
  ...over,
})

const book = (delayS = 0) => {
  let id = 0
  const incidents = new Incidents(() => `id-${++id}`, () => delayS)
  const events: Array<ActivityEvent> = []
  const take = (received: ReadonlyArray<ActivityEvent>) => {
    events.push(...received)
    return received
  }
  return {
    events,
    incidents,
    at: (timeS: number, conditions: ReadonlyArray<Condition>, endings: ReadonlyArray<readonly [string, Ending]> = []) =>
      take(incidents.step(timeS, conditions, new Map(endings), origin)),
    take,
  }
}

const statuses = (events: ReadonlyArray<ActivityEvent>) => events.map(({ incident }) => incident!.status)
const recovered = (key: string, timeS: number) => [[key, { resolution: "recovered", timeS }]] as const

describe("an incident", () => {
  it("raises one alert while it holds, and clears it once", () => {
    const { at, events } = book()
    for (let timeS = 0; timeS < 60; timeS += 0.1) at(timeS, [condition("a")])
    expect(statuses(events)).toEqual(["open"])
    expect(events[0]).toMatchObject({ revision: 2, environmentId: "home", personId: 7, location: { x: 1, y: 2 } })
    at(61, [], recovered("a", 58))
    for (let timeS = 61; timeS < 90; timeS += 0.1) at(timeS, [])
    expect(statuses(events)).toEqual(["open", "cleared"])
    expect(events[1]).toMatchObject({
      eventId: events[0]!.eventId,
      revision: 3,
      detail: { type: "fall_detection", fallDurationS: 58, impactSeverity: "medium", recoveryDetected: true },
      incident: { raisedMs: 0, endedMs: 58_000, resolution: "recovered" },
      provenance: { source: "simulated" },
    })
  })

  it("waits for its delay, and is withdrawn when it ends before", () => {
    const { at, events } = book(10)
    at(3, [condition("a")])
    at(9.9, [condition("a")])
    expect(events.map(alertOf)).toEqual([null])
    at(10, [condition("a")])
    expect(alertOf(events.at(-1)!)).toMatchObject({ status: "open", timestampMs: 10_000, beganMs: 0 })
    const other = book(10)
    other.at(3, [condition("a")])
    other.at(8, [], recovered("a", 7))
    other.at(30, [])
    expect(statuses(other.events)).toEqual(["waiting", "withdrawn"])
    expect(other.events.map(alertOf)).toEqual([null, null])
  })

  it("is raised at once when no more hops arrive", () => {
    const { at, events, incidents, take } = book(10)
    at(3, [condition("a"), condition("b", { alerts: false })])
    take(incidents.signalLost(3))
    take(incidents.signalLost(3))
    expect(statuses(events)).toEqual(["waiting", "waiting", "open"])
    expect(events[2]!.incident!.key).toBe("a")
  })

  it("becomes more serious and never less, each time reported once", () => {
    const { at, events } = book()
    for (const [timeS, severity] of [[0, "low"], [1, "high"], [2, "medium"], [3, "high"], [4, "critical"]] as const) {
      at(timeS, [condition("a", { severity })])
    }
    expect(events.map(({ severity }) => severity)).toEqual(["low", "high", "critical"])
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(1)
  })

  it("is acknowledged by its id, once, and then cleared", () => {
    const { at, events, incidents } = book()
    at(0, [condition("a")])
    const { eventId } = events[0]!
    expect(incidents.acknowledge("another", "vera", 1)).toBeNull()
    expect(incidents.acknowledge(eventId, "vera", 1)).toMatchObject({
      incident: { status: "acknowledged", acknowledgedBy: "vera", acknowledgedMs: 1000 },
    })
    expect(incidents.acknowledge(eventId, "otto", 2)).toBeNull()
    expect(at(3, [])[0]).toMatchObject({
      incident: { status: "cleared", acknowledgedBy: "vera", acknowledgedMs: 1000, resolution: "expired" },
    })
  })

  it("starts again only after its cool-down, as another incident, even if its condition always held", () => {
    const { at, events } = book()
    at(0, [condition("a")])
    at(1, [])
    for (let timeS = 2; timeS < 20; timeS += 0.5) at(timeS, [condition("a", { sinceS: 2 })])
    expect(statuses(events)).toEqual(["open", "cleared", "open"])
    expect(events[2]!.eventId).not.toBe(events[0]!.eventId)
    expect(events[2]!.incident!.raisedMs).toBe(11_000)
  })

  it("without an alert is recorded", () => {
    const { at, events } = book()
    at(0, [condition("a", { alerts: false })])
    at(100, [condition("a", { alerts: false })])
    at(101, [])
    expect(statuses(events)).toEqual(["waiting", "withdrawn"])
  })
})

describe("many incidents", () => {
  const crowd = (type: Condition["type"], count: number) =>
    Array.from({ length: count }, (_, i) => condition(`${type} ${i}`, { type }))

  it("are held up to sixteen of a type, independent of other types", () => {
    const { at } = book()
    const first = at(0, [...crowd("intrusion", 40), ...crowd("fall_detection", 1)])
    expect(first.filter(({ detail }) => detail.type === "intrusion_detection")).toHaveLength(16)
    expect(first.filter(({ detail }) => detail.type === "fall_detection").map(alertOf)).not.toContain(null)
  })

  it("are raised five at once and then one a minute, and none is lost", () => {
    const { at, events } = book()
    const all = crowd("intrusion", 10)
    for (let timeS = 0; timeS <= 360; timeS++) at(timeS, all)
    const raised = events.filter((event) => alertOf(event) !== null).map(({ incident }) => incident!.raisedMs! / 1000)
    expect(raised).toEqual([0, 0, 0, 0, 0, 60, 120, 180, 240, 300])
  })

  it("raise each alert once and at most at the rate, for any conditions", () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 4 }), { maxLength: 200 }), (hops) => {
        const { at, events } = book(2)
        hops.forEach((keys, i) => at(i, [...new Set(keys)].map((key) => condition(`k${key}`, { sinceS: i }))))
        const raises = events.filter(({ incident, revision }) => incident!.status === "open" && revision >= 2)
        const byId = new Map<string, number>()
        for (const { eventId, incident, revisedMs } of raises) {
          if (incident!.raisedMs === revisedMs) byId.set(eventId, (byId.get(eventId) ?? 0) + 1)
        }
        expect([...byId.values()].every((count) => count === 1)).toBe(true)
        expect(byId.size).toBeLessThanOrEqual(5 + hops.length / 60 + 1)
        const revisions = new Map<string, number>()
        for (const { eventId, revision } of events) {
          expect(revision).toBeGreaterThan(revisions.get(eventId) ?? 0)
          revisions.set(eventId, revision)
        }
      }),
      { seed: 5, numRuns: 60 },
    )
  })
})

describe("another life", () => {
  it("continues open incidents, and does not raise them again", () => {
    const first = book()
    first.at(10, [condition("fall:7", { sinceS: 5 }), condition("b", { type: "intrusion", sinceS: 4, persons: 2 })])
    first.at(11, [condition("fall:7", { sinceS: 5 })])
    const second = book()
    const conditions = second.incidents.restore([first.events[0]!, first.events.at(-1)!], () => true)
    expect(conditions).toMatchObject([{ key: "fall:7", type: "fall_detection", personId: 7, sinceS: 5, impactMps: 2 }])
    expect(second.at(30, conditions)).toEqual([])
    expect(second.at(40, [], recovered("fall:7", 38))[0]).toMatchObject({
      eventId: first.events[0]!.eventId,
      detail: { fallDurationS: 33, recoveryDetected: true },
      incident: { status: "cleared" },
    })
  })

  it("does not raise what is not certain enough for an alert", () => {
    const first = book(10)
    first.at(3, [condition("a"), condition("b", { alerts: false, confidence: 0.2 })])
    const second = book(10)
    second.incidents.restore(first.events, ({ confidence }) => confidence >= 0.3)
    expect(second.incidents.signalLost(5).map(({ incident }) => incident!.key)).toEqual(["a"])
  })

  it("ends the incidents that are not watched any more, and keeps the others", () => {
    const { at, incidents, take } = book()
    at(0, [condition("a"), condition("b", { type: "intrusion" })])
    const stopped = take(incidents.stop(5, ({ type }) => type === "fall_detection"))
    expect(stopped).toMatchObject([{ incident: { key: "a", resolution: "stopped", endedMs: 5000 } }])
    expect(at(6, [condition("b", { type: "intrusion" })])).toEqual([])
  })

  it("ends all incidents when the watch stops", () => {
    const { at, incidents, take } = book()
    at(0, [condition("a"), condition("b")])
    expect(take(incidents.stop(5)).map(({ incident }) => incident!.resolution)).toEqual(["stopped", "stopped"])
    expect(incidents.stop(6)).toEqual([])
  })

  it("moves with time that is set back", () => {
    const { at, incidents } = book()
    at(1000, [condition("a", { sinceS: 990 })])
    expect(incidents.shift(-900)).toMatchObject([{ key: "a", sinceS: 90 }])
    expect(at(101, [condition("a", { sinceS: 90 })])).toEqual([])
    expect(at(102, [])[0]!.detail).toMatchObject({ fallDurationS: 12 })
  })
})
