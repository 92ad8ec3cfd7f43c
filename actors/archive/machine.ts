/**
 * The trust of an archive in the store, as a pure machine: a store that fails is left alone for a moment, then asked once.
 */
import { setup } from "xstate"

/** How long a failing store is left alone before the next try. */
export const recoveryMs = 1_000

type ArchiveEvent = { readonly type: "WRITTEN" } | { readonly type: "FAILED" }

export const archiveMachine = setup({ types: { events: {} as ArchiveEvent } }).createMachine({
  id: "archive",
  initial: "ready",
  states: {
    ready: { on: { FAILED: "failing" } },
    /** Appends are refused at once. */
    failing: { on: { WRITTEN: "ready" }, after: { [recoveryMs]: "probing" } },
    /** One append is let through. */
    probing: { on: { WRITTEN: "ready", FAILED: "failing" } },
  },
})
