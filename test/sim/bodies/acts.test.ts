import { describe, expect, it } from "vitest"
import type { FloorPlan } from "../../../sim/rooms/floor-plan.ts"
import { seatedHipM } from "../../../sim/bodies/physique.ts"
import { wrapAngle } from "../../../sim/bodies/pose.ts"
import { fallDirections, gestures, type Step } from "../../../sim/bodies/step.ts"
import { distance, doing, hall, home, indexOf, pointOf, watch } from "./home.ts"

interface Moment {
  readonly timeS: number
  readonly activity: string
  readonly pelvisZ: number
  readonly fallImpactS: number | null
}

const gym: FloorPlan = { ...hall(8, 8), seats: [{ seatId: "stool", place: [1, 4], heightM: 0.45, facingRad: 0 }] }

/** What a person does, 100 times a second. */
const historyOf = (steps: ReadonlyArray<Step>, seed: number, seconds: number, floor = gym): ReadonlyArray<Moment> => {
  const person = doing(steps, floor, seed, { heightM: 1.55 + 0.03 * (seed % 11), girth: 1 + 0.02 * (seed % 11) })
  const history: Array<Moment> = []
  watch(person, seconds, 100, ({ activity, fallImpactS }, timeS) => {
    history.push({ timeS, activity, pelvisZ: person.posture.pelvis[2]!, fallImpactS })
  })
  return history
}

const first = (history: ReadonlyArray<Moment>, activity: string, fromS = 0): number =>
  history.find((moment) => moment.timeS >= fromS && moment.activity === activity)?.timeS ?? Number.NaN

/** Fastest way down of the hips, m/s. */
const plunge = (history: ReadonlyArray<Moment>): number =>
  Math.max(...history.slice(1).map(({ pelvisZ }, i) => (history[i]!.pelvisZ - pelvisZ) * 100))

describe("a fall", () => {
  for (const direction of fallDirections) {
    for (const walking of [false, true]) {
      it(`${direction}, ${walking ? "walking" : "standing"}, is as fast as falls are, stays down, and gets up over the knees`, () => {
        const lasted: Array<number> = []
        for (const seed of [1, 2, 3, 4, 5]) {
          const history = historyOf([{ do: "fall", seconds: 7, recover: true, direction, walking }], seed, 60)
          const lostS = first(history, "falling")
          const during = history.filter(({ activity }) => activity === "falling")
          const impactS = during[0]!.fallImpactS!
          const lyingS = first(history, "lying")
          lasted.push(impactS - lostS)
          expect(plunge(during)).toBeGreaterThan(1.5)
          expect(plunge(during)).toBeLessThan(3.5)
          expect(lyingS - impactS).toBeGreaterThan(0.1)
          expect(lyingS - impactS).toBeLessThan(0.4)
          const upS = history.find(({ fallImpactS, timeS }) => timeS > lyingS && fallImpactS === null)!.timeS
          expect(upS - impactS).toBeGreaterThan(5)
          // A lying body is low, and the fall is reported from its beginning until the body gets up.
          const down = history.filter(({ timeS }) => timeS > lyingS && timeS < upS)
          expect(down.every(({ activity, pelvisZ }) => activity === "lying" && pelvisZ < 0.3)).toBe(true)
          const known = history.filter(({ fallImpactS }) => fallImpactS !== null)
          expect([known[0]!.timeS, known.length]).toEqual([lostS, Math.round((upS - lostS) * 100)])
          const risenS = first(history, "standing", upS)
          expect(risenS - upS).toBeLessThan(8)
          const knees = history.filter(({ timeS }) => timeS > upS && timeS < upS + 12).map(({ pelvisZ }) => pelvisZ)
          expect(knees.filter((z) => z > 0.36 && z < 0.62).length).toBeGreaterThan(60)
          expect(history[history.length - 1]!.pelvisZ).toBeGreaterThan(0.75)
        }
        for (const seconds of lasted) {
          expect(seconds).toBeGreaterThan(0.44)
          expect(seconds).toBeLessThan(1.01)
        }
        expect(new Set(lasted.map((seconds) => seconds.toFixed(2))).size).toBeGreaterThan(2)
      })
    }
  }

  it("ends in the given direction", () => {
    const turn = { forward: 0, backward: Math.PI, left: Math.PI / 2, right: -Math.PI / 2 }
    for (const direction of fallDirections) {
      const person = doing([{ do: "fall", seconds: 10, recover: true, direction }], gym, 3)
      let heading = 0
      watch(person, 60, 50, ({ activity, headingRad }) => {
        if (activity === "lying") return true
        if (activity !== "falling") heading = headingRad
        return false
      })
      const { neck, pelvis } = person.posture
      const toHead = Math.atan2(neck[1]! - pelvis[1]!, neck[0]! - pelvis[0]!)
      expect(Math.abs(wrapAngle(toHead - heading - turn[direction])), direction).toBeLessThan(0.5)
    }
  })

  it("without recovery never ends", () => {
    const history = historyOf([{ do: "fall", seconds: 6, recover: false }, { do: "walk", to: [1, 1] }], 2, 120)
    expect(history[history.length - 1]!.activity).toBe("lying")
    expect(history[history.length - 1]!.fallImpactS).not.toBeNull()
  })
})

describe("hard negatives", () => {
  const acts: ReadonlyArray<Step> = [
    { do: "sit-fast" },
    { do: "drop-to-floor" },
    { do: "pick-up" },
    { do: "kneel", seconds: 3 },
    { do: "jump" },
  ]
  const harmless = new Set(["walking", "standing", "sitting"])

  it("are never labelled as falls, and none lies down", () => {
    for (const act of acts) {
      for (const seed of [1, 2, 3]) {
        const history = historyOf([act, { do: "stand", seconds: 3 }], seed, 30)
        expect(new Set(history.map(({ activity }) => activity)).isSubsetOf(harmless), act.do).toBe(true)
        expect(history.every(({ fallImpactS }) => fallImpactS === null), act.do).toBe(true)
      }
    }
  })

  const lowest = (act: Step, seed: number): number =>
    Math.min(...historyOf([act], seed, 25).map(({ pelvisZ }) => pelvisZ))

  it("go down as far and as fast as in reality", () => {
    for (const seed of [1, 2, 3]) {
      expect(lowest({ do: "drop-to-floor" }, seed)).toBeLessThan(0.12)
      expect(lowest({ do: "kneel", seconds: 3 }, seed)).toBeLessThan(0.55)
      expect(lowest({ do: "kneel", seconds: 3 }, seed)).toBeGreaterThan(0.35)
      expect(plunge(historyOf([{ do: "drop-to-floor" }], seed, 25))).toBeGreaterThan(0.9)
      expect(plunge(historyOf([{ do: "sit-fast" }], seed, 25))).toBeGreaterThan(0.7)
      expect(plunge(historyOf([{ do: "sit", seconds: 9 }], seed, 25))).toBeLessThan(0.72)
    }
  })

  it("include jumps off the floor, and hands that reach it", () => {
    for (const seed of [1, 2, 3]) {
      const jumper = doing([{ do: "jump" }], gym, seed)
      const picker = doing([{ do: "pick-up" }], gym, seed)
      let flight = 0
      let lowestHand = 9
      watch(jumper, 12, 100, () => {
        const z = ["left_ankle", "right_ankle"].map((name) =>
          pointOf(jumper.posture.keypoints, indexOf(name as "left_ankle"))[2]
        )
        if (Math.min(...z) > 0.14) flight++
      })
      watch(picker, 12, 50, () => {
        lowestHand = Math.min(lowestHand, pointOf(picker.posture.keypoints, indexOf("right_wrist"))[2])
      })
      expect(flight / 100).toBeGreaterThan(0.1)
      expect(flight / 100).toBeLessThan(0.6)
      expect(lowestHand).toBeLessThan(0.42)
    }
  })
})

describe("sitting", () => {
  it("has the hips on the seat, faces away from its back, and takes a realistic time", () => {
    for (const seatId of ["sofa", "chair"]) {
      for (const seed of [1, 2, 3]) {
        const seat = home.seats.find((each) => each.seatId === seatId)!
        const person = doing([{ do: "sit", seat: seatId, seconds: 20 }, { do: "stand", seconds: 10 }], home, seed)
        const standingZ = person.at(0) && person.posture.pelvis[2]!
        let leftS = 0
        const settledS = watch(person, 60, 100, ({ activity }, timeS) => {
          if (person.posture.pelvis[2]! > standingZ - 0.03) leftS = timeS
          return activity === "sitting" &&
            Math.abs(person.posture.pelvis[2]! - seat.heightM - seatedHipM({ girth: 1.05 } as never)) < 1e-3
        })
        expect(settledS - leftS).toBeLessThan(2.5)
        expect(settledS - leftS).toBeGreaterThan(0.7)
        const state = person.at(settledS + 1)
        expect(Math.hypot(state.x - seat.place[0], state.y - seat.place[1])).toBeLessThan(1e-3)
        expect(Math.abs(wrapAngle(state.headingRad - seat.facingRad))).toBeLessThan(1e-3)
        // Thighs about level, feet on the floor in front.
        const [hip, knee, ankle] = (["left_hip", "left_knee", "left_ankle"] as const).map((name) =>
          pointOf(person.posture.keypoints, indexOf(name))
        )
        expect(Math.abs(hip![2] - knee![2])).toBeLessThan(0.15)
        expect(ankle![2]).toBeLessThan(0.09)
        expect(distance(knee!.slice(0, 2), ankle!.slice(0, 2))).toBeLessThan(0.2)
        let risesS = 0
        const rosenS = watchFrom(person, settledS + 1, 50, ({ pelvisZ, timeS }) => {
          if (pelvisZ < seat.heightM + 0.12) risesS = timeS
          return pelvisZ > standingZ - 0.02
        })
        expect(rosenS - risesS).toBeLessThan(2.5)
        expect(rosenS - risesS).toBeGreaterThan(0.4)
      }
    }
  })

  it("continues when repeated, with a gesture", () => {
    const person = doing(
      [{ do: "sit", seat: "chair", seconds: 5 }, { do: "sit", seconds: 30, gesture: "talk" }],
      home,
      4,
    )
    const seatedS = watch(person, 60, 20, ({ activity }) => activity === "sitting")
    let away = 0
    watchFrom(person, seatedS + 3, 30, ({ activity }) => {
      if (activity !== "sitting") away++
      return false
    })
    expect(away).toBe(0)
  })
})

const watchFrom = (
  person: ReturnType<typeof doing>,
  fromS: number,
  seconds: number,
  look: (moment: Moment) => boolean,
): number => {
  for (let i = 0; i <= seconds * 100; i++) {
    const timeS = fromS + i / 100
    const { activity, fallImpactS } = person.at(timeS)
    if (look({ timeS, activity, fallImpactS, pelvisZ: person.posture.pelvis[2]! })) return timeS
  }
  return Number.NaN
}

describe("lying in bed", () => {
  it("is on the bed with the head at its head, after sitting on its edge, and ends on the feet beside it", () => {
    const bed = home.beds[0]!
    for (const seed of [1, 2, 3]) {
      const person = doing([{ do: "lie", bed: "bed", seconds: 400 }, { do: "stand", seconds: 20 }], home, seed)
      const satS = watch(person, 60, 50, ({ activity }) => activity === "sitting")
      const lyingS = watchFrom(person, satS, 60, ({ activity }) => activity === "lying")
      expect(lyingS - satS).toBeGreaterThan(1)
      let turns = 0
      let lowest = 9
      let outside = 0
      let last = 0
      let isOther = 0
      for (let timeS = lyingS + 4; timeS < lyingS + 380; timeS += 0.1) {
        const { activity } = person.at(timeS)
        const { keypoints, neck, pelvis } = person.posture
        if (Math.abs(pelvis[2]! - last) > 0.004) turns++
        last = pelvis[2]!
        if (activity !== "lying" || neck[0]! < pelvis[0]! + 0.4) isOther++
        for (let i = 0; i < 17; i++) {
          const [x, y, z] = pointOf(keypoints, i)
          lowest = Math.min(lowest, z - bed.heightM)
          const isOff = Math.abs(x - bed.place[0]) > bed.lengthM / 2 ||
            Math.abs(y - bed.place[1]) > bed.widthM / 2 + 0.15
          if (isOff) outside++
        }
      }
      expect(isOther).toBe(0)
      expect(turns).toBeGreaterThan(0)
      expect(lowest).toBeGreaterThan(0)
      expect(outside).toBe(0)
      const upS = watchFrom(
        person,
        lyingS + 380,
        60,
        ({ activity, pelvisZ }) => activity === "standing" && pelvisZ > 0.85,
      )
      expect(upS).toBeGreaterThan(0)
    }
  })
})

describe("gestures", () => {
  it("move the hands and leave the feet where they are", () => {
    for (const gesture of gestures) {
      const person = doing([{ do: "walk", to: [3, 3] }, { do: "stand", seconds: 40, gesture }], hall(6, 6), 5)
      person.at(12)
      const feet = ["left_ankle", "right_ankle"].map((name) =>
        pointOf(person.posture.keypoints, indexOf(name as "left_ankle"))
      )
      let reached = 0
      let slid = 0
      const hand = pointOf(person.posture.keypoints, indexOf("right_wrist"))
      watchFrom(person, 12, 22, () => {
        const points = person.posture.keypoints
        reached = Math.max(
          reached,
          distance(pointOf(points, indexOf("right_wrist")), hand),
          distance(pointOf(points, indexOf("left_wrist")), pointOf(points, indexOf("left_hip"))) - 0.2,
        )
        for (const [i, name] of (["left_ankle", "right_ankle"] as const).entries()) {
          slid = Math.max(slid, distance(pointOf(points, indexOf(name)), feet[i]!))
        }
        return false
      })
      expect(reached, gesture).toBeGreaterThan(0.15)
      expect(slid, gesture).toBeLessThan(0.005)
    }
  })
})
