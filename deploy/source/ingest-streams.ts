/**
 * The streams of a sender to one address. Acknowledgements of a stream are in the order of its batches, so a router whose room is slow delays
 * all others of its stream: therefore each router that has unacknowledged batches has a stream of its own.
 *
 * Invariants:
 * 1. The unacknowledged batches of a router are in one stream. It changes its stream when it has none.
 * 2. Routers share streams only when `streamsMax` are open, or the budget is used up, because each stream counts against the rate limit of the
 *    key.
 * 3. When a stream ends, all its unacknowledged batches are sent again, in order, on another one. So a batch may reach its router twice.
 *    The router recognises it by its times.
 * 4. All end with the first one, which is opened and admitted before any other.
 */
import type * as grpc from "@grpc/grpc-js"
import { Clock, Effect } from "effect"
import { monotonicMsOf } from "../../actors/runtime/monotonic.ts"
import { type Held, type IngestCall, type IngestWindow, makeWindow } from "./ingest-window.ts"

const streamsMax = 32
/** One more may be opened after each, far below the rate limit of 1,000 an hour. None is opened for so long after one was rejected. */
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

/** How many streams a sender may open, of all addresses together. */
class Budget {
  readonly #clock: Clock.Clock
  #spare = streamsMax
  #sinceMs: number

  constructor(clock: Clock.Clock) {
    this.#clock = clock
    this.#sinceMs = this.nowMs
  }

  get nowMs(): number {
    return monotonicMsOf(this.#clock)
  }

  /** Counts a stream; false if none may be opened. */
  take(): boolean {
    const { nowMs } = this
    this.#spare = Math.min(streamsMax, this.#spare + (nowMs - this.#sinceMs) / openEveryMs)
    this.#sinceMs = nowMs
    if (this.#spare < 1) return false
    this.#spare--
    return true
  }
}

/** An open stream. */
interface Open {
  readonly call: IngestCall
  readonly window: IngestWindow
}

class AddressStreams implements IngestStreams {
  readonly #budget: Budget
  /** The open streams, in the order of opening. */
  readonly #open: Array<Open> = []
  /** The streams of routers, with how many batches each has there. */
  readonly #places = new Map<string, { readonly window: IngestWindow; batches: number }>()
  /** Batches of routers without a stream, in order. */
  readonly #unplaced: Array<Held> = []
  #acknowledged = 0
  /** Opens another stream. Null while the first one is not admitted. */
  #openNext: (() => void) | null = null
  #rejectedMs = -Infinity

  constructor(budget: Budget) {
    this.#budget = budget
  }

  run(open: () => IngestCall): Effect.Effect<StreamEnd> {
    return Effect.callback<StreamEnd>((resume) => {
      const before = this.#acknowledged
      const first = this.#start(open(), (status) => {
        this.#stop()
        resume(Effect.succeed({ status, acknowledged: this.#acknowledged - before }))
      })
      first.call.once("metadata", () => {
        if (!this.#open.includes(first)) return
        this.#rejectedMs = -Infinity
        this.#openNext = () => void this.#startNext(open())
        this.#placeAll()
      })
      this.#placeAll()
      return Effect.sync(() => this.#stop())
    })
  }

  waiting(): number {
    return this.#unplaced.length + this.#sum((window) => window.size())
  }

  progress() {
    return { acknowledged: this.#acknowledged, inFlight: this.#sum((window) => window.inFlight()) }
  }

  add(batch: Held): void {
    this.#unplaced.push(batch)
    this.#placeAll()
  }

  forget(batch: Held): void {
    const i = this.#unplaced.indexOf(batch)
    if (i >= 0) return void this.#unplaced.splice(i, 1)
    if (this.#places.get(batch.routerId)?.window.forget(batch)) this.#left(batch)
  }

  takeAll(): ReadonlyArray<Held> {
    return this.#unplaced.splice(0)
  }

  #sum(of: (window: IngestWindow) => number): number {
    return this.#open.reduce((total, { window }) => total + of(window), 0)
  }

  #start(call: IngestCall, ended: (status: grpc.StatusObject) => void, worked: () => void = () => {}): Open {
    const window = makeWindow(call, (batch) => {
      this.#acknowledged++
      worked()
      this.#left(batch)
    })
    const opened = { call, window }
    this.#open.push(opened)
    call.on("error", () => {})
    call.on("status", (status: grpc.StatusObject) => {
      // The end of the first one has ended it.
      if (this.#open.includes(opened)) ended(status)
    })
    return opened
  }

  #startNext(call: IngestCall): void {
    let hasWorked = false
    const next = this.#start(call, () => {
      if (!hasWorked) this.#rejectedMs = this.#budget.nowMs
      this.#end(next)
      this.#placeAll()
    }, () => {
      hasWorked = true
    })
  }

  #end(ended: Open): void {
    this.#open.splice(this.#open.indexOf(ended), 1)
    for (const [routerId, { window }] of this.#places) if (window === ended.window) this.#places.delete(routerId)
    this.#unplaced.push(...ended.window.end())
  }

  #stop(): void {
    this.#openNext = null
    for (const one of [...this.#open]) {
      this.#end(one)
      one.call.cancel()
    }
  }

  /** The batch is in no stream any more. */
  #left({ routerId }: Held): void {
    const place = this.#places.get(routerId)
    if (place !== undefined && --place.batches === 0) this.#places.delete(routerId)
  }

  #placeAll(): void {
    for (const batch of this.#unplaced.splice(0)) {
      const place = this.#placeOf(batch.routerId)
      if (place === null) this.#unplaced.push(batch)
      else {
        place.batches++
        place.window.add(batch)
      }
    }
  }

  #placeOf(routerId: string) {
    const known = this.#places.get(routerId)
    if (known !== undefined) return known
    const window = this.#choose()
    if (window === undefined) return null
    const place = { window, batches: 0 }
    this.#places.set(routerId, place)
    return place
  }

  /** A stream for a router that has none; undefined while there is none to share. */
  #choose(): IngestWindow | undefined {
    const windows = this.#open.map(({ window }) => window)
    const free = windows.find((window) => window.size() === 0)
    if (free !== undefined || this.#openNext === null) return free
    const mayOpen = windows.length < streamsMax && this.#budget.nowMs - this.#rejectedMs >= openEveryMs
    if (mayOpen && this.#budget.take()) {
      this.#openNext()
      return this.#open.at(-1)!.window
    }
    return windows.toSorted((a, b) => a.size() - b.size())[0]
  }
}

/** Makes the streams to each address of a sender. */
export const streamsMaker: Effect.Effect<() => IngestStreams> = Effect.map(Clock.Clock, (clock) => {
  const budget = new Budget(clock)
  return () => new AddressStreams(budget)
})
