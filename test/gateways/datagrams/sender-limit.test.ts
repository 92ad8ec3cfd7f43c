import { describe, expect, it } from "vitest"
import { SenderLimit } from "../../../gateways/datagrams/sender-limit.ts"

/** How many of `count` datagrams, spread over a second from `fromMs`, are allowed. */
const allowed = (limit: SenderLimit, address: string, count: number, fromMs: number): number =>
  Array.from({ length: count }, (_, i) => limit.allows(address, fromMs + (1000 * i) / count)).filter(Boolean).length

describe("the limit of datagrams by sender", () => {
  it("allows the rate and one second's burst, and counts what it drops", () => {
    const limit = new SenderLimit(100)
    expect(allowed(limit, "flood", 1_000, 0)).toBeLessThanOrEqual(200)
    expect(allowed(limit, "flood", 1_000, 1_000)).toBeLessThanOrEqual(101)
    expect(allowed(limit, "router", 100, 1_000)).toBe(100)
    const [flood, ...others] = limit.limited
    expect(flood).toMatchObject({ address: "flood" })
    expect(flood!.datagrams).toBeGreaterThanOrEqual(1_699)
    expect(others).toEqual([])
  })

  it("drops nothing without a limit", () => {
    const limit = new SenderLimit(null)
    expect(allowed(limit, "flood", 1_000, 0)).toBe(1_000)
    expect(limit.limited).toEqual([])
  })

  it("remembers a bounded number of senders", () => {
    const limit = new SenderLimit(1)
    for (let i = 0; i < 5_000; i++) for (let n = 0; n < 2; n++) limit.allows(`10.0.${i >> 8}.${i & 255}`, 0)
    expect(limit.limited).toHaveLength(64)
    // The first sender was forgotten, so it has a new burst.
    expect(limit.allows("10.0.0.0", 0)).toBe(true)
  })
})
