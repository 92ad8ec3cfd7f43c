import { describe, expect, it } from "vitest"
import { eventsOf, frameOf, packed, parcelOf } from "../../../gateways/home/socket/shared-messages.ts"
import { messagesOf } from "./frames.ts"

describe("parcels of messages", () => {
  it("are text frames of every length", () => {
    for (const length of [0, 1, 125, 126, 65_535, 65_536]) {
      const text = "x".repeat(length)
      expect(messagesOf(frameOf(text))).toEqual([text])
    }
    // Bytes count, not characters.
    const text = "é".repeat(63)
    expect(frameOf(text)).toHaveLength(4 + 126)
    expect(messagesOf(frameOf(text))).toEqual([text])
  })

  it("are one frame each, or one array", () => {
    const parcel = parcelOf(["1", "{}"])
    expect([parcel.count, parcel.characters]).toEqual([2, 3])
    expect(messagesOf(parcel.frames())).toEqual(["1", "{}"])
    expect(messagesOf(parcel.array())).toEqual(["[1,{}]"])
  })

  it("are encoded once for all subscriptions with the same id", () => {
    const events = eventsOf(["1"])
    expect(events.under(3)).toBe(events.under(3))
    expect(events.under(3).frames()).toBe(events.under(3).frames())
    expect(messagesOf(events.under(4).frames())).toEqual(['{"id":4,"type":"event","event":1}'])
  })

  it("are packed in order, up to a size", () => {
    const large = JSON.stringify("x".repeat(100_000))
    const packs = packed([large, large, large, "1", "2"]).map((events) => events.under(1).count)
    expect(packs).toEqual([2, 3])
    expect(packed([JSON.stringify("x".repeat(300_000))]).map((events) => events.under(1).count)).toEqual([1])
    expect(packed([])).toEqual([])
  })
})
