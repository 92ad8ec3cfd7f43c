/** A router that is not acknowledged delays no other, over a service that acknowledges each stream in order. */
import * as grpc from "@grpc/grpc-js"
import { Effect, Fiber, Redacted, Result, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { connectIngest } from "../../../deploy/source/ingest-client.ts"
import { decodeCsiBatch, encodeCsiBatch } from "../../../protocols/grpc/csi-batch.ts"
import type { IngestAck } from "../../../protocols/grpc/ingest-ack.ts"
import { csiIngestService } from "../../../protocols/grpc/services.ts"
import { until } from "../../gateways/cluster.ts"
import { exampleBatch } from "../../protocols/grpc/batches.ts"

type Call = grpc.ServerDuplexStream<Uint8Array, IngestAck>

interface Waiting {
  readonly routerId: string
  readonly batchSequence: number
}

/** A service that acknowledges the batches of each stream in order, but none of a router that is stuck. */
class Service {
  readonly stuck = new Set<string>()
  /** What has been acknowledged, by router. */
  readonly acknowledged = new Map<string, Array<number>>()
  /** Streams that are rejected, beside the first one. */
  rejects = false
  opened = 0
  readonly #streams = new Map<Call, Array<Waiting>>()

  readonly handle = (call: Call): void => {
    this.opened++
    if (this.rejects && this.#streams.size > 0) {
      return void call.emit("error", { code: grpc.status.RESOURCE_EXHAUSTED, details: "too many requests" })
    }
    call.sendMetadata(new grpc.Metadata())
    const waiting: Array<Waiting> = []
    this.#streams.set(call, waiting)
    call.on("data", (bytes: Uint8Array) => {
      waiting.push(Result.getOrThrow(decodeCsiBatch(bytes)))
      this.#answer(call, waiting)
    })
    call.on("cancelled", () => this.#streams.delete(call))
  }

  get open(): number {
    return this.#streams.size
  }

  /** Batches of a router that have arrived and are not acknowledged. */
  waiting(routerId: string): number {
    return [...this.#streams.values()].flat().filter((one) => one.routerId === routerId).length
  }

  free(): void {
    this.stuck.clear()
    for (const [call, waiting] of this.#streams) this.#answer(call, waiting)
  }

  /** Ends the streams that have a batch of a router. */
  endStreamOf(routerId: string): void {
    for (const [call, waiting] of this.#streams) {
      if (!waiting.some((one) => one.routerId === routerId)) continue
      this.#streams.delete(call)
      call.end()
    }
  }

  #answer(call: Call, waiting: Array<Waiting>): void {
    while (waiting.length > 0 && !this.stuck.has(waiting[0]!.routerId)) {
      const { batchSequence, routerId } = waiting.shift()!
      const own = this.acknowledged.get(routerId) ?? []
      this.acknowledged.set(routerId, own)
      own.push(batchSequence)
      call.write({ batchSequence, acceptedFrames: 1, droppedFrames: 0, reason: null, errorCode: null, credit: 16 })
    }
  }

  readonly listen = Effect.fnUntraced({ self: this }, function* () {
    const server = new grpc.Server()
    server.addService(csiIngestService, { StreamCsi: this.handle })
    yield* Effect.addFinalizer(() => Effect.sync(() => server.forceShutdown()))
    return yield* Effect.callback<number>((resume) => {
      server.bindAsync(
        "127.0.0.1:0",
        grpc.ServerCredentials.createInsecure(),
        (_, port) => resume(Effect.succeed(port)),
      )
    })
  })
}

const connected = Effect.gen(function* () {
  const service = new Service()
  const address = `127.0.0.1:${yield* service.listen()}`
  const send = yield* connectIngest({ address, apiKey: Redacted.make("key"), rootCertPem: null })
  const sendOne = (routerId: string, sequence: number) =>
    send(encodeCsiBatch(exampleBatch(routerId, sequence, { frameCount: 1 })))
  /** Sends batches of a router without waiting for their answers. */
  const sendMany = (routerId: string, sequences: ReadonlyArray<number>) =>
    Effect.forkScoped(
      Effect.forEach(sequences, (sequence) => sendOne(routerId, sequence), {
        concurrency: "unbounded",
        discard: true,
      }),
      { startImmediately: true },
    )
  return { sendMany, sendOne, service }
})

const numbers = (from: number, to: number) => Array.from({ length: to + 1 - from }, (_, i) => from + i)

const run = (test: Effect.Effect<void, unknown, Scope.Scope>) => Effect.runPromise(Effect.scoped(Effect.orDie(test)))

describe("a sender of several routers", () => {
  it("sends on for all others while one is not acknowledged, however many of its batches wait", () =>
    run(Effect.gen(function* () {
      const { sendMany, sendOne, service } = yield* connected
      service.stuck.add("slow")
      const slow = yield* sendMany("slow", numbers(1, 100))
      yield* until(() => service.waiting("slow") > 0)
      for (const sequence of numbers(1, 50)) {
        yield* Effect.forEach(["a", "b"], (routerId) => sendOne(routerId, sequence), { concurrency: "unbounded" })
      }
      expect(service.acknowledged.has("slow")).toBe(false)
      expect(service.waiting("slow")).toBeLessThanOrEqual(16)
      service.free()
      yield* Fiber.join(slow)
      expect(service.acknowledged.get("slow")).toEqual(numbers(1, 100))
      for (const routerId of ["a", "b"]) expect(service.acknowledged.get(routerId)).toEqual(numbers(1, 50))
    })))

  it("opens as many streams as routers have batches at once, 32 at most, and closes none for the next", () =>
    run(Effect.gen(function* () {
      const { sendMany, sendOne, service } = yield* connected
      yield* sendOne("first", 1)
      for (const round of [1, 2]) {
        const routers = numbers(1, 40).map((number) => `r${number}`)
        for (const routerId of routers) service.stuck.add(routerId)
        const sending = yield* Effect.forEach(routers, (routerId) => sendMany(routerId, [2 * round, 2 * round + 1]))
        yield* until(() => service.open === 32 && routers.every((routerId) => service.waiting(routerId) === 2))
        service.free()
        yield* Fiber.joinAll(sending)
        for (const routerId of routers) expect(service.acknowledged.get(routerId)).toEqual(numbers(2, 2 * round + 1))
      }
      expect(service.opened).toBe(32)
    })))

  it("sends the batches of a stream that ended on another one, in order", () =>
    run(Effect.gen(function* () {
      const { sendMany, sendOne, service } = yield* connected
      yield* sendOne("a", 1)
      for (const routerId of ["a", "b"]) service.stuck.add(routerId)
      const a = yield* sendMany("a", numbers(2, 20))
      const b = yield* sendMany("b", numbers(1, 20))
      yield* until(() => service.waiting("a") > 0 && service.waiting("b") > 0)
      service.endStreamOf("b")
      yield* sendOne("c", 1)
      yield* until(() => service.waiting("b") > 0)
      service.free()
      yield* Fiber.joinAll([a, b])
      expect(service.acknowledged.get("a")).toEqual(numbers(1, 20))
      expect(service.acknowledged.get("b")).toEqual(numbers(1, 20))
    })))

  it("goes on with the first stream when others are rejected, and tries again after ten seconds, also if the clock was set back", () =>
    run(
      Effect.gen(function* () {
        yield* TestClock.adjust("2 hours")
        const { sendMany, sendOne, service } = yield* connected
        yield* sendOne("a", 1)
        service.rejects = true
        for (const round of numbers(1, 50)) {
          const sending = yield* Effect.forEach(
            ["a", "b", "c"],
            (routerId) => sendMany(routerId, [2 * round, 2 * round + 1]),
          )
          yield* Fiber.joinAll(sending)
        }
        for (const routerId of ["a", "b", "c"]) {
          expect(service.acknowledged.get(routerId)!.filter((sequence) => sequence > 1)).toEqual(numbers(2, 101))
        }
        // One for each of the two other routers, at once.
        expect(service.opened).toBe(3)
        service.rejects = false
        yield* TestClock.setTime(0)
        yield* TestClock.adjust("10 seconds")
        const sending = yield* Effect.forEach(["a", "b"], (routerId) => sendMany(routerId, [102, 103]))
        yield* Fiber.joinAll(sending)
        expect(service.open).toBe(2)
      }).pipe(Effect.provide(TestClock.layer())),
    ))
})
