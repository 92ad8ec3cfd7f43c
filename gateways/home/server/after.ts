/**
 * Timers, as their users see them.
 */

/** Runs `then` after `ms`. Returns a function that cancels it. */
export type After = (ms: number, then: () => void) => () => void
