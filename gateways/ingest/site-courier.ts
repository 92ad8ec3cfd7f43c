/**
 * The way of batches to a site on another node: those that arrive within `gatherMs` are one message.
 *
 * Invariants: a batch waits `gatherMs` at most; a message has `messageBytesMax` at most, unless one router's batches alone have more; the
 * batches of one router stay in order, because its line waits for each answer.
 */
import { Deferred, Duration, Effect } from "effect"
import type { Sharding } from "effect/cluster"
import { type RouterBatches, type RouterFailure, Site } from "../../protocols/messages/site.ts"
import type { IngestOutcome } from "../../protocols/messages/router.ts"

/** Routers of a site send the batches of a hop within a few milliseconds. */
const gatherMs = 2
const messageBytesMax = 4 * 1024 * 1024
/** Callers wait for less. */
const siteTimeout = Duration.seconds(12)

/** What a router of another node made of its batches, and where senders reach that node. */
export interface FarOutcomes {
  readonly outcomes: ReadonlyArray<IngestOutcome>
  readonly nodeAddress?: string
}

interface Waiting extends RouterBatches {
  readonly answer: Deferred.Deferred<FarOutcomes, RouterFailure>
}

interface Message {
  readonly routers: Array<Waiting>
  bytes: number
}

/** Sends batches to a router of a site on another node. */
type SiteCourier = (
  siteId: string,
  batches: RouterBatches,
) => Effect.Effect<FarOutcomes, RouterFailure>

export const makeSiteCourier: Effect.Effect<SiteCourier, never, Sharding.Sharding> = Effect.gen(function* () {
  const client = yield* Site.client
  const gathering = new Map<string, Message>()

  const send = Effect.fnUntraced(function* (siteId: string, message: Message) {
    yield* Effect.sleep(gatherMs)
    if (gathering.get(siteId) === message) gathering.delete(siteId)
    const { routers } = message
    const taken = client(siteId).Ingest({ routers: routers.map(({ batches, routerId }) => ({ routerId, batches })) })
    const exit = yield* Effect.exit(Effect.timeout(taken, siteTimeout))
    for (const [i, { answer }] of routers.entries()) {
      if (exit._tag === "Failure") Deferred.doneUnsafe(answer, Effect.failCause(exit.cause as never))
      else {
        const own = exit.value[i]!
        Deferred.doneUnsafe(answer, own._tag === "Taken" ? Effect.succeed(own) : Effect.fail(own.failure))
      }
    }
  })

  return (siteId, { batches, routerId }) =>
    Effect.suspend(() => {
      const bytes = batches.reduce((sum, { length }) => sum + length, 0)
      const waiting: Waiting = { routerId, batches, answer: Deferred.makeUnsafe() }
      const open = gathering.get(siteId)
      if (open !== undefined && open.bytes + bytes <= messageBytesMax) {
        open.routers.push(waiting)
        open.bytes += bytes
        return Deferred.await(waiting.answer)
      }
      const message = { routers: [waiting], bytes }
      gathering.set(siteId, message)
      // The message is not that of one caller, and ends by itself.
      return Effect.andThen(Effect.forkDetach(send(siteId, message)), Deferred.await(waiting.answer))
    })
})
