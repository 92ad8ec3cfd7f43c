/**
 * The life of a tab's WebSocket: signs in by its first message, subscribes, and connects again after it was closed.
 *
 * Boundary: `pose-socket.ts` joins it to the browser and to the sign-in.
 * Invariants: at most one socket is open; the waiting time between attempts is bounded; a hidden tab is disconnected after 30 s.
 */
import { type Signal, signal } from "@preact/signals"
import type { Alert, Frame } from "./types.ts"

type Connection =
  | { readonly state: "connecting" }
  | { readonly state: "open" }
  | { readonly state: "waiting"; readonly reason: string; readonly retryAtMs: number }
  | { readonly state: "paused" }

export interface Receivers {
  readonly frame: (frame: Frame, receivedAtMs: number) => void
  readonly alert: (alert: Alert) => void
}

/** What a connection needs of the tab. */
interface Tab {
  /** Begins to open a socket. */
  readonly socket: () => WebSocket
  readonly token: () => string | null
  /** Gets a new token; resolves to whether there is one. */
  readonly renew: () => Promise<boolean>
}

interface PoseConnection {
  readonly connection: Signal<Connection>
  /** Connects, and stays connected until `disconnect`. */
  readonly connect: (to: Receivers) => void
  readonly disconnect: () => void
  readonly setVisible: (isVisible: boolean) => void
  /** Acknowledges an alert over the socket. */
  readonly acknowledge: (alertId: string) => void
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

/** The messages that the console reads; it ignores others. */
type Received =
  | { readonly type: "pose_update" } & Frame
  | { readonly type: "alert" | "alert_update" } & Alert
  | { readonly type: "subscription_confirmed" }

interface Wiring {
  readonly tab: Tab
  readonly connection: Signal<Connection>
  receivers: Receivers | null
  socket: WebSocket | null
  retries: number
  retryTimer: ReturnType<typeof setTimeout> | undefined
  hiddenTimer: ReturnType<typeof setTimeout> | undefined
  wanted: boolean
}

const send = ({ socket }: Wiring, message: Record<string, unknown>): void => socket?.send(JSON.stringify(message))

const subscribe = (wiring: Wiring): void => {
  send(wiring, { type: "auth", token: wiring.tab.token() })
  send(wiring, {
    type: "subscribe",
    channel: "pose_updates",
    filters: { include_3d: true, include_keypoints: false },
  })
  send(wiring, { type: "subscribe", channel: "alerts", filters: {} })
}

const receive = (wiring: Wiring, text: string): void => {
  const { receivers } = wiring
  const message = JSON.parse(text) as Received
  if (message.type === "pose_update") receivers?.frame(message, performance.now())
  else if (message.type === "alert" || message.type === "alert_update") receivers?.alert(message)
  else if (message.type === "subscription_confirmed") {
    wiring.retries = 0
    wiring.connection.value = { state: "open" }
  }
}

const retryLater = (wiring: Wiring, reason: string): void => {
  const bound = Math.min(retryMsMax, firstRetryMs * 2 ** wiring.retries++)
  // Tabs that lost one server together do not come back together.
  const waitMs = bound * (0.5 + crypto.getRandomValues(new Uint8Array(1))[0]! / 512)
  wiring.connection.value = { state: "waiting", reason, retryAtMs: performance.now() + waitMs }
  wiring.retryTimer = setTimeout(() => open(wiring), waitMs)
}

const closed = async (wiring: Wiring, { code, reason }: CloseEvent): Promise<void> => {
  wiring.socket = null
  if (!wiring.wanted) return
  if (code === 4401 && !(await wiring.tab.renew())) return
  retryLater(wiring, reasons[code] ?? (reason === "" ? "The connection was lost." : reason))
}

const open = (wiring: Wiring): void => {
  clearTimeout(wiring.retryTimer)
  if (!wiring.wanted || wiring.socket !== null) return
  wiring.connection.value = { state: "connecting" }
  const socket = wiring.tab.socket()
  wiring.socket = socket
  socket.onopen = () => subscribe(wiring)
  socket.onmessage = ({ data }) => receive(wiring, String(data))
  socket.onclose = (event) => void closed(wiring, event)
}

const close = (wiring: Wiring): void => {
  wiring.wanted = false
  clearTimeout(wiring.retryTimer)
  wiring.socket?.close(1000)
  wiring.socket = null
}

const setVisible = (wiring: Wiring, isVisible: boolean): void => {
  clearTimeout(wiring.hiddenTimer)
  if (isVisible) {
    if (wiring.connection.value.state === "paused") {
      wiring.wanted = true
      open(wiring)
    }
    return
  }
  wiring.hiddenTimer = setTimeout(() => {
    close(wiring)
    wiring.connection.value = { state: "paused" }
  }, hiddenMsMax)
}

export const makePoseConnection = (tab: Tab): PoseConnection => {
  const wiring: Wiring = {
    tab,
    connection: signal<Connection>({ state: "connecting" }),
    receivers: null,
    socket: null,
    retries: 0,
    retryTimer: undefined,
    hiddenTimer: undefined,
    wanted: false,
  }
  return {
    connection: wiring.connection,
    connect: (to) => {
      wiring.receivers = to
      wiring.wanted = true
      open(wiring)
    },
    disconnect: () => close(wiring),
    setVisible: (isVisible) => setVisible(wiring, isVisible),
    acknowledge: (alertId) => send(wiring, { type: "acknowledge", alert_id: alertId }),
  }
}
