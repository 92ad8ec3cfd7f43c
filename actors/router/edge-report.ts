/**
 * The report of a router to its edge node, which lives on the same runner. The router never waits for it.
 *
 * Invariants: readings arrive in order; one message is in flight at a time, and readings that come meanwhile form the next one; at most
 * `waitingMax` wait, and the oldest are dropped first; readings that the node did not take are not sent again, because newer ones
 * supersede them.
 */
import { Effect } from "effect"
import { EdgeNode, LocalEdgeNodes, type NodeReading } from "../../protocols/messages/edge-node.ts"

/** Readings that wait: 10 s of hops. */
const waitingMax = 100
const answerMsMax = 5_000

interface EdgeReport {
  readonly send: (readings: ReadonlyArray<NodeReading>) => Effect.Effect<void>
}

export const makeEdgeReport = Effect.fnUntraced(function* (nodeId: string) {
  const node = (yield* EdgeNode.client)(nodeId)
  const local = yield* LocalEdgeNodes
  const scope = yield* Effect.scope
  let waiting: ReadonlyArray<NodeReading> = []
  let sending = false

  const sendWaiting = Effect.gen(function* () {
    while (waiting.length > 0) {
      const readings = waiting
      waiting = []
      yield* (local.to(nodeId)?.(readings) ?? node.Report({ readings })).pipe(
        Effect.timeout(answerMsMax),
        Effect.catchCause((cause) => Effect.logDebug(`edge node did not take readings id=${nodeId}`, cause)),
      )
    }
  }).pipe(Effect.ensuring(Effect.sync(() => sending = false)))

  const report: EdgeReport = {
    send: (readings) =>
      Effect.suspend(() => {
        waiting = [...waiting, ...readings].slice(-waitingMax)
        if (sending || waiting.length === 0) return Effect.void
        sending = true
        return Effect.asVoid(Effect.forkIn(sendWaiting, scope))
      }),
  }
  return report
})
