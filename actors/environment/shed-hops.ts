/**
 * The hops that an environment's routers left out, each once.
 *
 * A router names the hops that it left out. Others may have left the same hops out, or have reported them. So a hop counts when a later one is
 * complete, unless it was complete before.
 *
 * Pure except for its own state, which has at most `shedHopsMax` past hops, and what routers named since the last complete hop.
 */
import { type Observation, shedHopsMax } from "../../core/observation/observation.ts"

export class ShedHops {
  /** Named since the last complete hop, or after it. */
  readonly #named = new Set<number>()
  /** The latest hops that were complete or counted. */
  readonly #known = new Set<number>()
  #newest = -Infinity

  /** Takes the hops that an observation names. */
  add({ shedHops = [] }: Pick<Observation, "shedHops">): void {
    for (const hop of shedHops) this.#named.add(hop)
  }

  /** Notes a complete hop; returns the hops before it that now count. Hops must ascend; an earlier one means that time was set back. */
  before(hop: number): ReadonlyArray<number> {
    if (hop <= this.#newest) this.#forget()
    const counted = [...this.#named].filter((named) => named < hop && this.#isNew(named)).sort((a, b) => a - b)
    for (const named of this.#named) if (named <= hop || named > hop + shedHopsMax) this.#named.delete(named)
    for (const one of [...counted, hop]) this.#known.add(one)
    for (const known of this.#known) if (known < hop - shedHopsMax) this.#known.delete(known)
    this.#newest = hop
    return counted
  }

  reset(): void {
    this.#named.clear()
    this.#forget()
  }

  #forget(): void {
    this.#known.clear()
    this.#newest = -Infinity
  }

  /** Whether a named hop was neither complete nor counted; one that is too old to be known counts as if it was. */
  #isNew(hop: number): boolean {
    return hop > this.#newest || (hop >= this.#newest - shedHopsMax && !this.#known.has(hop))
  }
}
