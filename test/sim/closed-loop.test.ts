/**
 * The chain in a closed loop: simulated CSI through sanitisation, imaging and tracking, against the simulator's truth.
 * What it shows holds for simulated rooms only.
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Vector3 } from "../../core/imaging/geometry.ts"
import { createMatchedField, type RoomImage } from "../../core/imaging/matched-field.ts"
import { placeSkeleton } from "../../core/pose/place.ts"
import { hopOf } from "../../core/signal/observation.ts"
import { Reducer } from "../../core/signal/reduce.ts"
import { associate } from "../../core/tracking/association.ts"
import { beginMotion, type MotionState, predictMotion, updateMotion } from "../../core/tracking/kalman.ts"
import { decodeScenario, geometryOf, type Scenario } from "../../sim/scenario.ts"
import smallRoom from "../../sim/scenarios/small-room.json" with { type: "json" }
import { type BodyTruth, createSimulation } from "../../sim/simulation.ts"
import { compute } from "../harness/compute.ts"

const scenario = Effect.runSync(decodeScenario(smallRoom))
const startUs = 1_700_000_000_000_000
const calibrationUs = 5_000_000
const hopS = 0.1

interface Hop {
  readonly image: RoomImage
  readonly bodies: ReadonlyArray<BodyTruth>
}

/** Images and truth of `seconds` of a scenario; its routers calibrate in the first five seconds. */
const run = (given: Scenario, seed: number, seconds: number): ReadonlyArray<Hop> => {
  const simulation = createSimulation(given, { startUs, seed })
  const field = createMatchedField(geometryOf(given))
  const reducers = new Map(given.nodes.map(({ nodeId }) => {
    const reducer = new Reducer(nodeId)
    reducer.startCalibration("empty", calibrationUs)
    return [nodeId, reducer]
  }))
  return Array.from({ length: seconds * 10 }, () => {
    const { batches, bodies, endUs } = simulation.next()
    const observations = batches.flatMap((batch) => {
      const reducer = reducers.get(batch.routerId)!
      return [...reducer.push(batch), ...reducer.flush(endUs)]
    })
    return { image: compute(field.image(hopOf(endUs) - 1, observations)), bodies }
  })
}

/** The present state of the one track of a run, hop by hop; null before it began. */
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
    const then = hops[h - Math.round(image.lagS / hopS)]!.bodies[0]!
    return image.detections.slice(0, 1).map(({ x, y }) => Math.hypot(x - then.position[0], y - then.position[1]))
  })

const quantile = (values: ReadonlyArray<number>, part: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(part * values.length)]!

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

const seeds = [1, 2, 3]
const emptyHops = scenario.emptySeconds * 10

describe("the chain from simulated CSI to a skeleton", () => {
  const runs = seeds.map((seed) => run(scenario, seed, scenario.emptySeconds + 20))

  it("detects nobody in the empty phase, and nobody in an empty room for a minute", () => {
    for (const hops of runs) {
      expect(hops.slice(0, emptyHops).every(({ image }) => image.detections.length === 0)).toBe(true)
    }
    const empty = run({ ...scenario, bodies: [] }, 4, 60)
    expect(empty.every(({ image }) => image.detections.length === 0)).toBe(true)
    expect(empty.at(-1)!.image.linksUsed).toBe(30)
  }, 30_000)

  it.each(seeds)("locates a walker, seed %i", (seed) => {
    const hops = runs[seeds.indexOf(seed)]!
    // A second after it came in, the windows show nothing but the walk.
    const walk = hops.map((_, h) => h).slice(emptyHops + 10)
    const errors = errorsOf(hops, walk)
    // Measured: medians of 0.10 to 0.12 m, detections in 0.9 of the hops (the rest are pauses).
    expect(errors.length / walk.length).toBeGreaterThan(0.75)
    expect(quantile(errors, 0.5)).toBeLessThan(0.3)
    expect(quantile(errors, 0.9)).toBeLessThan(0.6)
    expect(walk.filter((h) => hops[h]!.image.detections.length > 1).length / walk.length).toBeLessThan(0.05)

    const states = track(hops)
    const now = walk.map((h) => {
      const truth = hops[h]!.bodies[0]!
      return Math.hypot(states[h]!.x - truth.position[0], states[h]!.y - truth.position[1])
    })
    // Measured: medians of 0.19 to 0.22 m; the middle of the window is half a second old, and walkers turn.
    expect(quantile(now, 0.5)).toBeLessThan(0.45)
  })

  it("knows its own errors: the filter's variance and the keypoints' confidence", () => {
    const consistency: Array<number> = []
    const confidences: Array<number> = []
    const hits: Array<number> = []
    for (const hops of runs) {
      for (const [h, state] of track(hops).entries()) {
        if (state === null || h < emptyHops + 10) continue
        const truth = hops[h]!.bodies[0]!
        const squared = (state.x - truth.position[0]) ** 2 + (state.y - truth.position[1]) ** 2
        consistency.push(squared / (2 * state.positionVariance))
        for (const [i, { x, y, z, confidence }] of placeSkeleton(state).entries()) {
          const [truthX, truthY, truthZ] = truth.keypoints[i]!
          confidences.push(confidence)
          hits.push(Math.hypot(x - truthX, y - truthY, z - truthZ) < 0.3 ? 1 : 0)
        }
      }
    }
    // Measured: 0.5, and 0.35 against 0.62: careful in this room, since other rooms are harder.
    expect(mean(consistency)).toBeGreaterThan(0.2)
    expect(mean(consistency)).toBeLessThan(1.5)
    expect(mean(confidences)).toBeLessThan(mean(hits) + 0.1)
    expect(mean(confidences)).toBeGreaterThan(0.2)
  })

  it("locates a taller walker in another room with four nodes, brick walls and more furniture", () => {
    const at = (nodeId: string, position: Vector3, arrayAxis: Vector3) => ({ nodeId, position, arrayAxis })
    const other: Scenario = {
      ...scenario,
      room: { size: [8, 4, 2.6], walls: "brick", floor: "wood", ceiling: "concrete", furniture: 10 },
      nodes: [
        at("a", [0.1, 0.6, 0.8], [0, 1, 0]),
        at("b", [3.1, 3.9, 1.8], [1, 0, 0]),
        at("c", [7.9, 2.6, 1.2], [0, 1, 0]),
        at("d", [5.6, 0.1, 0.6], [1, 0, 0]),
      ],
      bodies: [{ ...scenario.bodies[0]!, heightM: 1.82 }],
    }
    const hops = run(other, 22, scenario.emptySeconds + 20)
    expect(hops.slice(0, emptyHops).every(({ image }) => image.detections.length === 0)).toBe(true)
    const errors = errorsOf(hops, hops.map((_, h) => h).slice(emptyHops + 10))
    expect(errors.length).toBeGreaterThan(140)
    // Measured: 0.15 m; 0.15 to 0.33 m over five seeds.
    expect(quantile(errors, 0.5)).toBeLessThan(0.5)
  })
})
