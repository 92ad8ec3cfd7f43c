/**
 * The return of a lost backend: it is opened and tested again, because the next one may be many times slower.
 *
 * Bound: after as many losses as there are `pauses`, a lost backend stays lost, so that repeated losses do not delay the calls.
 */
import { Effect, Exit, Queue } from "effect"
import { type ActiveBackends, logChoice, reportSkipped, restore } from "./active-backends.ts"
import { assertOwnDevice, openTested, preference, type Trial } from "./kernel-choice.ts"
import type { BackendSource } from "./kernel-sources.ts"
import { typedArraysBackend } from "./typed-arrays-backend.ts"

/** From a loss to the next opening. */
const pauses = ["1 second", "4 seconds", "16 seconds", "64 seconds", "256 seconds"] as const

/** Opens lost backends again; while only the typed arrays are left, also others. */
export const recoverBackends = (
  active: ActiveBackends,
  sources: ReadonlyArray<BackendSource>,
  trials: ReadonlyArray<Trial>,
): Effect.Effect<void> => {
  const recover = Effect.fnUntraced(function* (pause: typeof pauses[number]) {
    const loss = yield* Queue.take(active.losses)
    yield* Effect.sleep(pause)
    const isAlone = active.backends[0] === typedArraysBackend
    const names = [loss.name, ...(isAlone ? preference.filter((name) => name !== loss.name) : [])]
    for (const source of names.flatMap((name) => sources.filter((one) => one.name === name))) {
      const isOwn = source.name === loss.name ? Effect.void : assertOwnDevice(source)
      const opened = yield* Effect.exit(Effect.andThen(isOwn, openTested(source, trials)))
      if (Exit.isSuccess(opened)) {
        restore(active, opened.value, loss)
        return yield* logChoice(active)
      }
      reportSkipped(active, source.name, "it could not be opened again")
    }
    // Another attempt after the next pause.
    yield* Queue.offer(active.losses, loss)
  })
  return Effect.forEach(pauses, recover, { discard: true })
}
