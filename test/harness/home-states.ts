/** States and changes of entities for tests. */
import type { BusEntry, EntityState } from "../../protocols/domain/home.ts"

export const homeState = (entityId: string, state: string, over: Partial<EntityState> = {}): EntityState => ({
  entityId,
  state,
  attributes: {},
  lastChangedUs: 1_000_000,
  lastUpdatedUs: 1_000_000,
  lastReportedUs: 1_000_000,
  context: { id: `${entityId}=${state}`, parentId: null, userId: null },
  ...over,
})

/** An entity goes from one state to another; null: it is not there. */
export const homeChange = (
  oldState: EntityState | null,
  newState: EntityState | null,
): Extract<BusEntry, { kind: "changed" }> => {
  const { context, entityId, lastUpdatedUs } = (newState ?? oldState)!
  return { kind: "changed", entityId, oldState, newState, timeFiredUs: lastUpdatedUs, context }
}

export const homeFired = (eventType: string): BusEntry => ({
  kind: "fired",
  event: {
    eventType,
    data: {},
    origin: "LOCAL",
    timeFiredUs: 1_000_000,
    context: { id: eventType, parentId: null, userId: null },
  },
})
