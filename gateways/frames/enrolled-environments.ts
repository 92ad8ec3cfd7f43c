/**
 * The enrolled environments as the edges of a node know them: cached for requests, and polled while a subscription covers all
 * environments.
 *
 * Invariants: requests read the directory at most once in `rememberedMs`; it is polled exactly while there are listeners; while it cannot
 * be read, listeners keep the last result.
 */
import { Context, Effect, Exit, Fiber, Layer } from "effect"
import type { StoreUnavailable } from "../../protocols/domain/failure.ts"
import { Directory } from "../../protocols/ports/directory.ts"

/** How long a result of the directory is cached. */
const rememberedMs = 250
/** How often the directory is read for listeners. */
const pollMs = 1_000

type Listener = (ids: ReadonlyArray<string>) => void

export class EnrolledEnvironments extends Context.Service<EnrolledEnvironments, {
  /** The ids of all enrolled environments. */
  readonly ids: Effect.Effect<ReadonlyArray<string>, StoreUnavailable>
  /** Calls `listener` with the ids that were read last, then with each later result. The returned function removes it. */
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
    Effect.catch((failure) => Effect.logDebug("cannot read the enrolled environments, reading again", failure)),
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
 * Holds one membership in each enrolled environment. `join` begins a membership and returns the function that ends it. Environments that
 * are enrolled later are joined; those that are no longer enrolled are left. `join` may call `gone` later to report that the membership
 * ended; it is begun again while the environment is enrolled. The returned function ends all memberships.
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
