import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeOutbox } from "../../../../gateways/pose/socket/outbox.ts"
import { type SharedTail, shareTail } from "../../../../gateways/pose/socket/shared-tail.ts"

/** A wire whose reader reads when reported to; every text counts the same bytes. */
const makeWire = (textBytes: number) => {
  const sent: Array<string> = []
  let waiting = 0
  let isTooSlow = false
  const send = (text: string) => {
    sent.push(text)
    waiting += textBytes
  }
  const outbox = makeOutbox({
    send,
    // Without the frame's own head, of two bytes for texts so short.
    sendShared: (head, tail) => send(Buffer.from(tail.frameOf(head).subarray(2)).toString()),
    waitingBytes: () => waiting,
    closeTooSlow: () => {
      isTooSlow = true
    },
  })
  const read = () => {
    waiting = 0
    outbox.drained()
  }
  return { outbox, sent, read, isTooSlow: () => isTooSlow, waiting: () => waiting }
}

/** What subscribers share of an update: all but the opening brace. */
const tail = (text: string): SharedTail => shareTail(Buffer.from(text.slice(1)))

const half = 200 * 1024

describe("an outbox", () => {
  it("sends each lane in order, and counts dropped updates in the next", () =>
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constant("read"), fc.integer({ min: 0, max: 2 }))), (steps) => {
        const { outbox, sent, read, waiting } = makeWire(half)
        const lanes = ["a", "b", "c"].map((id) => outbox.lane(id))
        const offered = [0, 0, 0]
        for (const step of steps) {
          if (step === "read") read()
          else lanes[step as number]!.update(tail(`{"n":${offered[step as number]!++}}`))
          expect(waiting()).toBeLessThanOrEqual(2 * half)
        }
        for (let turn = 0; turn < 32; turn++) read()
        const messages = sent.map((text) => JSON.parse(text))
        for (const [index, id] of ["a", "b", "c"].entries()) {
          let expected = 0
          for (const { n, dropped } of messages.filter(({ subscription_id }) => subscription_id === id)) {
            expect(n).toBe(expected + dropped)
            expected = n + 1
          }
          expect(expected).toBe(offered[index])
        }
      }),
      { seed: 66 },
    ))

  it("starves no lane", () => {
    const { outbox, sent, read } = makeWire(half)
    const [first, second] = [outbox.lane("first"), outbox.lane("second")]
    for (let n = 0; n < 20; n++) first.update(tail(`{"n":${n}}`))
    second.update(tail(`{"n":0}`))
    read()
    expect(sent.some((text) => text.includes(`"second"`))).toBe(true)
  })

  it("does not send updates of a closed lane", () => {
    const { outbox, sent, read } = makeWire(half)
    const lane = outbox.lane("a")
    for (let n = 0; n < 4; n++) lane.update(tail(`{"n":${n}}`))
    const before = sent.length
    lane.close()
    read()
    expect(sent).toHaveLength(before)
  })

  it("drops an ephemeral text when the client is behind", () => {
    const { outbox, sent } = makeWire(2 * half)
    outbox.ephemeral("first")
    outbox.ephemeral("second")
    expect(sent).toEqual(["first"])
  })

  it("reports a lane as free once its updates are sent and the client has read, and not after a cancellation", () => {
    const { outbox, read } = makeWire(2 * half)
    const lane = outbox.lane("a")
    let free = 0
    const call = () => free++
    lane.whenFree(call)
    expect(free).toBe(1)
    lane.update(tail(`{"n":0}`))
    lane.update(tail(`{"n":1}`))
    lane.whenFree(call)
    read()
    expect(free).toBe(1)
    read()
    read()
    expect(free).toBe(2)
    lane.update(tail(`{"n":2}`))
    lane.whenFree(call)()
    read()
    expect(free).toBe(2)
  })

  it("sends every alert in order and before updates, also to a slow client", () => {
    const { outbox, sent, read, isTooSlow } = makeWire(half)
    const lane = outbox.lane("a")
    for (let n = 0; n < 8; n++) lane.update(tail(`{"n":${n}}`))
    for (let n = 0; n < 500; n++) outbox.alert(`alert ${n}`)
    for (let turn = 0; turn < 300; turn++) read()
    const alerts = sent.filter((text) => text.startsWith("alert"))
    expect(alerts).toEqual(Array.from({ length: 500 }, (_, n) => `alert ${n}`))
    expect(sent.at(-1)).toContain(`"n":7`)
    expect(isTooSlow()).toBe(false)
  })

  it("closes a client for which more than a thousand alerts wait", () => {
    const { outbox, sent, isTooSlow } = makeWire(2 * half)
    for (let n = 0; n < 1_001; n++) outbox.alert(`alert ${n}`)
    expect([sent.length, isTooSlow()]).toEqual([1, false])
    outbox.alert("one more")
    expect(isTooSlow()).toBe(true)
  })

  it("closes a client for which too many replies wait", () => {
    const { outbox, isTooSlow } = makeWire(half)
    for (let n = 0; n < 21; n++) outbox.reply("pong")
    expect(isTooSlow()).toBe(false)
    outbox.reply("pong")
    expect(isTooSlow()).toBe(true)
  })
})
