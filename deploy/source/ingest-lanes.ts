/**
 * Which stream the batches of each router take: the given one, or one to the node that has the router.
 *
 * Invariants:
 * 1. A router's batches stay in order: it changes its stream when none of them is unacknowledged. Until then new ones wait.
 * 2. A stream that is left gives its routers and their unacknowledged batches to the given one.
 * 3. A router of the given stream without unacknowledged batches is not remembered.
 */
import type { Held, IngestWindow } from "./ingest-window.ts"

interface Lane {
  window: IngestWindow
  /** The stream to change to. */
  next: IngestWindow | null
  /** Batches in `window`. */
  unacknowledged: number
  /** Batches for `next`. */
  readonly waiting: Array<Held>
}

export const makeLanes = (given: IngestWindow) => {
  const lanes = new Map<string, Lane>()

  const put = (lane: Lane, batch: Held): void => {
    lane.unacknowledged++
    lane.window.add(batch)
  }

  /** Lets the lane go on in its current stream. */
  const goOn = (routerId: string, lane: Lane): void => {
    lane.next = null
    for (const batch of lane.waiting.splice(0)) put(lane, batch)
    if (lane.window === given && lane.unacknowledged === 0) lanes.delete(routerId)
  }

  /** Changes the stream if nothing is unacknowledged. */
  const turn = (routerId: string, lane: Lane): void => {
    if (lane.unacknowledged > 0) return
    lane.window = lane.next ?? lane.window
    goOn(routerId, lane)
  }

  const laneOf = (routerId: string): Lane => {
    const lane = lanes.get(routerId) ?? { window: given, next: null, unacknowledged: 0, waiting: [] }
    lanes.set(routerId, lane)
    return lane
  }

  return {
    add: (routerId: string, batch: Held): void => {
      const lane = laneOf(routerId)
      if (lane.next === null) put(lane, batch)
      else lane.waiting.push(batch)
    },
    /** The batch is acknowledged, or its caller was interrupted. */
    done: (routerId: string, batch: Held): void => {
      const lane = laneOf(routerId)
      const place = lane.waiting.indexOf(batch)
      if (place >= 0) return void lane.waiting.splice(place, 1)
      lane.window.forget(batch)
      lane.unacknowledged--
      turn(routerId, lane)
    },
    /** From now on the router's batches take this stream. */
    lead: (routerId: string, window: IngestWindow): void => {
      const lane = laneOf(routerId)
      if (window === lane.window) return goOn(routerId, lane)
      lane.next = window
      turn(routerId, lane)
    },
    /** The stream has ended and is not opened again. */
    leave: (window: IngestWindow): void => {
      const own = [...lanes].filter(([, lane]) => lane.window === window || lane.next === window)
      for (const [, lane] of own) if (lane.window === window) lane.window = given
      for (const batch of window.takeAll()) given.add(batch)
      for (const [routerId, lane] of own) {
        if (lane.next === null || lane.next === window || lane.next === given) goOn(routerId, lane)
      }
    },
    isUsed: (window: IngestWindow): boolean =>
      lanes.values().some((lane) => lane.window === window || lane.next === window),
  }
}

export type Lanes = ReturnType<typeof makeLanes>
