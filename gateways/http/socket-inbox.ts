/**
 * The queue of incoming messages of one WebSocket client.
 *
 * Invariants:
 * 1. An unauthenticated client can make this node hold `strangerBytesMax` and one read of the socket: only its first message is read. One
 *    that sends more, in that message or while its connection closes, is disconnected.
 * 2. An authenticated client is not read from while `messagesMax` messages or `bytesMax` bytes wait. What its last read brought is queued.
 * 3. Once the connection closes, messages are ignored.
 */
import type { WebSocket } from "@effect/platform-node/NodeWS"
import { Effect, Queue } from "effect"
import type { Duplex } from "node:stream"

/** Far more than a token has. */
export const strangerBytesMax = 64 * 1024
const messagesMax = 256

export interface SocketInbox {
  /** The text of the next message; null for a binary one. */
  readonly next: Effect.Effect<string | null>
  /** Call when the client is authenticated: its further messages are read. */
  readonly authenticated: () => void
  /** Closes the connection, and reads on, because the client's close frame comes after its messages. */
  readonly close: (code: number, reason?: string) => void
}

interface Message {
  readonly text: string | null
  readonly bytes: number
}

/** @param stream the connection under `webSocket` */
export const makeInbox = (webSocket: WebSocket, stream: Duplex, bytesMax: number): SocketInbox => {
  const messages = Effect.runSync(Queue.unbounded<Message>())
  let waitingBytes = 0
  let strangerBytes = 0
  let isAuthenticated = false

  const isOver = (share: number): boolean =>
    waitingBytes >= share * bytesMax || Queue.sizeUnsafe(messages) >= share * messagesMax

  const readOn = (): void => {
    if (webSocket.isPaused && isAuthenticated && !isOver(0.5)) webSocket.resume()
  }

  webSocket.on("message", (data, isBinary) => {
    if (webSocket.readyState !== webSocket.OPEN) return
    const text = isBinary ? null : data.toString()
    const bytes = text === null ? 0 : (data as Buffer).length
    waitingBytes += bytes
    Queue.offerUnsafe(messages, { text, bytes })
    if (!isAuthenticated || isOver(1)) webSocket.pause()
  })

  // `ws` listens first. It has paused the connection if this read has completed the first message.
  const count = (read: Uint8Array): void => {
    if (webSocket.isPaused) return
    strangerBytes += read.length
    if (strangerBytes > strangerBytesMax) webSocket.terminate()
  }
  stream.on("data", count)

  return {
    next: Effect.map(Queue.take(messages), ({ bytes, text }) => {
      waitingBytes -= bytes
      readOn()
      return text
    }),
    authenticated: () => {
      isAuthenticated = true
      stream.off("data", count)
      readOn()
    },
    close: (code, reason) => {
      webSocket.close(code, reason)
      webSocket.resume()
    },
  }
}
