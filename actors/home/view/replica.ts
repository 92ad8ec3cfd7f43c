/**
 * The states of all entities on this node: the bus's stream, applied in order. Everything is synchronous.
 *
 * Invariants: see `Replica`. If the bus no longer holds what this node missed, it sends all states. Listeners then receive one entry for each
 * entity that differs, as if it had changed once.
 */
import type { BusEntry, EntityState, HomeContext } from "../../../protocols/domain/home.ts"
import { equalJson } from "../../../protocols/domain/json-equal.ts"
import type { BusNews } from "../../../protocols/messages/home-bus.ts"
import type { Replica } from "../../../protocols/ports/home-runtime.ts"

type Listener = (entries: ReadonlyArray<BusEntry>) => void

/** A caller that waits until the replica reaches a sequence. */
interface Waiter {
  readonly sequence: number
  readonly then: () => void
}

/** The entry that leads from one state to another; null if they are equal. */
const entryBetween = (oldState: EntityState, newState: EntityState): BusEntry | null => {
  const { entityId } = newState
  const same = oldState.context.id === newState.context.id && oldState.lastUpdatedUs === newState.lastUpdatedUs &&
    oldState.state === newState.state && equalJson(oldState.attributes, newState.attributes)
  if (!same) {
    const { context, lastUpdatedUs } = newState
    return { kind: "changed", entityId, oldState, newState, timeFiredUs: lastUpdatedUs, context }
  }
  if (oldState.lastReportedUs === newState.lastReportedUs) return null
  return { kind: "reported", entityId, newState, oldReportedUs: oldState.lastReportedUs }
}

/** The entry that leads to a state from the one before it, null if the entity was absent; null if nothing differs. */
const entryTo = (oldState: EntityState | null, newState: EntityState): BusEntry | null => {
  if (oldState !== null) return entryBetween(oldState, newState)
  const { context, entityId, lastUpdatedUs: timeFiredUs } = newState
  return { kind: "changed", entityId, oldState, newState, timeFiredUs, context }
}

export class StateReplica implements Replica {
  readonly #newContext: () => HomeContext
  readonly #nowUs: () => number
  readonly #listeners = new Set<Listener>()
  readonly #waiters = new Set<Waiter>()
  #states = new Map<string, EntityState>()
  /** The states as a list; null after a change. */
  #list: ReadonlyArray<EntityState> | null = null
  /** The last sequence that was applied; null before the first states. */
  #sequence: number | null = null
  /** Received parts of a snapshot that is not complete. */
  #parts: Array<EntityState> = []

  /** @param newContext makes the context of a removal whose change was missed */
  constructor(newContext: () => HomeContext, nowUs: () => number) {
    this.#newContext = newContext
    this.#nowUs = nowUs
  }

  one(entityId: string): EntityState | null {
    return this.#states.get(entityId) ?? null
  }

  all(): ReadonlyArray<EntityState> {
    return this.#list ??= [...this.#states.values()]
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** The last sequence that was applied; null before the first states. */
  sequence(): number | null {
    return this.#sequence
  }

  hasReached(sequence: number): boolean {
    return this.#sequence !== null && this.#sequence >= sequence
  }

  /** Runs `then` once, when everything up to `sequence` is applied. Returns a function that cancels it. */
  whenReached(sequence: number, then: () => void): () => void {
    if (this.hasReached(sequence)) {
      then()
      return () => {}
    }
    const waiter: Waiter = { sequence, then }
    this.#waiters.add(waiter)
    return () => void this.#waiters.delete(waiter)
  }

  /** Applies a part of the bus's stream. Returns what listeners threw. */
  apply(news: BusNews): ReadonlyArray<unknown> {
    if (news.kind === "entries") {
      // A heartbeat before the first states does not make the replica complete.
      if (this.#sequence === null) return []
      const thrown = this.#applyEntries(news.entries)
      this.#reach(news.sequence)
      return thrown
    }
    this.#parts.push(...news.states)
    if (!news.last) return []
    const all = this.#parts
    this.#parts = []
    const thrown = this.#replace(all)
    this.#reach(news.sequence)
    return thrown
  }

  /** Drops the parts of a snapshot whose stream ended. */
  restart(): void {
    this.#parts = []
  }

  #applyEntries(entries: ReadonlyArray<BusEntry>): ReadonlyArray<unknown> {
    for (const entry of entries) {
      if (entry.kind === "fired") continue
      if (entry.newState === null) this.#states.delete(entry.entityId)
      else this.#states.set(entry.entityId, entry.newState)
    }
    return this.#notify(entries)
  }

  /** Replaces all states, and notifies listeners of the differences. */
  #replace(all: ReadonlyArray<EntityState>): ReadonlyArray<unknown> {
    const before = this.#states
    this.#states = new Map(all.map((state) => [state.entityId, state]))
    const changed = all.flatMap((newState) => entryTo(before.get(newState.entityId) ?? null, newState) ?? [])
    const removed = [...before.values()].filter(({ entityId }) => !this.#states.has(entityId)).map((
      oldState,
    ): BusEntry => ({
      kind: "changed",
      entityId: oldState.entityId,
      oldState,
      newState: null,
      timeFiredUs: this.#nowUs(),
      context: this.#newContext(),
    }))
    this.#list = null
    return this.#notify([...removed, ...changed])
  }

  /** A listener that throws has no effect on the others, nor on the sequence. */
  #notify(entries: ReadonlyArray<BusEntry>): ReadonlyArray<unknown> {
    if (entries.length === 0) return []
    this.#list = null
    const thrown: Array<unknown> = []
    for (const listener of this.#listeners) {
      try {
        listener(entries)
      } catch (error) {
        thrown.push(error)
      }
    }
    return thrown
  }

  #reach(sequence: number): void {
    this.#sequence = sequence
    for (const waiter of this.#waiters) {
      if (waiter.sequence > sequence) continue
      this.#waiters.delete(waiter)
      waiter.then()
    }
  }
}
