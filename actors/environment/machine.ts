/**
 * The state of an environment as a pure machine: does it run, and do frames come?
 */
import { assign, setup } from "xstate"

/** Silence after which an environment that made frames says that it makes none. */
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
    /** Asks the shell to forget tracks and windows of an earlier session. */
    resetEstimation: () => {},
    /** Asks the shell to tell what waited for more frames. */
    tellWhatWaits: () => {},
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
      entry: "tellWhatWaits",
      on: {
        ACTIVATE: { guard: "otherSession", target: "waiting", actions: ["enterSession", "resetEstimation"] },
        DEACTIVATE: { target: "inactive", actions: ["leaveSession", "resetEstimation"] },
        FRAME: "streaming",
      },
    },
  },
})
