import { describe, expect, it } from "vitest"
import { PacketCounter } from "../../../core/signal/packet-counter.ts"

describe("packet counter", () => {
  it("gives rate and loss of the trailing 4 s", () => {
    const counter = new PacketCounter()
    let sequence = 4_294_967_290
    for (let hop = 0; hop < 100; hop++) {
      for (let packet = 0; packet < 5; packet++) {
        sequence = (sequence + (hop >= 50 && packet === 0 ? 2 : 1)) % 2 ** 32
        counter.add(hop, sequence)
      }
      if (hop === 0) expect(counter.rateHz(hop)).toBe(50)
      if (hop === 49) expect(counter.loss(hop)).toBe(0)
    }
    expect(counter.rateHz(99)).toBe(50)
    expect(counter.loss(99)).toBeCloseTo(1 / 6, 6)
    expect(counter.rateHz(119)).toBe(25)
  })

  it("does not count a packet out of order, nor a restart of the device, as lost", () => {
    const counter = new PacketCounter()
    for (const sequence of [1_000_000, 1_000_002, 1_000_001, 1_000_003, 5, 6]) counter.add(0, sequence)
    expect(counter.loss(0)).toBe(0)
  })

  it("counts loss again at once when the device restarts", () => {
    const counter = new PacketCounter()
    for (let sequence = 7000; sequence < 8000; sequence++) counter.add(Math.floor((sequence - 7000) / 10), sequence)
    for (let i = 0; i < 400; i++) counter.add(100 + Math.floor(i / 10), 2 * i)
    expect(counter.loss(139)).toBeCloseTo(0.5, 2)
  })

  it("has no loss for a device without a counter", () => {
    const counter = new PacketCounter()
    for (let i = 0; i < 20; i++) counter.add(0, 0)
    expect(counter.loss(0)).toBeNull()
  })
})
