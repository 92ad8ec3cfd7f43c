/**
 * Findings about the datagram listeners: whether datagrams arrive, who sends them, and why they are dropped.
 *
 * Judges the changes between two examinations, because the counts also cover earlier times.
 */
import type { DiagnosticsBody } from "../../protocols/pose-api/diagnostics.ts"
import type { Finding } from "../../protocols/pose-api/findings.ts"
import { isLoopbackHost } from "../access/loopback.ts"
import { limit, ok, problem } from "./finding.ts"

type Listener = DiagnosticsBody["datagrams"][number]

/** The devices of each listener, in the operator's words. */
const devices: Readonly<Record<string, string>> = { ruview: "ESP32 nodes (RuView)", nexmon: "Nexmon routers" }

/** Advice by reason of a drop. Reasons that are not here have a finding of their own. */
export const adviceOf: Readonly<Record<string, string>> = {
  truncated: "The datagrams are truncated. Keep them below the network's packet size, and check the sender's firmware.",
  "bad-field": "A header field is out of range. Check that the service supports the sender's firmware.",
  "value-count": "The length of the datagrams differs from their header. Check the sender's firmware.",
  "unsupported-layout":
    "The channel of the datagrams is not supported. Set the sender to 20, 40 or 80 MHz of a standard Wi-Fi channel.",
  "bin-order":
    "The guard subcarriers show another order than the node's earlier packets. Check that no two nodes have the same number, and set the access point to a fixed channel and width.",
  invalid_batch: "The router's actor could not read the frames. See the service's log for the cause.",
  unavailable: "The router's actor is unavailable. Check that a node of role sensing runs on this database.",
  queue_full: "The router's actor is slower than its datagrams. Lower the packet rate, or give the service more CPU.",
  shed:
    "The service is short of CPU, so frames that waited too long were dropped. Give it more CPU, or lower the packet rate.",
  rate_limited:
    "A sender sends more datagrams a second than one may. Lower its rate, or raise WAVEPOSE_RATE_LIMIT_DATAGRAMS.",
  too_many_routers: "More routers send to this port than the service can track. Distribute them over several nodes.",
  not_accepted: "The router's actor dropped the frames. See the finding about that router.",
  unsigned:
    "An enrolled node sends unsigned datagrams. Give the node its key, or revoke and release it if it cannot sign.",
  bad_signature:
    "The signature does not match the key that it names. Check the node's key, or enrol it again for a new one.",
  unknown_key:
    "The signing key does not exist any more, or the service cannot open it (see its log). Enrol the node, and give it the new key.",
  wrong_node: "A node uses the key of another. Check which key was given to which node.",
  replayed:
    "The sequence numbers were used before. A restarted sender must begin a greater epoch; otherwise these are replayed datagrams.",
  quarantined: "The node is in quarantine. Enrol it (wavepose node enrol), or release it to accept unsigned datagrams.",
  revoked: "The node was revoked. Enrol it again if it is yours.",
  identities_unavailable: "The identities of nodes could not be read. Check the database.",
  socket_error: "The operating system reported an error on the port. See the service's log for the cause.",
}

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`

const secondsBetween = (from: string, until: string): number => (Date.parse(until) - Date.parse(from)) / 1000

/** The finding if no listener received a datagram. */
const silence = (listeners: ReadonlyArray<Listener>, timestamp: string): Finding => {
  const last = listeners.flatMap((listener) => [...listener.routers, ...listener.foreign_senders])
    .map((sender) => sender.last_datagram_time).sort().at(-1)
  const since = last === undefined
    ? "no datagram was ever received"
    : `no datagram arrives; the last one arrived ${secondsBetween(last, timestamp).toFixed(0)} s ago`
  const ports = listeners.map(({ host, kind, port }) => `${devices[kind] ?? kind} to ${host}:${port}`).join(", ")
  const local = listeners.find(({ host }) => isLoopbackHost(host))
  const reach = local === undefined
    ? "Check that no firewall is between them."
    : `The service listens on ${local.host}, which only this machine can reach. Set WAVEPOSE_HOST to an address of its network, or 0.0.0.0.`
  return problem("datagrams", since, `Check that the routers are on and send by UDP: ${ports}. ${reach}`)
}

/** The finding about senders whose datagrams have another format. */
const foreignFindings = (
  check: string,
  before: Listener,
  listener: Listener,
  trouble: typeof problem,
): ReadonlyArray<Finding> => {
  const known = new Map(before.foreign_senders.map(({ address, datagrams }) => [address, datagrams]))
  const active = listener.foreign_senders.filter(({ address, datagrams }) => datagrams > (known.get(address) ?? 0))
  if (active.length === 0) return []
  const from = active.map(({ address }) => address).join(", ")
  return [trouble(
    check,
    `datagrams from ${from} are not those of ${devices[listener.kind] ?? listener.kind} (wrong magic)`,
    "Stop the sender, or configure its own port: RuView nodes and Nexmon routers have one each.",
  )]
}

/** Findings about routers that are not enrolled, send no CSI, or have an unknown subcarrier order. */
const routerFindings = (
  check: string,
  before: Listener,
  listener: Listener,
  enrolled: ReadonlySet<string>,
  trouble: typeof problem,
): ReadonlyArray<Finding> => {
  const known = new Map(before.routers.map((router) => [router.router_id, router]))
  const active = listener.routers.filter(({ last_datagram_time, router_id }) =>
    last_datagram_time !== known.get(router_id)?.last_datagram_time
  )
  // The last drop of a router that was enrolled since then is history.
  const unenrolled = active.filter(({ last_drop, router_id }) =>
    last_drop?.reason === "unknown_router" && !enrolled.has(router_id)
  ).map((r) => r.router_id)
  const reporters = active.filter(({ frames, reports, router_id }) =>
    reports && frames === (known.get(router_id)?.frames ?? 0)
  ).map((r) => r.router_id)
  const unordered = active.filter(({ bin_order }) => bin_order === "unknown").map((r) => r.router_id)
  return [
    ...(unenrolled.length === 0 ? [] : [trouble(
      check,
      `${unenrolled.join(", ")} ${unenrolled.length === 1 ? "sends, but is" : "send, but are"} not enrolled`,
      `Adopt ${
        unenrolled.length === 1 ? "it" : "them"
      }: page Set-up of the console, or \`npx wavepose node add\`. A site file with --site FILE does the same.`,
    )]),
    ...(reporters.length === 0 ? [] : [trouble(
      check,
      `${reporters.join(", ")} ${reporters.length === 1 ? "sends" : "send"} only the device's own results, and no CSI`,
      "Switch raw CSI on in the node's configuration. The service does not use the device's own results.",
    )]),
    ...(unordered.length === 0 ? [] : [limit(
      check,
      `the subcarrier order of ${unordered.join(", ")} is unknown, because the guard subcarriers do not show it; ` +
        "0 to 31, -32 to -1 is assumed",
      "Presence is wrong if the order differs. Set the access point to 20 MHz without a secondary channel, which has this order, " +
        "or let the firmware send the CSI buffer as the chip writes it.",
    )]),
  ]
}

/** Findings about datagrams and frames that were dropped for other reasons. */
const dropFindings = (
  check: string,
  before: Listener,
  listener: Listener,
  trouble: typeof problem,
): ReadonlyArray<Finding> =>
  Object.entries(listener.dropped).flatMap(([reason, total]) => {
    const dropped = total - (before.dropped[reason] ?? 0)
    const advice = adviceOf[reason]
    return dropped <= 0 || advice === undefined
      ? []
      : [trouble(check, `${counted(dropped, "frame")} dropped (${reason})`, advice)]
  })

/** The finding about signatures. Unsigned datagrams prevent no frames. */
const identityFinding = ({ policy, signed, unsigned_nodes }: DiagnosticsBody["node_identity"]): Finding => {
  const unenrolled = policy === "open"
    ? "datagrams of unenrolled nodes are accepted"
    : "unenrolled nodes are in quarantine"
  const unsigned = unsigned_nodes.length === 0 ? "" : `; unsigned: ${unsigned_nodes.join(", ")}`
  return ok("node identity", signed ? `all datagrams are signed, ${unenrolled}` : `${unenrolled}${unsigned}`)
}

/**
 * Findings about the datagram listeners.
 *
 * @param framesFlow an environment makes frames, so that a silent listener or an unknown sender is no problem
 * @param otherWays routers are heard that do not use these listeners but, for example, gRPC
 */
export const judgeDatagrams = (
  first: DiagnosticsBody,
  last: DiagnosticsBody,
  { framesFlow, otherWays }: { readonly framesFlow: boolean; readonly otherWays: boolean },
): ReadonlyArray<Finding> => {
  const trouble = framesFlow ? limit : problem
  const enrolled = new Set(last.routers.map(({ router_id }) => router_id))
  const received = last.datagrams.map((listener) => {
    const before = first.datagrams.find(({ port }) => port === listener.port) ?? listener
    return { before, listener, count: listener.received - before.received }
  })
  if (!otherWays && received.every(({ count }) => count === 0)) return [silence(last.datagrams, last.timestamp)]
  return received.flatMap(({ before, count, listener }) => {
    const check = `datagrams on UDP ${listener.host}:${listener.port} (${listener.kind})`
    if (count === 0) return [ok(check, "none; packets arrive by another way")]
    const findings = [
      ...foreignFindings(check, before, listener, trouble),
      ...routerFindings(check, before, listener, enrolled, trouble),
      ...dropFindings(check, before, listener, trouble),
    ]
    const accepted = listener.accepted - before.accepted
    return findings.length > 0
      ? findings
      : [ok(check, `${counted(count, "datagram")}, ${counted(accepted, "frame")} accepted`)]
  }).concat(identityFinding(last.node_identity))
}
