/**
 * Plays a source of CSI hop by hop: the common part of replay and simulation.
 *
 * Owns pace, order and retries. Boundary: `replay.ts` and `simulate.ts` produce the hops; the argument `send` delivers the batches,
 * over gRPC (`ingest-client.ts`) or to the routers of this process (`gateways/ingest/ingest.ts`).
 *
 * Invariants:
 * 1. Hop h + 1 is sent only when every batch of hop h is acknowledged, so that a source plays the same way every time.
 * 2. The batches of one router are sent one after the other. Routers do not wait for each other within a hop.
 * 3. A source that can skip is never more than `behindMsMax` and one hop behind its pace: it leaves hops out, counts them and says so.
 * 4. A batch is retried only after `unavailable`, for at most `retryMsMax`, or `lateMsMax` where a later one is of more use.
 */
import { Clock, Effect } from "effect"
import { type CsiBatch, valuesPerFrame } from "../../core/formats/csi-batch.ts"
import { hopOf, hopUs } from "../../core/observation/observation.ts"
import { encodeCsiBatch } from "../../protocols/grpc/csi-batch.ts"
import type { IngestAck } from "../../protocols/grpc/ingest-ack.ts"

/** The batches of all routers of a source in one hop of 100 ms. */
export interface SourceHop {
  readonly endUs: number
  readonly batches: ReadonlyArray<CsiBatch>
}

/** Hops in the order of time; null after the last one. */
export interface HopSource<E> {
  readonly next: Effect.Effect<SourceHop | null, E>
  /**
   * Lets hops pass that there is no time to play; without it every hop is played, however late. The next two come as one, because a router
   * completes a hop with the first packet after it: alone, the next hop would wait until the one after the next gap.
   */
  readonly skip?: (hops: number) => void
}

/** Delivers an encoded batch. Returns when its router has processed it. */
export type Send<E> = (bytes: Uint8Array) => Effect.Effect<IngestAck, E>

/** The progress of a source. */
export interface Progress {
  hops: number
  /** Hops that were left out to keep the pace. */
  skippedHops: number
  /** Batches that were late while their router could not be reached, and were left out. */
  lateBatches: number
  sentFrames: number
  acceptedFrames: number
  droppedFrames: number
  /** Event seconds per second so far; null before the first hop. */
  speed: number | null
  /** Rejected batches: unknown router, invalid, or unavailable for too long. */
  refusedBatches: number
}

export const noProgress = (): Progress => ({
  hops: 0,
  skippedHops: 0,
  lateBatches: 0,
  sentFrames: 0,
  acceptedFrames: 0,
  droppedFrames: 0,
  speed: null,
  refusedBatches: 0,
})

interface PlayOptions {
  /** Event time of the source's first hop, milliseconds since the Unix epoch. It is played at once. */
  readonly startMs: number
  /** Event seconds per second; null plays as fast as acknowledgements allow. */
  readonly speed: number | null
  /** Counted up while it plays. */
  readonly progress: Progress
}

/** Later than this, hops are left out until the source is on time. */
const behindMsMax = 500
const hopMs = hopUs / 1000

const retryMsMin = 50
const retryMsLongest = 1_000
const retryMsMax = 30_000
/** What is newer is of more use to a live or simulated environment than a batch that waited for so long. */
export const lateMsMax = 2_000

/** Plays a source to its end. */
export const play = Effect.fnUntraced(function* <E, F>(
  source: HopSource<E>,
  send: Send<F>,
  { progress, speed, startMs }: PlayOptions,
): Effect.fn.Return<void, E | F> {
  const beganMs = yield* Clock.currentTimeMillis
  const keepsPace = speed !== null && source.skip !== undefined
  const deliver = makeDelivery(send, progress, keepsPace ? lateMsMax : retryMsMax)
  const dueMsOf = (endUs: number, pace: number): number => beganMs + (endUs / 1000 - startMs) / pace
  const keepPace = Effect.fnUntraced(function* (lastEndUs: number) {
    if (speed === null || source.skip === undefined) return
    const behindMs = (yield* Clock.currentTimeMillis) - dueMsOf(lastEndUs, speed) - hopMs / speed
    const hops = Math.floor(behindMs * speed / hopMs) - 1
    if (behindMs <= behindMsMax || hops < 1) return
    source.skip(hops)
    if (progress.skippedHops === 0) {
      yield* Effect.logWarning("the source leaves hops out to stay in real time: this machine is short of CPU", {
        hops,
      })
    }
    progress.skippedHops += hops
  })
  let lastEndUs = startMs * 1000
  while (true) {
    yield* keepPace(lastEndUs)
    const hop = yield* source.next
    if (hop === null) return
    if (speed !== null) {
      const dueMs = dueMsOf(hop.endUs, speed)
      const nowMs = yield* Clock.currentTimeMillis
      if (dueMs > nowMs) yield* Effect.sleep(dueMs - nowMs)
    }
    const byRouter = Map.groupBy(hop.batches, ({ routerId }) => routerId)
    yield* Effect.forEach(byRouter.values(), (batches) => Effect.forEach(batches, deliver, { discard: true }), {
      concurrency: "unbounded",
      discard: true,
    })
    progress.hops++
    lastEndUs = hop.endUs
    const playedMs = (yield* Clock.currentTimeMillis) - beganMs
    progress.speed = playedMs === 0 ? null : Math.round(100 * (lastEndUs / 1000 - startMs) / playedMs) / 100
  }
})

/**
 * Sends a batch until it is accepted or finally rejected, and counts the result.
 *
 * @param waitMsMax how long it is sent again while its router cannot be reached
 */
export const makeDelivery = <F>(send: Send<F>, progress: Progress, waitMsMax: number = retryMsMax) => {
  // A rejection repeats with every batch, so it is logged once per router and reason.
  const said = new Set<string>()
  return Effect.fnUntraced(function* (batch: CsiBatch): Effect.fn.Return<void, F> {
    progress.sentFrames += batch.frameCount
    const bytes = encodeCsiBatch(batch)
    const giveUpMs = (yield* Clock.currentTimeMillis) + waitMsMax
    for (let delayMs = retryMsMin;; delayMs = Math.min(2 * delayMs, retryMsLongest)) {
      const ack = yield* send(bytes)
      if (ack.errorCode === "unavailable" && (yield* Clock.currentTimeMillis) + delayMs <= giveUpMs) {
        yield* Effect.sleep(delayMs)
        continue
      }
      progress.acceptedFrames += ack.acceptedFrames
      progress.droppedFrames += ack.droppedFrames
      if (ack.errorCode === null) return
      const isLate = ack.errorCode === "unavailable" && waitMsMax < retryMsMax
      progress[isLate ? "lateBatches" : "refusedBatches"]++
      const key = `${batch.routerId} ${ack.errorCode}`
      if (!said.has(key)) {
        yield* Effect.logWarning(isLate ? "batch left out, because it is late" : "batch rejected", {
          router_id: batch.routerId,
          error_code: ack.errorCode,
          reason: ack.reason,
        })
      }
      said.add(key)
      return
    }
  })
}

/**
 * Splits a batch at the boundaries of hops. The parts are views. A frame that steps back in time stays in the current hop.
 */
export const splitByHop = (batch: CsiBatch): ReadonlyArray<CsiBatch> => {
  const parts: Array<CsiBatch> = []
  let begin = 0
  for (let i = 1; i <= batch.frameCount; i++) {
    if (i < batch.frameCount && hopOf(batch.timestampsUs[i]!) <= hopOf(batch.timestampsUs[begin]!)) continue
    parts.push(slice(batch, begin, i))
    begin = i
  }
  return parts
}

/** The frames of a batch from `begin` to before `end`, as views. */
export const slice = (batch: CsiBatch, begin: number, end: number): CsiBatch => {
  const width = 2 * valuesPerFrame(batch.layout)
  return {
    ...batch,
    frameCount: end - begin,
    timestampsUs: batch.timestampsUs.subarray(begin, end),
    sequences: batch.sequences.subarray(begin, end),
    rssiDbm: batch.rssiDbm.subarray(begin, end),
    noiseFloorDbm: batch.noiseFloorDbm.subarray(begin, end),
    transmitterIndex: batch.transmitterIndex.subarray(begin, end),
    csi: batch.csi.subarray(begin * width, end * width),
  }
}
