import { describe, expect, it } from "vitest"
import { peakMax, peakMsMax, SocketOutbox, waitingMax } from "../../../gateways/home/socket/outbox.ts"
import { eventsOf } from "../../../gateways/home/socket/shared-messages.ts"
import { messagesOf } from "./frames.ts"

/** An outbox whose socket, turns and clock the test controls. */
const outbox = () => {
  const world = {
    sent: [] as Array<string>,
    waitingBytes: 0,
    ended: null as string | null,
    turns: [] as Array<() => void>,
    timers: new Map<number, () => void>(),
  }
  const made = new SocketOutbox({
    send: (frames) => void world.sent.push(...frames.flatMap(messagesOf)),
    waitingBytes: () => world.waitingBytes,
    endTooSlow: (reason) => void (world.ended = reason),
    nextTurn: (then) => void world.turns.push(then),
    after: (ms, then) => {
      world.timers.set(ms, then)
      return () => void world.timers.delete(ms)
    },
  })
  const turn = () => world.turns.splice(0).forEach((then) => then())
  return {
    push: made.push.bind(made),
    coalesce: made.coalesce.bind(made),
    drained: made.drained.bind(made),
    close: made.close.bind(made),
    world,
    turn,
  }
}

const behind = 300 * 1024

describe("the outbox of a home client", () => {
  it("sends messages in order at the end of a turn, one frame each", () => {
    const { push, turn, world } = outbox()
    for (const text of ["1", "2", "3"]) push(text)
    expect(world.sent).toEqual([])
    turn()
    expect(world.sent).toEqual(["1", "2", "3"])
  })

  it("joins a turn's messages into an array if the client supports it, but never a single one", () => {
    const { coalesce, push, turn, world } = outbox()
    coalesce(true)
    for (const text of ["1", "2"]) push(text)
    turn()
    push("3")
    turn()
    expect(world.sent).toEqual(["[1,2]", "3"])
  })

  it("sends shared messages one by one, or as an array if the client supports it", () => {
    const [plain, arrays] = [outbox(), outbox()]
    arrays.coalesce(true)
    const event = (n: number) => `{"id":7,"type":"event","event":${n}}`
    for (const texts of [["1", "2"], ["3"]]) {
      const parcel = eventsOf(texts).under(7)
      for (const { push, turn } of [plain, arrays]) {
        push(parcel)
        turn()
      }
    }
    expect(plain.world.sent).toEqual([event(1), event(2), event(3)])
    expect(arrays.world.sent).toEqual([`[${event(1)},${event(2)}]`, event(3)])
    for (const { push, turn } of [plain, arrays]) {
      push("first")
      push(eventsOf(["4", "5"]).under(7))
      turn()
    }
    expect(plain.world.sent.slice(3)).toEqual(["first", event(4), event(5)])
    expect(arrays.world.sent.slice(2)).toEqual([`[first,${event(4)},${event(5)}]`])
  })

  it("waits for a slow client and loses no message", () => {
    const { drained, push, turn, world } = outbox()
    world.waitingBytes = behind
    for (let i = 0; i < 1_000; i++) push(String(i))
    turn()
    expect(world.sent).toEqual([])
    world.waitingBytes = 0
    drained()
    expect(world.sent).toEqual(Array.from({ length: 1_000 }, (_, i) => String(i)))
    expect(world.ended).toBeNull()
  })

  it("[150] ends a connection with 4096 queued messages", () => {
    const { push, turn, world } = outbox()
    world.waitingBytes = behind
    for (let i = 1; i < waitingMax; i++) push("x")
    turn()
    expect(world.ended).toBeNull()
    push("x")
    expect(world.ended).not.toBeNull()
    world.waitingBytes = 0
    push("more")
    turn()
    expect(world.sent).toEqual([])
  })

  it("[150] counts each message of a parcel", () => {
    const { push, world } = outbox()
    world.waitingBytes = behind
    push(eventsOf(Array.from({ length: waitingMax - 1 }, () => "0")).under(1))
    expect(world.ended).toBeNull()
    push("x")
    expect(world.ended).not.toBeNull()
  })

  it("[150] ends a connection with more than 1024 queued messages for ten seconds", () => {
    const { drained, push, turn, world } = outbox()
    world.waitingBytes = behind
    for (let i = 0; i < peakMax; i++) push("x")
    turn()
    expect(world.timers.size).toBe(0)
    push("x")
    turn()
    expect([...world.timers.keys()]).toEqual([peakMsMax])
    world.waitingBytes = 0
    drained()
    expect([world.timers.size, world.ended]).toEqual([0, null])
    world.waitingBytes = behind
    for (let i = 0; i <= peakMax; i++) push("x")
    turn()
    world.timers.get(peakMsMax)!()
    expect(world.ended).toMatch(/1024/)
  })
})
