/**
 * The Router actor of one router: turns its CSI batches into observations and delivers them to its environment.
 *
 * Boundary: its work is `router-work.ts`; supervision and local calls are `actors/runtime`.
 */
import { Effect, Layer } from "effect"
import { placedActorId } from "../../protocols/messages/placement.ts"
import { type IngestCall, LocalRouters, Router } from "../../protocols/messages/router.ts"
import { makeLocalCalls, withLocalCalls } from "../runtime/local-calls.ts"
import { entityOptions, supervise } from "../runtime/supervision.ts"
import { RouterWork } from "./router-work.ts"

/** Batches of a message are encoded; those of a local call are objects, or bytes that the caller has not decoded. */
interface GivenBatches {
  readonly payload: { readonly batches: Parameters<IngestCall>[0] }
}

const build = Effect.gen(function* () {
  const work = yield* RouterWork.start(yield* placedActorId)
  return Router.of({
    Ingest: ({ payload: { batches } }: GivenBatches) => work.ingest(batches),
    Calibrate: ({ payload: { room, seconds } }) => work.calibrate(room, seconds),
    Save: () => work.save,
    ForgetEnrolment: () => work.forgetEnrolment,
    Describe: () => work.describe(),
    Tap: () => work.tap,
  })
})

/** A router that is placed here: its supervised handlers, which other actors and edges of this node call directly. */
const supervised = Effect.gen(function* () {
  const handlers = yield* supervise(Router, build, { concurrent: ["Describe"] })
  const { byMessage, inTurn } = yield* withLocalCalls(
    yield* LocalRouters,
    yield* placedActorId,
    (batches: Parameters<IngestCall>[0]) => handlers.Ingest({ payload: { batches } }),
  )
  return Router.of({
    ...handlers,
    Ingest: ({ payload }) => byMessage(payload.batches),
    Calibrate: (message) => inTurn(handlers.Calibrate(message)),
    Save: () => inTurn(handlers.Save()),
  })
})

/** The registry of the Router actors of this node. */
export const layerLocalRouters: Layer.Layer<LocalRouters> = Layer.sync(LocalRouters, () => makeLocalCalls<IngestCall>())

/** The Router actors of this node. */
export const layerRouter = Router.toLayer(supervised, entityOptions)
