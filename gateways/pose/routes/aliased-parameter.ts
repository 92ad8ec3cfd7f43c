/**
 * A parameter with two names, one per form: either is accepted, and both if they have the same value.
 */
import { Effect } from "effect"
import { InvalidRequest } from "../../../protocols/pose-api/edge-failures.ts"

/** The value of the name that was given; null if neither was. The names are paths of fields. */
export const oneOf = <A>(
  [firstName, secondName]: readonly [string, string],
  [first, second]: readonly [A | undefined, A | undefined],
): Effect.Effect<A | null, InvalidRequest> =>
  first !== undefined && second !== undefined && first !== second
    ? Effect.fail(
      InvalidRequest.of(secondName, `differs from ${firstName}, which is the same parameter. Send one of them`, second),
    )
    : Effect.succeed(first ?? second ?? null)
