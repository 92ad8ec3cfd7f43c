/**
 * How many WebSocket connections may be open at one time, and how they are counted.
 */

export interface ConnectionLimits {
  readonly perAddress: number
  readonly perAccount: number
}

/** The limits of the specification: connections of an address, and streams of an account. */
export const defaultConnectionLimits: ConnectionLimits = { perAddress: 100, perAccount: 10 }

export interface ConnectionCounter {
  readonly perKeyMax: number
  /** False, and not counted, when there are too many. */
  readonly enter: (key: string) => boolean
  readonly leave: (key: string) => void
}

/** Counts what is open per key, up to `perKeyMax`. */
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
