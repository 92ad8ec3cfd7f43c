/**
 * The circuit breaker of an archive as a pure machine: after a failure of the store, writes pause for `recoveryMs`; then one is tried.
 */
import { setup } from "xstate"

/** Pause between two attempts while the store fails. */
export const recoveryMs = 1_000

type ArchiveEvent = { readonly type: "WRITTEN" } | { readonly type: "FAILED" }

export const archiveMachine = setup({ types: { events: {} as ArchiveEvent } }).createMachine({
  id: "archive",
  initial: "ready",
  states: {
    ready: { on: { FAILED: "failing" } },
    /** Writes fail at once. */
    failing: { on: { WRITTEN: "ready" }, after: { [recoveryMs]: "probing" } },
    /** One write is tried. */
    probing: { on: { WRITTEN: "ready", FAILED: "failing" } },
  },
})
