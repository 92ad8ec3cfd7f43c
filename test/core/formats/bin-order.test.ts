import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type BinOrder, BinOrderDecision, binOrderOfPairs } from "../../../core/formats/bin-order.ts"
import { espPairs } from "./esp32-buffers.ts"

const orders: ReadonlyArray<BinOrder> = ["centre-first", "ascending"]
const other = (order: BinOrder): BinOrder => order === "ascending" ? "centre-first" : "ascending"

/** What a decision says of buffers, one after the other. */
const decided = (shown: ReadonlyArray<BinOrder | null>, isWide = false) => {
  const decision = new BinOrderDecision()
  return { read: shown.map((one) => decision.next(one, isWide)), finding: decision.finding }
}

const times = <T>(count: number, value: T): Array<T> => Array.from({ length: count }, () => value)

describe("order of an ESP32's bins", () => {
  it.each([
    ["the legacy field", 26],
    ["the HT field", 28],
    ["the HT field of a chip that fills all but five guards", 29],
  ])(
    "is shown by the guards of %s, for any first four bytes and any signal strength",
    (_, outermost) => {
      fc.assert(
        fc.property(
          fc.constantFrom(...orders),
          fc.integer({ min: 3, max: 127 }),
          fc.integer({ min: -1, max: 1 }),
          (order, level, noise) => {
            const pairs = espPairs(order, outermost, (k) => [k % 2 === 0 ? level : -level, k % 3], noise)
            expect(binOrderOfPairs(Int8Array.of(84, -64, 4, 0, ...pairs.subarray(4)), 0)).toBe(order)
          },
        ),
      )
    },
  )

  it("is not shown by a buffer without guards, without a signal, or with a faded middle", () => {
    expect(binOrderOfPairs(new Int8Array(128).fill(9), 0)).toBeNull()
    expect(binOrderOfPairs(new Int8Array(128), 0)).toBeNull()
    const faded = espPairs("ascending", 26, (k) => Math.abs(k) < 4 ? [1, 0] : [20, 5], 0)
    expect(binOrderOfPairs(faded, 0)).toBeNull()
  })

  it.each(orders)("is decided by eight buffers, and one that shows another afterwards is left out: %s", (order) => {
    const { finding, read } = decided([...times(8, order), other(order), order, null, other(order), order])
    expect(read).toEqual([...times(8, order), null, order, order, null, order])
    expect(finding).toBe(order)
  })

  it("is that of each buffer before the decision, so that packets of a scan for the access point decide nothing", () => {
    const shown: ReadonlyArray<BinOrder> = [...times<BinOrder>(7, "centre-first"), ...times<BinOrder>(8, "ascending")]
    const { finding, read } = decided(shown)
    expect(read).toEqual(shown)
    expect(finding).toBe("ascending")
  })

  it("changes after 64 contradictions in a row, and after no fewer", () => {
    const decision = new BinOrderDecision()
    for (let i = 0; i < 8; i++) decision.next("ascending", false)
    for (let round = 0; round < 5; round++) {
      for (let i = 0; i < 63; i++) expect(decision.next("centre-first", false)).toBeNull()
      expect(decision.next("ascending", false)).toBe("ascending")
    }
    for (let i = 0; i < 63; i++) decision.next("centre-first", false)
    expect(decision.finding).toBe("ascending")
    expect(decision.next("centre-first", false)).toBe("centre-first")
    expect(decision.finding).toBe("centre-first")
    expect(decision.next("ascending", false)).toBeNull()
  })

  it("is unknown after eight undecided buffers, until others decide", () => {
    expect(decided(times(7, null))).toEqual({ read: times(7, "centre-first"), finding: null })
    expect(decided(times(8, null)).finding).toBe("unknown")
    expect(decided([...times(8, null), ...times<BinOrder>(8, "ascending"), null])).toEqual({
      read: [...times(8, "centre-first"), ...times(9, "ascending")],
      finding: "ascending",
    })
  })

  it("is ascending where the guards show nothing and the packet has 40 MHz, but not against the guards", () => {
    expect(decided(times(8, null), true)).toEqual({ read: times(8, "ascending"), finding: "ascending" })
    expect(decided(times<BinOrder>(8, "centre-first"), true).finding).toBe("centre-first")
  })
})
