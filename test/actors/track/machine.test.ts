import { describe, expect, it } from "vitest"
import { initialTransition, transition } from "xstate"
import { type HopEventType, statusOf, trackLimitsOf, trackMachine } from "../../../actors/track/machine.ts"
import { defaultDetection } from "../../../protocols/domain/configuration.ts"
import type { TrackStatus } from "../../../protocols/domain/pose.ts"
import { checkTable } from "../../harness/machine-table.ts"

const limits = { hitsMin: 3, tentativeMissesMax: 2, missesMax: 3, lostMax: 5 }
const at = (counts: { readonly hits: number; readonly misses: number }) => (state: TrackStatus) =>
  trackMachine.resolveState({ value: state, context: { limits, age: 1, ...counts } })
const events = {
  MATCHED: { type: "MATCHED", hops: 1 },
  SEEN: { type: "SEEN", hops: 1 },
  HELD: { type: "HELD", hops: 1 },
  MISSED: { type: "MISSED", hops: 1 },
  LEFT: { type: "LEFT", hops: 1 },
  FADED: { type: "FADED", hops: 1 },
  SILENT: { type: "SILENT", hops: 4 },
} as const

type Row = Record<keyof typeof events, TrackStatus>

const table = (
  counts: Parameters<typeof at>[0],
  cells: Record<TrackStatus, Row>,
) =>
  checkTable<typeof trackMachine, TrackStatus, keyof typeof events>(trackMachine, {
    at: at(counts),
    events,
    table: cells,
  })

const run = (sequence: ReadonlyArray<HopEventType>) => {
  let [snapshot] = initialTransition(trackMachine, limits)
  for (const type of sequence) [snapshot] = transition(trackMachine, snapshot, { type, hops: 1 })
  return snapshot
}
const statusAfter = (...sequence: ReadonlyArray<HopEventType>) => statusOf(run(sequence))
const confirmed = ["MATCHED", "MATCHED"] as const
const times = (count: number, type: HopEventType) => new Array<HopEventType>(count).fill(type)

/** The rows with few hits and misses; those of other counts differ in some cells. */
const tentative: Row = {
  MATCHED: "tentative",
  SEEN: "tentative",
  HELD: "tentative",
  MISSED: "tentative",
  LEFT: "tentative",
  FADED: "ended",
  SILENT: "ended",
}
const active: Row = {
  MATCHED: "active",
  SEEN: "active",
  HELD: "active",
  MISSED: "active",
  LEFT: "lost",
  FADED: "lost",
  SILENT: "lost",
}
const lost: Row = {
  MATCHED: "active",
  SEEN: "lost",
  HELD: "lost",
  MISSED: "lost",
  LEFT: "lost",
  FADED: "ended",
  SILENT: "lost",
}
const ended: Row = {
  MATCHED: "ended",
  SEEN: "ended",
  HELD: "ended",
  MISSED: "ended",
  LEFT: "ended",
  FADED: "ended",
  SILENT: "ended",
}

describe("track machine", () => {
  it("makes the transitions of the table with few hits and misses", () =>
    table({ hits: 1, misses: 0 }, { tentative, active, lost, ended }))

  it("makes the transitions of the table before the hit that confirms", () =>
    table({ hits: 2, misses: 0 }, { tentative: { ...tentative, MATCHED: "active" }, active, lost, ended }))

  it("makes the transitions of the table before the miss that ends a tentative track", () =>
    table({ hits: 1, misses: 1 }, {
      tentative: { ...tentative, MISSED: "ended", LEFT: "ended" },
      active: { ...active, SILENT: "ended" },
      lost: { ...lost, SILENT: "ended" },
      ended,
    }))

  it("makes the transitions of the table before the miss that loses an active track", () =>
    table({ hits: 3, misses: 2 }, {
      tentative: { ...tentative, MATCHED: "active", MISSED: "ended", LEFT: "ended" },
      active: { ...active, MISSED: "lost", SILENT: "ended" },
      lost: { ...lost, SILENT: "ended" },
      ended,
    }))

  it("makes the transitions of the table before the miss that ends a lost track", () =>
    table({ hits: 3, misses: 4 }, {
      tentative: { ...tentative, MATCHED: "active", MISSED: "ended", LEFT: "ended" },
      active: { ...active, MISSED: "lost", SILENT: "ended" },
      lost: { ...ended, MATCHED: "active" },
      ended,
    }))

  it("is confirmed by hits alone, its first included", () => {
    expect(statusAfter()).toBe("tentative")
    expect(statusAfter("MATCHED")).toBe("tentative")
    expect(statusAfter("MATCHED", "MATCHED")).toBe("active")
    expect(statusAfter("MATCHED", "MISSED", "MATCHED")).toBe("active")
    expect(statusAfter(...times(100, "HELD"))).toBe("tentative")
    expect(statusAfter(...times(100, "SEEN"))).toBe("tentative")
    expect(statusAfter("SEEN", "MATCHED")).toBe("active")
    expect(statusAfter("HELD", "MATCHED")).toBe("tentative")
  })

  it("counts misses in a row: a hit resets them", () => {
    expect(statusAfter(...confirmed, ...times(2, "MISSED"))).toBe("active")
    expect(statusAfter(...confirmed, ...times(3, "MISSED"))).toBe("lost")
    expect(statusAfter(...confirmed, ...times(2, "MISSED"), "MATCHED", ...times(2, "MISSED"))).toBe("active")
    expect(statusAfter(...confirmed, ...times(3, "MISSED"), "MATCHED", ...times(2, "MISSED"))).toBe("active")
    expect(statusAfter(...confirmed, ...times(5, "MISSED"))).toBe("ended")
  })

  it("is held without limit while active, but not when lost", () => {
    expect(statusAfter(...confirmed, ...times(1000, "HELD"))).toBe("active")
    expect(statusAfter(...confirmed, "MISSED", "MISSED", "HELD", "MISSED", "MISSED")).toBe("active")
    expect(statusAfter(...confirmed, ...times(3, "MISSED"), ...times(2, "HELD"))).toBe("ended")
  })

  it("fades from active to lost, and a hit makes it active again", () => {
    expect(statusAfter(...confirmed, "FADED")).toBe("lost")
    expect(statusAfter(...confirmed, "FADED", "MATCHED")).toBe("active")
    expect(statusAfter(...confirmed, "FADED", "FADED")).toBe("ended")
  })

  it("counts its age in hops of any kind", () => {
    expect(run(["MATCHED", "HELD", "MISSED"]).context.age).toBe(4)
    expect(run([...confirmed, ...times(3, "MISSED"), "HELD"]).context.age).toBe(7)
    const [silenced] = transition(trackMachine, run(confirmed), { type: "SILENT", hops: 4 })
    expect(silenced.context).toMatchObject({ age: 7, misses: 4 })
  })
})

describe("track limits", () => {
  it("are those of the configuration, and at most the greatest age", () => {
    expect(trackLimitsOf(defaultDetection)).toEqual({ hitsMin: 4, tentativeMissesMax: 4, missesMax: 15, lostMax: 60 })
    expect(trackLimitsOf({ trackingMinHits: 9, trackingMaxAgeFrames: 2 }))
      .toEqual({ hitsMin: 9, tentativeMissesMax: 2, missesMax: 2, lostMax: 2 })
  })
})
