/**
 * Timers as an argument, so that the clock is injected.
 */

/** Runs `then` after `ms`. Returns a function that cancels it. */
export type After = (ms: number, then: () => void) => () => void
