/**
 * `wavepose node`: lists and manages the sensing nodes of a running service, over REST like any client.
 */
import { Console, Effect, Schema } from "effect"
import { EnrolledNodeBody, SensingNodesBody } from "../../protocols/pose-api/sensing-nodes.ts"
import { askAsUser, type ServiceRequest } from "./service-client.ts"
import { printResult } from "./output.ts"
import { tableOf } from "./text-table.ts"

/** A decision about a node. */
export type NodeDecision = "enrol" | "revoke" | "quarantine" | "release"

export interface NodesOptions {
  /** E.g. `http://127.0.0.1:8000`. */
  readonly url: string
}

const why = "listing nodes needs the role operator, changing them the role admin."

const ask = <A>({ url }: NodesOptions, path: string, schema: Schema.ConstraintDecoder<A>, request: ServiceRequest) =>
  askAsUser(url, why, path, schema, request)

/** The cell of a node's signature. */
const signedText = (signed: boolean | null): string => signed === null ? "-" : signed ? "yes" : "no"

/** Prints the nodes and whether the network is signed. */
export const listNodes = Effect.fnUntraced(function* (options: NodesOptions & { readonly json: boolean }) {
  const body = yield* ask(options, "/sensing-nodes", SensingNodesBody, { method: "GET" })
  if (options.json) return yield* Console.log(JSON.stringify(body))
  const { network, nodes } = body
  const rows = nodes.map((node) => [
    node.node_id,
    node.standing,
    signedText(node.signed),
    node.last_seen_at ?? "never",
    node.reason ?? "",
  ])
  if (rows.length > 0) yield* Console.log(tableOf([["NODE", "STANDING", "SIGNED", "LAST SEEN", "REASON"], ...rows]))
  const policy = network.policy === "open"
    ? "open: datagrams of unenrolled nodes are accepted (WAVEPOSE_NODE_IDENTITY=required quarantines them)"
    : "required: unenrolled nodes are in quarantine"
  yield* Console.log(`${rows.length} nodes. Node identity is ${policy}.`)
  if (!network.signed) {
    const who = network.unsigned_nodes.length === 0 ? "" : ` Unsigned nodes: ${network.unsigned_nodes.join(", ")}.`
    yield* Console.log(`This network is not signed.${who}`)
  }
})

interface DecisionOptions extends NodesOptions {
  readonly nodeId: string
  readonly decision: NodeDecision
  /** Stored with the decision to revoke or to quarantine; null for the others. */
  readonly reason: string | null
  readonly json: boolean
}

/** What a decision other than an enrolment means. */
const consequences: Readonly<Record<Exclude<NodeDecision, "enrol">, string>> = {
  revoke: "is revoked: its keys are deleted and its datagrams are rejected.",
  quarantine: "is in quarantine: its datagrams are counted and dropped.",
  release: "is released: its datagrams are accepted.",
}

const paths = { revoke: "revocation", quarantine: "quarantine", release: "release" } as const

const pathOf = (nodeId: string, what: string): string => `/sensing-nodes/${encodeURIComponent(nodeId)}/${what}`

/** Creates a key for a node; returns it. */
export const enrolNode = (options: NodesOptions, nodeId: string) =>
  Effect.map(ask(options, pathOf(nodeId, "enrolment"), EnrolledNodeBody, { method: "POST" }), ({ key }) => key)

/** Sends a decision about a node. Prints the key of an enrolled node, once. */
export const decideNode = Effect.fnUntraced(function* (options: DecisionOptions) {
  const { decision, json, nodeId, reason } = options
  if (decision === "enrol") {
    const key = yield* enrolNode(options, nodeId)
    if (!json) {
      yield* Console.error(
        `Node ${nodeId} is enrolled. This is its key, which is shown once. Its unsigned datagrams are rejected from now on.`,
      )
    }
    return yield* printResult(json, { node_id: nodeId, decision, key }, key)
  }
  // A release has no reason.
  const body = decision === "release" ? {} : { body: JSON.stringify(reason === null ? {} : { reason }) }
  yield* ask(options, pathOf(nodeId, paths[decision]), Schema.Unknown, { method: "POST", ...body })
  const text = `Node ${nodeId} ${consequences[decision]}`
  yield* json ? printResult(true, { node_id: nodeId, decision }, text) : Console.error(text)
})
