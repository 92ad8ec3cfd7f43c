import { describe, expect, it } from "vitest"
import { keypointNames } from "../../../core/pose/skeleton.ts"
import { type FloorPlan, isWithin } from "../../../sim/rooms/floor-plan.ts"
import { createOccupancy } from "../../../sim/people/occupancy.ts"
import { createPerson } from "../../../sim/people/person.ts"
import { createRandom } from "../../../sim/randomness/random.ts"
import { adult, distance, doing, hall, home, pointOf, watch } from "../bodies/home.ts"

const daily = (seed: number, floor: FloorPlan = home) =>
  createPerson(
    adult({ kind: "daily", weights: { fall: 1.5, kneel: 1, "drop-to-floor": 1, jump: 1, sit: 2 } }),
    floor,
    createRandom(seed, "person"),
  )

const bones = [[5, 6], [11, 12], [5, 7], [7, 9], [6, 8], [8, 10], [11, 13], [13, 15], [12, 14], [14, 16], [1, 2], [
  3,
  4,
], [0, 1]] as const
const doorways = [[6, 2.2], [3, 0]] as const

describe("an hour of daily life", () => {
  const person = daily(2)
  const points = person.posture.keypoints
  const before = new Float64Array(points.length)
  const lengths: Array<readonly [number, number]> = bones.map(() => [Infinity, 0])
  const seen = new Map<string, number>()
  const found = { fastestMps: 0, fastest: "", lowestM: 1, lowest: "", outside: [] as Array<string> }
  let wasPresent = false

  watch(person, 3600, 100, ({ activity, present }, timeS) => {
    const label = present ? activity : "out"
    seen.set(label, (seen.get(label) ?? 0) + 1)
    if (!present) {
      wasPresent = false
      return
    }
    for (let i = 0; i < keypointNames.length; i++) {
      const [x, y, z] = pointOf(points, i)
      const speed = Math.hypot(x - before[3 * i]!, y - before[3 * i + 1]!, z - before[3 * i + 2]!) * 100
      const where = `${keypointNames[i]} ${label} at ${timeS} s`
      if (wasPresent && !(speed <= found.fastestMps)) [found.fastestMps, found.fastest] = [speed, where]
      if (!(z >= found.lowestM)) [found.lowestM, found.lowest] = [z, where]
      const isInside = home.rooms.some((room) => isWithin([x, y], room, 0)) ||
        doorways.some((door) => Math.abs(x - door[0]) + Math.abs(y - door[1]) < 2.4)
      if (!isInside) found.outside.push(`${where}: ${x}, ${y}`)
    }
    for (const [k, [a, b]] of bones.entries()) {
      const length = Math.hypot(
        points[3 * a]! - points[3 * b]!,
        points[3 * a + 1]! - points[3 * b + 1]!,
        points[3 * a + 2]! - points[3 * b + 2]!,
      )
      const [low, high] = lengths[k]!
      if (length < low || length > high) lengths[k] = [Math.min(low, length), Math.max(high, length)]
    }
    before.set(points)
    wasPresent = true
  })

  it("is long enough to do everything", () => {
    for (const activity of ["walking", "standing", "sitting", "lying", "falling"]) {
      expect(seen.get(activity) ?? 0, activity).toBeGreaterThan(activity === "falling" ? 50 : 5000)
    }
  })

  it("moves no keypoint faster than 12 m/s: nothing jumps", () => {
    expect(found.fastestMps, found.fastest).toBeLessThan(12)
  })

  it("keeps every bone at its length", () => {
    for (const [k, [low, high]] of lengths.entries()) expect(high - low, `bone ${k}`).toBeLessThan(1e-6)
  })

  it("keeps every keypoint above the floor and inside the rooms", () => {
    expect(found.lowestM, found.lowest).toBeGreaterThan(0.015)
    expect(found.outside.slice(0, 5)).toEqual([])
  })
})

describe("a daily life", () => {
  it("has realistic shares: mostly sitting and lying, some walking and standing, rare falls", () => {
    const shares = new Map<string, number>()
    let total = 0
    for (const seed of [1, 2, 3, 4]) {
      const person = createPerson(adult({ kind: "daily" }), home, createRandom(seed, "person"))
      watch(person, 3600, 4, ({ activity, present }) => {
        total++
        const label = present ? activity : "out"
        shares.set(label, (shares.get(label) ?? 0) + 1)
      })
    }
    const share = (label: string): number => (shares.get(label) ?? 0) / total
    expect(share("walking")).toBeGreaterThan(0.02)
    expect(share("walking")).toBeLessThan(0.3)
    expect(share("standing")).toBeGreaterThan(0.08)
    expect(share("standing")).toBeLessThan(0.45)
    expect(share("sitting")).toBeGreaterThan(0.25)
    expect(share("lying")).toBeGreaterThan(0.05)
    expect(share("lying")).toBeLessThan(0.5)
    expect(share("falling")).toBeGreaterThan(0)
    expect(share("falling")).toBeLessThan(0.003)
    expect(share("out")).toBeGreaterThan(0.005)
  }, 60_000)
})

describe("a person", () => {
  const traceOf = (rateHz: number, seed = 3) => {
    const person = daily(seed)
    const trace: Array<ReadonlyArray<number>> = []
    watch(person, 300, rateHz, ({ x, y }, timeS) => {
      if (timeS % 10 === 0) trace.push([x, y, ...person.posture.keypoints, ...person.posture.scatterers])
    })
    return trace
  }

  it("is the same for the same seed at any sampling rate, and different for another seed", () => {
    const often = traceOf(50)
    expect(traceOf(50)).toEqual(often)
    expect(traceOf(1)).toEqual(often)
    expect(traceOf(1, 4)).not.toEqual(often)
  })

  it("enters and leaves through a door", () => {
    const person = doing(
      [{ do: "enter", door: "front" }, { do: "walk", to: [4, 3] }, { do: "leave", door: "front", seconds: 10 }, {
        do: "enter",
        door: "front",
      }],
      home,
      2,
    )
    expect(person.at(0).present).toBe(false)
    const came = person.at(0.02)
    expect(came.present).toBe(true)
    expect(Math.hypot(came.x - 3, came.y + 1.5)).toBeLessThan(0.05)
    const insideS = watch(person, 10, 20, ({ y }, timeS) => timeS > 0.1 && y > 0.3)
    expect(insideS).toBeLessThan(5)
    let last = came
    let goneS = 0
    for (let timeS = insideS; timeS < 60 && goneS === 0; timeS += 0.02) {
      const state = person.at(timeS)
      if (!state.present) goneS = timeS
      else last = state
    }
    expect(last.y).toBeLessThan(-1.2)
    expect(person.at(goneS + 9.5).present).toBe(false)
    expect(person.at(goneS + 10.5).present).toBe(true)
  })

  it("repeats a script that loops, and rests after one that doesn't", () => {
    const steps = [{ do: "walk", to: [1, 1] }, { do: "walk", to: [5, 4] }] as const
    const looping = createPerson(adult({ kind: "script", steps, loop: true }), hall(6, 5), createRandom(1, "person"))
    let visits = 0
    let wasNear = false
    watch(looping, 120, 20, ({ x, y }) => {
      const near = Math.hypot(x - 1, y - 1) < 0.2
      if (near && !wasNear) visits++
      wasNear = near
    })
    expect(visits).toBeGreaterThan(4)
    const once = doing(steps, hall(6, 5))
    once.at(40)
    expect(once.at(600).activity).toBe("standing")
    expect(Math.hypot(once.at(601).x - 5, once.at(601).y - 4)).toBeLessThan(0.12)
  })

  it("lets time advance when a step is impossible", () => {
    const impossible = [{ do: "walk", to: [99, 99] }, { do: "sit", seat: "throne", seconds: 0 }, {
      do: "leave",
      door: "none",
    }] as const
    const person = createPerson(
      adult({ kind: "script", steps: impossible, loop: true }),
      hall(3, 3),
      createRandom(1, "person"),
    )
    expect(person.at(60).activity).toBe("standing")
    const nowhere = createPerson(adult({ kind: "daily" }), { ...hall(3, 3), rooms: [] }, createRandom(1, "person"))
    expect(nowhere.at(60).present).toBe(false)
  })

  it("falls only where there is room, and lies inside the room", () => {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const person = doing([{ do: "fall", seconds: 5, recover: true, walking: seed % 2 === 0 }], home, seed)
      const outside: Array<string> = []
      watch(person, 60, 10, ({ activity, present }, timeS) => {
        if (!present || (activity !== "falling" && activity !== "lying")) return
        for (let i = 0; i < 17; i++) {
          const [x, y] = pointOf(person.posture.keypoints, i)
          if (!home.rooms.some((room) => isWithin([x, y], room, 0))) outside.push(`${keypointNames[i]} at ${timeS}`)
        }
      })
      expect(outside, `seed ${seed}`).toEqual([])
    }
  })

  it("does not fall where there is no room for it", () => {
    const person = doing([{ do: "fall", seconds: 5, recover: true }, { do: "stand", seconds: 9 }], hall(1.5, 1.5), 1)
    const seen = new Set<string>()
    watch(person, 30, 10, ({ activity }) => void seen.add(activity))
    expect([...seen]).toEqual(["standing"])
  })

  it("shares a home: two people never choose the same chair", () => {
    const floor = { ...hall(6, 5), seats: home.seats.slice(0, 2) }
    const occupancy = createOccupancy()
    const weights = { lie: 0, leave: 0, fall: 0, sit: 20 }
    const people = [1, 2].map((seed) =>
      createPerson(adult({ kind: "daily", weights }), floor, createRandom(seed, "person"), occupancy)
    )
    let together = 0
    let both = 0
    for (let timeS = 0; timeS < 1800; timeS += 0.5) {
      const [a, b] = people.map((person) => person.at(timeS))
      if (a!.activity !== "sitting" || b!.activity !== "sitting") continue
      both++
      if (distance([a!.x, a!.y], [b!.x, b!.y]) < 0.3) together++
    }
    expect(both).toBeGreaterThan(100)
    expect(together).toBe(0)
  })
})
