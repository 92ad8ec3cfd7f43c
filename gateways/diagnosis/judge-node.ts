/**
 * Judges whether one node is heard by UDP, from two examinations of a service, and what prevents it.
 */
import type { DiagnosticsBody } from "../../protocols/pose-api/diagnostics.ts"
import type { Finding } from "../../protocols/pose-api/findings.ts"
import { ok, problem } from "./finding.ts"
import { adviceOf, judgeDatagrams } from "./judge-datagrams.ts"

const check = "node"

const sendersOf = (diagnostics: DiagnosticsBody, nodeId: string): string =>
  diagnostics.datagrams.flatMap(({ routers }) => routers.map(({ router_id }) => router_id))
    .filter((id) => id !== nodeId).join(", ")

/** The finding about a node that is not heard at all. */
const unheard = (first: DiagnosticsBody, last: DiagnosticsBody, nodeId: string): Finding => {
  const findings = judgeDatagrams(first, last, { framesFlow: false, otherWays: false })
  const wrong = findings.find(({ verdict }) => verdict === "problem")
  if (wrong !== undefined) return wrong
  return problem(
    check,
    `datagrams arrive from ${sendersOf(last, nodeId) || "other senders"}, and none from ${nodeId}`,
    `Set the number of the node to that of ${nodeId}, and its target to this service.`,
  )
}

/** The verdict is `ok` when CSI frames of the node are accepted. */
export const judgeNode = (first: DiagnosticsBody, last: DiagnosticsBody, nodeId: string): Finding => {
  const routerIn = ({ datagrams }: DiagnosticsBody) =>
    datagrams.flatMap(({ routers }) => routers).find(({ router_id }) => router_id === nodeId)
  const now = routerIn(last)
  const before = routerIn(first)
  if (now === undefined || now.last_datagram_time === before?.last_datagram_time) return unheard(first, last, nodeId)
  const drop = now.last_drop
  if (drop !== null && drop.time !== before?.last_drop?.time) {
    const advice = drop.reason === "unknown_router"
      ? "Wait: the service accepts a new node within 5 s."
      : adviceOf[drop.reason] ?? "See the findings of wavepose doctor."
    return problem(check, `datagrams of ${nodeId} arrive and are dropped (${drop.reason})`, advice)
  }
  const frames = now.frames - (before?.frames ?? 0)
  if (frames === 0) {
    return problem(
      check,
      `${nodeId} sends, but no CSI`,
      "Switch raw CSI on in its configuration, and let its access point send.",
    )
  }
  const seconds = (Date.parse(last.timestamp) - Date.parse(first.timestamp)) / 1000
  const signed = now.signed === true ? "signed" : "not signed"
  return ok(check, `${nodeId} is heard: ${(frames / seconds).toFixed(0)} CSI frames/s, ${signed}`)
}
