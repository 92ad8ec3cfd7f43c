/**
 * The EdgeNode actor as a cluster entity.
 *
 * Boundary: `edge-node.ts` does the work; the router of the node reports to it (`actors/router`). Its answers have not passed the privacy
 * gate: gateways read them through the port `EdgeFeed` only.
 */
import { Effect, Layer, Semaphore, Stream } from "effect"
import { UnknownRouter } from "../../protocols/domain/failure.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { placedActorId } from "../../protocols/messages/placement.ts"
import { EdgeNode, LocalEdgeNodes, type ReportCall } from "../../protocols/messages/edge-node.ts"
import { makeLocalCalls, withLocalCalls } from "../runtime/local-calls.ts"
import { entityOptions, supervise } from "../runtime/supervision.ts"
import { currentRecord, type EdgeNodeState, openNode, report, subscribe } from "./edge-node.ts"

interface GivenReadings {
  readonly payload: { readonly readings: Parameters<ReportCall>[0] }
}

const build = Effect.gen(function* () {
  const nodeId = yield* placedActorId
  const directory = yield* Directory
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof openNode>>>()
  const oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)
  let opened: EdgeNodeState | null = null

  /** Loads the node on first use. An id that is not enrolled fails the message, not the actor. */
  const node = oneAtATime(Effect.gen(function* () {
    if (opened !== null) return opened
    const environmentId = yield* directory.environmentOf(nodeId)
    if (environmentId === null) return yield* UnknownRouter.of(nodeId)
    return opened = yield* Effect.provide(openNode(nodeId, environmentId), context)
  }))
  const current = Effect.flatMap(node, currentRecord)

  return EdgeNode.of({
    Report: ({ payload: { readings } }: GivenReadings) => Effect.flatMap(node, (opened) => report(opened, readings)),
    Latest: () => current,
    Subscribe: () => Stream.unwrap(Effect.map(node, subscribe)),
    Registry: () => Effect.map(current, ({ entry }) => entry),
  })
})

/** A node that is placed here: its supervised handlers, to which its router reports directly. */
const supervised = Effect.gen(function* () {
  const handlers = yield* supervise(EdgeNode, build)
  const { byMessage } = yield* withLocalCalls(
    yield* LocalEdgeNodes,
    yield* placedActorId,
    (readings: Parameters<ReportCall>[0]) => handlers.Report({ payload: { readings } }),
  )
  return EdgeNode.of({ ...handlers, Report: ({ payload }) => byMessage(payload.readings) })
})

/** The registry of the EdgeNode actors of this node. */
export const layerLocalEdgeNodes: Layer.Layer<LocalEdgeNodes> = Layer.sync(
  LocalEdgeNodes,
  () => makeLocalCalls<ReportCall>(),
)

/** The EdgeNode actors of this node. */
export const layerEdgeNode = EdgeNode.toLayer(supervised, entityOptions)
