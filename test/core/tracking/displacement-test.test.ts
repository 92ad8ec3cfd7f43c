import { describe, expect, it } from "vitest"
import { type Footing, footingAfter, type Seen, turnsInPlace } from "../../../core/tracking/displacement-test.ts"

const seen = (x: number, y: number, u: number, v: number): Seen => ({ x, y, velocity: { x: u, y: v } })

/** The footing after a number of detections, each a function of its number. */
const after = (sights: number, at: (hop: number) => Seen): Footing => {
  let footing = footingAfter(null, at(0))
  for (let hop = 1; hop < sights; hop++) footing = footingAfter(footing, at(hop))
  return footing
}

/** A fan at (3, 2), detected within a few centimetres, with blades in changing directions. */
const fan = (hop: number): Seen =>
  seen(3 + 0.05 * Math.sin(hop), 2 + 0.05 * Math.cos(2 * hop), 1.8 * Math.cos(3 * hop), 1.8 * Math.sin(3 * hop))

describe("the displacement test", () => {
  it("detects a fan, fast and in place, after a second of detections", () => {
    expect(turnsInPlace(after(9, fan))).toBe(false)
    for (const sights of [10, 30, 3000]) expect(turnsInPlace(after(sights, fan))).toBe(true)
  })

  it("accepts a walking person, at any speed and to and fro", () => {
    for (const speed of [0.3, 1.2, 2]) {
      const straight = after(40, (hop) => seen(0.1 * speed * hop, 1, speed, 0))
      expect(turnsInPlace(straight)).toBe(false)
      expect(straight.strayM).toBeGreaterThan(0.5 * speed)
    }
    const toAndFro = (hop: number) => {
      const phase = hop % 40
      return phase < 20 ? seen(0.14 * phase, 1, 1.4, 0) : seen(0.14 * (40 - phase), 1, -1.4, 0)
    }
    for (let sights = 10; sights < 120; sights++) expect(turnsInPlace(after(sights, toAndFro))).toBe(false)
  })

  it("accepts a standing person whose arms move", () => {
    expect(turnsInPlace(after(300, (hop) => seen(3, 2, Math.sin(hop), 0.3)))).toBe(false)
  })

  it("accepts a walker again soon after a nearby fan was detected", () => {
    let footing = after(60, fan)
    for (let hop = 0; hop < 15; hop++) footing = footingAfter(footing, seen(3 + 0.12 * hop, 2, 1.2, 0))
    expect(turnsInPlace(footing)).toBe(false)
  })
})
