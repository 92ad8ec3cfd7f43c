/**
 * The hand-over of an environment: what its estimator knows goes through the store to the next activation, so that tracks, poses and presence
 * continue on another node.
 *
 * Invariants: a memory is used only by an activation of the same session that continues exactly after the memory's last frame. Data that
 * must be anonymous are not handed over. A hand-over that fails costs the memory, and nothing else.
 */
import { Effect, Schema } from "effect"
import { Privacy } from "../../protocols/ports/privacy.ts"
import { EnvironmentMemories } from "../store/sensing/environment-memories.ts"
import { EstimatorMemory } from "./estimator-memory.ts"
import type { Estimator } from "./estimator.ts"

/** Time limit of a hand-over: for the activation that ends, and for the next one that waits for it. */
const timeLimit = "500 millis"

/** After the last stored frame of a session. */
const Position = Schema.Struct({ sessionId: Schema.String, frameId: Schema.Int, timestampMs: Schema.Number })
type Position = typeof Position.Type

const Stored = Schema.fromJsonString(Schema.toCodecJson(Schema.Struct({ at: Position, estimator: EstimatorMemory })))
const encode = Schema.encodeEffect(Stored)
const decode = Schema.decodeEffect(Stored)
const isSame = Schema.toEquivalence(Position)

export const makeSiteMemory = Effect.fnUntraced(function* (environmentId: string) {
  const memories = yield* EnvironmentMemories
  const privacy = yield* Privacy

  /** Leaves what an estimator knows to the next activation. */
  const leave = Effect.fnUntraced(
    function* (at: Position | null, { memory }: Estimator) {
      if (at === null || memory === null || (yield* privacy.current).anonymizeData) return
      yield* memories.leave(environmentId, yield* encode({ at, estimator: memory }))
    },
    Effect.timeout(timeLimit),
    Effect.catch(({ message }) =>
      Effect.logWarning(`estimation not handed over environment=${environmentId}: ${message}`)
    ),
  )

  /** Gives an estimator what the last activation has left at this position. */
  const recall = Effect.fnUntraced(
    function* (at: Position | null, estimator: Estimator) {
      const stored = yield* memories.take(environmentId)
      if (at === null || stored === null) return
      const memory = yield* decode(stored)
      if (!isSame(memory.at, at)) return
      estimator.recall(memory.estimator)
      yield* Effect.logInfo(
        `estimation continues environment=${environmentId} tracks=${memory.estimator.tracks.current.length}`,
      )
    },
    Effect.timeout(timeLimit),
    Effect.catch(({ message }) => Effect.logWarning(`estimation starts anew environment=${environmentId}: ${message}`)),
  )
  return { leave, recall }
})
