/** A connection that is not open, in words. Pure. */
import type { Connection } from "../service/pose-connection.ts"

interface ConnectionText {
  /** What a screen reader says. It stays the same while attempts to connect fail for the same reason. */
  readonly announced: string
  /** What changes meanwhile. */
  readonly progress: string
}

/** Null: the connection is open. */
export const connectionText = (connection: Connection, nowMs: number): ConnectionText | null => {
  if (connection.state === "open") return null
  if (connection.state === "paused") return { announced: "Paused while hidden", progress: "" }
  const announced = connection.reason ?? "Connecting…"
  if (connection.state === "waiting") {
    const seconds = Math.max(0, Math.ceil((connection.retryAtMs - nowMs) / 1000))
    return { announced, progress: `Connecting again in ${seconds} s.` }
  }
  return { announced, progress: connection.reason === null ? "" : "Connecting…" }
}
