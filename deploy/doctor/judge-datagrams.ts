/**
 * What the doors for datagrams say: whether anything comes, from whom, and why it is left out.
 *
 * Judged by what changed between two looks; counts from before the first are history.
 */
import type { DiagnosticsBody } from "../../protocols/pose-api/diagnostics.ts"
import { type Finding, limit, ok, problem } from "./finding.ts"

type Door = DiagnosticsBody["datagrams"][number]

/** What devices a door is for, as the operator knows them. */
const devices: Readonly<Record<string, string>> = { ruview: "ESP32 nodes (RuView)", nexmon: "Nexmon routers" }

/** What to do about datagrams, or their frames, that are left out. What is not here has a finding of its own. */
const adviceOf: Readonly<Record<string, string>> = {
  truncated: "Datagrams arrive cut off. Keep them below the network's packet size, and check the sender's firmware.",
  "bad-field": "A field of their header is out of range. Check that the firmware is one that the service knows.",
  "value-count": "They are not as long as they announce. Check the sender's firmware.",
  "unsupported-layout":
    "They measure a channel that the service does not know. Set the sender to 20, 40 or 80 MHz of a usual Wi-Fi channel.",
  "bin-order":
    "Their guard subcarriers show another order than the node's earlier packets. Check that no two nodes have the same number, and set the access point to a fixed channel and width.",
  invalid_batch: "The router's actor could not read them; the service's log says why.",
  unavailable: "The router's actor cannot be reached. Check that a node of role sensing runs on this database.",
  queue_full: "The router's actor is slower than its datagrams. Lower the packet rate, or give the service more CPU.",
  too_many_routers: "More routers send to this port than the service remembers. Spread them over several nodes.",
  not_accepted: "The router's actor left them out; see what is found about that router.",
  unsigned:
    "They are of an enrolled node and have no signature. Give the node its key, or revoke and release it if it cannot sign.",
  bad_signature:
    "Their signature is not that of the key they name. Check the node's key, or enrol it again for a new one.",
  unknown_key: "They are signed with a key that is not there any more. Enrol the node, and give it the new key.",
  wrong_node: "A node signs in the name of another. Check which key was given to which node.",
  replayed:
    "Their order was used before. A sender that was started again must begin a greater epoch; otherwise somebody sends recorded datagrams.",
  quarantined:
    "Their node is in quarantine. Enrol it (wavepose nodes enrol), or release it to take them without a signature.",
  revoked: "Their node was revoked. Enrol it anew if it is yours.",
  identities_unavailable: "The store has not said which nodes there are. Check the database.",
  socket_error: "The operating system reported an error on the port; the service's log says which.",
}

const isLoopback = (host: string): boolean => /^127\.|^::1$|^localhost$/.test(host)

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`

const secondsBetween = (from: string, until: string): number => (Date.parse(until) - Date.parse(from)) / 1000

/** Nothing came through any door between the looks. */
const silence = (doors: ReadonlyArray<Door>, timestamp: string): Finding => {
  const last = doors.flatMap((door) => [...door.routers, ...door.foreign_senders])
    .map((sender) => sender.last_datagram_time).sort().at(-1)
  const since = last === undefined
    ? "no datagram was ever received"
    : `no datagram comes; the last one came ${secondsBetween(last, timestamp).toFixed(0)} s ago`
  const ports = doors.map(({ host, kind, port }) => `${devices[kind] ?? kind} to ${host}:${port}`).join(", ")
  const local = doors.find(({ host }) => isLoopback(host))
  const reach = local === undefined
    ? "Check that no firewall is between them."
    : `The service listens on ${local.host}, where only this machine reaches it: set WAVEPOSE_HOST to an address of its network, or 0.0.0.0.`
  return problem("datagrams", since, `Check that the routers are on and send by UDP: ${ports}. ${reach}`)
}

/** Who sends what is not for this door. */
const foreignFindings = (check: string, before: Door, door: Door, trouble: typeof problem): ReadonlyArray<Finding> => {
  const known = new Map(before.foreign_senders.map(({ address, datagrams }) => [address, datagrams]))
  const active = door.foreign_senders.filter(({ address, datagrams }) => datagrams > (known.get(address) ?? 0))
  if (active.length === 0) return []
  const from = active.map(({ address }) => address).join(", ")
  return [trouble(
    check,
    `datagrams from ${from} do not begin as those of ${devices[door.kind] ?? door.kind} do (wrong magic)`,
    "Stop that sender, or let it send to its own port: RuView nodes and Nexmon routers have one each.",
  )]
}

/** Routers that are not enrolled, that send no CSI, or whose order of subcarriers is unknown. */
const routerFindings = (check: string, before: Door, door: Door, trouble: typeof problem): ReadonlyArray<Finding> => {
  const known = new Map(before.routers.map((router) => [router.router_id, router]))
  const active = door.routers.filter(({ last_datagram_time, router_id }) =>
    last_datagram_time !== known.get(router_id)?.last_datagram_time
  )
  const strangers = active.filter(({ last_drop }) => last_drop?.reason === "unknown_router").map((r) => r.router_id)
  const reporters = active.filter(({ frames, reports, router_id }) =>
    reports && frames === (known.get(router_id)?.frames ?? 0)
  ).map((r) => r.router_id)
  const unordered = active.filter(({ bin_order }) => bin_order === "unknown").map((r) => r.router_id)
  return [
    ...(strangers.length === 0 ? [] : [trouble(
      check,
      `${strangers.join(", ")} ${strangers.length === 1 ? "sends, but is" : "send, but are"} not enrolled`,
      `Name ${
        strangers.length === 1 ? "it" : "them"
      } in "routers" of a site file and start the service with --site FILE.`,
    )]),
    ...(reporters.length === 0 ? [] : [trouble(
      check,
      `${reporters.join(", ")} ${
        reporters.length === 1 ? "sends" : "send"
      } only what the device makes of its CSI, and no CSI`,
      "Switch raw CSI on in the node's configuration; its own vitals enter no estimate.",
    )]),
    ...(unordered.length === 0 ? [] : [limit(
      check,
      `the order of the subcarriers of ${
        unordered.join(", ")
      } is unknown, because the guard subcarriers do not show it; ` +
        "0 to 31, -32 to -1 is assumed",
      "Presence is wrong where the order is another one. Set the access point to 20 MHz without a secondary channel, for which this " +
        "order is right, or let the firmware send the CSI buffer as the chip writes it.",
    )]),
  ]
}

/** Other reasons for which datagrams, or frames of them, were left out between the looks. */
const dropFindings = (check: string, before: Door, door: Door, trouble: typeof problem): ReadonlyArray<Finding> =>
  Object.entries(door.dropped).flatMap(([reason, total]) => {
    const dropped = total - (before.dropped[reason] ?? 0)
    const advice = adviceOf[reason]
    return dropped <= 0 || advice === undefined
      ? []
      : [trouble(check, `${counted(dropped, "frame")} left out (${reason})`, advice)]
  })

/** Whether the senders prove who they are, which keeps no frame from coming. */
const identityFinding = ({ policy, signed, unsigned_nodes }: DiagnosticsBody["node_identity"]): Finding => {
  const strangers = policy === "open"
    ? "datagrams of nodes that nobody enrolled are taken"
    : "strangers are quarantined"
  const unsigned = unsigned_nodes.length === 0 ? "" : `; without a signature: ${unsigned_nodes.join(", ")}`
  return ok("node identity", signed ? `all datagrams are signed, ${strangers}` : `${strangers}${unsigned}`)
}

/**
 * What the doors say.
 *
 * @param framesFlow some environment makes frames, so that a quiet door or a stranger keeps nobody from them
 * @param otherWays routers are heard that did not come through these doors, as by gRPC
 */
export const judgeDatagrams = (
  first: DiagnosticsBody,
  last: DiagnosticsBody,
  { framesFlow, otherWays }: { readonly framesFlow: boolean; readonly otherWays: boolean },
): ReadonlyArray<Finding> => {
  const trouble = framesFlow ? limit : problem
  const received = last.datagrams.map((door) => {
    const before = first.datagrams.find(({ port }) => port === door.port) ?? door
    return { before, door, count: door.received - before.received }
  })
  if (!otherWays && received.every(({ count }) => count === 0)) return [silence(last.datagrams, last.timestamp)]
  return received.flatMap(({ before, count, door }) => {
    const check = `datagrams on UDP ${door.host}:${door.port} (${door.kind})`
    if (count === 0) return [ok(check, "none, and packets come another way")]
    const findings = [
      ...foreignFindings(check, before, door, trouble),
      ...routerFindings(check, before, door, trouble),
      ...dropFindings(check, before, door, trouble),
    ]
    const accepted = door.accepted - before.accepted
    return findings.length > 0
      ? findings
      : [ok(check, `${counted(count, "datagram")}, ${counted(accepted, "frame")} taken`)]
  }).concat(identityFinding(last.node_identity))
}
