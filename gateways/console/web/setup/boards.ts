/** The state of each board of a room, in one sentence with what to do, and the senders that are not adopted. Pure. */
import type { Diagnostics, SensingNodes } from "../service/types.ts"

export interface BoardState {
  readonly routerId: string
  readonly tone: "good" | "waiting" | "bad"
  readonly text: string
  /** Its datagrams are dropped until it is released or has a key. */
  readonly isQuarantined: boolean
}

/** A sender of datagrams that belongs to no room. */
interface UnknownSender {
  readonly routerId: string
  /** The format of its datagrams. */
  readonly kind: string
  readonly isSigned: boolean | null
  readonly isQuarantined: boolean
  readonly lastHeard: string
}

type Sender = Diagnostics["datagrams"][number]["routers"][number]

/** A standing of a board, and a reason of drops. */
const quarantined = "quarantined"

/** Why the newest datagram of a board was not taken, and what to do. */
const dropWords: Readonly<Record<string, string>> = {
  unsigned: "sends without a signature, but has a key: give the key to the board",
  bad_signature: "the signature does not match its key: check the key on the board, or make a new one",
  unknown_key: "signs with a key that does not exist any more: give it the new key",
  wrong_node: "signs with the key of another board: check which key it was given",
  replayed: "repeats old sequence numbers: its counter must begin a greater epoch after each restart",
  [quarantined]: "is in quarantine, so what it sends is dropped: release it from quarantine, or make a new key for it",
  revoked: "was revoked: make a new key for it",
  truncated: "its datagrams arrive cut short: check the size of the packets",
  "unsupported-layout": "its channel is not supported: set it to 20, 40 or 80 MHz",
}

/** A drop is about now if the sender was heard since less long than this. */
const recentMs = 15_000

const senderOf = ({ datagrams }: Diagnostics, routerId: string): Sender | undefined =>
  datagrams.flatMap(({ routers }) => routers).find(({ router_id }) => router_id === routerId)

const listeningAt = ({ datagrams }: Diagnostics): string =>
  datagrams.map(({ host, kind, port }) => `${host}:${port} (${kind})`).join(" or ")

/** The listener that takes the datagrams of a board. */
export const listenerOf = (
  { datagrams }: Diagnostics,
  routerId: string,
): Diagnostics["datagrams"][number] | undefined =>
  datagrams.find(({ kind }) => kind === (routerId.startsWith("nexmon-") ? "nexmon" : "ruview"))

/** The state of one board of a room. `diagnostics` null: not read yet; `nodes` null: not known to this user. */
export const boardState = (
  routerId: string,
  diagnostics: Diagnostics | null,
  nodes: SensingNodes | null,
): BoardState => {
  const state = (tone: BoardState["tone"], text: string, isQuarantined = false): BoardState => ({
    routerId,
    tone,
    text,
    isQuarantined,
  })
  if (diagnostics === null) return state("waiting", "its state is not known")
  const sender = senderOf(diagnostics, routerId)
  const node = nodes?.nodes.find(({ node_id }) => node_id === routerId)
  const nowMs = Date.parse(diagnostics.timestamp)
  const lastDrop = sender?.last_drop ?? null
  const drop = lastDrop !== null && nowMs - Date.parse(lastDrop.time) < recentMs ? lastDrop.reason : ""
  // The last drop of a board that was released since then is history.
  const isQuarantined = node === undefined ? drop === quarantined : node.standing === quarantined
  if (isQuarantined) return state("bad", dropWords[quarantined]!, true)
  if (drop !== quarantined && dropWords[drop] !== undefined) return state("bad", dropWords[drop])
  const router = diagnostics.routers.find(({ router_id }) => router_id === routerId)
  const isKeyed = (node?.key_numbers.length ?? 0) > 0
  if (router?.state === "streaming" || router?.state === "calibrating") {
    const rate = `${router.packet_rate_hz?.toFixed(0) ?? "?"} packets/s`
    if (isKeyed) {
      // Diagnostics are those of the node that answers; the inventory is that of all nodes.
      const isSigned = sender?.signed ?? node?.signed
      return state("good", isSigned === true ? `signed, ${rate}` : `${rate}; waits for its first signed datagram`)
    }
    return state("good", sender?.signed === false ? `${rate}, not signed` : rate)
  }
  if (router?.last_packet_time != null) {
    const seconds = Math.max(0, Math.round((nowMs - Date.parse(router.last_packet_time)) / 1000))
    return state("bad", `silent for ${seconds} s: check its power, its network, and that its transmitter sends`)
  }
  if (sender !== undefined) return state("waiting", "heard; its first frames are being read")
  return state("waiting", `not heard yet: it must send to this machine at ${listeningAt(diagnostics)}`)
}

/**
 * Senders that belong to no room, newest first. The last drop of a board that was adopted since then is history. A sender in quarantine
 * is dropped before its room is looked up.
 */
export const unknownSenders = ({ datagrams, routers: enrolled }: Diagnostics): ReadonlyArray<UnknownSender> =>
  datagrams.flatMap(({ kind, routers }) =>
    routers.filter(({ last_drop, router_id }) =>
      (last_drop?.reason === "unknown_router" || last_drop?.reason === quarantined) &&
      enrolled.every((one) => one.router_id !== router_id)
    ).map((router) => ({
      routerId: router.router_id,
      kind,
      isSigned: router.signed,
      isQuarantined: router.last_drop?.reason === quarantined,
      lastHeard: router.last_datagram_time,
    }))
  ).sort((a, b) => a.lastHeard < b.lastHeard ? 1 : -1)
