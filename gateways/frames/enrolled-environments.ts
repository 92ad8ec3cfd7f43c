/**
 * The environments that are enrolled, as the edges of a node know them: read once for all requests of a moment, and again and again
 * while a subscription covers all environments.
 *
 * Invariants: the directory is read at most once a moment, whatever the number of requests and subscriptions; it is polled exactly while
 * there are listeners; while it cannot be read, what was read last holds.
 */
import { Context, Effect, Exit, Fiber, Layer } from "effect"
import type { StoreUnavailable } from "../../protocols/domain/failure.ts"
import { Directory } from "../../protocols/ports/directory.ts"

/** How long an answer of the directory is used again. */
const rememberedMs = 250
/** How often the directory is read for listeners. */
const pollMs = 1_000

type Listener = (ids: ReadonlyArray<string>) => void

export class EnrolledEnvironments extends Context.Service<EnrolledEnvironments, {
  /** The ids of all environments that are enrolled. */
  readonly ids: Effect.Effect<ReadonlyArray<string>, StoreUnavailable>
  /** Calls `listener` with the ids that were read last, then with each later reading; the answer ends it. */
  readonly follow: (listener: Listener) => () => void
}>()("wavepose/gateways/EnrolledEnvironments") {
  static readonly layer: Layer.Layer<EnrolledEnvironments, never, Directory> = Layer.effect(
    EnrolledEnvironments,
    Effect.suspend(() => make),
  )
}

const make = Effect.gen(function* () {
  const directory = yield* Directory
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const listeners = new Set<Listener>()
  let known: ReadonlyArray<string> = []
  let polling: Fiber.Fiber<void> | null = null

  const [ids, forget] = yield* directory.environments.pipe(
    Effect.map((environments) => known = environments.map(({ environmentId }) => environmentId)),
    Effect.cachedInvalidateWithTTL((exit) => Exit.isSuccess(exit) ? rememberedMs : 0),
  )

  const poll = Effect.andThen(forget, ids).pipe(
    Effect.tap((read) =>
      Effect.sync(() => {
        for (const listener of listeners) listener(read)
      })
    ),
    Effect.catch((failure) => Effect.logDebug("The enrolled environments could not be read", failure)),
    Effect.andThen(Effect.sleep(pollMs)),
    Effect.forever,
  )

  const follow = (listener: Listener): () => void => {
    listeners.add(listener)
    listener(known)
    polling ??= Fiber.runIn(run(poll), scope)
    return () => {
      if (!listeners.delete(listener) || listeners.size > 0) return
      polling?.interruptUnsafe()
      polling = null
    }
  }

  return { ids, follow }
})

/**
 * Holds one membership in each environment that is enrolled: `join` begins it, and returns what ends it. An environment that is enrolled
 * later is joined, one that is no longer enrolled is left. `gone`, which `join` may call later, says that a membership has ended by itself:
 * it is begun again while the environment is enrolled. The answer ends all.
 */
export const spanEnvironments = (
  { follow }: EnrolledEnvironments["Service"],
  join: (environmentId: string, gone: () => void) => () => void,
): () => void => {
  const leaves = new Map<string, () => void>()
  const leave = (environmentId: string): void => {
    const end = leaves.get(environmentId)
    leaves.delete(environmentId)
    end?.()
  }
  const unfollow = follow((ids) => {
    const enrolled = new Set(ids)
    for (const environmentId of [...leaves.keys()]) if (!enrolled.has(environmentId)) leave(environmentId)
    for (const environmentId of enrolled) {
      if (!leaves.has(environmentId)) leaves.set(environmentId, join(environmentId, () => leaves.delete(environmentId)))
    }
  })
  return () => {
    unfollow()
    for (const environmentId of [...leaves.keys()]) leave(environmentId)
  }
}
