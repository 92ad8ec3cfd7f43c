/**
 * The options of the evaluation, and what is said when they do not fit.
 */
import { Effect, Schema } from "effect"
import type { SeedRange } from "../../sim/evaluation/seed-ranges.ts"

/** The evaluation cannot be carried out; the message says why, and what to change where that helps. */
export class EvaluationFailed
  extends Schema.TaggedError<EvaluationFailed>()("EvaluationFailed", { message: Schema.String }) {}

/** Sequences of one run: more than two days of them. */
export const sequencesMax = 10_000

/** Reads `A-B`, or `A` for one seed alone. */
export const parseSeeds = (text: string): Effect.Effect<SeedRange, EvaluationFailed> => {
  const match = /^(\d{1,10})(?:-(\d{1,10}))?$/.exec(text)
  const first = Number(match?.[1])
  const last = Number(match?.[2] ?? match?.[1])
  if (match === null || last < first || last >= 2 ** 31) {
    return Effect.fail(
      new EvaluationFailed({ message: `--seeds takes two numbers below 2^31 such as 20000-20023, not "${text}".` }),
    )
  }
  if (last - first >= sequencesMax) {
    return Effect.fail(
      new EvaluationFailed({
        message: `--seeds ${text} are ${last - first + 1} sequences; ask for ${sequencesMax} at most.`,
      }),
    )
  }
  return Effect.succeed({ first, last })
}
