import { describe, expect, it } from "vitest"
import type { FloorPlan } from "../../../sim/rooms/floor-plan.ts"
import { createOccupancy } from "../../../sim/people/occupancy.ts"
import { createPerson, type PersonState } from "../../../sim/people/person.ts"
import type { Step } from "../../../sim/bodies/step.ts"
import { createRandom } from "../../../sim/randomness/random.ts"
import { adult, distance, hall } from "../bodies/home.ts"

const keypointMpsMax = 12

/** Runs people together step by step and reports all states 20 times a second. No body may jump. */
const liveTogether = (
  floor: FloorPlan,
  scripts: ReadonlyArray<ReadonlyArray<Step>>,
  untilS: number,
  look: (states: ReadonlyArray<PersonState>, timeS: number) => void,
  loop = false,
): void => {
  const occupancy = createOccupancy()
  const people = scripts.map((steps, i) =>
    createPerson(adult({ kind: "script", steps, loop }), floor, createRandom(i + 1, "person"), occupancy)
  )
  const before = people.map(() => new Float64Array(51))
  const wasPresent = people.map(() => false)
  let fastestMps = 0
  for (let step = 0; step <= untilS * 100; step++) {
    const states = people.map((person) => person.at(step / 100))
    for (const [i, { posture: { keypoints } }] of people.entries()) {
      for (let k = 0; wasPresent[i]! && k < keypoints.length; k++) {
        fastestMps = Math.max(fastestMps, Math.abs(keypoints[k]! - before[i]![k]!) * 100)
      }
      before[i]!.set(keypoints)
      wasPresent[i] = states[i]!.present
    }
    if (step % 5 === 0) look(states, step / 100)
  }
  expect(fastestMps).toBeLessThan(keypointMpsMax)
}

const gapM = ([a, b]: ReadonlyArray<PersonState>): number =>
  a!.present && b!.present ? distance([a!.x, a!.y], [b!.x, b!.y]) : Infinity

const isAt = ({ present, x, y }: PersonState, place: readonly [number, number], withinM = 0.3): boolean =>
  present && distance([x, y], place) < withinM

/** A hall with a door in the middle of its south wall. */
const foyer: FloorPlan = { ...hall(6, 5), doors: [{ doorId: "door", place: [3, 0], rooms: ["hall", null] }] }

describe("two people", () => {
  it("with the same destination stand side by side", () => {
    const to = [3, 2.5] as const
    let last: ReadonlyArray<PersonState> = []
    const from = (
      start: readonly [number, number],
    ): ReadonlyArray<Step> => [{ do: "walk", to: start }, { do: "walk", to }]
    liveTogether(hall(6, 5), [from([1, 1]), from([5, 4])], 30, (states) => {
      last = states
      expect(gapM(states)).toBeGreaterThan(0.4)
    })
    expect(last.filter((state) => isAt(state, to, 0.1)).length).toBe(1)
    expect(gapM(last)).toBeGreaterThan(0.7)
    expect(gapM(last)).toBeLessThan(1.3)
  })

  it("walk around each other when they meet head on, and arrive", () => {
    const west = [1, 2.5] as const
    const east = [7, 2.5] as const
    const go = (...ends: ReadonlyArray<readonly [number, number]>): ReadonlyArray<Step> =>
      ends.map((to) => ({ do: "walk", to }))
    const visits = [new Set<number>(), new Set<number>()]
    let nearestM = Infinity
    liveTogether(hall(8, 5), [go(west, east), go(east, west)], 120, (states, timeS) => {
      nearestM = Math.min(nearestM, gapM(states))
      for (const [i, state] of states.entries()) {
        if (isAt(state, west, 0.9) || isAt(state, east, 0.9)) visits[i]!.add(Math.floor(timeS / 15))
      }
    }, true)
    expect(nearestM).toBeGreaterThan(0.4)
    for (const times of visits) expect(times.size).toBeGreaterThan(6)
  })

  it("do not wait for ever when they cannot pass each other", () => {
    const west = [1, 0.6] as const
    const east = [7, 0.6] as const
    const scripts: ReadonlyArray<ReadonlyArray<Step>> = [[west, east], [east, west]].map((ends) =>
      ends.map((to) => ({ do: "walk", to }))
    )
    let last: ReadonlyArray<PersonState> = []
    liveTogether(hall(8, 1.2), scripts, 60, (states) => {
      last = states
    })
    expect(last[0]!.x).toBeGreaterThan(5)
    expect(last[1]!.x).toBeLessThan(3)
  })

  it("never share a chair with the same instruction: the second takes a free one, or stands", () => {
    const chair = { seatId: "chair", place: [0.6, 2.2], heightM: 0.45, facingRad: 0 } as const
    const stool = { ...chair, seatId: "stool", place: [5.4, 2.2], facingRad: Math.PI } as const
    const sit: ReadonlyArray<Step> = [{ do: "sit", seat: "chair", seconds: 60 }]
    for (const seats of [[chair], [chair, stool]]) {
      let last: ReadonlyArray<PersonState> = []
      liveTogether({ ...hall(6, 5), seats }, [sit, sit], 40, (states) => {
        last = states
        expect(gapM(states)).toBeGreaterThan(0.4)
      })
      expect(last.map(({ activity }) => activity).sort()).toEqual([
        "sitting",
        seats.length > 1 ? "sitting" : "standing",
      ])
    }
  })

  it("lie in a narrow bed one after the other, and side by side in a wide one", () => {
    const lie: ReadonlyArray<Step> = [{ do: "lie", bed: "bed", seconds: 120 }]
    for (const widthM of [0.9, 1.6]) {
      const bed = { bedId: "bed", place: [3, 2.5], lengthM: 2, widthM, heightM: 0.5, headingRad: 0 } as const
      let last: ReadonlyArray<PersonState> = []
      liveTogether({ ...hall(6, 5), beds: [bed] }, [lie, lie], 60, (states) => {
        last = states
        expect(gapM(states)).toBeGreaterThan(0.4)
      })
      expect(last.map(({ activity }) => activity).sort()).toEqual(["lying", widthM > 1 ? "lying" : "standing"])
    }
  })

  it("don't fall onto each other", () => {
    const fall: ReadonlyArray<Step> = [{ do: "fall", seconds: 20, recover: true, direction: "forward" }]
    let down = 0
    liveTogether(hall(5, 4), [fall, fall], 60, (states) => {
      down = Math.max(down, states.filter(({ activity }) => activity === "lying").length)
      expect(gapM(states)).toBeGreaterThan(0.4)
    })
    expect(down).toBe(2)
  })
})

describe("a door", () => {
  const comings = (scripts: ReadonlyArray<ReadonlyArray<Step>>, untilS: number): ReadonlyArray<number> => {
    const wasInside = scripts.map(() => false)
    const crossedS: Array<number> = []
    liveTogether(foyer, scripts, untilS, (states, timeS) => {
      for (const [i, { present, y }] of states.entries()) {
        const inside = present && y > 0
        if (inside !== wasInside[i]) crossedS.push(timeS)
        wasInside[i] = inside
      }
    })
    return crossedS
  }
  const gaps = (times: ReadonlyArray<number>): ReadonlyArray<number> =>
    times.slice(1).map((time, i) => time - times[i]!)

  it("lets people through one by one, in and out, each after the previous one has cleared it", () => {
    const visit: ReadonlyArray<Step> = [
      { do: "enter", door: "door" },
      { do: "stand", seconds: 3 },
      { do: "leave", door: "door", seconds: 5 },
      { do: "enter", door: "door" },
    ]
    const crossedS = comings([visit, visit, visit], 90)
    expect(crossedS.length).toBe(9)
    expect(Math.min(...gaps(crossedS))).toBeGreaterThan(1)
  })

  it("is used in the end although a person sits behind it", () => {
    const seat = { seatId: "seat", place: [3.65, 0.3], heightM: 0.45, facingRad: Math.PI / 2 } as const
    const floor: FloorPlan = { ...foyer, seats: [seat] }
    const awayS = 30
    const scripts: ReadonlyArray<ReadonlyArray<Step>> = [
      [{ do: "sit", seat: "seat", seconds: 600 }],
      [
        { do: "enter", door: "door" },
        { do: "leave", door: "door", seconds: awayS },
        { do: "enter", door: "door" },
        { do: "walk", to: [1, 4] },
      ],
    ]
    let wentS = 0
    let cameS = 0
    let arrived = false
    liveTogether(floor, scripts, 90, ([, guest], timeS) => {
      if (timeS > 1 && !guest!.present && wentS === 0) wentS = timeS
      if (wentS > 0 && guest!.present && cameS === 0) cameS = timeS
      arrived ||= cameS > 0 && isAt(guest!, [1, 4])
    })
    expect(cameS - wentS - awayS).toBeGreaterThan(10)
    expect(cameS - wentS - awayS).toBeLessThan(20)
    expect(arrived).toBe(true)
  })
})
