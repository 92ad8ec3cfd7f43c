/**
 * The streams of a sender to one address. Acknowledgements of a stream are in the order of its batches, so a router whose room is slow delays
 * all others of its stream: therefore each router that has unacknowledged batches has a stream of its own.
 *
 * Invariants:
 * 1. The unacknowledged batches of a router are in one stream. It changes its stream when it has none.
 * 2. Routers share streams only when `streamsMax` are open, or too many were opened lately: each counts against the rate limit of the key.
 * 3. When a stream ends, all its unacknowledged batches are sent again, in order, on another one. So a batch may reach its router twice.
 *    The router recognises it by its times.
 * 4. All end with the first one, which is opened and admitted before any other.
 */
import type * as grpc from "@grpc/grpc-js"
import { Clock, Effect } from "effect"
import { type Held, type IngestCall, type IngestWindow, makeWindow } from "./ingest-window.ts"

const streamsMax = 32
/** One more may be opened after each. Far below the rate limit of 1,000 an hour. */
const openEveryMs = 10_000

/** How the first stream ended. */
interface StreamEnd {
  readonly status: grpc.StatusObject
  /** Batches that were acknowledged since it began. */
  readonly acknowledged: number
}

export interface IngestStreams {
  /** Opens the first stream; returns when it has ended, and the others with it. */
  readonly run: (open: () => IngestCall) => Effect.Effect<StreamEnd>
  readonly waiting: () => number
  /** Batches that were acknowledged, and those in flight. */
  readonly progress: () => { readonly acknowledged: number; readonly inFlight: number }
  readonly add: (batch: Held) => void
  /** The batch is acknowledged, or its caller was interrupted. */
  readonly forget: (batch: Held) => void
  /** Removes all unacknowledged batches; those of each router are in order. No stream may be open. */
  readonly takeAll: () => ReadonlyArray<Held>
}

/** Makes the streams to each address; all count against the same rate limit. */
export const streamsMaker: Effect.Effect<() => IngestStreams> = Effect.map(Clock.Clock, (clock) => {
  let spare = streamsMax
  let sinceMs = clock.currentTimeMillisUnsafe()
  const mayOpen = (): boolean => {
    const nowMs = clock.currentTimeMillisUnsafe()
    spare = Math.min(streamsMax, spare + Math.max(0, nowMs - sinceMs) / openEveryMs)
    sinceMs = nowMs
    if (spare < 1) return false
    spare--
    return true
  }
  return () => makeStreams(mayOpen)
})

/** @param mayOpen counts a stream beside the first one */
const makeStreams = (mayOpen: () => boolean): IngestStreams => {
  /** In the order of opening. */
  const windows: Array<IngestWindow> = []
  /** The streams of routers, with how many batches each has there. */
  const places = new Map<string, { readonly window: IngestWindow; batches: number }>()
  /** Batches of routers without a stream, in order. */
  const unplaced: Array<Held> = []
  let acknowledged = 0
  let openNext: (() => void) | null = null

  const sum = (of: (window: IngestWindow) => number): number => windows.reduce((total, one) => total + of(one), 0)

  /** A stream for a router that has none; undefined while there is none to share. */
  const choose = (): IngestWindow | undefined => {
    const free = windows.find((window) => window.size() === 0)
    if (free !== undefined || openNext === null) return free
    if (windows.length < streamsMax && mayOpen()) {
      openNext()
      return windows.at(-1)
    }
    return windows.toSorted((a, b) => a.size() - b.size())[0]
  }

  const placeAll = (): void => {
    const waiting = unplaced.splice(0)
    for (const batch of waiting) {
      let place = places.get(batch.routerId)
      if (place === undefined) {
        const window = choose()
        if (window === undefined) {
          unplaced.push(batch)
          continue
        }
        places.set(batch.routerId, place = { window, batches: 0 })
      }
      place.batches++
      place.window.add(batch)
    }
  }

  /** The batch is in no stream any more. */
  const left = ({ routerId }: Held): void => {
    const place = places.get(routerId)
    if (place !== undefined && --place.batches === 0) places.delete(routerId)
  }

  const settled = (batch: Held): void => {
    acknowledged++
    left(batch)
  }

  const end = (window: IngestWindow): void => {
    windows.splice(windows.indexOf(window), 1)
    for (const [routerId, place] of places) if (place.window === window) places.delete(routerId)
    unplaced.push(...window.end())
  }

  const run: IngestStreams["run"] = (open) =>
    Effect.callback<StreamEnd>((resume) => {
      const calls = new Set<IngestCall>()
      const before = acknowledged
      const start = (ended: (status: grpc.StatusObject, window: IngestWindow) => void): IngestCall => {
        const call = open()
        const window = makeWindow(call, settled)
        calls.add(call)
        windows.push(window)
        call.on("error", () => {})
        call.on("status", (status: grpc.StatusObject) => {
          // The end of the first one has ended it.
          if (calls.delete(call)) ended(status, window)
        })
        return call
      }
      const stop = (): void => {
        openNext = null
        for (const window of [...windows]) end(window)
        const open = [...calls]
        calls.clear()
        for (const call of open) call.cancel()
      }
      const first = start((status) => {
        stop()
        resume(Effect.succeed({ status, acknowledged: acknowledged - before }))
      })
      first.once("metadata", () => {
        if (!calls.has(first)) return
        openNext = () =>
          start((_, window) => {
            end(window)
            placeAll()
          })
        placeAll()
      })
      placeAll()
      return Effect.sync(stop)
    })

  return {
    run,
    waiting: () => unplaced.length + sum((window) => window.size()),
    progress: () => ({ acknowledged, inFlight: sum((window) => window.inFlight()) }),
    add: (batch) => {
      unplaced.push(batch)
      placeAll()
    },
    forget: (batch) => {
      const i = unplaced.indexOf(batch)
      if (i >= 0) return void unplaced.splice(i, 1)
      if (places.get(batch.routerId)?.window.forget(batch)) left(batch)
    },
    takeAll: () => unplaced.splice(0),
  }
}
