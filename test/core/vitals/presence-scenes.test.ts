/** Presence in simulated rooms: the truth is known, and many rooms fit into a test. The results hold for simulated rooms only. */
import { describe, expect, it } from "vitest"
import type { Vector3 } from "../../../core/imaging/geometry.ts"
import { MotionWindow } from "../../../core/signal/motion-statistic.ts"
import type { PresenceReading } from "../../../core/vitals/presence.ts"
import { readingsOf, shareOf } from "../../harness/presence.ts"
import {
  during,
  fan,
  type FanOptions,
  type Mover,
  scene,
  type SceneOptions,
  stayer,
  visitor,
  walker,
} from "../../harness/scene.ts"
import { createRandom, type Random } from "../../../sim/randomness/random.ts"

type Movers = NonNullable<SceneOptions["movers"]>

const seeds = [1, 2, 3, 4, 5, 6]

/** The readings of rooms that differ by their seed. */
const rooms = (
  options: Omit<SceneOptions, "seed" | "seconds">,
  seconds = 40,
  calibrateS = 0,
): ReadonlyArray<ReadonlyArray<PresenceReading>> =>
  seeds.map((seed) => readingsOf(scene({ seconds, seed, ...options }), calibrateS))

/** Rooms are calibrated while they are empty, and a person enters at this time. */
const calibrateS = 25
const entersS = 30
const entering = (mover: Mover): Mover => during(entersS, Infinity, mover)

/** A fan in the middle of the room, large and strong enough for most links to see it. */
const fanOf = (kind: Omit<FanOptions, "position">, room: Vector3, random: (stream: string) => Random): Mover =>
  fan(random("fan"), { ...kind, position: [room[0] / 2 + 0.3, room[1] / 2, kind.axis === "up" ? 2.2 : 1.1] })

const fans: ReadonlyArray<readonly [string, Omit<FanOptions, "position">]> = [
  ["a slow ceiling fan", { rotationHz: 0.8, blades: 3, radiusM: 0.6, rcsM2: 1, axis: "up" }],
  ["a ceiling fan", { rotationHz: 3, blades: 3, radiusM: 0.6, rcsM2: 1, axis: "up" }],
  ["a ceiling fan whose speed wanders", { rotationHz: 5, blades: 4, radiusM: 0.5, rcsM2: 1, axis: "up", wander: 0.03 }],
  ["a desk fan", { rotationHz: 18.3, blades: 3, radiusM: 0.2, rcsM2: 0.3, axis: "level" }],
]

describe("presence in simulated rooms", () => {
  it.each([
    ["an empty room", {}],
    ["interference", { disturbed: 0.05 }],
    ["steps of the receiver's gain", { gainStepDb: 2 }],
    ["loss of every third packet", { lossRate: 0.33 }],
    ["packets like a clock", { jitterMs: 0 }],
    ["six links", { links: 6, rateHz: 20 }],
  ])("is false in an empty room: %s", (_, options) => {
    for (const readings of rooms({ rateHz: 50, ...options })) {
      expect(shareOf(readings, true)).toBe(0)
      expect(shareOf(readings.slice(200), false)).toBeGreaterThan(0.95)
    }
  })

  it.each(fans)("%s alone is not presence, at any packet rate", (_, kind) => {
    for (const rateHz of [100, 30, 12.5]) {
      for (const readings of rooms({ rateHz, movers: (room, random) => [fanOf(kind, room, random)] })) {
        expect(shareOf(readings, true)).toBe(0)
      }
    }
  })

  it("reports a machine where the fan is strong", () => {
    const strong: Movers = (room, random) => [fanOf({ ...fans[1]![1], rcsM2: 3 }, room, random)]
    const said = rooms({ rateHz: 100, movers: strong }).filter((readings) =>
      readings.slice(60).filter((r) => r.presence.reason?.includes("machine")).length > 0.9 * (readings.length - 60)
    )
    expect(said.length).toBeGreaterThanOrEqual(3)
  })

  it("detects a walker in a calibrated room, beside a fan as well, and at rates from 100 down to 20 packets/s", () => {
    for (const rateHz of [100, 50, 20]) {
      for (const beside of [false, true]) {
        const movers: Movers = (room, random) => [
          entering(walker(room, random("walk"))),
          ...(beside ? [fanOf(fans[3]![1], room, random)] : []),
        ]
        const all = rooms({ rateHz, movers }, 75, calibrateS)
        const found = all.map((readings) => shareOf(readings.slice(400), true))
        // One link does not sense every path through a room.
        expect(found.filter((share) => share > 0.8).length).toBeGreaterThanOrEqual(4)
        for (const readings of all) expect(shareOf(readings.slice(0, 300), true)).toBe(0)
      }
    }
  })

  it("detects more still persons with more links in a calibrated room", () => {
    const movers: Movers = (room, random) => [entering(stayer(room, random("stay")))]
    const found = (links: number): number =>
      rooms({ rateHz: 30, links, movers }, 75, calibrateS)
        .filter((readings) => shareOf(readings.slice(400), true) > 0.4).length
    expect(found(6)).toBeGreaterThan(found(1))
  })

  it("ends presence after a person has left, within the hold and the window", () => {
    const movers: Movers = (room, random) => [during(10, 30, visitor(room, random("walk"), 20, 1))]
    for (const readings of rooms({ rateHz: 50, movers }, 70)) {
      expect(shareOf(readings.slice(0, 100), true)).toBe(0)
      expect(shareOf(readings.slice(560), true)).toBe(0)
    }
  })

  it("has no false alarm in hours of white noise, read once a second", () => {
    const values = 24
    const hoursAt: ReadonlyArray<readonly [rateHz: number, hours: number]> = [[1, 10], [5, 3], [20, 1]]
    for (const [rateHz, hours] of hoursAt) {
      const random = createRandom(rateHz, "noise")
      const window = new MotionWindow(values)
      const powers = new Float32Array(values)
      let second = 0
      let largest = 0
      for (let packet = 0; packet < hours * 3600 * rateHz; packet++) {
        const t = (packet + 0.5 * random.uniform()) / rateHz
        if (Math.floor(t) > second) {
          const reading = window.evaluate(10 * ++second - 1)
          if (reading !== null) largest = Math.max(largest, reading.statistic / reading.sigma)
        }
        for (let k = 0; k < values; k++) powers[k] = 1 + 0.1 * random.normal()
        window.add(t * 1e6, Math.floor(t * 10), powers)
      }
      expect(largest).toBeGreaterThan(1.5)
      expect(largest).toBeLessThan(4)
    }
  }, 30_000)
})
