/**
 * The life of an incident as a pure machine: when its alert is raised, and when it ends.
 *
 * Boundary: it decides; `incidents.ts` keeps the data, the times and the bounds, and performs the actions. Time is event time, so that a
 * replay gives the same alerts: events report what is due, not delays.
 */
import { setup, type SnapshotFrom } from "xstate"

export type IncidentMachineEvent =
  /** The notification delay has passed, or a recovery cannot be detected any more. */
  | { readonly type: "DUE" }
  /** It has become more serious. */
  | { readonly type: "ESCALATED" }
  | { readonly type: "ACKNOWLEDGED" }
  /** Its condition does not hold any more. */
  | { readonly type: "ENDED" }
  /** The cool-down has passed. */
  | { readonly type: "COOLED" }

export const incidentMachine = setup({
  types: { events: {} as IncidentMachineEvent },
  actions: {
    /** The alert is raised, once. */
    raise: () => {},
    escalate: () => {},
    acknowledge: () => {},
    /** The raised alert is cleared. */
    clear: () => {},
    /** It ended before its alert was raised. */
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
    /** Ended; the same condition opens a new incident only after this. */
    cooling: { on: { COOLED: "forgotten" } },
    forgotten: { type: "final" },
  },
})

export type IncidentSnapshot = SnapshotFrom<typeof incidentMachine>
