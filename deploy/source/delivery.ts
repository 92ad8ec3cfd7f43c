/**
 * Delivery of batches to their routers: order, retries, and the counts of results.
 *
 * Owns the line of each router: its batches that are neither accepted nor finally rejected yet. Boundary: `play.ts` bounds how many hops are in
 * flight; the argument `send` delivers a batch and keeps the order of its calls for a router (`ingest-client.ts`).
 *
 * Invariants:
 * 1. The batches of a router are sent in the order of their calls. When one is `unavailable`, no new one is sent until all that were in
 *    flight have their answers; then the oldest is tried alone, and the others follow when it is accepted.
 * 2. A batch is retried only after `unavailable`, for at most `waitMsMax`.
 * 3. A batch is left out and counted when a later one was accepted first: the router takes no time before its last one.
 */
import { Clock, Deferred, Effect } from "effect"
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import { encodeCsiBatch } from "../../protocols/grpc/csi-batch.ts"
import type { IngestAck } from "../../protocols/grpc/ingest-ack.ts"

/** Delivers an encoded batch. Returns when its router has processed it. */
export type Send<E> = (bytes: Uint8Array) => Effect.Effect<IngestAck, E>

/** The counts of a delivery. */
export interface DeliveryCounts {
  sentFrames: number
  acceptedFrames: number
  droppedFrames: number
  /** Batches that were late while their router could not be reached, and were left out. */
  lateBatches: number
  /** Rejected batches: unknown router, invalid, or unavailable for too long. */
  refusedBatches: number
}

/** The wait before a retry: at first, and at most. */
const retryDelayMsMin = 50
const retryDelayMsMax = 1_000
/** How long a batch is retried by default. */
const retryMsMax = 30_000
/** How long a batch of a live or simulated source is retried: after that, newer batches are of more use. */
export const lateMsMax = 2_000

/** A batch in the line of its router. */
interface Entry {
  /** `ready`: it waits for its turn. */
  state: "ready" | "sent" | "overtaken"
  /** Done with the milliseconds to wait when the batch may be sent. */
  turn: Deferred.Deferred<number>
}

/** A router's batches that are not settled, in order. */
class Line {
  readonly entries: Array<Entry> = []
  /** Whether a batch was unavailable, and none was accepted since with nothing in flight. */
  #recovering = false
  #delayMs = retryDelayMsMin

  join(): Entry {
    const entry: Entry = { state: "ready", turn: Deferred.makeUnsafe() }
    this.entries.push(entry)
    if (!this.#recovering) this.#give(entry, 0)
    return entry
  }

  /** The wait before a batch whose router is unavailable now is tried again. */
  get delayMs(): number {
    return this.#delayMs
  }

  /** The router was unavailable: the batch waits for another turn. */
  again(entry: Entry): void {
    this.#recovering = true
    entry.state = "ready"
    entry.turn = Deferred.makeUnsafe()
    if (!this.entries.some(({ state }) => state === "sent")) this.#tryOldest()
  }

  /** The batch was accepted or finally rejected. */
  settle(entry: Entry, accepted: boolean): void {
    const { entries } = this
    const older = entries.splice(0, entries.indexOf(entry) + 1).filter((one) => one !== entry)
    const overtaken = older.filter(({ state }) => accepted && state === "ready")
    entries.unshift(...older.filter((one) => !overtaken.includes(one)))
    for (const one of overtaken) {
      one.state = "overtaken"
      Deferred.doneUnsafe(one.turn, Effect.succeed(0))
    }
    this.#delayMs = retryDelayMsMin
    if (!this.#recovering || entries.some(({ state }) => state === "sent")) return
    if (!accepted) return this.#tryOldest()
    this.#recovering = false
    for (const one of entries) this.#give(one, 0)
  }

  #tryOldest(): void {
    const [oldest] = this.entries
    if (oldest === undefined) return void (this.#recovering = false)
    this.#give(oldest, this.#delayMs)
    this.#delayMs = Math.min(2 * this.#delayMs, retryDelayMsMax)
  }

  #give(entry: Entry, waitMs: number): void {
    entry.state = "sent"
    Deferred.doneUnsafe(entry.turn, Effect.succeed(waitMs))
  }
}

/**
 * Sends a batch until it is accepted or finally rejected, and counts the result. Calls for one router keep their order.
 *
 * @param waitMsMax how long it is sent again while its router cannot be reached
 */
export const makeDelivery = <F>(send: Send<F>, counts: DeliveryCounts, waitMsMax: number = retryMsMax) => {
  const lines = new Map<string, Line>()
  // A rejection repeats with every batch, so it is logged once per router and reason.
  const logged = new Set<string>()
  const refuse = Effect.fnUntraced(function* (routerId: string, errorCode: string, reason: string | null) {
    const isLate = errorCode === "unavailable" && waitMsMax < retryMsMax
    counts[isLate ? "lateBatches" : "refusedBatches"]++
    const key = `${routerId} ${errorCode}`
    if (logged.has(key)) return
    logged.add(key)
    yield* Effect.logWarning(isLate ? "batch left out, because it is late" : "batch rejected", {
      router_id: routerId,
      error_code: errorCode,
      reason,
    })
  })
  return Effect.fnUntraced(function* (batch: CsiBatch): Effect.fn.Return<void, F> {
    const { routerId } = batch
    const line = lines.get(routerId) ?? new Line()
    lines.set(routerId, line)
    const entry = line.join()
    counts.sentFrames += batch.frameCount
    const bytes = encodeCsiBatch(batch)
    const giveUpMs = (yield* Clock.currentTimeMillis) + waitMsMax
    let reason: string | null = null
    while (true) {
      const waitMs = yield* Deferred.await(entry.turn)
      if (entry.state === "overtaken") return yield* refuse(routerId, "unavailable", reason)
      if (waitMs > 0) yield* Effect.sleep(waitMs)
      const ack: IngestAck = yield* send(bytes)
      reason = ack.reason
      if (ack.errorCode === "unavailable" && (yield* Clock.currentTimeMillis) + line.delayMs <= giveUpMs) {
        line.again(entry)
        continue
      }
      counts.acceptedFrames += ack.acceptedFrames
      counts.droppedFrames += ack.droppedFrames
      line.settle(entry, ack.errorCode === null)
      if (line.entries.length === 0) lines.delete(routerId)
      if (ack.errorCode !== null) yield* refuse(routerId, ack.errorCode, ack.reason)
      return
    }
  })
}
