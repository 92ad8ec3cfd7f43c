import { describe, expect, it } from "vitest"
import { DatagramTally, routersMax, silentMs } from "../../../gateways/datagrams/counts.ts"

const tallyWithLines = () => {
  const lines: Array<string> = []
  const forgotten: Array<string> = []
  const tally = new DatagramTally({
    log: (reason, dropped) => lines.push(`${reason} ${dropped}`),
    forgotten: (routerId) => forgotten.push(routerId),
  })
  return { forgotten, lines, tally }
}

describe("datagram counts", () => {
  it("log each reason at most once in ten seconds", () => {
    const { lines, tally } = tallyWithLines()
    for (let ms = 0; ms <= 20_000; ms += 1000) tally.drop("queue_full", 2, null, "r", ms)
    tally.drop("bad-field", 1, null, "r", 20_000)
    tally.drop("bad-field", 0, null, "r", 90_000)
    expect(lines).toEqual(["queue_full 2", "queue_full 22", "queue_full 42", "bad-field 1"])
  })

  it("remember a bounded number of routers, and the newest foreign senders", () => {
    const { tally } = tallyWithLines()
    for (let i = 0; i < routersMax; i++) expect(tally.addRouter(`r${i}`, 1, null, false, i)).toBe(true)
    expect(tally.addRouter("another", 1, null, false, 999)).toBe(false)
    expect(tally.addRouter("r0", 1, null, true, 1000)).toBe(true)
    for (let i = 0; i < 100; i++) {
      tally.addForeign("often", i)
      tally.addForeign(`10.0.0.${i}`, i)
    }
    const { foreignSenders, routers } = tally.counts
    expect(routers).toHaveLength(routersMax)
    expect(routers[0]).toEqual({
      routerId: "r0",
      lastDatagramMs: 1000,
      frames: 2,
      droppedFrames: 0,
      lastDrop: null,
      lastReport: null,
      signed: true,
      binOrder: null,
    })
    expect(foreignSenders).toHaveLength(64)
    expect(foreignSenders).toContainEqual({ address: "often", datagrams: 100, lastDatagramMs: 99 })
  })

  it("forget the router that was silent longest, after a minute, for a new one", () => {
    const { forgotten, tally } = tallyWithLines()
    for (let i = 0; i < routersMax; i++) tally.addRouter(`r${i}`, 1, null, false, i)
    tally.addRouter("r0", 1, null, false, 1000)
    expect(tally.addRouter("another", 1, null, false, silentMs)).toBe(false)
    expect(tally.addRouter("another", 1, null, false, silentMs + 1)).toBe(true)
    expect(tally.addRouter("one more", 1, null, false, silentMs + 1)).toBe(false)
    expect(forgotten).toEqual(["r1"])
    expect(tally.counts.routers).toHaveLength(routersMax)
  })

  it("keep the subcarrier order of a router, and report once that it is unknown", () => {
    const { tally } = tallyWithLines()
    tally.addRouter("r", 1, null, false, 5)
    expect((["unknown", "unknown", "ascending", "unknown"] as const).map((order) => tally.setOrder("r", order)))
      .toEqual(
        [
          true,
          false,
          false,
          true,
        ],
      )
    expect(tally.counts.routers[0]!.binOrder).toBe("unknown")
    expect(tally.setOrder("another", "unknown")).toBe(false)
  })

  it("keep the reason for which frames of a router were last dropped", () => {
    const { tally } = tallyWithLines()
    tally.addRouter("r", 1, null, false, 5)
    tally.drop("queue_full", 1, "r", "", 6)
    tally.drop("not_accepted", 1, "r", "", 7)
    tally.drop("device_report", 1, "r", "", 8)
    tally.drop("bad-value", 1, "nobody", "", 9)
    expect(tally.counts.routers[0]!.lastDrop).toEqual({ reason: "not_accepted", atMs: 7 })
    expect(tally.counts.dropped).toEqual({ queue_full: 1, not_accepted: 1, device_report: 1, "bad-value": 1 })
  })
})
