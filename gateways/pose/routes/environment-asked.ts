/**
 * The environment that a request is about: the one that it names, or all.
 */
import { Effect } from "effect"
import { Directory } from "../../../protocols/ports/directory.ts"

/** The environment that is named, which exists; null: none is named, so all are meant. */
export const environmentAsked = Effect.fnUntraced(function* (named: string | undefined) {
  if (named === undefined) return null
  yield* (yield* Directory).environment(named)
  return named
})
