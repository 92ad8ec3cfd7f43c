import * as grpc from "@grpc/grpc-js"
import { Deferred, Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { UnknownRouter } from "../../../protocols/domain/failure.ts"
import { readCsiBatchEnvelope } from "../../../protocols/grpc/csi-batch.ts"
import { RouterDouble, until } from "../cluster.ts"
import { batch, metadata, openIngest, withClient } from "../grpc/clients.ts"
import { withServer } from "../grpc/moody-routers.ts"

describe("gRPC edge: CsiIngestService", () => {
  it("rejects a batch that breaks its router, and asks for one again that its router did not take", () =>
    withServer(({ port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const { acks, call, result } = openIngest(client)
          for (const bytes of [batch("broken", 1), batch("resting", 2)]) call.write(bytes)
          call.end()
          yield* until(() => result.status !== null)
          expect(acks).toMatchObject([
            { errorCode: "invalid_batch", reason: 'Router "broken" could not process this batch; it was dropped.' },
            { errorCode: "unavailable" },
          ])
        }))
    ))

  it("delivers waiting batches together, and one by one after they broke their router together", () => {
    const first = Deferred.makeUnsafe<void>()
    const sequenceOf = (bytes: Uint8Array) => Result.getOrThrow(readCsiBatchEnvelope(bytes)).batchSequence
    const router = new RouterDouble((_, bytes) => {
      const sequence = sequenceOf(bytes)
      if (sequence === 4) return Effect.die(new Error("a batch that breaks its router"))
      const accepted = { acceptedFrames: 1, droppedFrames: 0, dropReason: null }
      return Effect.as(sequence === 1 ? Deferred.await(first) : Effect.void, accepted)
    })
    const asked = () => router.messages.map((batches) => batches.map(sequenceOf))
    return withServer(
      ({ port }) =>
        withClient(port, (client) =>
          Effect.gen(function* () {
            const { acks, call, result } = openIngest(client)
            call.write(batch("a", 1))
            yield* until(() => asked().length === 1)
            for (const sequence of [2, 3, 4, 5]) call.write(batch("a", sequence))
            call.write(Uint8Array.of(1, 2, 3))
            // Another router's batch is answered by now, so those before it are in the line.
            call.write(batch("b", 6))
            call.end()
            yield* until(() => asked().length === 2)
            yield* Deferred.succeed(first, undefined)
            yield* until(() => result.status !== null)
            expect(asked()).toEqual([[1], [6], [2, 3, 4, 5], [2], [3], [4], [5]])
            expect(acks.map(({ batchSequence, errorCode }) => [batchSequence, errorCode])).toEqual(
              [[1, null], [2, null], [3, null], [4, "invalid_batch"], [5, null], [0, "invalid_batch"], [6, null]],
            )
          })),
      {},
      router,
    )
  })

  it("hands batches to their routers unchanged and acknowledges each in order", () =>
    withServer(({ port, routers }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const { acks, call, result } = openIngest(client)
          const sent = ["a", "strange", "b", "far", "picky", "a"].map((routerId, i) => batch(routerId, i + 1))
          for (const bytes of [...sent, Uint8Array.of(1, 2, 3)]) call.write(bytes)
          call.end()
          yield* until(() => result.status !== null)
          expect(result.status!.code).toBe(grpc.status.OK)
          const accepted = { acceptedFrames: 9, droppedFrames: 1, reason: "an outlier", errorCode: null, credit: 16 }
          const refused = { acceptedFrames: 0, droppedFrames: 0, credit: 16 }
          expect(acks).toEqual([
            { batchSequence: 1, ...accepted },
            { batchSequence: 2, ...refused, errorCode: "unknown_router", reason: UnknownRouter.of("strange").message },
            { batchSequence: 3, ...accepted },
            { batchSequence: 4, ...refused, errorCode: "unavailable", reason: expect.stringContaining("far") },
            { batchSequence: 5, ...refused, errorCode: "invalid_batch", reason: "layout changed" },
            { batchSequence: 6, ...accepted },
            { batchSequence: 0, ...refused, errorCode: "invalid_batch", reason: expect.any(String) },
          ])
          const received = (routerId: string) =>
            routers.batches.filter((b) => b.routerId === routerId).map((b) => b.bytes)
          expect(received("a").map((bytes) => [...bytes])).toEqual([sent[0]!, sent[5]!].map((bytes) => [...bytes]))
        }))
    ))

  it("reads no further than the credit while a router does not answer, and goes on when it does", () => {
    const gate = Deferred.makeUnsafe<void>()
    const router = new RouterDouble(() =>
      Effect.as(Deferred.await(gate), { acceptedFrames: 10, droppedFrames: 0, dropReason: null })
    )
    return withServer(
      ({ port }) =>
        withClient(port, (client) =>
          Effect.gen(function* () {
            const { acks, call } = openIngest(client)
            for (let i = 1; i <= 100; i++) call.write(batch(`r${i}`, i))
            yield* until(() => router.batches.length === 16)
            // Everything that could still come in has had its turn.
            for (let turn = 0; turn < 50; turn++) yield* Effect.promise(() => new Promise((go) => setImmediate(go)))
            expect(router.batches.length).toBe(16)
            expect(acks.length).toBe(0)
            yield* Deferred.succeed(gate, undefined)
            yield* until(() => acks.length === 100)
            expect(acks.map(({ batchSequence }) => batchSequence)).toEqual(Array.from({ length: 100 }, (_, i) => i + 1))
            call.cancel()
          })),
      {},
      router,
    )
  })

  it("gives a router its batches one after the other, while others go on", () => {
    const gate = Deferred.makeUnsafe<void>()
    const router = new RouterDouble((routerId) =>
      Effect.as(routerId === "held" ? Deferred.await(gate) : Effect.void, {
        acceptedFrames: 10,
        droppedFrames: 0,
        dropReason: null,
      })
    )
    return withServer(
      ({ port }) =>
        withClient(port, (client) =>
          Effect.gen(function* () {
            const { acks, call } = openIngest(client)
            for (const [i, routerId] of ["held", "held", "free", "held", "free"].entries()) {
              call.write(batch(routerId, i + 1))
            }
            yield* until(() => router.batches.filter(({ routerId }) => routerId === "free").length === 2)
            expect(router.batches.filter(({ routerId }) => routerId === "held").length).toBe(1)
            expect(acks.length).toBe(0)
            yield* Deferred.succeed(gate, undefined)
            yield* until(() => acks.length === 5)
            expect(acks.map(({ batchSequence }) => batchSequence)).toEqual([1, 2, 3, 4, 5])
            call.cancel()
          })),
      {},
      router,
    )
  })

  it.each<[who: string, credentials: Record<string, string>, code: grpc.status]>([
    ["nobody", {}, grpc.status.UNAUTHENTICATED],
    ["a wrong key", { "x-api-key": "guess" }, grpc.status.UNAUTHENTICATED],
    ["a wrong token", { authorization: "Bearer guess" }, grpc.status.UNAUTHENTICATED],
    ["another scheme", { authorization: "Basic operator" }, grpc.status.UNAUTHENTICATED],
    ["a viewer", { authorization: "Bearer viewer" }, grpc.status.PERMISSION_DENIED],
  ])(
    "refuses %s",
    (_, credentials, code) =>
      withServer(({ port, routers }) =>
        withClient(port, (client) =>
          Effect.gen(function* () {
            const { acks, call, result } = openIngest(client, metadata(credentials))
            call.write(batch("a", 1))
            yield* until(() => result.status !== null)
            expect(result.status!.code).toBe(code)
            expect(acks).toEqual([])
            expect(routers.batches).toEqual([])
          }))
      ),
  )

  it("lets an operator in by token", () =>
    withServer(({ port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const { acks, call } = openIngest(client, metadata({ authorization: "Bearer operator" }))
          call.write(batch("a", 1))
          yield* until(() => acks.length === 1)
          call.cancel()
        }))
    ))

  it("rejects a message over 16 MiB", () =>
    withServer(({ port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const { call, result } = openIngest(client)
          call.write(new Uint8Array(16 * 1024 * 1024 + 1))
          yield* until(() => result.status !== null)
          expect(result.status!.code).toBe(grpc.status.RESOURCE_EXHAUSTED)
        }))
    ))

  it("acknowledges what is in flight and then ends its streams when it stops", () => {
    const gate = Deferred.makeUnsafe<void>()
    const router = new RouterDouble(() =>
      Effect.as(Deferred.await(gate), { acceptedFrames: 10, droppedFrames: 0, dropReason: null })
    )
    return withServer(
      ({ port, stop }) =>
        withClient(port, (client) =>
          Effect.gen(function* () {
            const { acks, call, result } = openIngest(client)
            call.write(batch("a", 1))
            yield* until(() => router.batches.length === 1)
            yield* Effect.all([stop, Deferred.succeed(gate, undefined)], { concurrency: "unbounded" })
            yield* until(() => result.status !== null)
            expect(acks.map(({ batchSequence }) => batchSequence)).toEqual([1])
            expect(result.status!.code).toBe(grpc.status.UNAVAILABLE)
          })),
      {},
      router,
    )
  })

  it("ends what does not finish within two seconds when it stops", () =>
    withServer(({ port, routers, stop }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const { call, result } = openIngest(client)
          call.write(batch("slow", 1))
          yield* until(() => routers.batches.length === 1)
          yield* stop
          yield* until(() => result.status !== null)
          expect(result.status!.code).not.toBe(grpc.status.OK)
        }))
    ))
})
