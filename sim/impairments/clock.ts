/**
 * Clocks: when a node thinks it is.
 *
 * A node's time stamps come from a clock that somebody sets now and then: an offset, and a drift. Its radio runs on an oscillator
 * with an error of its own, which the sampling of every packet shows.
 */
import { type Random, uniformIn } from "../random.ts"
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

/** Microseconds to add to the true time, `elapsedUs` after the simulation's start, for what the node's clock shows. */
export const clockErrorUs = ({ driftPpm, offsetUs }: Clock, elapsedUs: number): number =>
  offsetUs + driftPpm * 1e-6 * elapsedUs
