/**
 * Checks changes against the triggers of one subscription and fires them; a trigger with `for` fires after its value has held that long.
 *
 * Invariants: at most one timer runs per trigger and entity. It starts with the change that matches, and later changes do not restart it. It
 * stops when the value no longer holds, the entity is removed, or the subscription ends.
 */
import type { StateChange } from "../../../protocols/domain/home.ts"
import type { After } from "../server/after.ts"
import { fires, holdMs, holds, type StateTrigger } from "./state-trigger.ts"

interface Holding {
  readonly since: StateChange
  readonly stop: () => void
}

interface TriggerWatch {
  readonly take: (change: StateChange) => void
  readonly end: () => void
}

/** @param fire is called with the trigger, its index and the change that matched */
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
      // A removed entity has no value that could hold.
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
