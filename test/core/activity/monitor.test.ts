/** An environment and its persons, hop by hop: conditions begin, hold over a loss, and end for a reason. */
import { describe, expect, it } from "vitest"
import type { Condition, Ending, InstantEvent } from "../../../core/activity/condition.ts"
import { createMonitor, holdS } from "../../../core/activity/monitor.ts"
import type { WatchSettings } from "../../../core/activity/person.ts"
import type { TrackSample } from "../../../core/activity/sample.ts"
import type { Scene } from "../../../core/activity/scene.ts"
import type { Zone } from "../../../core/activity/zones.ts"
import { fallOf, getUp, lyingOnFloor, samplesOf, standing, walking } from "./movements.ts"

const settings: WatchSettings = {
  activity: { enabled: true },
  fall: { enabled: true, sensitivity: 0.5, confidenceMin: 0.3 },
  inactivity: { enabled: true, thresholdS: 120 },
  intrusion: { enabled: true, armed: false },
}
const around = (zoneId: string, kind: Zone["kind"], x: number, y: number): Zone => ({
  zoneId,
  name: zoneId,
  kind,
  polygon: [[x - 1, y - 1], [x + 1, y - 1], [x + 1, y + 1], [x - 1, y + 1]],
})

const scene = (over: Partial<Scene> & { readonly timeS: number }): Scene => ({
  samples: [],
  present: null,
  presenceConfidence: 0,
  motion: null,
  ...over,
})

interface Told {
  readonly timeS: number
  readonly condition: Condition
}

/** Runs scenes; returns the conditions at their beginning, and their endings. */
const run = (
  scenes: Iterable<Scene>,
  { zones = [], ...over }: Partial<WatchSettings> & { readonly zones?: ReadonlyArray<Zone> } = {},
) => {
  const monitor = createMonitor({ ...settings, ...over }, zones)
  const begun: Array<Told> = []
  const ended: Array<{ readonly key: string } & (Ending | { readonly resolution: "expired"; readonly timeS: number })> =
    []
  const instantEvents: Array<InstantEvent> = []
  let held = new Map<string, Condition>()
  for (const each of scenes) {
    const { conditions, endings, instantEvents: result } = monitor.step(each)
    const now = new Map(conditions.map((condition) => [condition.key, condition]))
    for (const condition of conditions) if (!held.has(condition.key)) begun.push({ timeS: each.timeS, condition })
    for (const key of held.keys()) {
      if (now.has(key)) continue
      ended.push({ key, ...endings.get(key) ?? { resolution: "expired", timeS: each.timeS } })
    }
    instantEvents.push(...result)
    held = now
  }
  return { begun, ended, held, instantEvents }
}

const ofSamples = (samples: ReadonlyArray<TrackSample>): ReadonlyArray<Scene> =>
  samples.map((sample) =>
    scene({ timeS: sample.timeS, samples: [sample], present: true, presenceConfidence: 0.9, motion: 0 })
  )
/** Hops without located persons. */
const empty = (fromS: number, toS: number, over: Partial<Scene> = {}): ReadonlyArray<Scene> =>
  Array.from({ length: Math.round((toS - fromS) * 10) }, (_, i) => scene({ timeS: fromS + (i + 1) / 10, ...over }))

const fallen = samplesOf([standing(4), fallOf(0.6), lyingOnFloor(6)], { seed: 1 })
const endS = fallen.at(-1)!.timeS

describe("a fall", () => {
  it("holds with growing severity, and ends when the person is up", () => {
    const { begun, ended } = run(ofSamples(samplesOf([standing(4), fallOf(0.6), lyingOnFloor(40), getUp, standing(5)], {
      seed: 1,
    })))
    expect(begun.map(({ condition }) => condition.type)).toEqual(["fall_detection"])
    expect(begun[0]!.condition).toMatchObject({ key: "fall:1", personId: 1, alerts: true, severity: "low" })
    expect(ended).toMatchObject([{ key: "fall:1", resolution: "recovered" }])
    expect(ended[0]!.timeS).toBeGreaterThan(44.6)
    expect(ended[0]!.timeS).toBeLessThan(48)
  })

  it("holds for half an hour after the track is lost", () => {
    const { begun, ended, held } = run([...ofSamples(fallen), ...empty(endS, endS + 600)])
    expect(begun).toHaveLength(1)
    expect(ended).toEqual([])
    expect(held.get("fall:1")).toMatchObject({ severity: "critical", personId: 1 })
    const later = run([...ofSamples(fallen), ...empty(endS, endS + holdS + 2)])
    expect(later.ended).toMatchObject([{ key: "fall:1", resolution: "expired" }])
  })

  it("belongs to the person who is found again at the place under another track, and gets up", () => {
    const again = samplesOf([lyingOnFloor(5), getUp, walking(5)], { seed: 2, trackId: 9, startS: endS + 60 })
    const { begun, ended } = run([...ofSamples(fallen), ...empty(endS, endS + 60), ...ofSamples(again)])
    expect(begun).toHaveLength(1)
    expect(ended).toMatchObject([{ key: "fall:1", resolution: "recovered" }])
  })

  it("is not ended by another person who walks in", () => {
    const other = samplesOf([walking(20)], { seed: 2, trackId: 9, startS: endS + 60 })
      .map((sample) => ({ ...sample, place: { x: 5, y: 1 } }))
    const { ended, held } = run([...ofSamples(fallen), ...empty(endS, endS + 60), ...ofSamples(other)])
    expect(ended).toEqual([])
    expect(held.has("fall:1")).toBe(true)
  })

  it("does not alert below the required confidence", () => {
    const { begun } = run(ofSamples(fallen), { fall: { ...settings.fall, confidenceMin: 0.99 } })
    expect(begun[0]!.condition.alerts).toBe(false)
    expect(run(ofSamples(fallen), { fall: { ...settings.fall, enabled: false } }).begun).toEqual([])
  })

  it("continues in a new monitor", () => {
    const { condition } = run(ofSamples(fallen)).begun[0]!
    const monitor = createMonitor(settings, [])
    monitor.resume([condition], endS)
    expect(monitor.step(scene({ timeS: endS + 30 })).conditions).toMatchObject([{
      key: "fall:1",
      sinceS: condition.sinceS,
    }])
    const again = samplesOf([lyingOnFloor(3), getUp, walking(5)], { seed: 3, trackId: 12, startS: endS + 30 })
    const left = ofSamples(again).flatMap((each) => [...monitor.step(each).endings])
    expect(left.filter(([key]) => key === "fall:1").map(([, { resolution }]) => resolution)).toEqual(["recovered"])
  })
})

describe("a fall of a person who is not known", () => {
  it("stays with the nearest of the persons who are there again, whatever their order", () => {
    const { condition } = run(ofSamples(fallen)).begun[0]!
    const monitor = createMonitor(settings, [])
    monitor.resume([{ ...condition, personId: null, key: "fall:stored" }], endS)
    const lying = samplesOf([lyingOnFloor(20)], { seed: 3, trackId: 12, startS: endS + 30 })
    const helper = samplesOf([standing(20)], { seed: 4, trackId: 13, startS: endS + 30 })
    const seen = lying.map((sample, i) => {
      const beside = { x: sample.place.x + 0.8, y: sample.place.y }
      return scene({
        timeS: sample.timeS,
        samples: [{ ...helper[i]!, place: beside }, sample],
        present: true,
        motion: 0,
      })
    })
    const steps = seen.map((each) => monitor.step(each))
    expect(steps.flatMap(({ endings }) => [...endings.keys()]).filter((key) => key.startsWith("fall"))).toEqual([])
    expect(steps.at(-1)!.conditions).toMatchObject([{ key: "fall:stored", personId: 12 }])
  })
})

describe("settings that change", () => {
  const off = { ...settings, fall: { ...settings.fall, enabled: false } }

  it("end a fall when falls are not watched any more, also one that is continued", () => {
    const monitor = createMonitor(settings, [])
    const held = ofSamples(fallen).flatMap((each) => monitor.step(each).conditions)
    expect(held.at(-1)).toMatchObject({ key: "fall:1" })
    monitor.configure(off, [])
    expect(monitor.step(scene({ timeS: endS + 1 })).conditions).toEqual([])
    monitor.configure(settings, [])
    expect(monitor.step(scene({ timeS: endS + 2 })).conditions).toEqual([])

    const another = createMonitor(off, [])
    another.resume([held.at(-1)!], endS)
    expect(another.step(scene({ timeS: endS + 1 })).conditions).toEqual([])
  })

  it("keep a fall with other thresholds, and do not take what was seen before a pause for a descent", () => {
    const monitor = createMonitor(settings, [])
    for (const each of ofSamples(fallen)) monitor.step(each)
    monitor.configure({ ...settings, fall: { ...settings.fall, sensitivity: 0.9 } }, [])
    expect(monitor.step(scene({ timeS: endS + 1 })).conditions).toMatchObject([{ key: "fall:1" }])

    const paused = createMonitor(settings, [])
    const until = fallen.findIndex(({ timeS }) => timeS > 4.45)
    for (const each of ofSamples(fallen.slice(0, until))) paused.step(each)
    paused.configure(off, [])
    paused.configure(settings, [])
    expect(ofSamples(fallen.slice(until)).flatMap((each) => paused.step(each).conditions)).toEqual([])
  })

  it("end an intrusion in a zone that is not watched any more", () => {
    const vault = around("vault", "watched", 2, 3)
    const monitor = createMonitor(settings, [vault])
    const [first, ...later] = ofSamples(samplesOf([standing(10)], { seed: 1 }))
    monitor.step(first!)
    expect(later.slice(0, 50).map((each) => monitor.step(each)).at(-1)!.conditions).toMatchObject([
      { type: "intrusion", zone: vault },
    ])
    expect(monitor.configure(settings, [{ ...vault, kind: "general" }])).toEqual([])
    expect(later.slice(50).flatMap((each) => monitor.step(each).conditions)).toEqual([])
  })
})

describe("inactivity", () => {
  const sitting = (seconds: number, trackId = 1) =>
    samplesOf([{ seconds, state: "sitting", toM: 0.47 }], { seed: 5, sure: 0.7, trackId })
  const ofType = ({ begun }: ReturnType<typeof run>, type: Condition["type"]) =>
    begun.filter(({ condition }) => condition.type === type)

  it("of a person begins after the threshold, once, and ends with a movement", () => {
    const still = sitting(150)
    const moves = samplesOf([walking(5)], { seed: 5, startS: 150 })
    const result = run(ofSamples([...still, ...moves]))
    const [only, ...others] = ofType(result, "inactivity")
    expect(others).toEqual([])
    expect(only!.timeS).toBeCloseTo(120.1, 0)
    expect(only!.condition).toMatchObject({ key: "inactivity:1", severity: "medium" })
    expect(result.ended).toMatchObject([{ key: "inactivity:1", resolution: "recovered" }])
  })

  it("is not reported for a person who moves now and then, or lies in bed", () => {
    const moved = ofSamples(sitting(300)).map((each) =>
      Math.floor(each.timeS) % 60 === 30 ? { ...each, motion: 0.4 } : each
    )
    expect(ofType(run(moved), "inactivity")).toEqual([])
    expect(ofType(run(ofSamples(sitting(300)), { zones: [around("bed", "bed", 2, 3)] }), "inactivity")).toEqual([])
    expect(ofType(run(ofSamples(sitting(300)), { zones: [around("sofa", "general", 2, 3)] }), "inactivity"))
      .toHaveLength(1)
  })

  it("of a room with a breath and no located person is reported for the room", () => {
    const breathes = { present: true, presenceConfidence: 0.8, motion: 0.02 }
    const result = run([...empty(0, 150, breathes), ...empty(150, 152, { ...breathes, motion: 0.5 })])
    expect(ofType(result, "inactivity").map(({ condition }) => condition)).toMatchObject([
      { key: "inactivity:room", personId: null, place: null, confidence: 0.8 },
    ])
    expect(result.ended).toMatchObject([{ key: "inactivity:room", resolution: "recovered" }])
  })

  it("is not reported for an empty room, or with an inconclusive signal", () => {
    expect(run(empty(0, 400, { present: false, motion: 0 })).begun).toEqual([])
    expect(run(empty(0, 400)).begun).toEqual([])
  })

  it("of a room is not begun by a silence, and needs the threshold of its own after it", () => {
    const rests = { present: true, presenceConfidence: 0.8, motion: 0 }
    expect(run([...empty(0, 100, rests), ...empty(400, 460)]).begun).toEqual([])
    expect(run([...empty(0, 100, rests), ...empty(400, 500, rests)]).begun).toEqual([])
    expect(run([...empty(0, 100, rests), ...empty(103, 130, rests)]).begun).toHaveLength(1)
    const { begun } = run([...empty(0, 100, rests), ...empty(400, 530, rests)])
    expect(begun.map(({ condition }) => condition.sinceS)).toEqual([400.1])
  })

  it("of a room that was reported is held over a silence, and while it is not known at first who is there", () => {
    const rests = { present: true, presenceConfidence: 0.8, motion: 0 }
    const held = run([...empty(0, 150, rests), ...empty(200, 230), ...empty(230, 250, rests)])
    expect([held.begun.length, held.ended]).toEqual([1, []])
    expect(run([...empty(0, 150, rests), ...empty(200, 270)]).ended).toHaveLength(1)
  })

  it("of a room continues in a new monitor, while it is not known at first who is there", () => {
    const rests = { present: true, presenceConfidence: 0.8, motion: 0 }
    const { held } = run(empty(0, 150, rests))
    const next = createMonitor(settings, [])
    next.resume([...held.values()], 150)
    expect(next.step(scene({ timeS: 151 })).conditions).toMatchObject([{ key: "inactivity:room", sinceS: 0.1 }])
  })

  it("of a person is not begun by a silence that the track survives", () => {
    const before = ofSamples(sitting(100))
    const after = ofSamples(sitting(60)).map((each) => ({
      ...each,
      timeS: each.timeS + 300,
      samples: each.samples.map((sample) => ({ ...sample, timeS: sample.timeS + 300 })),
    }))
    expect(ofType(run([...before, ...after]), "inactivity")).toEqual([])
  })

  it("of a lost person holds, is not reported again for the room, and ends with motion", () => {
    const lost = empty(150, 400, { present: true, presenceConfidence: 0.7, motion: 0 })
    const result = run([...ofSamples(sitting(150)), ...lost, ...empty(400, 402, { present: true, motion: 0.5 })])
    expect(ofType(result, "inactivity").map(({ condition }) => condition.key)).toEqual(["inactivity:1"])
    expect(result.ended).toMatchObject([{ key: "inactivity:1", resolution: "recovered" }])
  })
})

describe("an intrusion", () => {
  const vault = around("vault", "watched", 2, 3)

  it("begins after a second in a watched zone, and ends when the zone is empty", () => {
    const inside = ofSamples(samplesOf([walking(5)], { seed: 1 }))
    const outside = ofSamples(samplesOf([walking(20)], { seed: 1, startS: 5 }))
      .map((each) => ({ ...each, samples: each.samples.map((sample) => ({ ...sample, place: { x: 6, y: 6 } })) }))
    const result = run([...inside, ...outside], { zones: [vault] })
    expect(result.begun).toHaveLength(1)
    expect(result.begun[0]!.condition).toMatchObject({
      key: "intrusion:zone:vault",
      zone: vault,
      personId: 1,
      persons: 1,
      severity: "high",
    })
    expect(result.ended).toMatchObject([{ key: "intrusion:zone:vault", resolution: "left" }])
    expect(result.instantEvents.map(({ type }) => type)).toEqual(["zone_entered", "activity_change", "zone_left"])
  })

  it("is not reported for a zone that is not watched, nor when it is disabled", () => {
    const inside = ofSamples(samplesOf([walking(5)], { seed: 1 }))
    expect(run(inside, { zones: [around("hall", "general", 2, 3)] }).begun).toEqual([])
    expect(run(inside, { zones: [vault], intrusion: { enabled: false, armed: true } }).begun).toEqual([])
  })

  it("is any person anywhere while armed, also where persons cannot be located", () => {
    const armed = { intrusion: { enabled: true, armed: true } }
    const there = { present: true, presenceConfidence: 0.9, motion: 0.3 }
    const gone = { present: false, presenceConfidence: 0.9, motion: 0 }
    const result = run([...empty(0, 10, gone), ...empty(10, 30, there), ...empty(30, 60, gone)], armed)
    expect(result.begun.map(({ condition }) => condition)).toMatchObject([
      { key: "intrusion:anywhere", persons: null, confidence: 0.9 },
    ])
    expect(result.ended).toMatchObject([{ resolution: "left" }])
    expect(run(empty(0, 30, there)).begun).toEqual([])
  })

  it("does not begin with the evidence of before a silence, and needs a second of its own after it", () => {
    const inside = ofSamples(samplesOf([walking(5)], { seed: 1 }))
    // A second after the entry into the zone, which takes a second itself.
    const first = inside.findIndex((_, i) => run(inside.slice(0, i + 1), { zones: [vault] }).begun.length > 0)
    const before = inside.slice(0, first - 3)
    const silentUntilS = before.at(-1)!.timeS + 7
    expect(run([...before, ...empty(silentUntilS, silentUntilS + 60)], { zones: [vault] }).begun).toEqual([])
    const armed = { intrusion: { enabled: true, armed: true } }
    const there = { present: true, presenceConfidence: 0.9 }
    expect(run([...empty(0, 0.6, there), ...empty(8, 8.6, there)], armed).begun).toEqual([])
    expect(run([...empty(0, 0.6, there), ...empty(8, 9.6, there)], armed).begun).toHaveLength(1)
  })

  it("keeps its state while the signal is inconclusive", () => {
    const armed = { intrusion: { enabled: true, armed: true } }
    const there = { present: true, presenceConfidence: 0.9 }
    const result = run([...empty(0, 10, there), ...empty(10, 300)], armed)
    expect(result.begun).toHaveLength(1)
    expect(result.ended).toEqual([])
    expect(run([...empty(0, 10, there), ...empty(10, 10 + holdS + 15)], armed).ended).toHaveLength(1)
  })
})

describe("persons", () => {
  it("are all followed up to a bound, and dropped when they are gone", () => {
    const crowd = (timeS: number) =>
      scene({
        timeS,
        samples: samplesOf([standing(0.1)], { seed: 1 }).flatMap((sample) =>
          Array.from({ length: 80 }, (_, i) => ({ ...sample, timeS, trackId: i + 1, place: { x: i * 3, y: 0 } }))
        ),
      })
    const monitor = createMonitor(settings, [])
    expect(monitor.step(crowd(1)).readings.size).toBe(64)
    monitor.step(scene({ timeS: 20 }))
    const late = crowd(21)
    const others = { ...late, samples: late.samples.map((sample) => ({ ...sample, trackId: sample.trackId + 100 })) }
    expect(monitor.step(others).readings.size).toBe(64)
  })

  it("keep their zone over a change of track, and leave it when they are gone", () => {
    const hall = around("hall", "general", 2, 3)
    const first = samplesOf([standing(5)], { seed: 1 })
    const second = samplesOf([standing(5)], { seed: 2, trackId: 2, startS: 6 })
    const { instantEvents } = run([...ofSamples(first), ...ofSamples(second), ...empty(11, 25)], {
      zones: [hall],
      activity: { enabled: false },
    })
    expect(instantEvents).toMatchObject([{ type: "zone_entered", personId: 1 }, { type: "zone_left", personId: 1 }])
  })

  it("continue in another monitor, with their zones and under their tracks", () => {
    const hall = around("hall", "general", 2, 3)
    const [one, other] = [createMonitor(settings, [hall]), createMonitor(settings, [hall])]
    const parts = [
      samplesOf([standing(5)], { seed: 1 }),
      samplesOf([standing(5)], { seed: 2, trackId: 2, startS: 5 }),
      samplesOf([standing(5)], { seed: 3, trackId: 2, startS: 12 }),
    ]
    const before = ofSamples(parts.slice(0, 2).flat()).flatMap((each) => one.step(each).instantEvents)
    other.recall(one.persons())
    const after = [...ofSamples(parts[2]!), ...empty(17, 30)].flatMap((each) => other.step(each).instantEvents)
    expect([...before, ...after].filter(({ type }) => type !== "activity_change")).toMatchObject([
      { type: "zone_entered", personId: 1 },
      { type: "zone_left", personId: 1, timeS: expect.closeTo(17), confidence: 0.95 },
    ])
  })
})
