/**
 * The states and the newest entries that the bus holds, by sequence. Pure data: `commit-log.ts` stores and publishes it.
 *
 * Invariants:
 * 1. Sequences rise by one within a generation, and those of a generation lie above all older ones.
 * 2. A change is accepted only if it follows its entity's last one.
 */
import type { BusEntry, EntityState } from "../../../protocols/domain/home.ts"
import type { BusNews } from "../../../protocols/messages/home-bus.ts"
import type { KeptEntry, KeptState } from "../../store/home/home-states.ts"

/** Sequences of a generation: more than a day at 10,000 entries/s, and 2 million generations below 2^53. */
const generationSize = 2 ** 32
/** Entries that are held for watchers that reconnect: some seconds of a busy home. A watcher that missed more receives all states. */
export const heldMax = 8_192
/** States in one part of a snapshot. */
const statesMax = 500

/** An entry to be published, and the sequence of its entity's last change. */
export interface Offered {
  readonly entry: BusEntry
  readonly after: number
}

/** The sequences that offered entries would get; null: the entry does not follow its entity's last change. */
interface Plan {
  readonly sequences: ReadonlyArray<number | null>
  readonly kept: ReadonlyArray<KeptEntry>
  readonly entries: ReadonlyArray<BusEntry>
  readonly sequence: number
}

type Entries = Extract<BusNews, { readonly kind: "entries" }>

/** The states of a generation, which starts with all stored states, in their order. */
export class SequencedStates {
  readonly generation: number
  readonly #states: Map<string, KeptState>
  readonly #held: Array<{ readonly after: number; readonly news: Entries }> = []
  #heldEntries = 0
  #newest: number

  constructor(generation: number, kept: ReadonlyArray<KeptState>) {
    this.generation = generation
    this.#states = new Map(kept.map((one) => [one.state.entityId, one]))
    this.#newest = generation * generationSize
  }

  /** The sequence of the newest entry. */
  sequence(): number {
    return this.#newest
  }

  /** An entity's state and the sequence of its last change; 0 if it does not exist. */
  last(entityId: string): { readonly state: EntityState | null; readonly sequence: number } {
    const one = this.#states.get(entityId)
    return { state: one?.state ?? null, sequence: one?.sequence ?? 0 }
  }

  plan(offered: ReadonlyArray<Offered>): Plan {
    let sequence = this.#newest
    const planned = new Map<string, number>()
    const created = new Map<string, number>()
    const kept: Array<KeptEntry> = []
    const entries: Array<BusEntry> = []
    const sequences = offered.map(({ after, entry }) => {
      if (entry.kind !== "fired") {
        const { entityId } = entry
        const known = this.#states.get(entityId)
        if (after !== (planned.get(entityId) ?? known?.sequence ?? 0)) return null
        sequence += 1
        const createdSequence = created.get(entityId) ?? known?.createdSequence ?? sequence
        planned.set(entityId, entry.newState === null ? 0 : sequence)
        // A removed entity that comes back is created then.
        created.set(entityId, entry.newState === null ? sequence + 1 : createdSequence)
        kept.push({ entry, sequence, createdSequence })
      } else sequence += 1
      entries.push(entry)
      return sequence
    })
    return { sequences, kept, entries, sequence }
  }

  /** Applies a plan that was stored. Returns what is to be published. */
  take(plan: Plan): Entries {
    for (const { createdSequence, entry, sequence } of plan.kept) {
      if (entry.newState === null) this.#states.delete(entry.entityId)
      else this.#states.set(entry.entityId, { state: entry.newState, sequence, createdSequence })
    }
    const news: Entries = { kind: "entries", sequence: plan.sequence, entries: plan.entries }
    this.#held.push({ after: this.#newest, news })
    this.#heldEntries += news.entries.length
    while (this.#heldEntries > heldMax) this.#heldEntries -= this.#held.shift()!.news.entries.length
    this.#newest = plan.sequence
    return news
  }

  /** What brings a watcher from the sequence `after` to now: the entries that it missed, or all states. */
  since(after: number | null): ReadonlyArray<BusNews> {
    if (after === this.#newest) return []
    const from = this.#held.findIndex((one) => one.after === after)
    return from < 0 ? this.#snapshot() : this.#held.slice(from).map(({ news }) => news)
  }

  #snapshot(): ReadonlyArray<BusNews> {
    const all = [...this.#states.values()].map(({ state }) => state)
    const parts = Math.max(1, Math.ceil(all.length / statesMax))
    return Array.from({ length: parts }, (_, i) => ({
      kind: "states" as const,
      sequence: this.#newest,
      states: all.slice(i * statesMax, (i + 1) * statesMax),
      last: i === parts - 1,
    }))
  }
}
