/**
 * Node identities in memory: the same ports as the store's, without a database.
 */
import { Effect, Layer } from "effect"
import { Admission } from "../../gateways/datagrams/admission.ts"
import { StoreUnavailable } from "../../protocols/domain/failure.ts"
import type { IdentityPolicy, NodeIdentity, NodeStanding } from "../../protocols/domain/node-identity.ts"
import {
  type KeyObservation,
  NodeAllowlists,
  NodeIdentities,
  type NodeKey,
  type NodeObservation,
} from "../../protocols/ports/node-identities.ts"

export interface AllowlistDouble {
  readonly standings: Map<string, NodeStanding>
  readonly keys: Map<number, NodeKey>
  readonly reportedNodes: Array<NodeObservation>
  readonly reportedKeys: Array<KeyObservation>
  fails: boolean
}

export const makeRollDouble = (): AllowlistDouble => ({
  standings: new Map(),
  keys: new Map(),
  reportedNodes: [],
  reportedKeys: [],
  fails: false,
})

const storeDown = new StoreUnavailable({ message: "The store does not answer." })

const allowlistsOf = (double: AllowlistDouble): NodeAllowlists["Service"] => ({
  current: Effect.suspend(() =>
    double.fails
      ? Effect.fail(storeDown)
      : Effect.succeed({ standings: new Map(double.standings), keys: [...double.keys.values()] })
  ),
  report: (nodes, keys) =>
    Effect.suspend(() => {
      if (double.fails) return Effect.fail(storeDown)
      double.reportedNodes.push(...nodes)
      double.reportedKeys.push(...keys)
      for (const { epoch, keyNumber, sequence } of keys) {
        const key = double.keys.get(keyNumber)
        if (key !== undefined) double.keys.set(keyNumber, { ...key, position: { epoch, sequence } })
      }
      return Effect.void
    }),
})

/** Admission by an allowlist in memory; by default an open network without enrolled nodes. */
export const layerAdmission = (
  policy: IdentityPolicy = "open",
  double: AllowlistDouble = makeRollDouble(),
): Layer.Layer<Admission> =>
  Admission.layer(policy).pipe(Layer.provide(Layer.succeed(NodeAllowlists, allowlistsOf(double))))

/** Decisions of operators, kept in `nodes`; a node's key is derived from its number. */
export const identitiesDouble = (
  nodes: Map<string, NodeIdentity>,
  fails: () => boolean,
): NodeIdentities["Service"] => {
  const attempt = <A>(act: () => A) => Effect.suspend(() => fails() ? Effect.fail(storeDown) : Effect.succeed(act()))
  let lastKey = 0
  const decide = (nodeId: string, standing: NodeStanding, reason: string | null, by: string): NodeIdentity => {
    const known = nodes.get(nodeId)
    const node: NodeIdentity = {
      nodeId,
      firstSeenMs: null,
      lastSeenMs: null,
      lastSigned: null,
      keyNumbers: [],
      ...known,
      standing,
      reason,
      decidedMs: 0,
      decidedBy: by,
    }
    nodes.set(nodeId, node)
    return node
  }
  return {
    all: attempt(() => [...nodes.values()]),
    enrol: (nodeId, by) =>
      attempt(() => {
        const keyNumber = ++lastKey
        const node = { ...decide(nodeId, "enrolled", null, by), keyNumbers: [keyNumber] }
        nodes.set(nodeId, node)
        return { node, keyNumber, key: new Uint8Array(32).fill(keyNumber) }
      }),
    quarantine: (nodeId, reason, by) => attempt(() => decide(nodeId, "quarantined", reason, by)),
    release: (nodeId, by) =>
      attempt(() => {
        const known = nodes.get(nodeId)
        if (known === undefined || known.standing === "revoked") return null
        return decide(nodeId, known.keyNumbers.length > 0 ? "enrolled" : "released", null, by)
      }),
    revoke: (nodeId, reason, by) =>
      attempt(() => {
        if (!nodes.has(nodeId)) return false
        nodes.set(nodeId, { ...decide(nodeId, "revoked", reason, by), keyNumbers: [] })
        return true
      }),
  }
}
