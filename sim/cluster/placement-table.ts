/** The tables of a simulated cluster that say where groups of rooms are: the loads of nodes, and the groups that were moved. */
import type { World } from "./world.ts"

interface LoadRow {
  readonly cores: number
  readonly groups: ReadonlyMap<string, number>
  readonly reportedMs: number
}

/** A group that was moved to a node at a time of the run. */
export interface MovedGroup {
  readonly group: string
  readonly address: string
  readonly atMs: number
}

/** Statements: each is executed at one moment. */
export class PlacementTable {
  readonly #world: World
  readonly #loads = new Map<string, LoadRow>()
  readonly #pins = new Map<string, MovedGroup>()
  /** All moves of the run, in their order. */
  readonly moves: Array<MovedGroup> = []

  constructor(world: World) {
    this.#world = world
  }

  report(address: string, load: Omit<LoadRow, "reportedMs">): void {
    this.#loads.set(address, { ...load, reportedMs: this.#world.nowMs() })
  }

  get loads() {
    const nowMs = this.#world.nowMs()
    return [...this.#loads].map(([address, { cores, groups, reportedMs }]) => ({
      address,
      cores,
      groups,
      ageMs: nowMs - reportedMs,
    }))
  }

  pin(group: string, address: string): void {
    const move = { group, address, atMs: this.#world.nowMs() }
    this.#pins.set(group, move)
    this.moves.push(move)
    this.#world.note(`${group} moves to ${address}`)
  }

  get pins() {
    const nowMs = this.#world.nowMs()
    return [...this.#pins.values()].map(({ address, atMs, group }) => ({ group, address, ageMs: nowMs - atMs }))
  }
}
