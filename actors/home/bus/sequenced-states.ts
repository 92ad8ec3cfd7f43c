/**
 * What the bus knows: every state, and the newest of what it has told. Pure data; the shell keeps it and tells it.
 *
 * Invariants:
 * 1. Sequences rise by one within a generation, and those of a generation lie above all older ones.
 * 2. A change is taken only when it follows its entity's last one.
 */
import type { BusEntry, EntityState } from "../../../protocols/domain/home.ts"
import type { BusNews } from "../../../protocols/messages/home-bus.ts"
import type { KeptEntry, KeptState } from "../../store/home/home-states.ts"

/** Sequences that a generation has: at 10,000 entries/s more than a day of them, and with them 2 million generations below 2^53. */
const generationSize = 2 ** 32
/** Entries that a watcher who comes back may have missed: some seconds of a busy home. Who has missed more is told all states. */
export const heldMax = 8_192
/** States of one part of a snapshot. */
const statesMax = 500

/** An entry that is to be told, and the sequence that it follows. */
export interface Offered {
  readonly entry: BusEntry
  readonly after: number
}

/** Where offered entries would be told; null: it does not follow its entity's last change. */
interface Plan {
  readonly sequences: ReadonlyArray<number | null>
  readonly kept: ReadonlyArray<KeptEntry>
  readonly entries: ReadonlyArray<BusEntry>
  readonly sequence: number
}

type Entries = Extract<BusNews, { readonly kind: "entries" }>

export interface Ledger {
  readonly generation: number
  /** The sequence of the newest entry. */
  readonly sequence: () => number
  readonly last: (entityId: string) => { readonly state: EntityState | null; readonly sequence: number }
  readonly plan: (offered: ReadonlyArray<Offered>) => Plan
  /** Takes a plan in that was kept; answers what is to be told. */
  readonly take: (plan: Plan) => Entries
  /** What brings a watcher from `after` to now: what it missed, or all states. */
  readonly since: (after: number | null) => ReadonlyArray<BusNews>
}

/** A ledger of a generation, with all states that were kept, in their order. */
export const makeLedger = (generation: number, kept: ReadonlyArray<KeptState>): Ledger => {
  const states = new Map(kept.map((one) => [one.state.entityId, one]))
  const held: Array<{ readonly after: number; readonly news: Entries }> = []
  let heldEntries = 0
  let newest = generation * generationSize

  const plan = (offered: ReadonlyArray<Offered>): Plan => {
    let sequence = newest
    const planned = new Map<string, number>()
    const created = new Map<string, number>()
    const keptEntries: Array<KeptEntry> = []
    const entries: Array<BusEntry> = []
    const sequences = offered.map(({ after, entry }) => {
      if (entry.kind !== "fired") {
        const { entityId } = entry
        if (after !== (planned.get(entityId) ?? states.get(entityId)?.sequence ?? 0)) return null
        sequence += 1
        const createdSequence = created.get(entityId) ?? states.get(entityId)?.createdSequence ?? sequence
        planned.set(entityId, entry.newState === null ? 0 : sequence)
        // What comes again after it was removed comes to be then.
        created.set(entityId, entry.newState === null ? sequence + 1 : createdSequence)
        keptEntries.push({ entry, sequence, createdSequence })
      } else sequence += 1
      entries.push(entry)
      return sequence
    })
    return { sequences, kept: keptEntries, entries, sequence }
  }

  const take = (plan: Plan): Entries => {
    for (const { createdSequence, entry, sequence } of plan.kept) {
      if (entry.newState === null) states.delete(entry.entityId)
      else states.set(entry.entityId, { state: entry.newState, sequence, createdSequence })
    }
    const news: Entries = { kind: "entries", sequence: plan.sequence, entries: plan.entries }
    held.push({ after: newest, news })
    heldEntries += news.entries.length
    while (heldEntries > heldMax) heldEntries -= held.shift()!.news.entries.length
    newest = plan.sequence
    return news
  }

  const snapshot = (): ReadonlyArray<BusNews> => {
    const all = [...states.values()].map(({ state }) => state)
    const parts = Math.max(1, Math.ceil(all.length / statesMax))
    return Array.from({ length: parts }, (_, i) => ({
      kind: "states" as const,
      sequence: newest,
      states: all.slice(i * statesMax, (i + 1) * statesMax),
      last: i === parts - 1,
    }))
  }

  const since = (after: number | null): ReadonlyArray<BusNews> => {
    if (after === newest) return []
    const from = held.findIndex((one) => one.after === after)
    return from < 0 ? snapshot() : held.slice(from).map(({ news }) => news)
  }

  return {
    generation,
    sequence: () => newest,
    last: (entityId) => {
      const one = states.get(entityId)
      return { state: one?.state ?? null, sequence: one?.sequence ?? 0 }
    },
    plan,
    take,
    since,
  }
}
