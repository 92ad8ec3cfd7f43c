/**
 * The life of an entity as a pure machine: absent or present, and how one state follows another.
 *
 * Each transition leaves in `entry` what the bus publishes; null if nothing. Boundary: times and contexts come with the events; that ids
 * and states are well formed is checked before.
 *
 * Invariants:
 * 1. A write of an equal state changes only `lastReportedUs`.
 * 2. `lastChangedUs` stays while `state` does, unless a write is forced; `lastUpdatedUs` stays while nothing differs.
 * 3. Times of an entity never go back, whatever the clock does.
 */
import { assign, setup, type SnapshotFrom } from "xstate"
import type { BusEntry, EntityState, HomeContext, JsonObject } from "../../../protocols/domain/home.ts"
import { equalJson } from "../../../protocols/domain/json-equal.ts"

export interface WriteEvent {
  readonly type: "WRITE"
  readonly state: string
  readonly attributes: JsonObject
  readonly forceUpdate: boolean
  readonly context: HomeContext
  readonly nowUs: number
}

export interface RemoveEvent {
  readonly type: "REMOVE"
  readonly context: HomeContext
  readonly nowUs: number
}

interface EntityContext {
  readonly entityId: string
  /** Null while absent. */
  readonly state: EntityState | null
  /** The entry of the last event, to be stored and published; null: none. */
  readonly entry: BusEntry | null
}

/** The state after a write. */
const nextState = (entityId: string, old: EntityState | null, write: WriteEvent): EntityState => {
  const nowUs = Math.max(write.nowUs, old?.lastReportedUs ?? 0)
  const keepsChanged = old !== null && old.state === write.state && !write.forceUpdate
  return {
    entityId,
    state: write.state,
    attributes: write.attributes,
    lastChangedUs: keepsChanged ? old.lastChangedUs : nowUs,
    lastUpdatedUs: nowUs,
    lastReportedUs: nowUs,
    context: write.context,
  }
}

export const entityMachine = setup({
  types: {
    context: {} as EntityContext,
    events: {} as WriteEvent | RemoveEvent,
  },
  guards: {
    isEqual: ({ context: { state }, event }) =>
      event.type === "WRITE" && !event.forceUpdate && state !== null && state.state === event.state &&
      equalJson(state.attributes, event.attributes),
  },
  actions: {
    change: assign(({ context: { entityId, state: oldState }, event }) => {
      const newState = event.type === "WRITE" ? nextState(entityId, oldState, event) : null
      const timeFiredUs = newState === null
        ? Math.max(event.nowUs, oldState?.lastReportedUs ?? 0)
        : newState.lastUpdatedUs
      const entry = { kind: "changed" as const, entityId, oldState, newState, timeFiredUs, context: event.context }
      return { state: newState, entry }
    }),
    report: assign(({ context: { entityId, state: old }, event }) => {
      const newState = { ...old!, lastReportedUs: Math.max(event.nowUs, old!.lastReportedUs) }
      return {
        state: newState,
        entry: { kind: "reported" as const, entityId, newState, oldReportedUs: old!.lastReportedUs },
      }
    }),
    publishNothing: assign({ entry: null }),
  },
}).createMachine({
  id: "entity",
  context: { entityId: "", state: null, entry: null },
  initial: "absent",
  states: {
    absent: {
      on: {
        WRITE: { target: "present", actions: "change" },
        REMOVE: { actions: "publishNothing" },
      },
    },
    present: {
      on: {
        WRITE: [{ guard: "isEqual", actions: "report" }, { actions: "change" }],
        REMOVE: { target: "absent", actions: "change" },
      },
    },
  },
})

export type EntitySnapshot = SnapshotFrom<typeof entityMachine>

/** An entity from its stored state. */
export const restoredEntity = (entityId: string, state: EntityState | null): EntitySnapshot =>
  entityMachine.resolveState({
    value: state === null ? "absent" : "present",
    context: { entityId, state, entry: null },
  })
