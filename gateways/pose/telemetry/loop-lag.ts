/**
 * How late the event loop of this process runs: a fiber that sleeps wakes late by what occupied the loop meanwhile.
 *
 * Every runtime supports it, and the clock is the one in context. Invariant: `probesMax` delays are kept.
 */
import { Clock, Effect } from "effect"

const probeMs = 500
/** Delays that are kept: those of the last ten seconds. */
const probesMax = 20

/** Starts the probe; it lives in the scope in context. Answers the longest delay of the last ten seconds. */
export const makeLoopLag = Effect.gen(function* () {
  const delaysMs: Array<number> = []
  let beganMs = yield* Clock.currentTimeMillis
  const delayOf = (nowMs: number) => Math.max(0, nowMs - beganMs - probeMs)
  const probe = Effect.gen(function* () {
    beganMs = yield* Clock.currentTimeMillis
    yield* Effect.sleep(probeMs)
    delaysMs.push(delayOf(yield* Clock.currentTimeMillis))
    if (delaysMs.length > probesMax) delaysMs.shift()
  })
  yield* Effect.forkScoped(Effect.forever(probe))
  // The probe that is under way counts too: its timer may be due and not have run yet.
  return Effect.map(Clock.currentTimeMillis, (nowMs) => Math.max(delayOf(nowMs), ...delaysMs))
})
