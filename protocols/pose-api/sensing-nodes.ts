/**
 * Endpoints of the group Sensing nodes: the nodes that send datagrams, their keys, and the decisions of operators about them.
 */
import { Schema } from "effect"
import { keyText } from "../../core/identity/signed-datagram.ts"
import {
  effectiveStanding,
  identityPolicies,
  type IdentityPolicy,
  type NetworkIdentity,
  networkIdentity,
  type NodeIdentity,
  NodeStanding,
} from "../domain/node-identity.ts"
import { Identifier } from "../domain/site.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Count, NullableString, Text } from "./fields.ts"
import { IsoTime, isoTimeOrNull } from "./forms.ts"

const group = "Sensing nodes"

const fields = {
  node_id: Schema.String,
  standing: NodeStanding,
  reason: NullableString,
  first_seen_at: Schema.NullOr(IsoTime),
  last_seen_at: Schema.NullOr(IsoTime),
  signed: Schema.NullOr(Schema.Boolean).annotate({
    description: "Whether its last datagram was signed; null before the first datagram.",
  }),
  decided_at: Schema.NullOr(IsoTime),
  decided_by: NullableString,
  key_numbers: Schema.Array(Count).annotate({
    description: "Newest first. An older key is valid until a newer one is used.",
  }),
}

const NodeBody = Schema.Struct(fields).annotate({ identifier: "SensingNode" })

/** A node under the policy of the answering service. */
interface ShownNode {
  readonly node: NodeIdentity
  readonly policy: IdentityPolicy
}

const bodyOf = ({ node, policy }: ShownNode) => ({
  node_id: node.nodeId,
  standing: effectiveStanding(node.standing, policy),
  reason: node.reason,
  first_seen_at: isoTimeOrNull(node.firstSeenMs),
  last_seen_at: isoTimeOrNull(node.lastSeenMs),
  signed: node.lastSigned,
  decided_at: isoTimeOrNull(node.decidedMs),
  decided_by: node.decidedBy,
  key_numbers: node.keyNumbers,
})

/** The trust in the senders, as in the registry of the edge bridge. */
export const NetworkIdentityBody = Schema.Struct({
  policy: Schema.Literals(identityPolicies),
  signed: Schema.Boolean.annotate({ description: "Whether all accepted datagrams are signed." }),
  unsigned_nodes: Schema.Array(Schema.String),
})

export const networkIdentityBody = ({ policy, signed, unsignedNodes }: NetworkIdentity) => ({
  policy,
  signed,
  unsigned_nodes: unsignedNodes,
})

/** All nodes, and the policy of the answering service. */
interface ShownNodes {
  readonly nodes: ReadonlyArray<NodeIdentity>
  readonly policy: IdentityPolicy
}

export const SensingNodesBody = Schema.Struct({
  network: NetworkIdentityBody,
  nodes: Schema.Array(NodeBody),
})
export type SensingNodesBody = typeof SensingNodesBody.Type

const listCodec = jsonCodec(SensingNodesBody, ({ nodes, policy }: ShownNodes) => ({
  network: networkIdentityBody(networkIdentity(nodes, policy)),
  nodes: nodes.map((node) => bodyOf({ node, policy })),
}))

export const listSensingNodes = endpoint({
  method: "GET",
  path: "/sensing-nodes",
  group,
  summary: "List the nodes that send datagrams, and the trust in each",
  access: "write:configuration",
  category: "configuration",
  status: 200,
  response: { bare: listCodec, envelope: listCodec },
  failures: ["StoreUnavailable"],
})

const params = Schema.Struct({ node_id: Identifier })
const oneCodec = jsonCodec(NodeBody, bodyOf)

/** A node and its new key. */
interface EnrolledNode extends ShownNode {
  readonly keyNumber: number
  readonly key: Uint8Array
}

export const EnrolledNodeBody = Schema.Struct({
  ...fields,
  key: Schema.String.annotate({
    description:
      "`wpk-`, the number of the key, `-`, and 32 bytes in hexadecimal. The key is shown only in this answer.",
  }),
})

const enrolledCodec = jsonCodec(
  EnrolledNodeBody,
  (enrolled: EnrolledNode) => ({ ...bodyOf(enrolled), key: keyText(enrolled.keyNumber, enrolled.key) }),
)

export const enrolSensingNode = endpoint({
  method: "POST",
  path: "/sensing-nodes/{node_id}/enrolment",
  group,
  summary:
    "Enrol a node with a new key. Only its signed datagrams are accepted; its old key is valid until the new one is used",
  access: "admin",
  category: "configuration",
  params,
  status: 201,
  response: { bare: enrolledCodec, envelope: enrolledCodec },
  failures: ["StoreUnavailable"],
})

const Why = Schema.Struct({
  reason: Schema.optionalKey(Text(1, 256).annotate({ description: "Reason of the decision, for the record." })),
})

export const revokeSensingNode = endpoint({
  method: "POST",
  path: "/sensing-nodes/{node_id}/revocation",
  group,
  summary: "Revoke a node: delete its keys and reject its datagrams",
  access: "admin",
  category: "configuration",
  params,
  body: { schema: Why, required: false },
  status: 204,
  response: null,
  failures: ["ResourceNotFound", "StoreUnavailable"],
})

export const quarantineSensingNode = endpoint({
  method: "POST",
  path: "/sensing-nodes/{node_id}/quarantine",
  group,
  summary: "Quarantine a node: count and drop its datagrams until it is released or enrolled",
  access: "write:configuration",
  category: "configuration",
  params,
  body: { schema: Why, required: false },
  status: 200,
  response: { bare: oneCodec, envelope: oneCodec },
  failures: ["StoreUnavailable"],
})

export const releaseSensingNode = endpoint({
  method: "POST",
  path: "/sensing-nodes/{node_id}/release",
  group,
  summary: "Release a node: accept its datagrams, which must be signed if it has a key",
  access: "admin",
  category: "configuration",
  params,
  status: 200,
  response: { bare: oneCodec, envelope: oneCodec },
  failures: ["ResourceNotFound", "StoreUnavailable"],
})
