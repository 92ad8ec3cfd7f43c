/**
 * Watches changes for the triggers of one subscription: says which have fired, those with `for` after what they are about has held so long.
 *
 * Invariants: of a trigger and an entity at most one timer runs; it runs from the change that the trigger is about, and what comes then does
 * not start it again. A value that does not hold any more, and an entity that is gone, stop it; so does the end of the subscription.
 */
import type { StateChange } from "../../../protocols/domain/home.ts"
import { fires, holdMs, holds, type StateTrigger } from "./state-trigger.ts"

/** Runs `then` after a while; answers how to prevent that. */
export type After = (ms: number, then: () => void) => () => void

interface Holding {
  readonly since: StateChange
  readonly stop: () => void
}

interface TriggerWatch {
  readonly take: (change: StateChange) => void
  readonly end: () => void
}

/** @param fire is called with a trigger, its index and the change that it is about. */
export const watchTriggers = (
  triggers: ReadonlyArray<StateTrigger>,
  after: After,
  fire: (trigger: StateTrigger, index: number, change: StateChange) => void,
): TriggerWatch => {
  const watches = triggers.map((trigger, index) => ({
    trigger,
    index,
    ms: holdMs(trigger),
    holding: new Map<string, Holding>(),
  }))

  const take = (change: StateChange): void => {
    const { entityId, newState } = change
    for (const { holding, index, ms, trigger } of watches) {
      const held = holding.get(entityId)
      if (held !== undefined && !holds(trigger, held.since, newState)) {
        held.stop()
        holding.delete(entityId)
      }
      if (!fires(trigger, change)) continue
      if (ms === 0) fire(trigger, index, change)
      // What is gone holds nothing.
      else if (newState !== null && !holding.has(entityId)) {
        const stop = after(ms, () => {
          holding.delete(entityId)
          fire(trigger, index, change)
        })
        holding.set(entityId, { since: change, stop })
      }
    }
  }

  return {
    take,
    end: () => {
      for (const { holding } of watches) {
        for (const { stop } of holding.values()) stop()
        holding.clear()
      }
    },
  }
}
