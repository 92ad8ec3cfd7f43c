/**
 * The life of a tab's WebSocket: signs in by its first message, subscribes, and connects again after it was closed.
 *
 * Boundary: `pose-socket.ts` joins it to the browser and to the sign-in.
 * Invariants:
 * 1. At most one socket is used: one that was given up is closed, and what it still reports is ignored. Its closing may take long.
 * 2. The waiting time between attempts is bounded.
 * 3. While it is wanted and the tab is shown, there is a socket, a renewal of the sign-in, or a time of the next attempt.
 * 4. A socket from which nothing comes is asked by `ping`, and given up when nothing answers: its end may not be reported for minutes.
 * 5. Without a wish to be connected there is no socket, and a tab that was hidden for 30 s has none until it is shown.
 */
import { type Signal, signal } from "@preact/signals"
import type { Alert, Frame } from "./types.ts"

export type Connection =
  /** `reason`: why the last connection or attempt ended; null: there was none. */
  | { readonly state: "connecting"; readonly reason: string | null }
  | { readonly state: "open" }
  | { readonly state: "waiting"; readonly reason: string; readonly retryAtMs: number }
  | { readonly state: "paused" }

export interface Receivers {
  readonly frame: (frame: Frame, receivedAtMs: number) => void
  /** A subscription to the alerts begins. */
  readonly alertsSubscribed: () => void
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
  /** Tells whether the tab is shown. */
  readonly setVisible: (isVisible: boolean) => void
}

const firstRetryMs = 500
const retryMsMax = 15_000
/** A hidden tab keeps its connection for so long. */
const hiddenMsMax = 30_000
/** The socket is looked at so often. */
const watchMs = 5_000
/** Looks without a message in between after which an open socket is asked. */
const pingLooks = 2
/** Such looks after which a socket is given up. A busy service takes longer to accept one. */
const silentLooksMax = { open: 4, connecting: 12 } as const

/** The credential of the connection was rejected, or has ended. */
const unauthorised = 4401

/** Why the server closed the connection, by its code; `socket-messages.ts` of the contract lists the codes. */
const reasons: Readonly<Record<number, string>> = {
  1001: "The service is stopping.",
  [unauthorised]: "The sign-in was not accepted.",
  4403: "This account may not read poses.",
  4408: "This browser was too slow to read the stream.",
  4429: "Too many connections are open for this account. Close other tabs.",
}

/** The messages that the console reads; it ignores others. */
type Received =
  | { readonly type: "pose_update" } & Frame
  | { readonly type: "alert" | "alert_update" } & Alert
  | { readonly type: "subscription_confirmed"; readonly channel: string }

interface Wiring {
  readonly tab: Tab
  readonly connection: Signal<Connection>
  receivers: Receivers | null
  socket: WebSocket | null
  retries: number
  retryTimer: ReturnType<typeof setTimeout> | undefined
  hiddenTimer: ReturnType<typeof setTimeout> | undefined
  watchTimer: ReturnType<typeof setInterval> | undefined
  /** Looks at the socket since its last message. */
  silentLooks: number
  /** Between `connect` and `disconnect`. */
  isWanted: boolean
  /** The tab is hidden for long. */
  isPaused: boolean
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
  wiring.silentLooks = 0
  const message = JSON.parse(text) as Received
  if (message.type === "pose_update") receivers?.frame(message, performance.now())
  else if (message.type === "alert" || message.type === "alert_update") receivers?.alert(message)
  else if (message.type === "subscription_confirmed") {
    wiring.retries = 0
    wiring.connection.value = { state: "open" }
    if (message.channel === "alerts") receivers?.alertsSubscribed()
  }
}

const retryLater = (wiring: Wiring, reason: string): void => {
  const bound = Math.min(retryMsMax, firstRetryMs * 2 ** wiring.retries++)
  // Tabs that lost one server together do not come back together.
  const waitMs = bound * (0.5 + crypto.getRandomValues(new Uint8Array(1))[0]! / 512)
  clearTimeout(wiring.retryTimer)
  wiring.connection.value = { state: "waiting", reason, retryAtMs: performance.now() + waitMs }
  wiring.retryTimer = setTimeout(() => open(wiring), waitMs)
}

/** Only the end of the sign-in ends the attempts, by `disconnect`. A renewal may fail because the service is busy or away. */
const closed = async (wiring: Wiring, { code, reason }: CloseEvent): Promise<void> => {
  wiring.socket = null
  clearInterval(wiring.watchTimer)
  if (code !== unauthorised) {
    return retryLater(wiring, reasons[code] ?? (reason === "" ? "The connection was lost." : reason))
  }
  wiring.connection.value = { state: "connecting", reason: reasons[code]! }
  const isRenewed = await wiring.tab.renew()
  // Meanwhile the user may have signed out, or the tab may have been hidden or shown.
  if (!wiring.isWanted || wiring.isPaused || wiring.socket !== null) return
  retryLater(wiring, isRenewed ? reasons[code]! : "The sign-in could not be renewed.")
}

const watch = (wiring: Wiring): void => {
  const looks = ++wiring.silentLooks
  const isOpen = wiring.connection.value.state === "open"
  if (looks >= silentLooksMax[isOpen ? "open" : "connecting"]) {
    giveUp(wiring)
    retryLater(wiring, "The service does not answer.")
  } else if (isOpen && looks === pingLooks) send(wiring, { type: "ping" })
}

const open = (wiring: Wiring): void => {
  clearTimeout(wiring.retryTimer)
  if (!wiring.isWanted || wiring.socket !== null) return
  if (wiring.isPaused) {
    wiring.connection.value = { state: "paused" }
    return
  }
  const before = wiring.connection.value
  wiring.connection.value = { state: "connecting", reason: before.state === "waiting" ? before.reason : null }
  const socket = wiring.tab.socket()
  wiring.socket = socket
  wiring.silentLooks = 0
  wiring.watchTimer = setInterval(() => watch(wiring), watchMs)
  const ifCurrent = <A>(handle: (event: A) => void) => (event: A): void => {
    if (wiring.socket === socket) handle(event)
  }
  socket.onopen = ifCurrent(() => subscribe(wiring))
  socket.onmessage = ifCurrent(({ data }: MessageEvent) => receive(wiring, String(data)))
  socket.onclose = ifCurrent((event: CloseEvent) => void closed(wiring, event))
}

const giveUp = (wiring: Wiring): void => {
  clearTimeout(wiring.retryTimer)
  clearInterval(wiring.watchTimer)
  const { socket } = wiring
  wiring.socket = null
  socket?.close(1000)
}

const setVisible = (wiring: Wiring, isVisible: boolean): void => {
  clearTimeout(wiring.hiddenTimer)
  if (!isVisible) {
    wiring.hiddenTimer = setTimeout(() => {
      wiring.isPaused = true
      giveUp(wiring)
      if (wiring.isWanted) wiring.connection.value = { state: "paused" }
    }, hiddenMsMax)
  } else if (wiring.isPaused) {
    wiring.isPaused = false
    open(wiring)
  }
}

export const makePoseConnection = (tab: Tab): PoseConnection => {
  const wiring: Wiring = {
    tab,
    connection: signal<Connection>({ state: "connecting", reason: null }),
    receivers: null,
    socket: null,
    retries: 0,
    retryTimer: undefined,
    hiddenTimer: undefined,
    watchTimer: undefined,
    silentLooks: 0,
    isWanted: false,
    isPaused: false,
  }
  return {
    connection: wiring.connection,
    connect: (to) => {
      wiring.receivers = to
      wiring.isWanted = true
      open(wiring)
    },
    disconnect: () => {
      wiring.isWanted = false
      giveUp(wiring)
    },
    setVisible: (isVisible) => setVisible(wiring, isVisible),
  }
}
