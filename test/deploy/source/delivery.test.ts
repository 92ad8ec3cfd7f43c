import { Deferred, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { lateMsMax, makeDelivery } from "../../../deploy/source/delivery.ts"
import { noProgress } from "../../../deploy/source/play.ts"
import { decodeCsiBatch } from "../../../protocols/grpc/csi-batch.ts"
import type { IngestAck } from "../../../protocols/grpc/ingest-ack.ts"
import { exampleBatch } from "../../protocols/grpc/batches.ts"

const accepted: IngestAck = {
  batchSequence: 1,
  acceptedFrames: 10,
  droppedFrames: 0,
  reason: null,
  errorCode: null,
  credit: 16,
}
const unavailable: IngestAck = { ...accepted, acceptedFrames: 0, errorCode: "unavailable", reason: "gone" }

/** A delivery of batches 1 to `count` of one router at once; the test answers each in its own time. */
const started = Effect.fnUntraced(function* (count: number) {
  const sent: Array<number> = []
  const open: Array<Deferred.Deferred<IngestAck>> = []
  const send = (bytes: Uint8Array) =>
    Effect.suspend(() => {
      sent.push(Result.getOrThrow(decodeCsiBatch(bytes)).batchSequence)
      const answer = Deferred.makeUnsafe<IngestAck>()
      open.push(answer)
      return Deferred.await(answer)
    })
  const counts = noProgress()
  const deliver = makeDelivery(send, counts, lateMsMax)
  const put = (sequence: number) => Effect.forkDetach(deliver(exampleBatch("a", sequence)), { startImmediately: true })
  const fibers = yield* Effect.forEach(Array.from({ length: count }, (_, i) => i + 1), put)
  /** Answers the oldest open batches. */
  const answer = Effect.fnUntraced(function* (...acks: ReadonlyArray<IngestAck>) {
    for (const ack of acks) {
      yield* Deferred.succeed(open.shift()!, ack)
      yield* TestClock.adjust(0)
    }
  })
  return { answer, counts, fibers, put, sent }
})

const run = <A, E>(test: Effect.Effect<A, E>) => Effect.runPromise(Effect.provide(test, TestClock.layer()))

describe("a delivery with several batches of a router in flight", () => {
  it("sends all again in order when they were unavailable, and what came meanwhile behind them", () =>
    run(Effect.gen(function* () {
      const { answer, counts, fibers, put, sent } = yield* started(3)
      yield* answer(unavailable, unavailable)
      const late = yield* put(4)
      yield* answer(unavailable)
      expect(sent).toEqual([1, 2, 3])
      yield* TestClock.adjust(49)
      expect(sent).toHaveLength(3)
      yield* TestClock.adjust(1)
      expect(sent.slice(3)).toEqual([1])
      yield* answer(unavailable)
      yield* TestClock.adjust(99)
      expect(sent).toHaveLength(4)
      yield* TestClock.adjust(1)
      yield* answer(accepted)
      expect(sent.slice(4)).toEqual([1, 2, 3, 4])
      yield* answer(accepted, accepted, accepted)
      yield* Fiber.joinAll([...fibers, late])
      expect(counts).toMatchObject({ sentFrames: 40, acceptedFrames: 40, lateBatches: 0, refusedBatches: 0 })
    })))

  it("leaves out and counts a batch that a later one overtook", () =>
    run(Effect.gen(function* () {
      const { answer, counts, fibers, put, sent } = yield* started(3)
      yield* answer(unavailable, accepted)
      yield* Fiber.join(fibers[0]!)
      const next = yield* put(4)
      expect(sent).toEqual([1, 2, 3])
      yield* answer(accepted)
      expect(sent).toEqual([1, 2, 3, 4])
      yield* answer(accepted)
      yield* Fiber.joinAll([...fibers, next])
      expect(counts).toMatchObject({ acceptedFrames: 30, lateBatches: 1 })
    })))

  it("gives a batch up after its own time, and goes on with the next", () =>
    run(Effect.gen(function* () {
      const counts = noProgress()
      const send = (bytes: Uint8Array) =>
        Effect.succeed(Result.getOrThrow(decodeCsiBatch(bytes)).batchSequence === 1 ? unavailable : accepted)
      const deliver = makeDelivery(send, counts, lateMsMax)
      const first = yield* Effect.forkDetach(deliver(exampleBatch("a", 1)), { startImmediately: true })
      // It is tried after 50, 150, 350, 750 and 1550 ms; the next time would be after 2 s.
      yield* TestClock.adjust(1_000)
      const second = yield* Effect.forkDetach(deliver(exampleBatch("a", 2)), { startImmediately: true })
      yield* TestClock.adjust(550)
      yield* Fiber.join(first)
      expect(counts).toMatchObject({ acceptedFrames: 0, lateBatches: 1 })
      yield* TestClock.adjust(50)
      yield* Fiber.join(second)
      expect(counts).toMatchObject({ acceptedFrames: 10, lateBatches: 1 })
    })))
})
