import { describe, expect, it } from "vitest"
import { StateReplica } from "../../../../actors/home/view/replica.ts"
import type { BusEntry } from "../../../../protocols/domain/home.ts"
import { homeChange, homeFired, homeState } from "../../../harness/home-states.ts"

const context = { id: "lost", parentId: null, userId: null }
const [a1, a2, b1, c1] = [
  homeState("x.a", "1"),
  homeState("x.a", "2", { lastUpdatedUs: 2_000_000 }),
  homeState("x.b", "1"),
  homeState("x.c", "1"),
]

const following = () => {
  const replica = new StateReplica(() => context, () => 9_000_000)
  const received: Array<ReadonlyArray<BusEntry>> = []
  replica.listen((entries) => received.push(entries))
  return { replica, received }
}

describe("a replica", () => {
  it("is empty until it has all states, in any number of parts", () => {
    const { replica } = following()
    replica.apply({ kind: "entries", sequence: 3, entries: [] })
    expect(replica.sequence()).toBeNull()
    replica.apply({ kind: "states", sequence: 5, states: [b1], last: false })
    expect([replica.sequence(), replica.all()]).toEqual([null, []])
    replica.apply({ kind: "states", sequence: 5, states: [a1], last: true })
    expect(replica.sequence()).toBe(5)
    expect(replica.all()).toEqual([b1, a1])
    expect(replica.one("x.a")).toBe(a1)
    expect(replica.one("x.c")).toBeNull()
  })

  it("notifies listeners of entries after it has applied them", () => {
    const { replica } = following()
    replica.apply({ kind: "states", sequence: 5, states: [a1, b1], last: true })
    const seen: Array<unknown> = []
    const leave = replica.listen((entries) =>
      seen.push(entries.length, replica.one("x.a")?.state, replica.all().length)
    )
    replica.apply({ kind: "entries", sequence: 7, entries: [homeChange(a1, a2), homeChange(b1, null)] })
    expect(seen).toEqual([2, "2", 1])
    leave()
    replica.apply({ kind: "entries", sequence: 8, entries: [homeFired("e")] })
    expect(seen).toHaveLength(3)
  })

  it("publishes the differences when all states are reloaded", () => {
    const { replica, received } = following()
    replica.apply({ kind: "states", sequence: 5, states: [a1, b1], last: true })
    received.length = 0
    const reported = { ...a1, lastReportedUs: 3_000_000 }
    replica.apply({ kind: "states", sequence: 9, states: [reported, c1], last: true })
    expect(received).toEqual([[
      { kind: "changed", entityId: "x.b", oldState: b1, newState: null, timeFiredUs: 9_000_000, context },
      { kind: "reported", entityId: "x.a", newState: reported, oldReportedUs: 1_000_000 },
      homeChange(null, c1),
    ]])
    expect(replica.all()).toEqual([reported, c1])
    received.length = 0
    replica.apply({ kind: "states", sequence: 12, states: [a2, c1], last: true })
    expect(received).toEqual([[homeChange(reported, a2)]])
    received.length = 0
    replica.apply({ kind: "states", sequence: 14, states: [a2, c1], last: true })
    expect(received).toEqual([])
  })

  it("goes on when a listener throws, and reports what it threw", () => {
    const replica = new StateReplica(() => context, () => 9_000_000)
    const defect = new Error("a listener's defect")
    const received: Array<ReadonlyArray<BusEntry>> = []
    replica.listen(() => {
      throw defect
    })
    replica.listen((entries) => received.push(entries))
    expect(replica.apply({ kind: "states", sequence: 5, states: [a1], last: true })).toEqual([defect])
    expect(replica.apply({ kind: "entries", sequence: 6, entries: [homeChange(a1, a2)] })).toEqual([defect])
    expect([replica.sequence(), received]).toEqual([6, [[homeChange(null, a1)], [homeChange(a1, a2)]]])
  })

  it("discards the parts of an interrupted stream", () => {
    const { replica } = following()
    replica.apply({ kind: "states", sequence: 5, states: [b1], last: false })
    replica.restart()
    replica.apply({ kind: "states", sequence: 6, states: [a1], last: true })
    expect(replica.all()).toEqual([a1])
  })

  it("notifies a caller that waits for a sequence number once, unless it has stopped waiting", () => {
    const { replica } = following()
    const called: Array<number> = []
    const wait = (sequence: number) => replica.whenReached(sequence, () => called.push(sequence))
    wait(5)
    wait(8)
    wait(9)()
    replica.apply({ kind: "states", sequence: 5, states: [], last: true })
    expect(called).toEqual([5])
    replica.apply({ kind: "entries", sequence: 9, entries: [homeFired("e")] })
    wait(9)
    expect(called).toEqual([5, 8, 9])
  })
})
