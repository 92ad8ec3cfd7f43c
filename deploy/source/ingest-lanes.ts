/**
 * Which streams the batches of each router take: those to the given address, or those to the node that has the router.
 *
 * Invariants:
 * 1. A router's batches stay in order: it changes its address when none of them is unacknowledged. Until then new ones wait.
 * 2. Streams that are left give their routers and unacknowledged batches to those of the given address.
 * 3. A router of the given address without unacknowledged batches is not remembered.
 */
import type { IngestStreams } from "./ingest-streams.ts"
import type { Held } from "./ingest-window.ts"

interface Lane {
  streams: IngestStreams
  /** The streams to change to. */
  next: IngestStreams | null
  /** Batches in `streams`. */
  unacknowledged: number
  /** Batches for `next`. */
  readonly waiting: Array<Held>
}

export const makeLanes = (given: IngestStreams) => {
  const lanes = new Map<string, Lane>()

  const put = (lane: Lane, batch: Held): void => {
    lane.unacknowledged++
    lane.streams.add(batch)
  }

  /** Lets the lane go on in its current streams. */
  const goOn = (routerId: string, lane: Lane): void => {
    lane.next = null
    for (const batch of lane.waiting.splice(0)) put(lane, batch)
    if (lane.streams === given && lane.unacknowledged === 0) lanes.delete(routerId)
  }

  /** Changes the streams if nothing is unacknowledged. */
  const turn = (routerId: string, lane: Lane): void => {
    if (lane.unacknowledged > 0) return
    lane.streams = lane.next ?? lane.streams
    goOn(routerId, lane)
  }

  const laneOf = (routerId: string): Lane => {
    const lane = lanes.get(routerId) ?? { streams: given, next: null, unacknowledged: 0, waiting: [] }
    lanes.set(routerId, lane)
    return lane
  }

  return {
    add: (batch: Held): void => {
      const lane = laneOf(batch.routerId)
      if (lane.next === null) put(lane, batch)
      else lane.waiting.push(batch)
    },
    /** The batch is acknowledged, or its caller was interrupted. */
    done: (batch: Held): void => {
      const lane = laneOf(batch.routerId)
      const place = lane.waiting.indexOf(batch)
      if (place >= 0) return void lane.waiting.splice(place, 1)
      lane.streams.forget(batch)
      lane.unacknowledged--
      turn(batch.routerId, lane)
    },
    /** From now on the router's batches take these streams. */
    lead: (routerId: string, streams: IngestStreams): void => {
      const lane = laneOf(routerId)
      if (streams === lane.streams) return goOn(routerId, lane)
      lane.next = streams
      turn(routerId, lane)
    },
    /** The streams have ended and are not opened again. */
    leave: (streams: IngestStreams): void => {
      const own = [...lanes].filter(([, lane]) => lane.streams === streams || lane.next === streams)
      for (const [, lane] of own) if (lane.streams === streams) lane.streams = given
      for (const batch of streams.takeAll()) given.add(batch)
      for (const [routerId, lane] of own) {
        if (lane.next === null || lane.next === streams || lane.next === given) goOn(routerId, lane)
      }
    },
    isUsed: (streams: IngestStreams): boolean =>
      lanes.values().some((lane) => lane.streams === streams || lane.next === streams),
  }
}

export type Lanes = ReturnType<typeof makeLanes>
