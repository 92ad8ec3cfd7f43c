import * as grpc from "@grpc/grpc-js"
import { Effect, Fiber, Redacted, Result } from "effect"
import { describe, expect, it } from "vitest"
import { connectIngest } from "../../../deploy/source/ingest-client.ts"
import { noProgress, play } from "../../../deploy/source/play.ts"
import { openSimulation } from "../../../deploy/source/simulate.ts"
import { decodeCsiBatch, encodeCsiBatch } from "../../../protocols/grpc/csi-batch.ts"
import type { IngestAck } from "../../../protocols/grpc/ingest-ack.ts"
import { csiIngestService } from "../../../protocols/grpc/services.ts"
import { decodeScenario } from "../../../sim/scenario/scenario.ts"
import smallRoom from "../../../sim/scenarios/small-room.json" with { type: "json" }
import { RouterDouble } from "../../gateways/cluster.ts"
import { withGrpcServer } from "../../gateways/grpc/site.ts"
import { exampleBatch } from "../../protocols/grpc/batches.ts"

type Call = grpc.ServerDuplexStream<Uint8Array, IngestAck>

/** A server whose stream does what the test says. */
const withPeer = (handle: (call: Call) => void, test: (port: number) => Effect.Effect<void>): Promise<void> =>
  Effect.acquireUseRelease(
    Effect.callback<{ readonly server: grpc.Server; readonly port: number }>((resume) => {
      const server = new grpc.Server()
      server.addService(csiIngestService, { StreamCsi: handle })
      server.bindAsync(
        "127.0.0.1:0",
        grpc.ServerCredentials.createInsecure(),
        (_, port) => resume(Effect.succeed({ server, port })),
      )
    }),
    ({ port }) => test(port),
    ({ server }) => Effect.sync(() => server.forceShutdown()),
  ).pipe(Effect.runPromise)

const connect = (port: number, key = "operator") =>
  connectIngest({ address: `127.0.0.1:${port}`, apiKey: Redacted.make(key), rootCertPem: null })

const ack = (batchSequence: number, credit: number): IngestAck => ({
  batchSequence,
  acceptedFrames: 10,
  droppedFrames: 0,
  reason: null,
  errorCode: null,
  credit,
})

const sequenceOf = (bytes: Uint8Array): number => Result.getOrThrow(decodeCsiBatch(bytes)).batchSequence

const batches = (count: number) =>
  Array.from({ length: count }, (_, i) => encodeCsiBatch(exampleBatch("r", i + 1, { frameCount: 1 })))

describe("ingest client", () => {
  it("never has more batches in flight than the server's credit", () => {
    let onTheWay = 0
    let most = 0
    const handle = (call: Call) =>
      call.on("data", (bytes: Uint8Array) => {
        most = Math.max(most, ++onTheWay)
        setImmediate(() => {
          onTheWay--
          call.write(ack(sequenceOf(bytes), 3))
        })
      })
    return withPeer(handle, (port) =>
      Effect.gen(function* () {
        const send = yield* connect(port)
        // The first acknowledgement names the credit.
        yield* send(batches(1)[0]!)
        most = 0
        const acks = yield* Effect.forEach(batches(200), send, { concurrency: "unbounded" })
        expect(acks.map(({ batchSequence }) => batchSequence)).toEqual(Array.from({ length: 200 }, (_, i) => i + 1))
        expect(most).toBeLessThanOrEqual(3)
      }).pipe(Effect.scoped, Effect.orDie))
  })

  it.each(["ends", "breaks"])("sends unacknowledged batches again, in order, when the stream %s", (way) => {
    const streams: Array<Array<number>> = []
    const handle = (call: Call) => {
      const seen: Array<number> = []
      streams.push(seen)
      call.on("data", (bytes: Uint8Array) => {
        const sequence = sequenceOf(bytes)
        seen.push(sequence)
        // The first two streams acknowledge two batches and then stop.
        if (streams.length > 2 || seen.length <= 2) call.write(ack(sequence, 16))
        else if (seen.length === 4 && way === "ends") call.end()
        else if (seen.length === 4) call.emit("error", { code: grpc.status.UNAVAILABLE, details: "going away" })
      })
    }
    return withPeer(handle, (port) =>
      Effect.gen(function* () {
        const send = yield* connect(port)
        const acks = yield* Effect.forEach(batches(10), send, { concurrency: "unbounded" })
        expect(acks.map(({ batchSequence }) => batchSequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
        expect(streams.length).toBe(3)
        for (const seen of streams) expect(seen).toEqual(seen.map((_, i) => seen[0]! + i))
        expect(streams[2]!.at(-1)).toBe(10)
        // A status other than OK may overtake the acknowledgements before it; then a batch comes twice.
        const firsts = streams.map((seen) => seen[0]!)
        if (way === "ends") expect(firsts).toEqual([1, 3, 5])
        else expect([firsts[0] === 1, firsts[1]! <= 3, firsts[2]! <= 5]).toEqual([true, true, true])
      }).pipe(Effect.scoped, Effect.orDie))
  })

  it("waits for a server that is not running yet", () =>
    Effect.gen(function* () {
      const reserved = yield* Effect.promise(() =>
        new Promise<number>((resolve) => {
          const server = new grpc.Server()
          server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (_, port) => {
            server.forceShutdown()
            resolve(port)
          })
        })
      )
      const send = yield* connect(reserved)
      const sending = yield* Effect.forkChild(send(batches(1)[0]!))
      const server = new grpc.Server()
      server.addService(csiIngestService, {
        StreamCsi: (call: Call) => call.on("data", (bytes: Uint8Array) => call.write(ack(sequenceOf(bytes), 16))),
      })
      yield* Effect.promise(() =>
        new Promise<void>((resolve) =>
          server.bindAsync(`127.0.0.1:${reserved}`, grpc.ServerCredentials.createInsecure(), () => resolve())
        )
      )
      expect((yield* Fiber.join(sending)).batchSequence).toBe(1)
      server.forceShutdown()
    }).pipe(Effect.scoped, Effect.runPromise))

  it("fails without a retry when the server rejects it", () =>
    withGrpcServer(
      ({ port }) =>
        Effect.gen(function* () {
          const send = yield* connect(port, "viewer")
          for (const bytes of batches(2)) {
            const failure = yield* Effect.flip(send(bytes))
            expect(failure._tag).toBe("IngestRefused")
            expect(failure.message).toContain("process")
          }
        }).pipe(Effect.scoped, Effect.orDie),
      {},
      acceptAll(),
    ))
})

const acceptAll = () =>
  new RouterDouble((_, bytes) => {
    const { frameCount } = Result.getOrThrow(decodeCsiBatch(bytes))
    return Effect.succeed({ acceptedFrames: frameCount, droppedFrames: 0, dropReason: null })
  })

describe("a source over gRPC", () => {
  it("plays a scenario to the routers, hop by hop", () => {
    const routers = acceptAll()
    return withGrpcServer(
      ({ port }) =>
        Effect.gen(function* () {
          const send = yield* connect(port)
          const startMs = 1_700_000_000_000
          const simulation = openSimulation(yield* decodeScenario(smallRoom), { startMs, seed: null, hops: 20 })
          const progress = noProgress()
          yield* play(simulation, send, { startMs, speed: null, progress })
          const decoded = routers.batches.map(({ bytes }) => Result.getOrThrow(decodeCsiBatch(bytes)))
          expect(new Set(decoded.map(({ routerId }) => routerId)).size).toBe(6)
          const hops = decoded.map(({ timestampsUs }) => Math.floor(timestampsUs[0]! / 1e5))
          expect(hops).toEqual([...hops].sort((a, b) => a - b))
          expect(new Set(hops).size).toBe(20)
          const frames = decoded.reduce((sum, { frameCount }) => sum + frameCount, 0)
          expect(progress).toMatchObject({ hops: 20, sentFrames: frames, acceptedFrames: frames, refusedBatches: 0 })
        }).pipe(Effect.scoped, Effect.orDie),
      {},
      routers,
    )
  })
})
