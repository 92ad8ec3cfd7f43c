/**
 * A WebSocket client that keeps received messages and waits for expected ones.
 */
import { WebSocket } from "ws"

// deno-lint-ignore no-explicit-any
type Message = any

export interface SocketClient {
  readonly socket: WebSocket
  readonly received: ReadonlyArray<Message>
  readonly send: (message: unknown) => void
  /** The first message, seen or to come, that fits; messages taken before are passed over. */
  readonly next: (type: string, fits?: (message: Message) => boolean) => Promise<Message>
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
}

/** Connects, whether or not the server goes on to close. */
export const connectSocket = (
  url: string,
  options: { readonly query?: string; readonly headers?: Record<string, string> } = {},
): Promise<SocketClient> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/ws/pose${options.query ?? ""}`, {
      headers: options.headers ?? {},
    })
    const received: Array<Message> = []
    const taken = new Set<Message>()
    const waiting = new Set<() => void>()
    socket.on("message", (data) => {
      received.push(JSON.parse(data.toString()))
      for (const look of [...waiting]) look()
    })
    const closed = new Promise<{ code: number; reason: string }>((done) =>
      socket.on("close", (code, reason) => done({ code, reason: reason.toString() }))
    )
    const next: SocketClient["next"] = (type, fits = () => true) =>
      new Promise((found) => {
        const look = () => {
          const message = received.find((one) => one.type === type && !taken.has(one) && fits(one))
          if (message === undefined) return
          taken.add(message)
          waiting.delete(look)
          found(message)
        }
        waiting.add(look)
        look()
      })
    const send = (message: unknown) => socket.send(typeof message === "string" ? message : JSON.stringify(message))
    socket.on("open", () => resolve({ socket, received, send, next, closed }))
    socket.on("error", reject)
  })
