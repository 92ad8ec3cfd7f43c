/**
 * Clocks of nodes.
 *
 * The time stamps of a node come from a clock that is set from time to time: it has an offset and a drift. The radio runs on an
 * oscillator with its own error, which affects the sampling of every packet.
 */
import { type Random, uniformIn } from "../randomness/random.ts"
import type { Impairments } from "./impairments.ts"

export interface Clock {
  readonly offsetUs: number
  readonly driftPpm: number
  readonly oscillatorPpm: number
}

export const createClock = (impairments: Impairments, random: Random): Clock => ({
  offsetUs: 1e3 * impairments.clockOffsetMs * random.normal(),
  driftPpm: uniformIn(random, -impairments.clockDriftPpm, impairments.clockDriftPpm),
  oscillatorPpm: uniformIn(random, -impairments.oscillatorPpm, impairments.oscillatorPpm),
})

/** Error of the node's clock `elapsedUs` after the start of the simulation, microseconds. */
export const clockErrorUs = ({ driftPpm, offsetUs }: Clock, elapsedUs: number): number =>
  offsetUs + driftPpm * 1e-6 * elapsedUs
