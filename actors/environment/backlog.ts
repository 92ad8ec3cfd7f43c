/**
 * A backlog: items that wait for the store, until it has taken them.
 *
 * Invariants: an item replaces the waiting one of the same key; at most `waitingMax` wait, and beyond them the oldest are dropped, spared
 * ones last; items are appended in batches of `batchMax` until they are stored; when the actor ends, the rest is appended once more.
 */
import { Effect, Exit, Queue } from "effect"

const waitingMax = 2_000
const batchMax = 256
const retryDelay = "1 second"
const archiveTimeout = "3 seconds"

interface BacklogOptions<T, E> {
  /** For the log, e.g. `events`. */
  readonly what: string
  readonly keyOf: (item: T) => string
  /** Whether other items are dropped before this one. */
  readonly spared: (item: T) => boolean
  readonly append: (items: ReadonlyArray<T>) => Effect.Effect<void, E>
}

/** Starts a backlog; returns the function that adds items to it. */
export const makeBacklog = Effect.fnUntraced(function* <T, E>({ append, keyOf, spared, what }: BacklogOptions<T, E>) {
  const waiting = new Map<string, T>()
  const wake = yield* Queue.sliding<null>(1)
  let storeFailed = false
  let dropped = 0

  const hold = (item: T): void => {
    const key = keyOf(item)
    waiting.delete(key)
    waiting.set(key, item)
    if (waiting.size <= waitingMax) return
    let oldest = waiting.keys().next().value!
    for (const [key, one] of waiting) {
      if (spared(one)) continue
      oldest = key
      break
    }
    waiting.delete(oldest)
    dropped++
  }

  const appendBatch = Effect.gen(function* () {
    const batch = [...waiting.values()].slice(0, batchMax)
    if (batch.length === 0) return
    const exit = yield* Effect.exit(Effect.timeout(append(batch), archiveTimeout))
    if (Exit.isFailure(exit)) {
      if (!storeFailed) yield* Effect.logError(`${what} cannot be stored, they wait`, exit.cause)
      storeFailed = true
      return yield* Effect.sleep(retryDelay)
    }
    if (storeFailed || dropped > 0) yield* Effect.logInfo(`${what} are stored again dropped=${dropped}`)
    storeFailed = false
    dropped = 0
    // An item that arrived meanwhile under the same key is another object, and stays.
    for (const item of batch) if (waiting.get(keyOf(item)) === item) waiting.delete(keyOf(item))
  })

  const store = Queue.take(wake).pipe(
    Effect.andThen(Effect.repeat(appendBatch, { while: () => waiting.size > 0 })),
    Effect.forever,
  )
  yield* Effect.forkScoped(store)
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() =>
      waiting.size === 0 ? Effect.void : Effect.exit(Effect.timeout(append([...waiting.values()]), archiveTimeout))
    )
  )

  /** Adds items; they are stored as soon as possible. */
  return (items: ReadonlyArray<T>): void => {
    if (items.length === 0) return
    for (const item of items) hold(item)
    Queue.offerUnsafe(wake, null)
  }
})
