import { Clock, Deferred, Effect, Fiber, Result, Semaphore } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { CsiBatch } from "../../../core/formats/csi-batch.ts"
import { type HopSource, noProgress, play, type SourceHop, splitByHop } from "../../../deploy/source/play.ts"
import { decodeCsiBatch } from "../../../protocols/grpc/csi-batch.ts"
import type { IngestAck } from "../../../protocols/grpc/ingest-ack.ts"
import { exampleBatch } from "../../protocols/grpc/batches.ts"

const taken: Omit<IngestAck, "batchSequence"> = {
  acceptedFrames: 10,
  droppedFrames: 0,
  reason: null,
  errorCode: null,
  credit: 16,
}

const sourceOf = (hops: ReadonlyArray<SourceHop>): HopSource<never> => {
  const left = [...hops]
  return { next: Effect.sync(() => left.shift() ?? null) }
}

const hop = (number: number, ...batches: ReadonlyArray<CsiBatch>): SourceHop => ({ endUs: (number + 1) * 1e5, batches })

const read = (bytes: Uint8Array): string => {
  const { batchSequence, routerId } = Result.getOrThrow(decodeCsiBatch(bytes))
  return `${routerId}/${batchSequence}`
}

describe("playing a source", () => {
  it("sends a hop only when every batch of the previous hop is acknowledged", () =>
    Effect.gen(function* () {
      const gates = new Map<string, Deferred.Deferred<void>>()
      const sent: Array<string> = []
      const send = (bytes: Uint8Array) =>
        Effect.gen(function* () {
          const name = read(bytes)
          const gate = Deferred.makeUnsafe<void>()
          gates.set(name, gate)
          sent.push(name)
          yield* Deferred.await(gate)
          return { ...taken, batchSequence: 1 }
        })
      const hops = [
        hop(0, exampleBatch("a", 1), exampleBatch("b", 1), exampleBatch("a", 2)),
        hop(1, exampleBatch("a", 3), exampleBatch("b", 2)),
      ]
      const progress = noProgress()
      const playing = yield* Effect.forkDetach(play(sourceOf(hops), send, { startMs: 0, speed: null, progress }))
      const open = (name: string) => Effect.andThen(Deferred.succeed(gates.get(name)!, undefined), TestClock.adjust(0))
      yield* TestClock.adjust(0)
      expect(sent).toEqual(["a/1", "b/1"])
      yield* open("a/1")
      expect(sent).toEqual(["a/1", "b/1", "a/2"])
      yield* open("a/2")
      expect(sent).toHaveLength(3)
      yield* open("b/1")
      expect(sent.slice(3)).toEqual(["a/3", "b/2"])
      yield* open("a/3")
      yield* open("b/2")
      yield* Fiber.join(playing)
      expect(progress).toEqual({
        hops: 2,
        skippedHops: 0,
        easedHops: 0,
        lateBatches: 0,
        sentFrames: 50,
        acceptedFrames: 50,
        droppedFrames: 0,
        speed: null,
        refusedBatches: 0,
      })
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))

  it("leaves hops out when they take too long, so that it is never much later than its pace", () =>
    Effect.gen(function* () {
      let next = 0
      let skipped = 0
      const source: HopSource<never> = {
        next: Effect.sync(() => next < 100 ? hop(next++, exampleBatch("a", next)) : null),
        skip: (hops) => {
          next += hops
          skipped += hops
        },
      }
      const lateMs: Array<number> = []
      // A hop of 100 ms takes 250 ms, and the node does one at a time.
      const node = Semaphore.makeUnsafe(1)
      const inFlight: Array<number> = []
      let sent = 0
      const send = () =>
        Effect.gen(function* () {
          lateMs.push((yield* Clock.currentTimeMillis) - next * 100)
          inFlight.push(++sent)
          yield* node.withPermits(1)(Effect.delay(Effect.void, "250 millis"))
          sent--
          return { ...taken, batchSequence: 1 }
        })
      const progress = noProgress()
      const playing = yield* Effect.forkDetach(play(source, send, { startMs: 0, speed: 1, progress }))
      yield* TestClock.adjust("20 seconds")
      yield* Fiber.join(playing)
      expect(progress.skippedHops).toBe(skipped)
      expect(progress.hops + skipped).toBeGreaterThanOrEqual(100)
      expect(progress.hops).toBeGreaterThan(35)
      expect(Math.max(...lateMs)).toBeLessThanOrEqual(750)
      // More hops in flight would only wait.
      expect(Math.max(...inFlight.slice(-10))).toBeLessThanOrEqual(3)
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))

  it("eases the work of a source that is behind before it leaves hops out, and takes it back afterwards", () =>
    Effect.gen(function* () {
      let next = 0
      let oneIn = 1
      let skipped = 0
      const eases: Array<number> = []
      // A hop takes 130 ms for the first ten seconds, half of that with half of the packets; then it takes 10 ms.
      const source: HopSource<never> = {
        next: Effect.suspend(() => {
          if (next >= 200) return Effect.succeed(null)
          const made = hop(next++, exampleBatch("a", next))
          return Effect.delay(Effect.succeed(made), next < 100 ? 130 / oneIn : 10)
        }),
        skip: (hops) => {
          next += hops
          skipped += hops
        },
        ease: (ease) => {
          oneIn = ease.oneIn
          eases.push(oneIn)
        },
      }
      const progress = noProgress()
      const send = () => Effect.succeed({ ...taken, batchSequence: 1 })
      const playing = yield* Effect.forkDetach(play(source, send, { startMs: 0, speed: 1, progress }))
      yield* TestClock.adjust("40 seconds")
      yield* Fiber.join(playing)
      expect(eases[0]).toBe(2)
      expect(skipped).toBe(0)
      expect(progress.easedHops).toBeGreaterThan(50)
      expect(progress.easedHops).toBeLessThan(120)
      expect(oneIn).toBe(1)
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))

  it("keeps its pace with a node that takes 250 ms for a hop and does several at a time, in order", () =>
    Effect.gen(function* () {
      let next = 0
      const source: HopSource<never> = {
        next: Effect.sync(() =>
          next < 50 ? hop(next++, exampleBatch("a", 2 * next), exampleBatch("a", 2 * next + 1)) : null
        ),
        skip: (hops) => void (next += hops),
      }
      const sent: Array<string> = []
      let inFlight = 0
      let inFlightMax = 0
      const send = (bytes: Uint8Array) =>
        Effect.suspend(() => {
          sent.push(read(bytes))
          inFlightMax = Math.max(inFlightMax, ++inFlight)
          return Effect.delay(Effect.sync(() => inFlight--), "250 millis")
        }).pipe(Effect.as({ ...taken, batchSequence: 1 }))
      const progress = noProgress()
      const playing = yield* Effect.forkDetach(play(source, send, { startMs: 0, speed: 1, progress }))
      yield* TestClock.adjust("20 seconds")
      yield* Fiber.join(playing)
      expect(progress).toMatchObject({ hops: 50, skippedHops: 0, acceptedFrames: 1_000 })
      expect(sent).toEqual(Array.from({ length: 100 }, (_, i) => `a/${i + 2}`))
      // Three hops of two batches.
      expect(inFlightMax).toBe(6)
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))

  it("ends with the failure of a hop in flight", () =>
    Effect.gen(function* () {
      const source: HopSource<never> = { next: Effect.succeed(hop(0, exampleBatch("a", 1))), skip: () => {} }
      const send = () => Effect.delay(Effect.fail("refused"), "250 millis")
      const playing = yield* Effect.forkDetach(
        Effect.flip(play(source, send, { startMs: 0, speed: 1, progress: noProgress() })),
      )
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(playing)).toBe("refused")
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))

  it("plays every hop of a source that cannot skip", () =>
    Effect.gen(function* () {
      const hops = Array.from({ length: 10 }, (_, i) => hop(i, exampleBatch("a", i + 1)))
      const progress = noProgress()
      const send = () => Effect.delay(Effect.succeed({ ...taken, batchSequence: 1 }), "1 second")
      const playing = yield* Effect.forkDetach(play(sourceOf(hops), send, { startMs: 0, speed: 1, progress }))
      yield* TestClock.adjust("20 seconds")
      yield* Fiber.join(playing)
      // A hop of 100 ms took a second.
      expect(progress).toMatchObject({ hops: 10, skippedHops: 0, speed: 0.1 })
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))

  it.each([[1, 100], [4, 25]])("keeps the pace of event time times %d", (speed, hopMs) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(5_000)
      const sentMs: Array<number> = []
      const send = () =>
        Effect.clockWith((clock) => {
          sentMs.push(clock.currentTimeMillisUnsafe())
          return Effect.succeed({ ...taken, batchSequence: 1 })
        })
      const hops = [0, 1, 2].map((n) => hop(10 + n, exampleBatch("a", n)))
      const playing = yield* Effect.forkDetach(
        play(sourceOf(hops), send, { startMs: 1_000, speed, progress: noProgress() }),
      )
      for (let step = 0; step < 400; step++) yield* TestClock.adjust(1)
      yield* Fiber.join(playing)
      expect(sentMs).toEqual([1, 2, 3].map((n) => 5_000 + n * hopMs))
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))

  it("sends a batch again while its router is unavailable, for thirty seconds", () =>
    Effect.gen(function* () {
      let tries = 0
      const answers: ReadonlyArray<(n: number) => boolean> = [(n) => n < 4, () => true]
      for (const isUnavailable of answers) {
        tries = 0
        const progress = noProgress()
        const send = () =>
          Effect.sync((): IngestAck =>
            isUnavailable(++tries)
              ? { ...taken, batchSequence: 1, acceptedFrames: 0, errorCode: "unavailable", reason: "gone" }
              : { ...taken, batchSequence: 1 }
          )
        const playing = yield* Effect.forkDetach(
          play(sourceOf([hop(0, exampleBatch("a", 1))]), send, { startMs: 0, speed: null, progress }),
        )
        yield* TestClock.adjust("31 seconds")
        yield* Fiber.join(playing)
        expect(progress.refusedBatches).toBe(isUnavailable(99) ? 1 : 0)
        expect(progress.acceptedFrames).toBe(isUnavailable(99) ? 0 : 10)
        if (!isUnavailable(99)) expect(tries).toBe(4)
        else expect(tries).toBeGreaterThan(30)
      }
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))

  it("leaves a batch out after two seconds where later hops are of more use", () =>
    Effect.gen(function* () {
      let hops = 0
      const source: HopSource<never> = {
        next: Effect.sync(() => hops < 100 ? hop(hops++, exampleBatch("a", hops)) : null),
        skip: (skipped) => void (hops += skipped),
      }
      const progress = noProgress()
      const send = () =>
        Effect.clockWith((clock) =>
          Effect.succeed<IngestAck>(
            clock.currentTimeMillisUnsafe() < 5_000
              ? { ...taken, batchSequence: 1, acceptedFrames: 0, errorCode: "unavailable", reason: "gone" }
              : { ...taken, batchSequence: 1 },
          )
        )
      const playing = yield* Effect.forkDetach(play(source, send, { startMs: 0, speed: 1, progress }))
      yield* TestClock.adjust("20 seconds")
      yield* Fiber.join(playing)
      // The four in flight at the beginning, and one that was sent when they were given up.
      expect(progress).toMatchObject({ lateBatches: 5, refusedBatches: 0 })
      expect(progress.acceptedFrames).toBeGreaterThanOrEqual(10 * 45)
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))

  it("continues after a batch that is finally rejected", () =>
    Effect.gen(function* () {
      const progress = noProgress()
      const send = (bytes: Uint8Array) =>
        Effect.succeed<IngestAck>(
          read(bytes).startsWith("strange")
            ? { ...taken, batchSequence: 1, acceptedFrames: 0, errorCode: "unknown_router", reason: "not enrolled" }
            : { ...taken, batchSequence: 1 },
        )
      const hops = [0, 1].map((n) => hop(n, exampleBatch("strange", n), exampleBatch("known", n)))
      yield* play(sourceOf(hops), send, { startMs: 0, speed: null, progress })
      expect(progress).toMatchObject({ hops: 2, acceptedFrames: 20, refusedBatches: 2 })
    }).pipe(Effect.runPromise))
})

describe("splitting a batch by hops", () => {
  it("keeps every frame, in order, each part within one hop", () => {
    const whole = exampleBatch("a", 1, { frameCount: 57, startUs: 1_234_560_000 })
    const parts = splitByHop(whole)
    expect(parts.length).toBe(7)
    for (const part of parts) {
      expect(new Set([...part.timestampsUs].map((us) => Math.floor(us / 1e5))).size).toBe(1)
      expect(part.csi.length).toBe(part.frameCount * 3 * 56 * 2)
    }
    const joined = (column: "timestampsUs" | "sequences" | "csi") => parts.flatMap((part) => [...part[column]])
    expect(joined("timestampsUs")).toEqual([...whole.timestampsUs])
    expect(joined("sequences")).toEqual([...whole.sequences])
    expect(joined("csi")).toEqual([...whole.csi])
  })
})
