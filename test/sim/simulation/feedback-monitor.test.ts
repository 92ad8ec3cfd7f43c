/** The simulated monitor: reports are those of the standard, and the service finds presence and breathing in them. */
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import type { CsiBatch } from "../../../core/formats/csi-batch.ts"
import { decodeScenario, InvalidScenario } from "../../../sim/scenario/scenario.ts"
import { writeFeedback } from "../../../sim/simulation/feedback-monitor.ts"
import { createSimulation } from "../../../sim/simulation/simulation.ts"

const scenario = JSON.parse(readFileSync(new URL("../../../sim/scenarios/living-room.json", import.meta.url), "utf8"))
const decode = (monitor: object) =>
  decodeScenario({ ...scenario, rooms: [{ ...scenario.rooms[0], feedbackMonitor: monitor }] })
const own = scenario.rooms[0].feedbackMonitor

const feedbackOf = (csi: ReadonlyArray<number>): ReadonlyArray<number> => {
  const into = new Float32Array(csi.length)
  writeFeedback(csi, 0, csi.length / 2, 1, into, 0)
  return [...into]
}

describe("a beamforming report", () => {
  it("has length one, a real last antenna, and adds up the antennas at the station", () => {
    const csi = [3, 4, -1, 2, 0.5, -6]
    const v = feedbackOf(csi)
    expect(v.reduce((sum, value) => sum + value * value, 0)).toBeCloseTo(1, 5)
    expect([v[4]! > 0, v[5]]).toEqual([true, 0])
    let re = 0
    let im = 0
    for (let r = 0; r < 3; r++) {
      re += csi[2 * r]! * v[2 * r]! - csi[2 * r + 1]! * v[2 * r + 1]!
      im += csi[2 * r]! * v[2 * r + 1]! + csi[2 * r + 1]! * v[2 * r]!
    }
    // The quantised angles cost less than one percent of the amplitude.
    expect(Math.hypot(re, im) / Math.hypot(...csi)).toBeGreaterThan(0.99)
  })

  it("does not depend on the strength, the phase or the delay that all antennas share", () => {
    const csi = [3, 4, -1, 2, 0.5, -6]
    const turned = csi.map((_, i) => i % 2 === 0 ? -2 * csi[i + 1]! : 2 * csi[i - 1]!)
    expect(feedbackOf(turned)).toEqual(feedbackOf(csi))
  })

  it("is finite if nothing was received", () => {
    expect(feedbackOf([0, 0, 0, 0]).every(Number.isFinite)).toBe(true)
  })
})

describe("the monitor of a room", () => {
  it("overhears ten reports per second of each station, and leaves the packets of the routers as they are", async () => {
    const read = await Effect.runPromise(decodeScenario(scenario))
    const plain = { ...scenario.rooms[0] }
    delete plain.feedbackMonitor
    const without = await Effect.runPromise(decodeScenario({ ...scenario, rooms: [plain] }))
    const [simulation, reference] = [createSimulation(read, { startUs: 0 }), createSimulation(without, { startUs: 0 })]
    const reports: Array<CsiBatch> = []
    for (let hop = 0; hop < 20; hop++) {
      const { batches } = simulation.next()
      reports.push(...batches.filter(({ routerId }) => routerId === own.nodeId))
      expect(batches.filter(({ routerId }) => routerId !== own.nodeId)).toEqual(reference.next().batches)
    }
    expect(reports[0]!.layout).toMatchObject({
      format: "beamforming-feedback",
      receiveAntennas: 3,
      transmitAntennas: 1,
    })
    const total = reports.reduce((sum, { frameCount }) => sum + frameCount, 0)
    // Four stations for two seconds, a few of whose packets are lost.
    expect(total).toBeGreaterThan(70)
    expect(total).toBeLessThanOrEqual(84)
  })

  it.each([
    { monitor: { ...own, accessPointId: "none" }, field: "accessPointId" },
    { monitor: { ...own, nodeId: "living-1" }, field: "nodeId" },
  ])("is rejected with an unknown access point or a taken id: $field", async ({ field, monitor }) => {
    const error = await Effect.runPromise(Effect.flip(decode(monitor)))
    expect(error).toBeInstanceOf(InvalidScenario)
    expect(error.message).toContain(field)
  })
})
