/**
 * The life of an incident as a pure machine: when somebody is told, and when it is over.
 *
 * Boundary: it decides; `incidents.ts` keeps the data, the times and the bounds, and carries out the actions. Time is event time, so
 * that a replay gives the same alerts: what is due is told by events and not by delays.
 */
import { setup, type SnapshotFrom } from "xstate"

export type IncidentMachineEvent =
  /** The notification delay has passed, or nobody could see a recovery any more. */
  | { readonly type: "DUE" }
  /** It has become more serious. */
  | { readonly type: "ESCALATED" }
  | { readonly type: "ACKNOWLEDGED" }
  /** What it is about does not hold any more. */
  | { readonly type: "ENDED" }
  /** The time in which the same matter is not raised again has passed. */
  | { readonly type: "COOLED" }

export const incidentMachine = setup({
  types: { events: {} as IncidentMachineEvent },
  actions: {
    /** Somebody is told, the one time. */
    raise: () => {},
    escalate: () => {},
    acknowledge: () => {},
    /** Who was told learns that it is over. */
    clear: () => {},
    /** It is over, and nobody was told. */
    withdraw: () => {},
  },
}).createMachine({
  id: "incident",
  initial: "waiting",
  states: {
    waiting: {
      on: {
        DUE: { target: "open", actions: "raise" },
        ESCALATED: { actions: "escalate" },
        ENDED: { target: "cooling", actions: "withdraw" },
      },
    },
    open: {
      on: {
        ESCALATED: { actions: "escalate" },
        ACKNOWLEDGED: { target: "acknowledged", actions: "acknowledge" },
        ENDED: { target: "cooling", actions: "clear" },
      },
    },
    acknowledged: {
      on: {
        ESCALATED: { actions: "escalate" },
        ENDED: { target: "cooling", actions: "clear" },
      },
    },
    /** Over; the same matter begins a new incident only after this. */
    cooling: { on: { COOLED: "forgotten" } },
    forgotten: { type: "final" },
  },
})

export type IncidentSnapshot = SnapshotFrom<typeof incidentMachine>
