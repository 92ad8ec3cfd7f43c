/**
 * Simulations of a plan's coverage: the port through which edges start and follow one. The composition answers, because gateways do not
 * know the simulator.
 */
import { Context, type Effect } from "effect"
import type { SiteGeometry } from "../../core/imaging/geometry.ts"
import type { SystemConflict } from "../domain/failure.ts"

/** What is simulated: a room with its nodes, and places for one more. */
export interface CoverageRequest {
  readonly environmentId: string
  readonly geometry: SiteGeometry
  /** Nodes that receive; the others only transmit. */
  readonly receivers: ReadonlyArray<string>
  readonly antennas: number
  /** Where one more node might be, metres; each is a simulation more. */
  readonly candidates: ReadonlyArray<readonly [x: number, y: number, z: number]>
}

/** The errors of the location of one person who walks, square by square. */
export interface CoverageFigures {
  /** Edge of a square, metres. */
  readonly squareM: number
  /** By their centres. `errorM` null: too few estimates; `missedShare` null: no person walked there. */
  readonly squares: ReadonlyArray<{
    readonly x: number
    readonly y: number
    readonly errorM: number | null
    readonly missedShare: number | null
    /** Moments of 100 ms in which the person was there. */
    readonly moments: number
  }>
  /** Median over all squares. */
  readonly errorM: number | null
  readonly missedShare: number | null
  readonly moments: number
}

export interface CoverageResult extends CoverageFigures {
  readonly candidates: ReadonlyArray<{
    readonly position: readonly [x: number, y: number, z: number]
    readonly errorM: number | null
    readonly missedShare: number | null
  }>
}

export type CoverageOutcome =
  | { readonly state: "running"; readonly progress: number }
  | { readonly state: "done"; readonly result: CoverageResult }
  | { readonly state: "failed"; readonly reason: string }

export interface CoverageJob {
  readonly request: CoverageRequest
  readonly startedAtMs: number
  readonly outcome: CoverageOutcome
}

export class CoverageSimulations extends Context.Service<CoverageSimulations, {
  /** Starts a simulation on this node, which runs one at a time; a running one of the same environment is replaced. */
  readonly start: (request: CoverageRequest) => Effect.Effect<CoverageJob, SystemConflict>
  /** The newest simulation of an environment on this node; null: there is none. */
  readonly newest: (environmentId: string) => Effect.Effect<CoverageJob | null>
}>()("wavepose/protocols/CoverageSimulations") {}
