/**
 * The tab's one WebSocket: signs in by its first message, subscribes, and connects again after it was closed.
 *
 * Invariants: at most one socket is open; the waiting time between attempts is bounded; a hidden tab is disconnected after 30 s.
 */
import { signal } from "@preact/signals"
import { currentToken, renew } from "./session.ts"
import type { Alert, Frame } from "./types.ts"

type Connection =
  | { readonly state: "connecting" }
  | { readonly state: "open" }
  | { readonly state: "waiting"; readonly reason: string; readonly retryAtMs: number }
  | { readonly state: "paused" }

export const connection = signal<Connection>({ state: "connecting" })

interface Receivers {
  readonly frame: (frame: Frame, receivedAtMs: number) => void
  readonly alert: (alert: Alert) => void
}

const firstRetryMs = 500
const retryMsMax = 15_000
/** A hidden tab keeps its connection for so long. */
const hiddenMsMax = 30_000

/** Why the server closed the connection, by its code; `socket-messages.ts` of the contract lists the codes. */
const reasons: Readonly<Record<number, string>> = {
  1001: "The service is stopping.",
  4401: "The sign-in was not accepted.",
  4403: "This account may not read poses.",
  4408: "This browser was too slow to read the stream.",
  4429: "Too many connections are open for this account. Close other tabs.",
}

interface Wiring {
  socket: WebSocket | null
  retries: number
  retryTimer: ReturnType<typeof setTimeout> | undefined
  hiddenTimer: ReturnType<typeof setTimeout> | undefined
  wanted: boolean
}

const wiring: Wiring = { socket: null, retries: 0, retryTimer: undefined, hiddenTimer: undefined, wanted: false }
let receivers: Receivers | null = null

const socketUrl = (): URL => {
  const url = new URL("ws/pose?form=bare", document.baseURI)
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:"
  return url
}

const send = (message: Record<string, unknown>): void => wiring.socket?.send(JSON.stringify(message))

const subscribe = (): void => {
  send({ type: "auth", token: currentToken() })
  send({ type: "subscribe", channel: "pose_updates", filters: { include_3d: true, include_keypoints: false } })
  send({ type: "subscribe", channel: "alerts", filters: {} })
}

/** The messages that the console reads; it ignores others. */
type Received =
  | { readonly type: "pose_update" } & Frame
  | { readonly type: "alert" | "alert_update" } & Alert
  | { readonly type: "subscription_confirmed" }

const receive = (text: string): void => {
  const message = JSON.parse(text) as Received
  if (message.type === "pose_update") receivers?.frame(message, performance.now())
  else if (message.type === "alert" || message.type === "alert_update") receivers?.alert(message)
  else if (message.type === "subscription_confirmed") {
    wiring.retries = 0
    connection.value = { state: "open" }
  }
}

const retryLater = (reason: string): void => {
  const bound = Math.min(retryMsMax, firstRetryMs * 2 ** wiring.retries++)
  // Tabs that lost one server together do not come back together.
  const waitMs = bound * (0.5 + crypto.getRandomValues(new Uint8Array(1))[0]! / 512)
  connection.value = { state: "waiting", reason, retryAtMs: performance.now() + waitMs }
  wiring.retryTimer = setTimeout(() => open(), waitMs)
}

const closed = async ({ code, reason }: CloseEvent): Promise<void> => {
  wiring.socket = null
  if (!wiring.wanted) return
  if (code === 4401 && !(await renew())) return
  retryLater(reasons[code] ?? (reason === "" ? "The connection was lost." : reason))
}

const open = (): void => {
  clearTimeout(wiring.retryTimer)
  if (!wiring.wanted || wiring.socket !== null) return
  connection.value = { state: "connecting" }
  const socket = new WebSocket(socketUrl())
  wiring.socket = socket
  socket.onopen = subscribe
  socket.onmessage = ({ data }) => receive(String(data))
  socket.onclose = (event) => void closed(event)
}

const visibilityChanged = (): void => {
  clearTimeout(wiring.hiddenTimer)
  if (document.visibilityState === "visible") {
    if (connection.value.state === "paused") {
      wiring.wanted = true
      open()
    }
    return
  }
  wiring.hiddenTimer = setTimeout(() => {
    disconnect()
    connection.value = { state: "paused" }
  }, hiddenMsMax)
}

/** Connects, and stays connected until `disconnect`. */
export const connect = (to: Receivers): void => {
  receivers = to
  wiring.wanted = true
  document.addEventListener("visibilitychange", visibilityChanged)
  open()
}

export const disconnect = (): void => {
  wiring.wanted = false
  clearTimeout(wiring.retryTimer)
  wiring.socket?.close(1000)
  wiring.socket = null
}

/** Acknowledges an alert over the socket. */
export const acknowledge = (alertId: string): void => send({ type: "acknowledge", alert_id: alertId })
