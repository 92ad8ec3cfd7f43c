/**
 * The room that benches of the whole chain simulate: six routers of three antennas and 56 tones, each hearing five others at 100 packets/s
 * (3,000 CSI frames/s), and persons who come in once it has been empty.
 */
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { decodeScenario, type Scenario } from "../../sim/scenario/scenario.ts"
import { createSimulation, type SimulatedHop } from "../../sim/simulation/simulation.ts"

const file = new URL("../../sim/scenarios/small-room.json", import.meta.url)
const packetRateHz = 100

/** The small room under that load. */
export const busyRoom = async (persons: number, emptySeconds: number): Promise<Scenario> => {
  const scenario = await Effect.runPromise(decodeScenario(JSON.parse(readFileSync(file, "utf8"))))
  return {
    ...scenario,
    emptySeconds,
    rooms: scenario.rooms.map((room) => ({ ...room, radio: { ...room.radio, packetRateHz } })),
    persons: Array.from({ length: persons }, () => scenario.persons[0]!),
  }
}

/** All hops of a run, made before anything is measured. */
export const simulateHops = (scenario: Scenario, startUs: number, seconds: number): ReadonlyArray<SimulatedHop> => {
  console.error(`simulating ${seconds} s`)
  const simulation = createSimulation(scenario, { startUs })
  return Array.from({ length: seconds * 10 }, () => simulation.next())
}
