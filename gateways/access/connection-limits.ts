/**
 * Limits of what a client keeps open at one time, WebSocket connections and gRPC streams, and their counters.
 */

export interface ConnectionLimits {
  readonly perAddress: number
  readonly perAccount: number
}

/** The limits of the specification: WebSocket connections per address, and WebSocket connections and gRPC streams per account. */
export const defaultConnectionLimits: ConnectionLimits = { perAddress: 100, perAccount: 10 }

export interface ConnectionCounter {
  readonly perKeyMax: number
  /** Counts a connection. False, and not counted, if the limit is reached. */
  readonly enter: (key: string) => boolean
  readonly leave: (key: string) => void
}

/** Counts open connections per key, up to `perKeyMax`. */
export const makeConnectionCounter = (perKeyMax: number): ConnectionCounter => {
  const counts = new Map<string, number>()
  return {
    perKeyMax,
    enter: (key) => {
      const count = counts.get(key) ?? 0
      if (count >= perKeyMax) return false
      counts.set(key, count + 1)
      return true
    },
    leave: (key) => {
      const count = counts.get(key)! - 1
      if (count === 0) counts.delete(key)
      else counts.set(key, count)
    },
  }
}
