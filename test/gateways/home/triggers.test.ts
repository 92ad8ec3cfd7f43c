/**
 * Triggers by time and by number, on a clock of the test. `contract.test.ts` compares the others with Home Assistant.
 */
import { describe, expect, it } from "vitest"
import { watchNumber } from "../../../gateways/home/socket/numeric-trigger.ts"
import { nextFit } from "../../../gateways/home/socket/time-pattern-trigger.ts"
import type { EntityState } from "../../../protocols/domain/home.ts"
import { homeState } from "../../harness/home-states.ts"

const at = (text: string): number => Date.parse(`2026-03-01T${text}Z`)

describe("a time pattern", () => {
  it.each([
    [{ seconds: "/10" }, "10:00:05", "10:00:10"],
    [{ seconds: 30 }, "10:00:30", "10:01:30"],
    [{ minutes: "/15" }, "10:01:00", "10:15:00"],
    [{ hours: "/2" }, "09:59:59", "10:00:00"],
    [{ hours: 3, minutes: 7, seconds: 9 }, "03:07:08", "03:07:09"],
    [{ hours: "*", minutes: "*" }, "10:00:00", "10:01:00"],
    [{ minutes: 0 }, "10:00:00", "11:00:00"],
  ])("%o after %s is %s", (pattern, now, next) => {
    expect(nextFit({ platform: "time_pattern", ...pattern }, at(now))).toBe(at(next))
  })

  it("of an hour that has passed is tomorrow", () => {
    expect(nextFit({ platform: "time_pattern", hours: 3 }, at("04:00:00"))).toBe(at("03:00:00") + 86_400_000)
  })
})

describe("a numeric trigger with `for`", () => {
  const watched = (before: string) => {
    let state: EntityState = homeState("sensor.n", before)
    const timers = new Set<() => void>()
    const sent: Array<string> = []
    const watch = watchNumber({ platform: "numeric_state", entity_id: "sensor.n", above: 10, for: 5 }, 0, {
      after: (_, then) => {
        timers.add(then)
        return () => void timers.delete(then)
      },
      one: () => state,
      send: (text) => sent.push(JSON.parse(text).variables.trigger.to_state.state),
    })
    const set = (next: string | null) => {
      const newState = next === null ? null : homeState("sensor.n", next)
      const oldState = state
      if (newState !== null) state = newState
      watch.take({ kind: "changed", entityId: "sensor.n", oldState, newState, timeFiredUs: 0, context: state.context })
    }
    const elapse = () => {
      for (const then of [...timers]) then()
      timers.clear()
    }
    return { set, elapse, sent, timers, watch }
  }

  it("fires when the number stays in the range, once", () => {
    const { elapse, sent, set } = watched("5")
    set("11")
    set("12")
    elapse()
    set("13")
    elapse()
    expect(sent).toEqual(["11"])
  })

  it.each(["9", "unknown", null])("does not fire when the number becomes %s before", (value) => {
    const { elapse, sent, set } = watched("5")
    set("11")
    set(value)
    elapse()
    expect(sent).toEqual([])
  })

  it("does not fire for a number that was in the range already, and holds no timer after its end", () => {
    const { sent, set, timers, watch } = watched("20")
    set("21")
    expect([sent, timers.size]).toEqual([[], 0])
    set("1")
    set("22")
    expect(timers.size).toBe(1)
    watch.end()
    expect(timers.size).toBe(0)
  })
})
