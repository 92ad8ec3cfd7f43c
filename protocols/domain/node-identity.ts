/**
 * Identity of the sensing nodes that send datagrams: who enrolled them, what each may send, and the one decision about it.
 *
 * A node here is a sender of CSI (a router's id), not a node of the cluster. Boundary: signatures are checked by
 * `gateways/datagrams`; what comes by gRPC is let in by its API key.
 */
import { Schema } from "effect"

/** What is done with nodes that nobody has enrolled. */
export const identityPolicies = ["open", "required"] as const
export type IdentityPolicy = typeof identityPolicies[number]

/**
 * What was decided about a node.
 *
 * `seen`: it sends, and nobody decided anything. `released`: an operator takes what it sends without a signature. `enrolled`: it has a
 * key, and only what that signed is taken. `quarantined`: what it sends is counted and dropped until it is released or enrolled.
 * `revoked`: its keys are gone, and it is refused until it is enrolled anew.
 */
export const NodeStanding = Schema.Literals(["seen", "released", "enrolled", "quarantined", "revoked"])
export type NodeStanding = typeof NodeStanding.Type

/** Nodes that are remembered; of those that nobody decided about, no more are written beyond. */
export const nodesMax = 1_000

/** A node as operators see it. Times are milliseconds since the Unix epoch. */
export interface NodeIdentity {
  readonly nodeId: string
  readonly standing: NodeStanding
  /** Why it was quarantined or revoked; null where nobody said. */
  readonly reason: string | null
  /** Null while it was never heard. */
  readonly firstSeenMs: number | null
  readonly lastSeenMs: number | null
  /** Whether the last datagram that was taken of it was signed. */
  readonly lastSigned: boolean | null
  /** When and by whom its standing was decided; null while nobody has. */
  readonly decidedMs: number | null
  readonly decidedBy: string | null
  /** Numbers of its keys, the newest first; two while a new one has not been used yet. */
  readonly keyNumbers: ReadonlyArray<number>
}

/** The standing that a node has under a policy: who is only seen is in quarantine where identity is required. */
export const effectiveStanding = (standing: NodeStanding, policy: IdentityPolicy): NodeStanding =>
  standing === "seen" && policy === "required" ? "quarantined" : standing

/** Why a datagram is not let in, whatever is in it. */
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

/** A datagram that is not let in; `nodeId` is null where nothing proves whose it is. */
export interface DatagramRefusal {
  readonly reason: RefusalReason
  readonly message: string
  readonly nodeId: string | null
}

/**
 * Whether a node's datagram is let in: null, or why not.
 *
 * @param signed its signature was checked, and is right
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

/** How trustworthy the senders of a network are, for whoever reads its registry. */
export interface NetworkIdentity {
  readonly policy: IdentityPolicy
  /** Whether every node whose datagrams are taken signs them. */
  readonly signed: boolean
  /** Nodes whose datagrams are taken without a signature. */
  readonly unsignedNodes: ReadonlyArray<string>
}

/** What the nodes' standings say about a network. Without a node heard of yet, an open network is unsigned. */
export const networkIdentity = (
  nodes: ReadonlyArray<Pick<NodeIdentity, "nodeId" | "standing">>,
  policy: IdentityPolicy,
): NetworkIdentity => {
  const unsignedNodes = nodes.filter(({ standing }) =>
    standing === "released" || (standing === "seen" && policy === "open")
  ).map(({ nodeId }) => nodeId)
  return { policy, signed: policy === "required" && unsignedNodes.length === 0, unsignedNodes }
}
