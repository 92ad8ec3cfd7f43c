/**
 * The queue of events to a plugin: in order, a few unacknowledged, a bounded number waiting.
 *
 * A plugin that is too slow loses the oldest waiting events; the next event has the number of lost ones. Nothing here waits or throws.
 */

/** Events that were sent and not yet acknowledged. */
const underWayMax = 32
const waitingMax = 1_024
/** The most characters of all waiting events. */
const waitingLengthMax = 16_777_216

export interface EventOutbox {
  readonly push: (listener: number, event: string) => void
  /** The plugin has acknowledged an event. */
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
