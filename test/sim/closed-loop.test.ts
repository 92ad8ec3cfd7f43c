/**
 * The chain in a closed loop: simulated CSI through sanitisation, imaging and tracking, against the simulator's truth.
 * What it shows holds for simulated rooms only.
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Vector3 } from "../../core/imaging/geometry.ts"
import { createMatchedField, type RoomImage } from "../../core/imaging/matched-field.ts"
import { placeSkeleton } from "../../core/pose/place.ts"
import { hopOf } from "../../core/observation/observation.ts"
import { associate } from "../../core/tracking/association.ts"
import { beginMotion, type MotionState, predictMotion, updateMotion } from "../../core/tracking/kalman.ts"
import { decodeScenario, geometryOf, type Scenario } from "../../sim/scenario/scenario.ts"
import smallRoom from "../../sim/scenarios/small-room.json" with { type: "json" }
import { createReception } from "../../sim/simulation/reception.ts"
import { createSimulation, type PersonTruth } from "../../sim/simulation/simulation.ts"
import { compute } from "../harness/compute.ts"

const scenario = Effect.runSync(decodeScenario(smallRoom))
const startUs = 1_700_000_000_000_000
const calibrationUs = 5_000_000
const hopS = 0.1

interface Hop {
  readonly image: RoomImage
  /** Null while the room is empty. */
  readonly body: { readonly location: readonly [number, number]; readonly keypoints: PersonTruth["keypoints"] } | null
}

/** The one room of a scenario. */
const roomOf = ({ rooms }: Scenario) => rooms[0]!

const bodyOf = ([person]: ReadonlyArray<PersonTruth>): Hop["body"] =>
  person === undefined || person.location === null ? null : { location: person.location, keypoints: person.keypoints }

/** Images and truth of `seconds` of a scenario; its routers calibrate in the first five seconds. */
const run = (given: Scenario, seed: number, seconds: number): ReadonlyArray<Hop> => {
  const simulation = createSimulation(given, { startUs, seed })
  const { environmentId, nodes } = roomOf(given)
  const field = createMatchedField(geometryOf({ ...given, seed }, environmentId))
  const reception = createReception(nodes.map(({ nodeId }) => nodeId), calibrationUs)
  return Array.from({ length: seconds * 10 }, () => {
    const { batches, endUs, truth } = simulation.next()
    return { image: compute(field.image(hopOf(endUs) - 1, reception.take(batches, endUs))), body: bodyOf(truth) }
  })
}

/** The state of the only track of a run, hop by hop; null before it began. */
const track = (hops: ReadonlyArray<Hop>): ReadonlyArray<MotionState | null> => {
  let state: MotionState | null = null
  return hops.map(({ image }) => {
    const before: MotionState | null = state === null ? null : predictMotion(state, hopS)
    state = before
    const detection = before === null
      ? image.detections[0]
      : image.detections[associate([before], image.detections).detectionOfTrack[0] ?? -1]
    if (detection !== undefined) state = before === null ? beginMotion(detection) : updateMotion(before, detection)
    return state === null ? null : predictMotion(state, image.lagS)
  })
}

/** Distance of the first detection to the body at the middle of the window, for those hops that have one. */
const errorsOf = (hops: ReadonlyArray<Hop>, among: ReadonlyArray<number>): ReadonlyArray<number> =>
  among.flatMap((h) => {
    const { image } = hops[h]!
    const then = hops[h - Math.round(image.lagS / hopS)]!.body
    if (then === null) return []
    return image.detections.slice(0, 1).map(({ x, y }) => Math.hypot(x - then.location[0], y - then.location[1]))
  })

const quantile = (values: ReadonlyArray<number>, part: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(part * values.length)]!

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

const seeds = [1, 2, 3]
const emptyHops = scenario.emptySeconds * 10
/** A person is 1.5 m before the door when the empty phase ends; a second later the windows contain only the walk inside. */
const insideHops = emptyHops + 30

describe("the chain from simulated CSI to a skeleton", () => {
  const runs = seeds.map((seed) => run(scenario, seed, scenario.emptySeconds + 20))

  it("detects no person in the empty phase, and none in an empty room for half a minute", () => {
    for (const hops of runs) {
      expect(hops.slice(0, emptyHops).every(({ image }) => image.detections.length === 0)).toBe(true)
    }
    const empty = run({ ...scenario, persons: [] }, 4, 30)
    expect(empty.every(({ image }) => image.detections.length === 0)).toBe(true)
    expect(empty.at(-1)!.image.linksUsed).toBe(30)
  }, 30_000)

  it.each(seeds)("locates a walker, seed %i", (seed) => {
    const hops = runs[seeds.indexOf(seed)]!
    const walk = hops.map((_, h) => h).slice(insideHops)
    const errors = errorsOf(hops, walk)
    // Measured: medians of 0.19 to 0.23 m, 9 of 10 below 0.29 to 0.38 m, detections in all hops. Without survey errors the
    // medians are 0.13 to 0.17 m.
    expect(errors.length / walk.length).toBeGreaterThan(0.75)
    expect(quantile(errors, 0.5)).toBeLessThan(0.3)
    expect(quantile(errors, 0.9)).toBeLessThan(0.6)
    expect(walk.filter((h) => hops[h]!.image.detections.length > 1).length / walk.length).toBeLessThan(0.05)

    const states = track(hops)
    const now = walk.map((h) => {
      const truth = hops[h]!.body!
      return Math.hypot(states[h]!.x - truth.location[0], states[h]!.y - truth.location[1])
    })
    // Measured: medians of 0.23 to 0.27 m; the middle of the window is half a second old, and walkers turn.
    expect(quantile(now, 0.5)).toBeLessThan(0.45)
  })

  it("estimates its own errors: the filter's variance and the keypoints' confidence", () => {
    const consistency: Array<number> = []
    const confidences: Array<number> = []
    const hits: Array<number> = []
    for (const hops of runs) {
      for (const [h, state] of track(hops).entries()) {
        if (state === null || h < insideHops) continue
        const truth = hops[h]!.body!
        const squared = (state.x - truth.location[0]) ** 2 + (state.y - truth.location[1]) ** 2
        consistency.push(squared / (2 * state.positionVariance))
        for (const [i, { x, y, z, confidence }] of placeSkeleton(state).entries()) {
          const [truthX, truthY, truthZ] = truth.keypoints[i]!
          confidences.push(confidence)
          hits.push(Math.hypot(x - truthX, y - truthY, z - truthZ) < 0.3 ? 1 : 0)
        }
      }
    }
    // Measured: 0.7, and 0.34 against 0.51: careful in this room, since other rooms are harder.
    expect(mean(consistency)).toBeGreaterThan(0.2)
    expect(mean(consistency)).toBeLessThan(1.5)
    expect(mean(confidences)).toBeLessThan(mean(hits) + 0.1)
    expect(mean(confidences)).toBeGreaterThan(0.2)
  })

  it("locates a taller walker in another room with four nodes, brick walls and more furniture", () => {
    const at = (nodeId: string, position: Vector3, arrayAxis: Vector3) => ({ nodeId, position, arrayAxis })
    const other: Scenario = {
      ...scenario,
      rooms: [{
        ...roomOf(scenario),
        size: [8, 4, 2.6],
        surfaces: { west: "brick", east: "brick", south: "brick", north: "brick", floor: "wood", ceiling: "concrete" },
        furniture: 10,
        nodes: [
          at("a", [0.1, 0.6, 0.8], [0, 1, 0]),
          at("b", [3.1, 3.9, 1.8], [1, 0, 0]),
          at("c", [7.9, 2.6, 1.2], [0, 1, 0]),
          at("d", [5.6, 0.1, 0.6], [1, 0, 0]),
        ],
      }],
      persons: [{ ...scenario.persons[0]!, heightM: 1.82 }],
    }
    const hops = run(other, 22, scenario.emptySeconds + 20)
    expect(hops.slice(0, emptyHops).every(({ image }) => image.detections.length === 0)).toBe(true)
    const errors = errorsOf(hops, hops.map((_, h) => h).slice(insideHops))
    expect(errors.length).toBeGreaterThan(140)
    // Measured: 0.40 m with four nodes.
    expect(quantile(errors, 0.5)).toBeLessThan(0.6)
  }, 30_000)
})
