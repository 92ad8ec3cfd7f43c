import { describe, expect, it } from "vitest"
import { periodMs } from "../../../gateways/home/socket/time-period.ts"
import type { StateTrigger } from "../../../gateways/home/socket/state-trigger.ts"
import { watchTriggers } from "../../../gateways/home/socket/trigger-watch.ts"
import { parseExact } from "../../../protocols/domain/exact-json.ts"
import type { EntityState } from "../../../protocols/domain/home.ts"
import { homeChange, homeState } from "../../harness/home-states.ts"

const door = "binary_sensor.door"

/** A watch on a manual clock; entities are absent at first. */
const watched = (...triggers: ReadonlyArray<Omit<StateTrigger, "platform" | "trigger" | "entity_id">>) => {
  const fired: Array<string> = []
  const timers = new Set<{ readonly atMs: number; readonly then: () => void }>()
  const states = new Map<string, EntityState>()
  let nowMs = 0
  const watch = watchTriggers(
    triggers.map((fields) => ({ platform: "state", entity_id: [door, "sensor.b"], ...fields })),
    (ms, then) => {
      const timer = { atMs: nowMs + ms, then }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    (_, index, { entityId, newState, oldState }) =>
      fired.push(`${index} ${entityId} ${oldState?.state}>${newState?.state} at ${nowMs}`),
  )
  const change = (entityId: string, newState: EntityState | null) => {
    watch.take(homeChange(states.get(entityId) ?? null, newState))
    if (newState === null) states.delete(entityId)
    else states.set(entityId, newState)
  }
  return {
    fired,
    timers,
    end: watch.end,
    set: (state: string, attributes = {}, entityId = door) =>
      change(entityId, homeState(entityId, state, { attributes })),
    remove: () => change(door, null),
    pass: (ms: number) => {
      const untilMs = nowMs + ms
      for (const timer of [...timers].sort((a, b) => a.atMs - b.atMs)) {
        if (timer.atMs > untilMs || !timers.delete(timer)) continue
        nowMs = timer.atMs
        timer.then()
      }
      nowMs = untilMs
    },
  }
}

describe("durations", () => {
  it("are clock times, seconds and parts", () => {
    expect(
      ["00:00:05", "1:30", "00:00:01.5", 5, 0.25, "10", { minutes: 1, seconds: "30" }, { milliseconds: 5 }, 0].map(
        periodMs,
      ),
    )
      .toEqual([5_000, 5_400_000, 1_500, 5_000, 250, 10_000, 90_000, 5, 0])
    expect({ ms: periodMs({ days: 1, hours: 2 }) }).toEqual({ ms: 93_600_000 })
  })

  it("reject other values", () => {
    for (
      const wrong of [
        null,
        -1,
        "-00:00:05",
        "soon",
        "{{ 5 }}",
        "",
        "1:2:3:4",
        true,
        [],
        {},
        { weeks: 1 },
        { seconds: -1 },
        {
          seconds: null,
        },
        Number.NaN,
        { days: 30 },
        { toString: 1 },
      ]
    ) expect(periodMs(wrong), JSON.stringify(wrong)).toBeNull()
  })
})

describe("triggers with `for`", () => {
  it("fire when the value has held for the duration, with the change that started it", () => {
    const { fired, pass, set } = watched({ to: "on", for: 10 }, { to: "on" })
    set("off")
    set("on")
    pass(9_999)
    set("on", { battery: 5 })
    expect(fired).toEqual([`1 ${door} off>on at 0`])
    pass(1)
    expect(fired).toEqual([`1 ${door} off>on at 0`, `0 ${door} off>on at 10000`])
    pass(60_000)
    expect(fired).toHaveLength(2)
  })

  it("do not fire for a value that changed or an entity that was removed, and restart", () => {
    const { fired, pass, remove, set, timers } = watched({ to: "on", for: "00:00:10" })
    set("on")
    pass(5_000)
    set("off")
    expect(timers.size).toBe(0)
    set("on")
    remove()
    expect(timers.size).toBe(0)
    set("on")
    pass(10_000)
    expect(fired).toEqual([`0 ${door} undefined>on at 15000`])
  })

  it("with only `from`, hold until the old value returns", () => {
    const { fired, pass, set, timers } = watched({ from: "home", for: 10 })
    set("home")
    set("work")
    pass(5_000)
    set("shop")
    pass(5_000)
    expect(fired).toEqual([`0 ${door} home>work at 10000`])
    set("home")
    set("work")
    set("home")
    expect(timers.size).toBe(0)
  })

  it("without `from` and `to`, hold while the state does not change", () => {
    const { fired, pass, set } = watched({ for: 10 })
    set("1")
    pass(6_000)
    set("2")
    pass(6_000)
    set("2", { unit: "W" })
    pass(6_000)
    expect(fired).toEqual([`0 ${door} 1>2 at 16000`])
  })

  it("compare only their attribute", () => {
    const { fired, pass, set } = watched({ attribute: "level", for: 10 })
    set("on", { level: 1 })
    pass(5_000)
    set("off", { level: 1 })
    pass(5_000)
    set("off", { level: 2 })
    set("off", { level: 3 })
    pass(10_000)
    expect(fired).toEqual([`0 ${door} undefined>on at 10000`, `0 ${door} off>off at 20000`])
  })

  it("compare the values of an attribute as JSON does, whatever their type", () => {
    const { fired, set } = watched(
      { attribute: "level", to: 21 },
      { attribute: "level", to: ["21", null, [1, 2]] },
      { attribute: "level", not_to: 21 },
    )
    set("on", { level: parseExact("21.0") })
    set("on", { level: parseExact("90071992547409931") })
    set("on", { level: [1, parseExact("2.0")] })
    expect(fired).toEqual([
      `0 ${door} undefined>on at 0`,
      `2 ${door} on>on at 0`,
      `1 ${door} on>on at 0`,
      `2 ${door} on>on at 0`,
    ])
  })

  it("time entities separately, and stop all timers at the end", () => {
    const { end, fired, pass, set, timers } = watched({ to: "on", for: 10 })
    set("on")
    set("on", {}, "sensor.b")
    set("off")
    pass(10_000)
    expect(fired).toEqual(["0 sensor.b undefined>on at 10000"])
    set("on")
    end()
    expect(timers.size).toBe(0)
  })
})
