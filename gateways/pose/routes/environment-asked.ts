/**
 * The environment of a request: the one that it names, or all environments.
 */
import { Effect } from "effect"
import { Directory } from "../../../protocols/ports/directory.ts"

/** The named environment, which exists. Null: none is named, so the request covers all. Fails with `UnknownEnvironment`. */
export const environmentAsked = Effect.fnUntraced(function* (named: string | undefined) {
  if (named === undefined) return null
  yield* (yield* Directory).environment(named)
  return named
})
