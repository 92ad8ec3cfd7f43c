/** News of the nodes of the cluster by `NOTIFY`, on a connection that listens as long as the layer lives. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Queue } from "effect"
import { MemberNews } from "../../runtime/member-news.ts"

const channel = "wavepose_members"
/** Pause before the connection is opened again. */
const listenAgain = "1 second"

export const layerMemberNews: Layer.Layer<MemberNews, never, PgClient.PgClient> = Layer.effect(
  MemberNews,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const changes = yield* Queue.sliding<void>(1)
    const changed = Queue.offer(changes, undefined)
    const listen = Effect.scoped(Effect.gen(function* () {
      const notices = yield* sql.listen(channel)
      // Reports changes from before the connection listened.
      yield* changed
      return yield* Effect.forever(Effect.andThen(Queue.take(notices), changed))
    }))
    yield* listen.pipe(
      Effect.catchCause((cause) => Effect.logDebug("news of nodes are not heard at the moment", cause)),
      Effect.andThen(Effect.sleep(listenAgain)),
      Effect.forever,
      Effect.forkScoped,
    )
    return { changes, announce: Effect.ignore(sql.notify(channel, "")) }
  }),
)
