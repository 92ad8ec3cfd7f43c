/**
 * The delay of this process's event loop: a sleeping fiber wakes late by the time for which the loop was busy.
 *
 * This works on every runtime and uses the clock in context. Invariant: at most `probesMax` delays are kept.
 */
import { Clock, Effect } from "effect"

const probeMs = 500
/** Delays that are kept: those of the last ten seconds. */
const probesMax = 20

/** Starts the probe in the scope in context. Returns an effect with the longest delay of the last ten seconds, in ms. */
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
  // The current probe counts too: its timer may be due and delayed.
  return Effect.map(Clock.currentTimeMillis, (nowMs) => Math.max(delayOf(nowMs), ...delaysMs))
})
