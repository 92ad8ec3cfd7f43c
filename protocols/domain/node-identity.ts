/**
 * Identity of the sensing nodes that send datagrams: who enrolled them, what each may send, and the decision about a datagram.
 *
 * A node here is a sender of CSI (a router's id), not a node of the cluster. Boundary: signatures are checked by
 * `gateways/datagrams`; senders over gRPC are authenticated by an API key.
 */
import { Schema } from "effect"

/** Whether datagrams of nodes that are not enrolled are accepted. */
export const identityPolicies = ["open", "required"] as const
export type IdentityPolicy = typeof identityPolicies[number]

/**
 * The standing of a node.
 *
 * `seen`: it sends, and no operator has decided about it. `released`: an operator accepts its unsigned datagrams. `enrolled`: it has a key,
 * and only its signed datagrams are accepted. `quarantined`: its datagrams are counted and dropped until it is released or enrolled.
 * `revoked`: its keys are deleted, and its datagrams are rejected until it is enrolled again.
 */
export const NodeStanding = Schema.Literals(["seen", "released", "enrolled", "quarantined", "revoked"])
export type NodeStanding = typeof NodeStanding.Type

/** The most nodes in the store. Beyond it, new nodes without a decision are not stored. */
export const nodesMax = 1_000

/** A node as operators see it. Times are milliseconds since the Unix epoch. */
export interface NodeIdentity {
  readonly nodeId: string
  readonly standing: NodeStanding
  /** Why it was quarantined or revoked; null if no reason was given. */
  readonly reason: string | null
  /** Null if it has never sent. */
  readonly firstSeenMs: number | null
  readonly lastSeenMs: number | null
  /** Whether its last accepted datagram was signed. */
  readonly lastSigned: boolean | null
  /** When and by whom its standing was decided; null if it was not. */
  readonly decidedMs: number | null
  readonly decidedBy: string | null
  /** Numbers of its keys, the newest first; two while a new one has not been used yet. */
  readonly keyNumbers: ReadonlyArray<number>
}

/** The standing that a node has under a policy: a node that is only seen is in quarantine if identity is required. */
export const effectiveStanding = (standing: NodeStanding, policy: IdentityPolicy): NodeStanding =>
  standing === "seen" && policy === "required" ? "quarantined" : standing

/** Why a datagram is rejected, independent of its content. */
export const refusalReasons = [
  "unsigned",
  "bad_signature",
  "unknown_key",
  "wrong_node",
  "replayed",
  "quarantined",
  "revoked",
  "identities_unavailable",
] as const
export type RefusalReason = typeof refusalReasons[number]

/** A rejected datagram; `nodeId` is null if its sender is not proven. */
export interface DatagramRefusal {
  readonly reason: RefusalReason
  readonly message: string
  readonly nodeId: string | null
}

/**
 * Why a node's datagram is rejected; null if it is accepted.
 *
 * @param signed whether it has a valid signature
 */
export const refusalOf = (
  nodeId: string,
  standing: NodeStanding,
  policy: IdentityPolicy,
  signed: boolean,
): DatagramRefusal | null => {
  const refuse = (reason: RefusalReason, message: string): DatagramRefusal => ({ reason, message, nodeId })
  const effective = effectiveStanding(standing, policy)
  if (effective === "revoked") return refuse("revoked", `${nodeId} was revoked; enrol it anew to take what it sends`)
  if (effective === "quarantined") {
    return refuse("quarantined", `${nodeId} is in quarantine; enrol or release it to take what it sends`)
  }
  return effective === "enrolled" && !signed
    ? refuse("unsigned", `${nodeId} is enrolled, but this datagram has no signature; give its key to the node`)
    : null
}

/** Whether the senders of a network are authenticated, for readers of the registry. */
export interface NetworkIdentity {
  readonly policy: IdentityPolicy
  /** Whether all accepted nodes sign their datagrams. */
  readonly signed: boolean
  /** Nodes whose unsigned datagrams are accepted. */
  readonly unsignedNodes: ReadonlyArray<string>
}

/** The authentication of a network, from the standings of its nodes. An open network without nodes is unsigned. */
export const networkIdentity = (
  nodes: ReadonlyArray<Pick<NodeIdentity, "nodeId" | "standing">>,
  policy: IdentityPolicy,
): NetworkIdentity => {
  const unsignedNodes = nodes.filter(({ standing }) =>
    standing === "released" || (standing === "seen" && policy === "open")
  ).map(({ nodeId }) => nodeId)
  return { policy, signed: policy === "required" && unsignedNodes.length === 0, unsignedNodes }
}
