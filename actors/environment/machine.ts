/**
 * The state of an environment as a pure machine: whether the system runs in it, and whether it makes frames.
 */
import { assign, setup } from "xstate"

/** Silence after which an environment that made frames counts as silent. */
export const silentAfterMs = 2_000

type EnvironmentEvent =
  | { readonly type: "ACTIVATE"; readonly sessionId: string }
  | { readonly type: "DEACTIVATE" }
  | { readonly type: "FRAME" }

export const environmentMachine = setup({
  types: { context: {} as { readonly sessionId: string | null }, events: {} as EnvironmentEvent },
  guards: {
    otherSession: ({ context, event }) => event.type === "ACTIVATE" && event.sessionId !== context.sessionId,
  },
  actions: {
    /** Asks the entity to reset the tracks and windows of an earlier session. */
    resetEstimation: () => {},
    /** Asks the entity to raise the alerts that waited for more frames. */
    raiseWaitingAlerts: () => {},
    enterSession: assign(({ context, event }) => event.type === "ACTIVATE" ? { sessionId: event.sessionId } : context),
    leaveSession: assign({ sessionId: null }),
  },
}).createMachine({
  id: "environment",
  initial: "inactive",
  context: { sessionId: null },
  states: {
    inactive: {
      on: { ACTIVATE: { target: "waiting", actions: ["enterSession", "resetEstimation"] } },
    },
    /** The system runs here; no frame yet. */
    waiting: {
      on: {
        ACTIVATE: {
          guard: "otherSession",
          target: "waiting",
          reenter: true,
          actions: ["enterSession", "resetEstimation"],
        },
        DEACTIVATE: { target: "inactive", actions: ["leaveSession", "resetEstimation"] },
        FRAME: "streaming",
      },
    },
    streaming: {
      after: { [silentAfterMs]: "silent" },
      on: {
        ACTIVATE: { guard: "otherSession", target: "waiting", actions: ["enterSession", "resetEstimation"] },
        DEACTIVATE: { target: "inactive", actions: ["leaveSession", "resetEstimation"] },
        FRAME: { target: "streaming", reenter: true },
      },
    },
    /** Frames came and stopped. */
    silent: {
      entry: "raiseWaitingAlerts",
      on: {
        ACTIVATE: { guard: "otherSession", target: "waiting", actions: ["enterSession", "resetEstimation"] },
        DEACTIVATE: { target: "inactive", actions: ["leaveSession", "resetEstimation"] },
        FRAME: "streaming",
      },
    },
  },
})
