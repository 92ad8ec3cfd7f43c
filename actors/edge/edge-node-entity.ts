/**
 * The EdgeNode actor as a cluster entity.
 *
 * Boundary: `edge-node.ts` does the work; the router of the node reports to it (`actors/router`). Its answers have not passed the privacy
 * gate: gateways read them through the port `EdgeFeed` only.
 */
import { Effect, Semaphore, Stream } from "effect"
import { UnknownRouter } from "../../protocols/domain/failure.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { placedActorId } from "../../protocols/messages/placement.ts"
import { EdgeNode } from "../../protocols/messages/edge-node.ts"
import { entityOptions, supervise } from "../runtime/supervision.ts"
import { currentRecord, type EdgeNodeState, openNode, report, subscribe } from "./edge-node.ts"

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
    Report: ({ payload: { readings } }) => Effect.flatMap(node, (opened) => report(opened, readings)),
    Latest: () => current,
    Subscribe: () => Stream.unwrap(Effect.map(node, subscribe)),
    Registry: () => Effect.map(current, ({ entry }) => entry),
  })
})

/** The EdgeNode actors of this node. */
export const layerEdgeNode = EdgeNode.toLayer(supervise(EdgeNode, build), entityOptions)
