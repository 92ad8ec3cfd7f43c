/**
 * The loss of a backend, for the calls that wait for it.
 *
 * `Promise.race` with a promise that rejects at the loss would leak: as long as that promise is pending, it retains a reaction and the result
 * of every race, and there are some in each frame.
 */
import type { BackendLost } from "./kernel-backend.ts"

interface Loss {
  /** Null: not lost. */
  readonly cause: () => BackendLost | null
  /** Only the first call counts. */
  readonly lose: (cause: BackendLost) => void
  /** Settles as the promise does, or rejects at the loss. */
  readonly orLost: <A>(promise: Promise<A>) => Promise<A>
}

export const makeLoss = (): Loss => {
  let lost: BackendLost | null = null
  const waiting = new Set<(cause: BackendLost) => void>()
  return {
    cause: () => lost,
    lose: (cause) => {
      if (lost !== null) return
      lost = cause
      for (const reject of waiting) reject(cause)
    },
    orLost: (promise) =>
      new Promise((resolve, reject) => {
        if (lost !== null) reject(lost)
        waiting.add(reject)
        void promise.then(resolve, reject).finally(() => waiting.delete(reject))
      }),
  }
}
