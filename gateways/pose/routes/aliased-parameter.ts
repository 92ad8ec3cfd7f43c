/**
 * A parameter that has two names, one of each form: either is taken, and both when they say the same.
 */
import { Effect } from "effect"
import { InvalidRequest } from "../../../protocols/pose-api/errors.ts"

/** The value of whichever was given; null for neither. The names are the fields' paths. */
export const oneOf = <A>(
  [firstName, secondName]: readonly [string, string],
  [first, second]: readonly [A | undefined, A | undefined],
): Effect.Effect<A | null, InvalidRequest> =>
  first !== undefined && second !== undefined && first !== second
    ? Effect.fail(InvalidRequest.of(secondName, `is not as ${firstName}, which means the same`, second))
    : Effect.succeed(first ?? second ?? null)
