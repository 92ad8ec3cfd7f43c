/**
 * Sealed values that this node cannot open are left out of what is read: one of them must not hide the others.
 */
import { Effect } from "effect"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"

/** Opens a value, or leaves it out. Each value that is left out is logged once, by its id. */
export const makeLeaveOut = () => {
  const logged = new Set<string>()
  return <A, R>(
    id: string,
    warning: string,
    open: Effect.Effect<A, StoreUnavailable, R>,
  ): Effect.Effect<ReadonlyArray<A>, never, R> =>
    Effect.matchEffect(open, {
      onSuccess: (value) => Effect.succeed([value]),
      onFailure: ({ message }) => {
        if (logged.has(id)) return Effect.succeed([])
        logged.add(id)
        return Effect.as(Effect.logWarning(`${warning}: ${message}`), [])
      },
    })
}
