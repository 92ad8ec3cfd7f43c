/**
 * Events on their way to a plugin: in order, a few under way, a bounded number waiting.
 *
 * A plugin that is too slow loses the oldest that wait, and is told how many with the next event. Nothing here waits or throws.
 */

/** Sent and not yet dealt with. */
const underWayMax = 32
const waitingMax = 1_024
/** Of all that wait, in characters. */
const waitingLengthMax = 16_777_216

export interface EventOutbox {
  readonly push: (listener: number, event: string) => void
  /** The plugin has dealt with one. */
  readonly handled: () => void
}

export const eventOutbox = (send: (listener: number, event: string, dropped: number) => void): EventOutbox => {
  const waiting: Array<readonly [listener: number, event: string]> = []
  let underWay = 0
  let waitingLength = 0
  let dropped = 0
  const take = () => {
    const next = waiting.shift()
    waitingLength -= next?.[1].length ?? 0
    return next
  }
  const flush = (): void => {
    while (underWay < underWayMax) {
      const next = take()
      if (next === undefined) return
      underWay += 1
      send(...next, dropped)
      dropped = 0
    }
  }
  return {
    push: (listener, event) => {
      waiting.push([listener, event])
      waitingLength += event.length
      while (waiting.length > waitingMax || (waitingLength > waitingLengthMax && waiting.length > 1)) {
        take()
        dropped += 1
      }
      flush()
    },
    handled: () => {
      underWay = Math.max(0, underWay - 1)
      flush()
    },
  }
}
