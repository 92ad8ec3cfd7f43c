/**
 * The Site actor of one environment: hands what other nodes send together to the routers, which are on its node.
 *
 * It has no state, so its messages run side by side; each router takes its batches in turn.
 */
import { Cause, Duration, Effect } from "effect"
import { type IngestOutcome, LocalRouters, Router } from "../../protocols/messages/router.ts"
import {
  type RouterAnswer,
  type RouterBatches,
  RouterBroke,
  type RouterFailure,
  Site,
} from "../../protocols/messages/site.ts"
import { brokeItsActor } from "../../protocols/messages/unavailable-actors.ts"
import { StoreUnavailable } from "../../protocols/domain/failure.ts"
import { IngestAddress } from "../../protocols/ports/ingest-address.ts"
import { entityOptions } from "../runtime/supervision.ts"

/** Below the time that a gateway waits. */
const answerTimeout = Duration.seconds(8)

const failureOf = (routerId: string, cause: Cause.Cause<unknown>): RouterFailure => {
  const failure = Cause.findErrorOption(cause)
  if (failure._tag === "Some") {
    const { _tag } = failure.value as { readonly _tag?: unknown }
    if (_tag === "UnknownRouter" || _tag === "StoreUnavailable") return failure.value as RouterFailure
  }
  return brokeItsActor(cause)
    ? new RouterBroke({ message: Cause.pretty(cause) })
    : new StoreUnavailable({ message: `Router "${routerId}" cannot be reached at the moment.` })
}

const build = Effect.gen(function* () {
  const client = yield* Router.client
  const local = yield* LocalRouters
  const address = yield* IngestAddress
  /** The answer for batches that their router has taken, with the address of this node. */
  const taken = (outcomes: ReadonlyArray<IngestOutcome>): RouterAnswer => ({
    _tag: "Taken",
    outcomes,
    ...(address.current === null ? {} : { nodeAddress: address.current }),
  })
  const take = ({ batches, routerId }: RouterBatches): Effect.Effect<RouterAnswer> =>
    Effect.suspend(() => local.to(routerId)?.(batches) ?? client(routerId).Ingest({ batches })).pipe(
      Effect.timeout(answerTimeout),
      Effect.map(taken),
      Effect.catchCause((cause) =>
        Effect.succeed<RouterAnswer>({ _tag: "NotTaken", failure: failureOf(routerId, cause) })
      ),
    )
  return Site.of({
    Ingest: ({ payload: { routers } }) => Effect.forEach(routers, take, { concurrency: "unbounded" }),
  })
})

/** The Site actors of this node. */
export const layerSite = Site.toLayer(build, { ...entityOptions, concurrency: "unbounded" })
