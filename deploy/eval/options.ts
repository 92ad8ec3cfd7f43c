/**
 * The options of the evaluation, and the errors of invalid ones.
 */
import { Effect, Schema } from "effect"
import type { SeedRange } from "../../sim/evaluation/seed-ranges.ts"
import { InvalidArguments } from "../settings/invalid-command.ts"

/** The evaluation cannot run. The message says why and what to change. */
export class EvaluationFailed
  extends Schema.TaggedError<EvaluationFailed>()("EvaluationFailed", { message: Schema.String }) {}

/** Maximum number of sequences of one run: more than two days of work. */
export const sequencesMax = 10_000

/** Parses `A-B`, or `A` for one seed. */
export const parseSeeds = (text: string): Effect.Effect<SeedRange, InvalidArguments> => {
  const match = /^(\d{1,10})(?:-(\d{1,10}))?$/.exec(text)
  const first = Number(match?.[1])
  const last = Number(match?.[2] ?? match?.[1])
  if (match === null || last < first || last >= 2 ** 31) {
    return Effect.fail(
      new InvalidArguments({
        message: `--seeds is "${text}", but must be two numbers below 2^31 such as 20000-20023.`,
      }),
    )
  }
  if (last - first >= sequencesMax) {
    return Effect.fail(
      new InvalidArguments({
        message: `--seeds ${text} has ${
          last - first + 1
        } sequences, but the maximum is ${sequencesMax}. Use a shorter range.`,
      }),
    )
  }
  return Effect.succeed({ first, last })
}
