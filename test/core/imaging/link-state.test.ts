import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Vector3 } from "../../../core/imaging/geometry.ts"
import { createGrid } from "../../../core/imaging/grid.ts"
import { inner, outsideOf } from "../../../core/imaging/hermitian.ts"
import { createLinkState, layoutOf, writeCells } from "../../../core/imaging/link-state.ts"
import { bearingOf, placeOf, steeringVector, timesFrequency } from "../../../core/imaging/steering.ts"
import { antennas, centerFrequencyHz, distanceM, fourNodes, observationsOf, tonesHz } from "../../harness/echoes.ts"

const [transmitter, receiver] = [fourNodes.nodes[0]!, fourNodes.nodes[2]!]
const grid = createGrid(fourNodes)
const observation = observationsOf({ points: [] }, fourNodes.nodes, 0)[2]!
const stateOf = (given = observation, ends = { transmitter, receiver }) =>
  createLinkState(fourNodes, grid, ends, given, 10)
const state = stateOf()

const place: fc.Arbitrary<Vector3> = fc.tuple(
  fc.double({ min: 0.3, max: 5.7, noNaN: true }),
  fc.double({ min: 0.3, max: 4.7, noNaN: true }),
  fc.constant(1),
)

describe("the state of a link", () => {
  it("writes the path, angle and range law of each point", () => {
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 5 }), fc.nat(3), (points, before) => {
        const out = new Float32Array(4 * (points.length + before)).fill(9)
        writeCells(state, points, out, 4 * before)
        expect(out.subarray(0, 4 * before).every((value) => value === 9)).toBe(true)
        for (const [i, point] of points.entries()) {
          const d0 = distanceM(transmitter.position, receiver.position)
          const d1 = distanceM(transmitter.position, point)
          const d2 = distanceM(point, receiver.position)
          const cosArrival = (point[1] - receiver.position[1]) / d2
          const [path, re, im, law] = out.subarray(4 * (before + i))
          expect(path).toBeCloseTo((d1 + d2 - d0) / 0.25, 4)
          expect(re).toBeCloseTo(Math.cos(Math.PI * cosArrival), 5)
          expect(im).toBeCloseTo(-Math.sin(Math.PI * cosArrival), 5)
          expect(law).toBeCloseTo(2 * Math.log((d1 * d2) / d0), 5)
        }
      }),
      { seed: 1 },
    )
  })

  it("has the cells of the whole grid from the start", () => {
    const cells = new Float32Array(4 * grid.points.length)
    writeCells(state, grid.points, cells, 0)
    expect(state.gridCells).toEqual(cells)
  })

  it("stays finite for a point at a node, and for two nodes at one place", () => {
    const both = stateOf(observation, { transmitter, receiver: { ...receiver, position: transmitter.position } })
    const out = new Float32Array(8)
    writeCells(state, [transmitter.position], out, 0)
    writeCells(both, [transmitter.position], out, 4)
    expect(out.every(Number.isFinite)).toBe(true)
    expect(both.directM).toBe(0.1)
  })

  it("keeps nothing along the directions of alignment: the line of sight and a shift of its delay", () => {
    const { cosArrival } = bearingOf(state.steering, transmitter.position)
    const direct = steeringVector(state.steering, { excessM: 0, cosArrival })
    for (const fitted of [direct, timesFrequency(state.steering, direct)]) {
      const left = outsideOf(state.aligned, fitted)
      expect(inner(left, left)[0] / inner(fitted, fitted)[0]).toBeLessThan(1e-12)
    }
    expect(state.aligned).toHaveLength(2)
  })

  it("keeps the component of any other direction outside these, idempotently", () => {
    fc.assert(
      fc.property(place, (point) => {
        const vector = steeringVector(state.steering, bearingOf(state.steering, point))
        const left = outsideOf(state.aligned, vector)
        const again = outsideOf(state.aligned, left)
        for (let i = 0; i < left.length; i++) expect(again[i]).toBeCloseTo(left[i]!, 12)
        const taken = state.aligned.reduce((sum, u) => {
          const [re, im] = inner(u, vector)
          return sum + re * re + im * im
        }, 0)
        expect(inner(left, left)[0]).toBeCloseTo(1 - taken, 12)
      }),
      { seed: 2 },
    )
  })

  it("tabulates the remaining energy of each path and angle", () => {
    const { antennas: n, vectors } = state.steering
    for (const [entry, cosArrival] of [[0, 0.3], [7, -0.6], [vectors.length - 1, 0.9]] as const) {
      const left = outsideOf(state.aligned, steeringVector(state.steering, { excessM: entry * 0.25, cosArrival }))
      const row = state.freeTable.subarray(entry * (2 * n - 1), (entry + 1) * (2 * n - 1))
      let energy = row[0]!
      for (let lag = 1; lag < n; lag++) {
        const phase = -Math.PI * lag * cosArrival
        energy += 2 * (row[2 * lag - 1]! * Math.cos(phase) - row[2 * lag]! * Math.sin(phase))
      }
      expect(energy / n).toBeCloseTo(inner(left, left)[0], 9)
    }
  })

  it("covers every path of the room with its table", () => {
    for (const x of [0, 6]) {
      for (const y of [0, 5]) {
        const { excessM } = bearingOf(state.steering, [x, y, 2.7])
        expect(placeOf(state.steering, excessM)).toBeCloseTo(excessM / 0.25, 9)
      }
    }
  })

  it("has a layout key of the properties that its arrays depend on, and no others", () => {
    const layout = layoutOf(observation)
    expect(layoutOf({ ...observation, hop: 9, calibrated: false, links: [], packetLoss: 0.1 })).toBe(layout)
    expect(layoutOf({ ...observation, receiveAntennas: 2 })).not.toBe(layout)
    expect(layoutOf({ ...observation, centerFrequencyHz: 2.442e9 })).not.toBe(layout)
    expect(layoutOf({ ...observation, tonesHz: tonesHz.map((hz) => hz + 1) })).not.toBe(layout)
    expect(state.layout).toBe(layout)
  })

  it("sizes its window by antennas and frequency", () => {
    const fast = stateOf({ ...observation, centerFrequencyHz: 5.5e9, receiveAntennas: 2 })
    expect(fast.window.size).toBe(2 * fast.window.basis.size)
    expect(state.window.size).toBe(antennas * state.window.basis.size)
    expect(state.window.samplesPerHop).toBe(5)
    expect(fast.window.samplesPerHop).toBe(10)
    expect(state.plan.binMps * centerFrequencyHz).toBeCloseTo((50 / 64) * 299_792_458, 0)
  })
})
