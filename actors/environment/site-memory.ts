/**
 * The hand-over of an environment: what its estimator and its watch know goes through the store to the next activation, so that tracks, poses,
 * presence and visits of zones continue on another node.
 *
 * Invariants: a memory is used only by an activation of the same session that begins soon and continues exactly after the memory's last
 * frame. It stays in the store until then, so an activation that does not open leaves it to the next one. Data that must be anonymous are not
 * handed over. A hand-over that fails costs the memory, and nothing else. Visits that do not continue end when their persons were last seen;
 * those of a node that failed have no end.
 */
import { Effect, Fiber, Schema, Scope } from "effect"
import type { StoreUnavailable } from "../../protocols/domain/failure.ts"
import { Privacy } from "../../protocols/ports/privacy.ts"
import { EnvironmentMemories } from "../store/sensing/environment-memories.ts"
import { EstimatorMemory } from "./estimator-memory.ts"
import type { EventLog } from "./event-log.ts"
import { type Site, withRetries } from "./site.ts"
import { WatchMemory } from "./watch-memory.ts"

/** Time limit of a hand-over: for the activation that ends, and for the next one that waits for it. */
const timeLimit = "500 millis"

/** After the last stored frame of a session. */
const Position = Schema.Struct({ sessionId: Schema.String, frameId: Schema.Int, timestampMs: Schema.Number })
type Position = typeof Position.Type

const Memory = Schema.Struct({ at: Position, estimator: EstimatorMemory, watch: WatchMemory })
const Stored = Schema.fromJsonString(Schema.toCodecJson(Memory))
const encode = Schema.encodeEffect(Stored)
const decode = Schema.decodeEffect(Stored)
const isSame = Schema.toEquivalence(Position)

/** The parts of a site that know something. */
type Knowing = Pick<Site, "estimator" | "watch">
/** Where the ends of visits are reported. */
type Log = Pick<EventLog, "add">

/** The memory of an activation that begins, in the scope in context. It is read at once, beside what else the activation reads. */
export const makeSiteMemory = Effect.fnUntraced(function* (environmentId: string) {
  const memories = yield* EnvironmentMemories
  const privacy = yield* Privacy
  const scope = yield* Effect.scope
  const read = yield* Effect.forkScoped(memories.read(environmentId), { startImmediately: true })

  /** Removes a memory while the activation goes on; its end waits for that. */
  const removeMeanwhile = Effect.fnUntraced(function* (remove: Effect.Effect<void, StoreUnavailable>) {
    const removed = yield* withRetries(remove).pipe(
      Effect.catch(({ message }) =>
        Effect.logWarning(`used memory not deleted environment=${environmentId}: ${message}`)
      ),
      Effect.forkIn(scope, { startImmediately: true }),
    )
    yield* Scope.addFinalizer(scope, Effect.ignore(Effect.timeout(Fiber.await(removed), timeLimit)))
  })

  /** Leaves what is known to the next activation. */
  const leave = Effect.fnUntraced(
    function* (at: Position | null, { estimator: { memory: estimator }, watch }: Knowing, log: Log) {
      if (at === null || estimator === null || (yield* privacy.current).anonymizeData) {
        return yield* log.add(watch.leaveZones())
      }
      yield* memories.leave(environmentId, yield* encode({ at, estimator, watch: watch.memory }))
    },
    Effect.timeout(timeLimit),
    Effect.catch(({ message }) =>
      Effect.logWarning(`estimation not handed over environment=${environmentId}: ${message}`)
    ),
  )

  /** Continues with what the last activation has left at this position. */
  const recall = Effect.fnUntraced(
    function* (at: Position | null, { estimator, watch }: Knowing, log: Log) {
      const left = yield* Fiber.join(read)
      if (left === null) return
      const memory = yield* decode(left.memory)
      const continues = !left.isLate && at !== null && isSame(memory.at, at)
      // The ends of visits are reported once, so the memory is gone before. Clients wait for an activation that continues.
      yield* continues ? removeMeanwhile(left.remove) : left.remove
      watch.recall(memory.watch)
      if (!continues) return yield* log.add(watch.leaveZones())
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
