/**
 * Endpoints of the group Sensing nodes: which nodes send datagrams, which of them have a key, and what operators decide about them.
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
  standing: NodeStanding.annotate({
    description:
      "seen: nobody decided anything. released: taken without a signature. enrolled: only what its key signed is taken. " +
      "quarantined: counted and dropped. revoked: refused until it is enrolled anew.",
  }),
  reason: NullableString,
  first_seen_at: Schema.NullOr(IsoTime),
  last_seen_at: Schema.NullOr(IsoTime),
  signed: Schema.NullOr(Schema.Boolean).annotate({
    description: "Whether its last datagram was signed; null while it was never heard.",
  }),
  decided_at: Schema.NullOr(IsoTime),
  decided_by: NullableString,
  key_numbers: Schema.Array(Count).annotate({
    description: "The newest first; an older one is good until a newer one is used.",
  }),
}

/** A node under the policy of the service that answers. */
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

/** How trustworthy the senders are; the registry of the edge bridge says the same. */
export const NetworkIdentityBody = Schema.Struct({
  policy: Schema.Literals(identityPolicies),
  signed: Schema.Boolean.annotate({ description: "Whether all that is taken is signed." }),
  unsigned_nodes: Schema.Array(Schema.String),
})

export const networkIdentityBody = ({ policy, signed, unsignedNodes }: NetworkIdentity) => ({
  policy,
  signed,
  unsigned_nodes: unsignedNodes,
})

/** The nodes there are, and the policy of the service that answers. */
interface ShownNodes {
  readonly nodes: ReadonlyArray<NodeIdentity>
  readonly policy: IdentityPolicy
}

export const SensingNodesBody = Schema.Struct({
  network: NetworkIdentityBody,
  nodes: Schema.Array(Schema.Struct(fields)),
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
  summary: "The nodes that send datagrams, and how far each is trusted",
  access: "control",
  category: "configuration",
  status: 200,
  response: { bare: listCodec, envelope: listCodec },
  failures: ["StoreUnavailable"],
})

const params = Schema.Struct({ node_id: Identifier })
const oneCodec = jsonCodec(Schema.Struct(fields), bodyOf)

/** A node and the key that it was given. */
interface EnrolledNode extends ShownNode {
  readonly keyNumber: number
  readonly key: Uint8Array
}

export const EnrolledNodeBody = Schema.Struct({
  ...fields,
  key: Schema.String.annotate({
    description: "`wpk-`, the key's number, `-`, 32 bytes in hexadecimal. Shown in this answer and never again.",
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
    "Give a node a key: from now on only what it signs is taken; a key that it has is good until this one is used",
  access: "administer",
  category: "configuration",
  params,
  status: 201,
  response: { bare: enrolledCodec, envelope: enrolledCodec },
  failures: ["StoreUnavailable"],
})

const Why = Schema.Struct({
  reason: Schema.optionalKey(Text(1, 256).annotate({ description: "Why, for whoever looks later." })),
})

export const revokeSensingNode = endpoint({
  method: "POST",
  path: "/sensing-nodes/{node_id}/revocation",
  group,
  summary: "Destroy a node's keys and refuse what it sends",
  access: "administer",
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
  summary: "Count and drop what a node sends, until it is released or enrolled",
  access: "control",
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
  summary: "Take what a node sends: signed if it has a key, else without a signature",
  access: "administer",
  category: "configuration",
  params,
  status: 200,
  response: { bare: oneCodec, envelope: oneCodec },
  failures: ["ResourceNotFound", "StoreUnavailable"],
})
