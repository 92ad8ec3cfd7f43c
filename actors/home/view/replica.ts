/**
 * All states at hand: what the bus has told, applied in its order. Everything is synchronous.
 *
 * Invariants: see `Replica`. When the bus cannot tell what was missed, it tells all states instead: listeners then hear one entry for each
 * entity that differs, as if it had changed once.
 */
import type { BusEntry, EntityState, HomeContext } from "../../../protocols/domain/home.ts"
import { equalJson } from "../../../protocols/domain/json-equal.ts"
import type { BusNews } from "../../../protocols/messages/home-bus.ts"
import type { Replica } from "../../../protocols/ports/home-runtime.ts"

type Listener = (entries: ReadonlyArray<BusEntry>) => void

interface FollowingReplica extends Replica {
  /** Takes in a part of the bus's stream. */
  readonly apply: (news: BusNews) => void
  /** Sequence up to which everything is known; null before the first states. */
  readonly sequence: () => number | null
  /** Forgets the parts of a snapshot that broke off. */
  readonly restart: () => void
  /** Runs `then` once, when everything up to `sequence` is known; answers how to give up. */
  readonly whenReached: (sequence: number, then: () => void) => () => void
}

/** Somebody who waits for a place on the bus. */
interface Waiter {
  readonly sequence: number
  readonly then: () => void
  gaveUp: boolean
}

/** The entry that leads from one state to another; null where they are the same. */
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

/** @param newContext the context of removals of which only the outcome is known. */
export const makeReplica = (newContext: () => HomeContext, nowUs: () => number): FollowingReplica => {
  let states = new Map<string, EntityState>()
  let list: ReadonlyArray<EntityState> | null = null
  let known: number | null = null
  let parts: Array<EntityState> = []
  const listeners = new Set<Listener>()
  let waiters: Array<Waiter> = []

  const reach = (sequence: number): void => {
    known = sequence
    if (waiters.length === 0) return
    const reached = waiters.filter((waiter) => waiter.sequence <= sequence)
    waiters = waiters.filter((waiter) => waiter.sequence > sequence && !waiter.gaveUp)
    for (const { gaveUp, then } of reached) if (!gaveUp) then()
  }

  const tell = (entries: ReadonlyArray<BusEntry>): void => {
    if (entries.length === 0) return
    list = null
    for (const listener of listeners) listener(entries)
  }

  const applyEntries = (entries: ReadonlyArray<BusEntry>): void => {
    for (const entry of entries) {
      if (entry.kind === "fired") continue
      if (entry.newState === null) states.delete(entry.entityId)
      else states.set(entry.entityId, entry.newState)
    }
    tell(entries)
  }

  /** Takes all states in place of those that are known. */
  const replace = (all: ReadonlyArray<EntityState>): void => {
    const before = states
    states = new Map(all.map((state) => [state.entityId, state]))
    const changed = all.flatMap((newState): ReadonlyArray<BusEntry> => {
      const { context, entityId, lastUpdatedUs: timeFiredUs } = newState
      const oldState = before.get(entityId) ?? null
      if (oldState === null) return [{ kind: "changed", entityId, oldState, newState, timeFiredUs, context }]
      const entry = entryBetween(oldState, newState)
      return entry === null ? [] : [entry]
    })
    const removed = [...before.values()].filter(({ entityId }) => !states.has(entityId)).map((oldState): BusEntry => ({
      kind: "changed",
      entityId: oldState.entityId,
      oldState,
      newState: null,
      timeFiredUs: nowUs(),
      context: newContext(),
    }))
    list = null
    tell([...removed, ...changed])
  }

  const apply = (news: BusNews): void => {
    if (news.kind === "entries") {
      // An empty word before the first states says nothing about them.
      if (known === null) return
      applyEntries(news.entries)
      return reach(news.sequence)
    }
    parts.push(...news.states)
    if (!news.last) return
    const all = parts
    parts = []
    replace(all)
    reach(news.sequence)
  }

  return {
    one: (entityId) => states.get(entityId) ?? null,
    all: () => list ??= [...states.values()],
    listen: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    apply,
    sequence: () => known,
    restart: () => void (parts = []),
    whenReached: (sequence, then) => {
      if (known !== null && known >= sequence) {
        then()
        return () => {}
      }
      const waiter: Waiter = { sequence, then, gaveUp: false }
      waiters.push(waiter)
      return () => void (waiter.gaveUp = true)
    },
  }
}
