import { describe, expect, it } from "vitest"
import { boardState, listenerOf, unknownSenders } from "../../../gateways/console/web/setup/boards.ts"
import type { Diagnostics, SensingNodes } from "../../../gateways/console/web/service/types.ts"

const now = "2026-11-25T12:00:00.000Z"
const before = (seconds: number) => new Date(Date.parse(now) - seconds * 1000).toISOString()

const sender = (changes: Partial<Diagnostics["datagrams"][number]["routers"][number]> = {}) => ({
  router_id: "node-1",
  last_datagram_time: before(1),
  frames: 10,
  last_drop: null,
  reports: false,
  signed: false,
  bin_order: null,
  ...changes,
})

const report = (
  router: Partial<Diagnostics["routers"][number]> | null,
  senders: ReadonlyArray<ReturnType<typeof sender>> = [],
) =>
  ({
    timestamp: now,
    routers: router === null ? [] : [{ router_id: "node-1", state: "enrolled", last_packet_time: null, ...router }],
    datagrams: [{ kind: "ruview", host: "0.0.0.0", port: 5005, routers: senders, foreign_senders: [] }],
  }) as unknown as Diagnostics

const keyed = { nodes: [{ node_id: "node-1", key_numbers: [1] }] } as unknown as SensingNodes

describe("the state of a board", () => {
  it("says where a board that was never heard must send", () => {
    const { text, tone } = boardState("node-1", report({}), null)
    expect([tone, text]).toEqual(["waiting", "not heard yet: it must send to this machine at 0.0.0.0:5005 (ruview)"])
  })

  it("is good when packets come, and says whether they are signed", () => {
    const streaming = { state: "streaming", packet_rate_hz: 98.4, last_packet_time: before(0) } as const
    expect(boardState("node-1", report(streaming, [sender()]), null)).toMatchObject({
      tone: "good",
      text: "98 packets/s, not signed",
    })
    expect(boardState("node-1", report(streaming, [sender({ signed: true })]), keyed).text).toBe("signed, 98 packets/s")
  })

  it("is signed, too, where another node takes its datagrams", () => {
    const streaming = report({ state: "streaming", packet_rate_hz: 98.4, last_packet_time: before(0) })
    const inventory = (signed: boolean | null) =>
      ({ nodes: [{ node_id: "node-1", key_numbers: [1], signed }] }) as unknown as SensingNodes
    expect(boardState("node-1", streaming, inventory(true)).text).toBe("signed, 98 packets/s")
    expect(boardState("node-1", streaming, inventory(null)).text).toContain("waits for its first signed datagram")
  })

  it("says why datagrams are dropped now, and forgets it later", () => {
    const dropped = (seconds: number) =>
      report({}, [sender({ last_drop: { reason: "bad_signature", time: before(seconds) } })])
    expect(boardState("node-1", dropped(1), keyed)).toMatchObject({ tone: "bad" })
    expect(boardState("node-1", dropped(1), keyed).text).toContain("does not match its key")
    expect(boardState("node-1", dropped(60), keyed).tone).toBe("waiting")
  })

  it("does not judge a board before the diagnostics are read", () => {
    expect(boardState("node-1", null, keyed)).toMatchObject({ tone: "waiting", text: "its state is not known" })
  })

  it("can be released while it is in quarantine", () => {
    const dropped = (reason: string) =>
      boardState("node-1", report({}, [sender({ last_drop: { reason, time: before(1) } })]), null)
    expect(dropped("quarantined")).toMatchObject({ tone: "bad", isQuarantined: true })
    // The buttons of its row.
    expect(dropped("quarantined").text).toMatch(/release it from quarantine, or make a new key/)
    expect(dropped("revoked").isQuarantined).toBe(false)
  })

  it("is in quarantine while its standing says so", () => {
    const standing = (standing: string) =>
      ({ nodes: [{ node_id: "node-1", key_numbers: [], standing }] }) as unknown as SensingNodes
    const dropped = report({}, [sender({ last_drop: { reason: "quarantined", time: before(1) } })])
    expect(boardState("node-1", dropped, standing("released")).isQuarantined).toBe(false)
    expect(boardState("node-1", report({}), standing("quarantined")).isQuarantined).toBe(true)
  })

  it("says for how long a board has been silent", () => {
    expect(boardState("node-1", report({ state: "lost", last_packet_time: before(42) }), null).text).toContain("42 s")
  })
})

it("lists the senders that belong to no room, newest first", () => {
  const unknown = (router_id: string, seconds: number, reason = "unknown_router") =>
    sender({ router_id, last_datagram_time: before(seconds), last_drop: { reason, time: before(seconds) } })
  const heard = [unknown("old", 20), sender(), unknown("new", 1), unknown("barred", 2, "quarantined")]
  const senders = unknownSenders(report(null, heard))
  expect(senders.map(({ isQuarantined, routerId }) => [routerId, isQuarantined])).toEqual([
    ["new", false],
    ["barred", true],
    ["old", false],
  ])
  // It was dropped before it was adopted.
  expect(unknownSenders(report({ router_id: "new" }, [unknown("new", 1)]))).toEqual([])
})

it("names the listener of a board by the format of its datagrams", () => {
  const [ruview] = report(null).datagrams
  const both = { ...report(null), datagrams: [ruview!, { ...ruview!, kind: "nexmon", port: 5500 }] } as Diagnostics
  expect(["node-1", "nexmon-aa"].map((id) => listenerOf(both, id)?.port)).toEqual([5005, 5500])
})
