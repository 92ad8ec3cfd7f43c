/**
 * The life of one plugin as a pure machine: set up, tried again, unloaded, given up.
 *
 * Boundary: it decides; `plugin-supervisor.ts` performs the setups and unloads. A plugin that fails by itself is tried again after 5, 10, 20,
 * 40 and then every 80 s; the count of failures is reset once it has run for `steadyMs`. A plugin whose unload failed stays in that state until
 * the service restarts, because it may still hold resources.
 */
import { assign, setup } from "xstate"
import { type PluginStatus, pluginStatuses } from "../../../protocols/domain/plugin.ts"

const retryMs = 5_000
const doublingsMax = 4
/** Time without a failure after which earlier failures no longer count. */
const steadyMs = 600_000

export type PluginEvent =
  | { readonly type: "LOAD" }
  | { readonly type: "SUCCEEDED" }
  /** It cannot work until its files or its settings are changed. */
  | { readonly type: "FAILED"; readonly reason: string }
  /** Something that it needs is not available yet. */
  | { readonly type: "NOT_READY"; readonly reason: string }
  /** It hung or crashed while it ran. */
  | { readonly type: "CRASHED"; readonly reason: string }
  | { readonly type: "UNLOAD" }
  | { readonly type: "UNLOADED" }
  | { readonly type: "UNLOAD_FAILED"; readonly reason: string }

interface PluginContext {
  /** Failures in a row. */
  readonly tries: number
  /** The reason of its state; null when nothing is wrong. */
  readonly reason: string | null
}

/** Delay before the next attempt after this many failures in a row. */
export const retryDelayMs = (tries: number): number => retryMs * 2 ** Math.min(Math.max(0, tries - 1), doublingsMax)

const machineSetup = setup({
  types: { context: {} as PluginContext, events: {} as PluginEvent },
  actions: {
    /** Performed by the supervisor. */
    setUp: () => {},
    takeDown: () => {},
    failedAgain: assign(({ context, event }) => ({
      tries: context.tries + 1,
      reason: "reason" in event ? event.reason : context.reason,
    })),
    note: assign(({ event }) => ({ reason: "reason" in event ? event.reason : null })),
    forget: assign({ tries: 0 }),
    clear: assign({ reason: null }),
  },
  delays: {
    retry: ({ context }) => retryDelayMs(context.tries),
    steady: steadyMs,
  },
})

export const pluginMachine = machineSetup.createMachine({
  id: "plugin",
  initial: "not_loaded",
  context: { tries: 0, reason: null },
  states: {
    not_loaded: { on: { LOAD: { target: "setup_in_progress", actions: "forget" } } },
    setup_in_progress: {
      entry: "setUp",
      on: {
        SUCCEEDED: { target: "loaded", actions: "clear" },
        FAILED: { target: "setup_error", actions: "note" },
        NOT_READY: { target: "setup_retry", actions: "failedAgain" },
      },
    },
    loaded: {
      after: { steady: { actions: "forget" } },
      on: {
        CRASHED: { target: "setup_retry", actions: "failedAgain" },
        UNLOAD: { target: "unload_in_progress" },
      },
    },
    setup_error: {
      on: {
        LOAD: { target: "setup_in_progress", actions: "forget" },
        UNLOAD: { target: "not_loaded", actions: "clear" },
      },
    },
    setup_retry: {
      after: { retry: { target: "setup_in_progress" } },
      on: {
        LOAD: { target: "setup_in_progress" },
        UNLOAD: { target: "not_loaded", actions: "clear" },
      },
    },
    unload_in_progress: {
      entry: "takeDown",
      on: {
        UNLOADED: { target: "not_loaded", actions: "clear" },
        UNLOAD_FAILED: { target: "failed_unload", actions: "note" },
      },
    },
    failed_unload: {},
  },
})

/** The status that a state of the machine is. */
export const statusOf = (value: unknown): PluginStatus => pluginStatuses.find((status) => status === value)!
