/**
 * What waits to be sent to one WebSocket client, and what becomes of it when the client reads slowly.
 *
 * Invariants:
 * 1. Replies are sent in order and never dropped; a client that lets `repliesBytesMax` pile up is too slow and closed.
 * 2. Alerts are sent in order and never dropped, before any pose update; a client that lets `alertsMax` wait is too slow and closed.
 * 3. Pose updates wait per subscription, at most `waitingMax` of them; the oldest is dropped first and counted in the
 *    next.
 * 4. Nothing is queued into the socket beyond `socketBytesMax` except replies.
 */
import { poseUpdateHead } from "../../../protocols/pose-api/socket-messages.ts"
import type { SharedTail } from "./shared-tail.ts"

/** The connection as the outbox sees it. */
interface Wire {
  /** Sends one text message. */
  readonly send: (text: string) => void
  /** Sends one text message of two parts in UTF-8, of which others share the second. */
  readonly sendShared: (head: Uint8Array, tail: SharedTail) => void
  /** Bytes handed over and not yet taken by the operating system. */
  readonly waitingBytes: () => number
  readonly closeTooSlow: () => void
}

const socketBytesMax = 256 * 1024
const repliesBytesMax = 4 * 1024 * 1024
const waitingMax = 8
const alertsMax = 1_000

/** Updates of one subscription. */
interface Lane {
  /** Sends an update, or keeps it until the client has read what waits before it. */
  readonly update: (tail: SharedTail) => void
  readonly close: () => void
}

export interface Outbox {
  readonly reply: (text: string) => void
  /** Sends an alert, or keeps it until the client has read what waits before it. */
  readonly alert: (text: string) => void
  /** Sends a text that its successor replaces; it is dropped when the client is behind. */
  readonly ephemeral: (text: string) => void
  readonly lane: (subscriptionId: string) => Lane
  /** The client has read on: sends what waits. */
  readonly drained: () => void
}

interface Waiting {
  readonly subscriptionId: string
  /** The head of an update before which none was dropped. */
  readonly head: Uint8Array
  readonly tails: Array<SharedTail>
  dropped: number
}

export const makeOutbox = (wire: Wire): Outbox => {
  const lanes = new Set<Waiting>()
  const alerts: Array<string> = []
  const isBehind = () => wire.waitingBytes() > socketBytesMax

  const send = (lane: Waiting, tail: SharedTail): void => {
    const head = lane.dropped === 0 ? lane.head : Buffer.from(poseUpdateHead(lane.subscriptionId, lane.dropped))
    lane.dropped = 0
    wire.sendShared(head, tail)
  }

  /** The alerts first; then one of each lane in turn, so that no subscription starves another. */
  const drained = (): void => {
    while (alerts.length > 0 && !isBehind()) wire.send(alerts.shift()!)
    let sent = true
    while (sent) {
      sent = false
      for (const lane of lanes) {
        if (isBehind()) return
        const tail = lane.tails.shift()
        if (tail === undefined) continue
        send(lane, tail)
        sent = true
      }
    }
  }

  return {
    reply: (text) => wire.waitingBytes() > repliesBytesMax ? wire.closeTooSlow() : wire.send(text),
    alert: (text) => {
      alerts.push(text)
      drained()
      if (alerts.length > alertsMax) wire.closeTooSlow()
    },
    ephemeral: (text) => {
      if (!isBehind()) wire.send(text)
    },
    lane: (subscriptionId) => {
      const head = Buffer.from(poseUpdateHead(subscriptionId, 0))
      const lane: Waiting = { subscriptionId, head, tails: [], dropped: 0 }
      lanes.add(lane)
      return {
        update: (tail) => {
          if (lane.tails.length === 0 && !isBehind()) return send(lane, tail)
          lane.tails.push(tail)
          if (lane.tails.length > waitingMax) {
            lane.tails.shift()
            lane.dropped += 1
          }
          drained()
        },
        close: () => {
          lanes.delete(lane)
        },
      }
    },
    drained,
  }
}
