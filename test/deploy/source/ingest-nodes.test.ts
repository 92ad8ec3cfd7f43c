/** A sender follows its routers to their nodes, and loses nothing when that fails. */
import * as grpc from "@grpc/grpc-js"
import { Effect, Fiber, Logger, Redacted, Result, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { connectIngest } from "../../../deploy/source/ingest-client.ts"
import { defaultConnectionBounds, makeConnectionGuard } from "../../../gateways/access/connection-guard.ts"
import { listenForGrpc, makeGrpcConnections } from "../../../gateways/grpc/listener.ts"
import type { Certificate } from "../../../gateways/http/tls.ts"
import { decodeCsiBatch, encodeCsiBatch } from "../../../protocols/grpc/csi-batch.ts"
import type { IngestAck } from "../../../protocols/grpc/ingest-ack.ts"
import { csiIngestService } from "../../../protocols/grpc/services.ts"
import { until } from "../../gateways/cluster.ts"
import { fixedTls, selfSigned } from "../../gateways/grpc/tools.ts"
import { exampleBatch } from "../../protocols/grpc/batches.ts"

type Call = grpc.ServerDuplexStream<Uint8Array, IngestAck>

/** A node that acknowledges, and tells where the router is. */
class Peer {
  readonly seen: Array<number> = []
  calls = 0
  port = 0
  nodeAddress: string | null = null
  errorCode: IngestAck["errorCode"] = null
  /** Whether it takes batches without an answer. */
  isFrozen = false
  #call: Call | null = null

  get address(): string {
    return `127.0.0.1:${this.port}`
  }

  readonly handle = (call: Call): void => {
    this.calls++
    this.#call = call
    call.sendMetadata(new grpc.Metadata())
    call.on("data", (bytes: Uint8Array) => {
      const { batchSequence } = Result.getOrThrow(decodeCsiBatch(bytes))
      this.seen.push(batchSequence)
      if (this.isFrozen) return
      const ack = { batchSequence, acceptedFrames: 1, droppedFrames: 0, reason: null, credit: 16 }
      call.write({
        ...ack,
        errorCode: this.errorCode,
        ...(this.nodeAddress === null ? {} : { nodeAddress: this.nodeAddress }),
      })
    })
  }

  /** Ends its stream. */
  end(): void {
    this.#call!.end()
  }

  readonly listen = Effect.fnUntraced({ self: this }, function* (certificate: Certificate | null) {
    const server = new grpc.Server()
    server.addService(csiIngestService, { StreamCsi: this.handle })
    const connections = makeGrpcConnections(makeConnectionGuard(defaultConnectionBounds, () => false))
    const tls = certificate === null ? null : fixedTls(certificate)
    const { port } = yield* listenForGrpc(server, { host: "127.0.0.1", port: 0, tls }, connections)
    this.port = port
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        server.forceShutdown()
        connections.cut()
      })
    )
  })
}

/** A sender over plain text that was given one peer, and another peer. */
const twoPeers = Effect.gen(function* () {
  const [given, node] = [new Peer(), new Peer()]
  for (const peer of [given, node]) yield* peer.listen(null)
  const send = yield* connectIngest({ address: given.address, apiKey: Redacted.make("key"), rootCertPem: null })
  return { given, node, send }
})

const batch = (sequence: number) => encodeCsiBatch(exampleBatch("r", sequence, { frameCount: 1 }))

/** Sends one batch after the other, from this sequence on, until a condition holds; returns the next sequence. */
const sendUntil = Effect.fnUntraced(function* <E>(
  send: (bytes: Uint8Array) => Effect.Effect<IngestAck, E>,
  first: number,
  condition: () => boolean,
) {
  let sequence = first
  while (!condition()) {
    expect((yield* send(batch(sequence))).batchSequence).toBe(sequence)
    sequence++
    // A turn of the event loop, for the other connection.
    yield* until(() => true)
  }
  return sequence
})

const run = (test: Effect.Effect<void, unknown, Scope.Scope>) => Effect.runPromise(Effect.scoped(Effect.orDie(test)))

describe("a sender of several nodes", () => {
  it("sends to the node that has the router, to the given one when that ends, and to none that it does not trust", () =>
    run(Effect.gen(function* () {
      const { given, node, send } = yield* twoPeers
      given.nodeAddress = "stranger.example:50051"
      let next = yield* sendUntil(send, 1, () => given.seen.length === 3)
      given.nodeAddress = node.address
      next = yield* sendUntil(send, next, () => node.seen.length >= 3)
      // In order, and each at one node.
      const all = [...given.seen, ...node.seen].sort((a, b) => a - b)
      expect(all).toEqual(Array.from({ length: next - 1 }, (_, i) => i + 1))
      for (const { seen } of [given, node]) expect(seen).toEqual(seen.toSorted((a, b) => a - b))
      const before = given.seen.length
      node.end()
      next = yield* sendUntil(send, next, () => given.seen.length > before)
      expect(new Set([...given.seen, ...node.seen]).size).toBe(next - 1)
      expect(node.calls).toBe(1)
    })))

  it("goes back to the given address when a node no longer reaches the router, and when the node names it", () =>
    run(Effect.gen(function* () {
      const { given, node, send } = yield* twoPeers
      given.nodeAddress = node.address
      let next = yield* sendUntil(send, 1, () => node.seen.length > 0)
      given.nodeAddress = null
      node.errorCode = "unavailable"
      let before = given.seen.length
      next = yield* sendUntil(send, next, () => given.seen.length > before)
      node.errorCode = null
      given.nodeAddress = node.address
      before = node.seen.length
      next = yield* sendUntil(send, next, () => node.seen.length > before)
      given.nodeAddress = null
      node.nodeAddress = given.address
      before = given.seen.length
      yield* sendUntil(send, next, () => given.seen.length > before)
      // One stream served all of it.
      expect(node.calls).toBe(1)
    })))

  it("asks the given address again, because a node that lost its database goes on taking batches", () =>
    run(
      Effect.gen(function* () {
        const { given, node, send } = yield* twoPeers
        given.nodeAddress = node.address
        let next = yield* sendUntil(send, 1, () => node.seen.length > 0)
        given.nodeAddress = null
        yield* TestClock.adjust("1 second")
        const before = given.seen.length
        next = yield* sendUntil(send, next, () => given.seen.length > before + 3)
        expect(given.seen.slice(-3)).toEqual([next - 3, next - 2, next - 1])
      }).pipe(Effect.provide(TestClock.layer())),
    ))

  it("leaves a node that does not answer", () =>
    run(
      Effect.gen(function* () {
        const { given, node, send } = yield* twoPeers
        given.nodeAddress = node.address
        const next = yield* sendUntil(send, 1, () => node.seen.length > 0)
        node.isFrozen = true
        const before = node.seen.length
        const sending = yield* Effect.forkChild(send(batch(next)))
        yield* until(() => node.seen.length > before)
        yield* TestClock.adjust("7 seconds")
        expect((yield* Fiber.join(sending)).batchSequence).toBe(next)
        expect([node.seen.at(-1), given.seen.at(-1)]).toEqual([next, next])
      }).pipe(Effect.provide(TestClock.layer())),
    ))

  it("sends its key to nodes that show a certificate for the name of the given address, and to no others", () => {
    const logged: Array<string> = []
    const logger = Logger.layer([Logger.make(({ message }) => void logged.push(JSON.stringify(message)))])
    return run(
      Effect.gen(function* () {
        const [own, other] = [
          yield* Effect.promise(() => selfSigned()),
          yield* Effect.promise(() => selfSigned("other")),
        ]
        const [given, node, stranger] = [new Peer(), new Peer(), new Peer()]
        yield* given.listen(own)
        yield* node.listen(own)
        yield* stranger.listen(other)
        const send = yield* connectIngest({
          address: `localhost:${given.port}`,
          apiKey: Redacted.make("key"),
          // It trusts the authority of the stranger too.
          rootCertPem: `${own.certPem}\n${other.certPem}`,
        })
        given.nodeAddress = stranger.address
        const next = yield* sendUntil(send, 1, () => logged.some((line) => line.includes("is not reached directly")))
        given.nodeAddress = node.address
        yield* sendUntil(send, next, () => node.seen.length > 0)
        expect(stranger.calls).toBe(0)
      }).pipe(Effect.provide(logger)),
    )
  })
})
