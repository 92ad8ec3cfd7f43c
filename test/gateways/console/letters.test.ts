import { describe, expect, it } from "vitest"
import { hueOf, letterOf } from "../../../gateways/console/web/live/skeleton.ts"

describe("the letters of persons", () => {
  it("are given in the order in which persons were seen, and kept", () => {
    const known = new Map<number, string>()
    const named = [7, 3, 7, 9].map((id) => letterOf(known, { id }))
    expect(named).toEqual(["A", "B", "A", "C"])
  })

  it("stay distinct, as do the colours, however many persons a tab has seen", () => {
    const known = new Map<number, string>()
    const named = Array.from({ length: 600 }, (_, id) => letterOf(known, { id })).slice(-26)
    expect(new Set(named).size).toBe(26)
    expect(new Set(named.map(hueOf)).size).toBe(26)
    expect(known.size).toBe(26)
  })

  it("are not taken from a person who is still shown", () => {
    const known = new Map<number, string>()
    const others = Array.from({ length: 600 }, (_, n) => {
      expect(letterOf(known, { id: 0 })).toBe("A")
      return letterOf(known, { id: n + 1 })
    })
    expect(others).not.toContain("A")
  })
})
