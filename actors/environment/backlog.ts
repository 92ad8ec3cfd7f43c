/**
 * A backlog: items that wait for the store, until it has taken them.
 *
 * Invariants: an item replaces the waiting one of the same key; at most `waitingMax` wait, and beyond them the oldest are dropped, spared
 * ones last; items are appended in batches of `batchMax` until they are stored; when the actor ends, the rest is appended once more.
 */
import { Deferred, Effect, Exit, Queue } from "effect"

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

/** The answers to those who wait for an item: stored (true), or dropped (false). */
const makeAnswers = () => {
  const awaited = new Map<string, Deferred.Deferred<boolean>>()
  return {
    of: (key: string): Effect.Effect<boolean> => {
      const answer = awaited.get(key) ?? Deferred.makeUnsafe<boolean>()
      awaited.set(key, answer)
      return Deferred.await(answer)
    },
    give: (key: string, isStored: boolean): void => {
      const answer = awaited.get(key)
      awaited.delete(key)
      if (answer !== undefined) Deferred.doneUnsafe(answer, Effect.succeed(isStored))
    },
  }
}

/** Starts a backlog. */
export const makeBacklog = Effect.fnUntraced(function* <T, E>({ append, keyOf, spared, what }: BacklogOptions<T, E>) {
  const waiting = new Map<string, T>()
  const wake = yield* Queue.sliding<null>(1)
  const answers = makeAnswers()
  let storeFailed = false
  let dropped = 0

  const leave = (key: string, isStored: boolean): void => {
    waiting.delete(key)
    answers.give(key, isStored)
  }

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
    leave(oldest, false)
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
    for (const item of batch) if (waiting.get(keyOf(item)) === item) leave(keyOf(item), true)
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

  return {
    /** Adds items; they are stored as soon as possible. */
    add: (items: ReadonlyArray<T>): void => {
      if (items.length === 0) return
      for (const item of items) hold(item)
      Queue.offerUnsafe(wake, null)
    },
    /** Waits for the item of a key; false if it was dropped. One that does not wait is stored. */
    stored: (key: string): Effect.Effect<boolean> =>
      Effect.suspend(() => waiting.has(key) ? answers.of(key) : Effect.succeed(true)),
  }
})
