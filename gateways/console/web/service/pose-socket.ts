/** The tab's one connection to the stream of frames and alerts. It follows the tab's sign-in and whether the tab is visible. */
import { makePoseConnection, type Receivers } from "./pose-connection.ts"
import { currentToken, renew } from "./session.ts"

const socketUrl = (): URL => {
  const url = new URL("ws/pose?form=bare", document.baseURI)
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:"
  return url
}

const poses = makePoseConnection({ socket: () => new WebSocket(socketUrl()), token: currentToken, renew })

export const connection = poses.connection
export const disconnect = poses.disconnect

const visibilityChanged = (): void => poses.setVisible(document.visibilityState === "visible")

/** Connects, and stays connected until `disconnect`. */
export const connect = (to: Receivers): void => {
  document.addEventListener("visibilitychange", visibilityChanged)
  poses.connect(to)
}
