/**
 * `wavepose nodes`: lists and manages the sensing nodes of a running service, over REST like any client.
 */
import { Console, Effect, Schema } from "effect"
import { EnrolledNodeBody, SensingNodesBody } from "../../protocols/pose-api/sensing-nodes.ts"
import { askService, rejectedBy, signIn } from "./service-client.ts"
import { tableOf } from "./text-table.ts"

/** A decision about a node. */
export type NodeDecision = "enrol" | "revoke" | "quarantine" | "release"

export interface NodesOptions {
  /** E.g. `http://127.0.0.1:8000`. */
  readonly url: string
}

const ask = <A>(
  { url }: NodesOptions,
  path: string,
  schema: Schema.ConstraintDecoder<A>,
  request: { readonly method: string; readonly body?: unknown },
) =>
  Effect.gen(function* () {
    const service = url.replace(/\/+$/, "")
    const headers = yield* signIn(service, "listing nodes needs the role operator, changing them the role admin.")
    return yield* askService(service, path, schema, {
      method: request.method,
      headers: { ...headers, "content-type": "application/json" },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    })
  }).pipe(rejectedBy(url))

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

/** Sends a decision about a node. Prints the key of an enrolled node, once. */
export const decideNode = Effect.fnUntraced(function* (
  options: NodesOptions & { readonly nodeId: string; readonly decision: NodeDecision; readonly reason: string | null },
) {
  const { decision, nodeId, reason } = options
  const path = (what: string) => `/sensing-nodes/${encodeURIComponent(nodeId)}/${what}`
  const why = reason === null ? {} : { reason }
  switch (decision) {
    case "enrol": {
      const { key } = yield* ask(options, path("enrolment"), EnrolledNodeBody, { method: "POST" })
      yield* Console.error(
        `Node ${nodeId} is enrolled. This is its key, which is shown once. Its unsigned datagrams are rejected from now on.`,
      )
      return yield* Console.log(key)
    }
    case "revoke":
      yield* ask(options, path("revocation"), Schema.Null, { method: "POST", body: why })
      return yield* Console.error(`Node ${nodeId} is revoked: its keys are deleted and its datagrams are rejected.`)
    case "quarantine":
      yield* ask(options, path("quarantine"), Schema.Unknown, { method: "POST", body: why })
      return yield* Console.error(`Node ${nodeId} is in quarantine: its datagrams are counted and dropped.`)
    case "release":
      yield* ask(options, path("release"), Schema.Unknown, { method: "POST" })
      return yield* Console.error(`Node ${nodeId} is released: its datagrams are accepted.`)
  }
})
