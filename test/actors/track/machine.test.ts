import { describe, expect, it } from "vitest"
import { initialTransition, transition } from "xstate"
import { statusOf, type TrackEvent, trackMachine } from "../../../actors/track/machine.ts"
import type { TrackStatus } from "../../../protocols/domain/pose.ts"
import { checkTable } from "../../harness/machine-table.ts"

const limits = { hitsMin: 3, missesMax: 2, lostMax: 4 }
const at = (counts: { readonly hits: number; readonly misses: number }) => (state: TrackStatus) =>
  trackMachine.resolveState({ value: state, context: { limits, age: 1, ...counts } })
const events = { MATCHED: { type: "MATCHED" }, MISSED: { type: "MISSED" } } as const

const run = (sequence: ReadonlyArray<TrackEvent["type"]>) => {
  let [snapshot] = initialTransition(trackMachine, limits)
  for (const type of sequence) [snapshot] = transition(trackMachine, snapshot, { type })
  return snapshot
}

describe("track machine", () => {
  it("moves as written with few hits and misses", () => {
    checkTable<typeof trackMachine, TrackStatus, keyof typeof events>(trackMachine, {
      at: at({ hits: 1, misses: 0 }),
      events,
      table: {
        tentative: { MATCHED: "tentative", MISSED: "ended" },
        active: { MATCHED: "active", MISSED: "active" },
        lost: { MATCHED: "active", MISSED: "lost" },
        ended: { MATCHED: "ended", MISSED: "ended" },
      },
    })
  })

  it("moves as written at its limits", () => {
    checkTable<typeof trackMachine, TrackStatus, keyof typeof events>(trackMachine, {
      at: at({ hits: 2, misses: 3 }),
      events,
      table: {
        tentative: { MATCHED: "active", MISSED: "ended" },
        active: { MATCHED: "active", MISSED: "lost" },
        lost: { MATCHED: "active", MISSED: "ended" },
        ended: { MATCHED: "ended", MISSED: "ended" },
      },
    })
  })

  it("is confirmed by repeated detections, lost by misses, and found again", () => {
    expect(statusOf(run(["MATCHED"]))).toBe("tentative")
    expect(statusOf(run(["MATCHED", "MATCHED"]))).toBe("active")
    expect(statusOf(run(["MATCHED", "MATCHED", "MISSED"]))).toBe("active")
    expect(statusOf(run(["MATCHED", "MATCHED", "MISSED", "MISSED"]))).toBe("lost")
    expect(statusOf(run(["MATCHED", "MATCHED", "MISSED", "MISSED", "MATCHED"]))).toBe("active")
    expect(statusOf(run(["MATCHED", "MATCHED", "MISSED", "MISSED", "MISSED", "MISSED"]))).toBe("ended")
  })

  it("counts its age in hops", () => {
    expect(run(["MATCHED", "MATCHED", "MISSED"]).context.age).toBe(4)
  })
})
