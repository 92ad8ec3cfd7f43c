/**
 * Plays a source of CSI hop by hop: the common part of replay and simulation.
 *
 * Owns pace and the hops in flight. Boundary: `replay.ts` and `simulate.ts` produce the hops; `delivery.ts` keeps the order of batches and
 * retries them, with the argument `send`: over gRPC (`ingest-client.ts`) or to the routers of this process (`gateways/ingest/ingest.ts`).
 *
 * Invariants:
 * 1. A source in real time, which has a speed and can skip, has at most `hopsInFlightMax` hops in flight, and fewer while its node is slow. They
 *    begin in order.
 * 2. Any other source sends hop h + 1 only when every batch of hop h is acknowledged, and the batches of one router one after the other. So it
 *    plays the same way every time.
 * 3. Routers do not wait for each other within a hop.
 * 4. A source in real time is never more than `behindMsMax` and one hop behind its pace: if it can, it eases its work (`easing.ts`), then
 *    leaves hops out and counts them. It logs the first time of each.
 */
import { Clock, Effect, FiberSet, type Scope, Semaphore } from "effect"
import { type CsiBatch, valuesPerFrame } from "../../core/formats/csi-batch.ts"
import { hopOf, hopUs } from "../../core/observation/observation.ts"
import { type DeliveryCounts, lateMsMax, makeDelivery, type Send } from "./delivery.ts"
import { afterMade, type Ease, easeOf, noEase } from "./easing.ts"

/** The batches of all routers of a source in one hop of 100 ms. */
export interface SourceHop {
  readonly endUs: number
  readonly batches: ReadonlyArray<CsiBatch>
}

/** Hops in the order of time; null after the last one. */
export interface HopSource<E> {
  readonly next: Effect.Effect<SourceHop | null, E>
  /**
   * Leaves out hops for which there is no time; without it every hop is played, however late. The next two hops come as one, because a router
   * completes a hop with the first packet after it: alone, the next hop would wait until the one after the next gap.
   */
  readonly skip?: (hops: number) => void
  /** Eases the work from the next hop on. */
  readonly ease?: (ease: Ease) => void
}

/** The progress of a source. */
export interface Progress extends DeliveryCounts {
  hops: number
  /** Hops that were left out to keep the pace. */
  skippedHops: number
  /** Hops that were eased to keep the pace (`easing.ts`). Several that were sent at once count as one, here and in `hops`. */
  easedHops: number
  /** Event seconds per second so far; null before the first hop. */
  speed: number | null
}

export const noProgress = (): Progress => ({
  hops: 0,
  skippedHops: 0,
  easedHops: 0,
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

/** Hops in flight of a source in real time. Under load a node takes 250 ms for a hop, and ten hops a second are due. */
const hopsInFlightMax = 4
/** A hop that takes longer has waited for those before it: with fewer in flight the node does as many a second, and they are newer. */
const promptMs = 400

/** The hops that may be in flight after one that took so long. */
const allowedAfter = (allowed: number, tookMs: number): number =>
  tookMs > promptMs ? Math.max(1, allowed - 1) : Math.min(hopsInFlightMax, allowed + 1)

/** Why a source is behind its pace. Which of these it was, it cannot know: a node that waits for its database takes hops as late as a slow one. */
const behindText =
  "hops were made or taken late. The processor may be short, or the node may have waited for its database or network"

/** Eases a source that is behind its pace. Called after each hop that it made. */
const makeEasing = <E>({ ease }: HopSource<E>, speed: number, progress: Progress) => {
  let state = noEase
  let hasSaid = false
  return Effect.fnUntraced(function* (behindMs: number, tookMs: number) {
    if (ease === undefined) return
    const before = state.level
    if (before > 0) progress.easedHops++
    state = afterMade(state, { nowMs: yield* Clock.currentTimeMillis, ageMs: behindMs, costMs: tookMs * speed })
    if (state.level === before) return
    ease(easeOf(state))
    // The start is slow, too, for a moment.
    if (hasSaid || state.level < 2) return
    hasSaid = true
    yield* Effect.logWarning(`the source makes fewer packets to stay in real time: ${behindText}`)
  })
}

/**
 * Leaves hops out when a source is too far behind its pace. Called before each hop, with how far the last one's end is in the past, and how long
 * the source has waited until fewer hops were in flight.
 */
const makeSkipping = <E>({ skip }: HopSource<E>, speed: number, progress: Progress) =>
  Effect.fnUntraced(function* (sinceEndMs: number, waitedMs: number) {
    const behindMs = sinceEndMs - hopMs / speed
    const hops = Math.floor(behindMs * speed / hopMs) - 1
    if (skip === undefined || behindMs <= behindMsMax || hops < 1) return
    skip(hops)
    if (progress.skippedHops === 0) {
      yield* Effect.logWarning(`the source leaves hops out to stay in real time: ${behindText}`, { hops, waitedMs })
    }
    progress.skippedHops += hops
  })

/** Plays a source to its end. */
export const play = Effect.fnUntraced(function* <E, F>(
  source: HopSource<E>,
  send: Send<F>,
  { progress, speed, startMs }: PlayOptions,
): Effect.fn.Return<void, E | F, Scope.Scope> {
  const beganMs = yield* Clock.currentTimeMillis
  const isRealTime = speed !== null && source.skip !== undefined
  const deliver = makeDelivery(send, progress, isRealTime ? lateMsMax : undefined)
  const dueMsOf = (endUs: number, pace: number): number => beganMs + (endUs / 1000 - startMs) / pace
  let allowed = isRealTime ? hopsInFlightMax : 1
  const free = Semaphore.makeUnsafe(allowed)
  const inFlight = yield* FiberSet.make<void, F>()
  const finish = Effect.fnUntraced(function* ({ batches, endUs }: SourceHop) {
    const sentMs = yield* Clock.currentTimeMillis
    const byRouter = Map.groupBy(batches, ({ routerId }) => routerId)
    // With several hops in flight, all batches of a router join its line before those of the next hop.
    const concurrency = isRealTime ? "unbounded" : 1
    yield* Effect.forEach(byRouter.values(), (own) => Effect.forEach(own, deliver, { concurrency, discard: true }), {
      concurrency: "unbounded",
      discard: true,
    })
    progress.hops++
    const nowMs = yield* Clock.currentTimeMillis
    if (isRealTime) yield* free.resize(allowed = allowedAfter(allowed, nowMs - sentMs))
    const playedMs = nowMs - beganMs
    progress.speed = playedMs === 0 ? null : Math.round(100 * (endUs / 1000 - startMs) / playedMs) / 100
  })
  const easeAfter = makeEasing(source, speed ?? 1, progress)
  const keepPace = makeSkipping(source, speed ?? 1, progress)
  /** Waits until a hop is due. */
  const waitFor = Effect.fnUntraced(function* ({ endUs }: SourceHop, beganMakingMs: number) {
    if (speed === null) return
    const nowMs = yield* Clock.currentTimeMillis
    const earlyMs = dueMsOf(endUs, speed) - nowMs
    yield* easeAfter(-earlyMs, nowMs - beganMakingMs)
    if (earlyMs > 0) yield* Effect.sleep(earlyMs)
  })
  const start = Effect.gen(function* () {
    let lastEndUs = startMs * 1000
    while (true) {
      const beganWaitingMs = yield* Clock.currentTimeMillis
      yield* free.take(1)
      const beganMakingMs = yield* Clock.currentTimeMillis
      if (speed !== null) yield* keepPace(beganMakingMs - dueMsOf(lastEndUs, speed), beganMakingMs - beganWaitingMs)
      const hop = yield* source.next
      if (hop === null) return yield* FiberSet.awaitEmpty(inFlight)
      yield* waitFor(hop, beganMakingMs)
      yield* FiberSet.run(inFlight, Effect.ensuring(finish(hop), free.release(1)), { startImmediately: true })
      lastEndUs = hop.endUs
    }
  })
  yield* Effect.raceFirst(start, Effect.andThen(FiberSet.join(inFlight), Effect.never))
}, Effect.scoped)

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
