/**
 * The messages that wait for one WebSocket client, and which of them are dropped when the client reads slowly.
 *
 * Invariants:
 * 1. Replies are sent in order and never dropped. The connection is closed as too slow when more than `repliesBytesMax` wait.
 * 2. Alerts are sent in order, before any pose update, and never dropped. The connection is closed as too slow when more than `alertsMax`
 *    wait.
 * 3. At most `waitingMax` pose updates wait per lane: a subscription has one, and one for each environment that resumes. The oldest is
 *    dropped first, and the next update counts the dropped ones.
 * 4. Stored frames of a resumed subscription wait for their lane to be free (`whenFree`), so none of them is dropped.
 * 5. While more than `socketBytesMax` wait in the socket, only replies are written to it.
 */
import { poseUpdateHead } from "../../../protocols/pose-api/socket-messages.ts"
import type { SharedTail } from "./shared-tail.ts"

/** The part of a connection that the outbox uses. */
interface Wire {
  /** Sends one text message. */
  readonly send: (text: string) => void
  /** Sends one text message of two parts in UTF-8; the second part is shared with other clients. */
  readonly sendShared: (head: Uint8Array, tail: SharedTail) => void
  /** Bytes that were written and that the operating system has not accepted yet. */
  readonly waitingBytes: () => number
  readonly closeTooSlow: () => void
}

const socketBytesMax = 256 * 1024
const repliesBytesMax = 4 * 1024 * 1024
const waitingMax = 8
const alertsMax = 1_000

/** Updates of one subscription, or of one of its environments. */
export interface Lane {
  /** Sends an update, or queues it while earlier messages wait. */
  readonly update: (tail: SharedTail) => void
  /** Calls `call` once no update of the lane waits and the socket accepts more; at once if so now. The returned function cancels it. */
  readonly whenFree: (call: () => void) => () => void
  readonly close: () => void
}

export interface Outbox {
  readonly reply: (text: string) => void
  /** Sends an alert, or queues it while earlier messages wait. */
  readonly alert: (text: string) => void
  /** Sends a text that the next one replaces. It is dropped when the client is behind. */
  readonly ephemeral: (text: string) => void
  readonly lane: (subscriptionId: string) => Lane
  /** The socket has drained: sends waiting messages. */
  readonly drained: () => void
}

interface Waiting {
  readonly subscriptionId: string
  /** The head of an update with no dropped update before it. */
  readonly head: Uint8Array
  readonly tails: Array<SharedTail>
  dropped: number
  /** Called once when the lane is free. */
  waiter: (() => void) | null
}

/** Calls the waiter of a lane that has no update left. */
const callWaiter = (lane: Waiting): void => {
  const { waiter } = lane
  if (waiter === null || lane.tails.length > 0) return
  lane.waiter = null
  waiter()
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

  /** Sends alerts first, then one update of each lane in turn, so that no subscription starves another. */
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
    for (const lane of lanes) if (!isBehind()) callWaiter(lane)
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
      const lane: Waiting = { subscriptionId, head, tails: [], dropped: 0, waiter: null }
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
        whenFree: (call) => {
          lane.waiter = call
          if (!isBehind()) callWaiter(lane)
          return () => {
            lane.waiter = null
          }
        },
        close: () => {
          lanes.delete(lane)
        },
      }
    },
    drained,
  }
}
