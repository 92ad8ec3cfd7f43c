import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { valuesPerFrame } from "../../core/formats/csi-batch.ts"
import { decodeScenario, InvalidScenario, type Scenario } from "../../sim/scenario.ts"
import { createSimulation, type SimulatedHop } from "../../sim/simulation.ts"
import smallRoom from "../../sim/scenarios/small-room.json" with { type: "json" }

const scenario = Effect.runSync(decodeScenario(smallRoom))
const startUs = 1_700_000_000_000_000

const hopsOf = (given: Scenario, seed: number, count: number): ReadonlyArray<SimulatedHop> => {
  const simulation = createSimulation(given, { startUs, seed })
  return Array.from({ length: count }, () => simulation.next())
}

const csiOf = (hops: ReadonlyArray<SimulatedHop>): ReadonlyArray<number> =>
  hops.flatMap(({ batches }) => batches.flatMap(({ csi, timestampsUs }) => [...csi, ...timestampsUs]))

/** The small room with the person in it from the start. */
const occupied: Scenario = { ...scenario, emptySeconds: 0 }

describe("a simulation", () => {
  it("gives the same bytes for the same seed, and others for another", () => {
    expect(csiOf(hopsOf(occupied, 5, 4))).toEqual(csiOf(hopsOf(occupied, 5, 4)))
    expect(csiOf(hopsOf(occupied, 5, 4))).not.toEqual(csiOf(hopsOf(occupied, 6, 4)))
  })

  it("walks the same way whatever the radio does", () => {
    const other: Scenario = {
      ...occupied,
      radio: { ...occupied.radio, packetRateHz: 11, receiveAntennas: 1 },
      impairments: { ...occupied.impairments, snrDb: 10 },
    }
    const path = (hops: ReadonlyArray<SimulatedHop>) => hops.map(({ bodies }) => bodies[0]!.position)
    const one = path(hopsOf(occupied, 5, 20))
    for (const [hop, position] of path(hopsOf(other, 5, 20)).entries()) {
      expect(position[0]).toBeCloseTo(one[hop]![0], 9)
      expect(position[1]).toBeCloseTo(one[hop]![1], 9)
    }
  })

  it("gives consistent batches of every router", () => {
    const lossless: Scenario = { ...occupied, impairments: { ...occupied.impairments, lossRate: 0 } }
    const hops = hopsOf(lossless, 1, 10)
    for (const [h, hop] of hops.entries()) {
      expect(hop.endUs).toBe(startUs + (h + 1) * 100_000)
      expect(hop.batches.map(({ routerId }) => routerId)).toEqual(scenario.nodes.map(({ nodeId }) => nodeId))
      for (const batch of hop.batches) {
        expect(batch.source).toBe("simulated")
        expect(batch.layout.format).toBe("simulated")
        expect(batch.layout.subcarrierIndices).toHaveLength(56)
        expect(batch.batchSequence).toBe(h + 1)
        expect(batch.csi).toHaveLength(2 * batch.frameCount * valuesPerFrame(batch.layout))
        expect(batch.csi.every((value) => Number.isInteger(value) && Math.abs(value) <= 127)).toBe(true)
        expect(batch.csi.some((value) => Math.abs(value) > 10)).toBe(true)
        const times = [...batch.timestampsUs]
        expect(times).toEqual([...times].sort((a, b) => a - b))
        expect(times.every((time) => time >= hop.endUs - 100_000 && time < hop.endUs)).toBe(true)
        const senders = new Set(Array.from(batch.transmitterIndex, (index) => batch.transmitterIds[index]))
        expect(senders.size).toBe(scenario.nodes.length - 1)
        expect(senders.has(batch.routerId)).toBe(false)
      }
    }
  })

  it("loses the packets that the scenario says, and counts them", () => {
    const lossy: Scenario = { ...occupied, impairments: { ...occupied.impairments, lossRate: 0.2, burstPackets: 3 } }
    const batches = hopsOf(lossy, 1, 100).flatMap((hop) => hop.batches)
    for (const { nodeId } of scenario.nodes) {
      const sequences = batches.filter(({ routerId }) => routerId === nodeId).flatMap((batch) => [...batch.sequences])
      const sent = sequences.at(-1)!
      expect(sent).toBeGreaterThan(1200)
      // Bursts of three widen the spread of the binomial share; 0.06 is more than four standard deviations.
      expect(Math.abs(1 - sequences.length / sent - 0.2)).toBeLessThan(0.06)
    }
  })

  it("keeps the room empty at first, then lets the body in", () => {
    const late: Scenario = { ...scenario, emptySeconds: 1 }
    const bodies = hopsOf(late, 1, 40).map((hop) => hop.bodies.length)
    expect(bodies.slice(0, 9)).toEqual(new Array(9).fill(0))
    expect(bodies.slice(10)).toEqual(new Array(30).fill(1))
    const inside = hopsOf(late, 1, 40).flatMap((hop) => hop.bodies)
    expect(inside.some(({ activity }) => activity === "walking")).toBe(true)
    for (const { keypoints, position, activity, speedMps } of inside) {
      expect(keypoints).toHaveLength(17)
      expect((keypoints[11]![0] + keypoints[12]![0]) / 2).toBeCloseTo(position[0], 9)
      expect((keypoints[11]![1] + keypoints[12]![1]) / 2).toBeCloseTo(position[1], 9)
      expect(activity === "walking").toBe(speedMps > 0.1)
    }
    expect(hopsOf({ ...scenario, bodies: [] }, 1, 70).every((hop) => hop.bodies.length === 0)).toBe(true)
  })
})

describe("a scenario", () => {
  type Json = typeof smallRoom
  const refusal = (change: (scenario: Json) => object): string => {
    const error = Effect.runSync(Effect.flip(decodeScenario(change(smallRoom))))
    expect(error).toBeInstanceOf(InvalidScenario)
    return error.message
  }
  const [first, second, ...others] = smallRoom.nodes
  const withSecond = (change: object) => (s: Json) => ({ ...s, nodes: [first, { ...second, ...change }, ...others] })

  it("says what is wrong with it", () => {
    expect(refusal(withSecond({ nodeId: "sim-1" }))).toContain("occurs twice")
    expect(refusal(withSecond({ position: [9, 0, 1] }))).toContain("outside the room")
    expect(refusal(withSecond({ arrayAxis: [1, 1, 0] }))).toContain("must be 1")
    expect(refusal(withSecond({ position: [0.1, 1.2, 1.2] }))).toContain("nearer than 0.3 m")
    expect(refusal((s) => ({ ...s, bodies: [{ ...s.bodies[0], pauseS: [2, 1] }] }))).toContain("pauseS")
    expect(refusal((s) => ({ ...s, radio: { ...s.radio, bandwidthMhz: 30 } }))).toContain("bandwidthMhz")
    expect(refusal((s) => ({ ...s, room: { ...s.room, walls: "paper" } }))).toContain("walls")
    expect(refusal(({ seed: _seed, ...rest }) => rest)).toContain("seed")
  })
})
