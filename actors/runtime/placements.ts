/**
 * The port of placement data that the nodes of a cluster share: the measured loads, and the groups that were moved to balance them.
 *
 * Boundary: `balance.ts` decides, `balancer.ts` acts on it, `shard-placement.ts` applies it.
 */
import { Context, Effect, Layer } from "effect"

/** The load of a node since its last report. */
export interface Load {
  /** Processor time of the process, seconds per second. */
  readonly cores: number
  /** The part of that time that the actors of each group's environments used. Groups without work are left out. */
  readonly groups: ReadonlyMap<string, number>
}

export interface NodeLoad extends Load {
  /** `host:port` */
  readonly address: string
  /** Time since the report, by the clock of the store. */
  readonly ageMs: number
}

/** A group that was moved to a node. */
export interface Pin {
  readonly group: string
  readonly address: string
  /** Time since it was moved, by the clock of the store. */
  readonly ageMs: number
}

export class Placements extends Context.Service<Placements, {
  /** Never fails: while the store does not answer, the last that were read. */
  readonly pins: Effect.Effect<ReadonlyArray<Pin>>
  /** Never fails; empty while the store does not answer. */
  readonly loads: Effect.Effect<ReadonlyArray<NodeLoad>>
  /** Replaces the report of a node. Never fails: the next report follows. */
  readonly report: (address: string, load: Load) => Effect.Effect<void>
  /** Moves groups to nodes. Never fails: without it nothing moves, and the next decision is the same. */
  readonly pin: (moves: ReadonlyArray<Pick<Pin, "group" | "address">>) => Effect.Effect<void>
}>()("wavepose/actors/Placements") {
  /** Without reports nothing is moved. */
  static readonly layerNone: Layer.Layer<Placements> = Layer.succeed(Placements, {
    pins: Effect.succeed([]),
    loads: Effect.succeed([]),
    report: () => Effect.void,
    pin: () => Effect.void,
  })
}
