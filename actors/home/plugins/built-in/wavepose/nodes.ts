/**
 * The nodes that the sensing plugin publishes, and those that the privacy gate rejects.
 */
import { Clock, Effect, Result } from "effect"
import type { PrivacyClass } from "../../../../../core/privacy/privacy-class.ts"
import type { RefusedNode } from "../../../../../protocols/ports/edge-feed.ts"
import type { Writer } from "./entity-writer.ts"
import { nodeDevice, nodeEntities, type ReleasedToHome } from "./node-entities.ts"
import type { Slugs } from "./slugs.ts"

/** The gate's decision on the newest record of a node. */
export type Verdict = Result.Result<ReleasedToHome, RefusedNode>

/** Nodes of the feed, by the newest record of each. */
export const makeNodes = (write: Writer, slugs: Slugs) => {
  const nodes = new Map<string, ReleasedToHome>()
  const refused = new Map<string, RefusedNode>()
  const show = Effect.fnUntraced(function* (nodeId: string) {
    const released = nodes.get(nodeId)!
    const device = nodeDevice(released, slugs)
    yield* write.put(device, nodeEntities(released, device, yield* Clock.currentTimeMillis))
  })
  const take = (released: ReleasedToHome) => {
    const { nodeId } = released.record
    nodes.set(nodeId, released)
    return show(nodeId)
  }
  return {
    /** Publishes a released record. Returns whether the gate has decided otherwise than on the node's last one. */
    judge: Effect.fnUntraced(function* (verdict: Verdict) {
      if (Result.isSuccess(verdict)) {
        const isNew = refused.delete(verdict.success.record.nodeId)
        yield* take(verdict.success)
        return isNew
      }
      const { message, nodeId } = verdict.failure
      const isNew = !refused.has(nodeId)
      nodes.delete(nodeId)
      refused.set(nodeId, verdict.failure)
      if (isNew) yield* Effect.logWarning(`the node and its environment are left out of the home: ${message}`)
      return isNew
    }),
    forget: (nodeId: string) => {
      nodes.delete(nodeId)
      refused.delete(nodeId)
    },
    ids: (): ReadonlyArray<string> => [...nodes.keys(), ...refused.keys()],
    refused: (): ReadonlyArray<RefusedNode> => [...refused.values()],
    areAllRefused: (): boolean => nodes.size === 0,
    /** The newest readings of an environment's nodes. */
    readingsOf: (environmentId: string) =>
      [...nodes.values()].flatMap(({ record }) =>
        record.entry.environmentId === environmentId && record.sensing !== null ? [record.sensing] : []
      ),
    showAll: Effect.suspend(() => Effect.forEach([...nodes.keys()], show, { discard: true })),
    /**
     * The most revealing class (the least number) among the nodes of an environment; null while it has none, and while the gate rejects one
     * of them.
     */
    classOf: (environmentId: string): PrivacyClass | null => {
      if ([...refused.values()].some((node) => node.environmentId === environmentId)) return null
      const classes = [...nodes.values()].filter(({ record }) => record.entry.environmentId === environmentId)
        .map(({ privacyClass }) => privacyClass)
      return classes.length === 0 ? null : Math.min(...classes) as PrivacyClass
    },
  }
}
export type Nodes = ReturnType<typeof makeNodes>
