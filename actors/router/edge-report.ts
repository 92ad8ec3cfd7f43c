/**
 * A router's word to its edge node, which lives on the same runner. The router never waits for it.
 *
 * Invariants: readings arrive in order; one message is under way at a time, and what comes meanwhile is the next one; at most
 * `waitingMax` wait, the oldest given up first; what the node did not take is not sent again, because newer readings supersede it.
 */
import { Effect } from "effect"
import { EdgeNode, type NodeReading } from "../../protocols/messages/edge-node.ts"

/** Readings that wait: 10 s of hops. */
const waitingMax = 100
const answerTimeout = "5 seconds"

interface EdgeReport {
  readonly tell: (readings: ReadonlyArray<NodeReading>) => Effect.Effect<void>
}

export const makeEdgeReport = Effect.fnUntraced(function* (nodeId: string) {
  const node = (yield* EdgeNode.client)(nodeId)
  const scope = yield* Effect.scope
  let waiting: ReadonlyArray<NodeReading> = []
  let sending = false

  const send = Effect.gen(function* () {
    while (waiting.length > 0) {
      const readings = waiting
      waiting = []
      yield* node.Report({ readings }).pipe(
        Effect.timeout(answerTimeout),
        Effect.catchCause((cause) => Effect.logDebug(`edge node ${nodeId} did not take readings`, cause)),
      )
    }
  }).pipe(Effect.ensuring(Effect.sync(() => sending = false)))

  const report: EdgeReport = {
    tell: (readings) =>
      Effect.suspend(() => {
        waiting = [...waiting, ...readings].slice(-waitingMax)
        if (sending || waiting.length === 0) return Effect.void
        sending = true
        return Effect.asVoid(Effect.forkIn(send, scope))
      }),
  }
  return report
})
